"""Rules, dice, network and self-play of tavla-ai, in C++."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy
import numpy.typing
from numpy.typing import NDArray


def rolls(seed: int, game: int, n: int, round: int = 0) -> NDArray[numpy.int8]:
    """
    Return int8[n, 2], the first n rolls of a game's dice stream; `round` tells the games of a match apart.
    """

def opening(rules: Rules, seed: int, game: int, round: int = 0) -> tuple[int, tuple[int, int]]:
    """
    Return the seat that starts a game and the first roll that is played; `round` as for `rolls`.
    """

class Variant:
    """
    What sets the games of one family apart; `cascade_from` is 0 for never.
    """

    def __init__(self, *, hit_and_run: bool, larger_die_first: bool, pinned_blocks_bear_off: bool, leave_a_move: bool, cascade_from: int) -> None: ...

class Rules:
    """What the generator needs to know of a ruleset."""

    def __init__(self, *, family: str, setup: Sequence[int], reserve: int, variant: Variant, opening_rerolls: bool, winner_rolls: bool, scores: Sequence[int], stuck_limit: int) -> None: ...

    @property
    def num_places(self) -> int:
        """Length of a side's row of counts."""

    def start(self) -> numpy.typing.NDArray[numpy.int8]:
        """Return the start position int8[2, num_places]."""

    def check(self, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Raise RulesetError, naming the offence, unless the game can have this board int8[2, num_places].
        """

NO_SCORE: int = -32768

MAX_PLAYS: int = 3060

def legal_plays(rules: Rules, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], first: int, second: int) -> tuple[NDArray[numpy.int8], NDArray[numpy.int8], NDArray[numpy.int16]]:
    """
    Return the distinct afterstates int8[n, 2, 26] of a roll, the mover first, and one way to reach each: steps int8[n, 4, 2] of (from, to), padded with -1, and the mover's scores int16[n], NO_SCORE where the game goes on. A pass is one afterstate without steps. In Gul Bara a roll is its first stage.
    """

def legal_stage(rules: Rules, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], dice: Sequence[int]) -> tuple[NDArray[numpy.int8], NDArray[numpy.int8], NDArray[numpy.int16]]:
    """
    The same for exactly these dice: two different ones, or one to four of a kind.
    """

def forced_play(rules: Rules, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], first: int, second: int) -> tuple[NDArray[numpy.int8], tuple[tuple[int, int], ...], int | None] | None:
    """
    Return the only play of a roll: its afterstate int8[2, num_places], its steps of (from, to), and the mover's score, None where the game goes on. Return None where there is a choice.
    """

def hitting_rolls(rules: Rules, afterstates: Annotated[NDArray[numpy.int8], dict(shape=(None, 2, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]:
    """
    Return int32[N], the number of the opponent's 36 rolls that can hit, or pin, a checker of the mover of each afterstate int8[N, 2, num_places].
    """

def count_plays(rules: Rules, boards: Annotated[NDArray[numpy.int8], dict(shape=(None, 2, None), order='C', device='cpu', writable=False)], dice: Annotated[NDArray[numpy.int8], dict(shape=(None, 2), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]:
    """
    Return int32[N], the number of legal plays of each board int8[N, 2, num_places] with its roll int8[N, 2].
    """

def perft(rules: Rules, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], depth: int) -> int:
    """
    Return the number of distinct afterstates over the 21 rolls, `depth` turns deep.
    """

class Network:
    """
    The value network, folded for incremental evaluation. Layers are (weight[out, in], bias[out]) float32 pairs, first to last; `num_places` is the length of a row of counts; `inputs` names what the first layer reads after the counts and the utility inputs, in this order; `kernels` names an instruction set, the fastest by default.
    """

    def __init__(self, layers: Sequence[tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]], num_places: int = 26, inputs: Sequence[str] = [], kernels: str | None = None) -> None: ...

    @property
    def num_places(self) -> int: ...

    @property
    def num_outputs(self) -> int: ...

    @property
    def num_utility_inputs(self) -> int: ...

    @property
    def kernels(self) -> str: ...

    def evaluate(self, boards: Annotated[NDArray[numpy.int8], dict(shape=(None, 2, None), order='C', device='cpu', writable=False)], utility_inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 1) -> NDArray[numpy.float32]:
        """
        Return [N, K] float32 probabilities of the scores for the player who has just moved; boards are afterstates int8[N, 2, num_places], that player first; utility_inputs float32[N, U] are that player's.
        """

    def evaluate_plays(self, rules: Rules, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], first: int, second: int, utility_inputs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float32]:
        """
        Return [n, K] float32 for the mover after each play, in the order of `legal_plays`.
        """

def available_kernels() -> list[str]:
    """Names of the instruction sets this machine can run, slowest first."""

FEATURE_VERSION: str = 'thermometer-1'

class InputInfo:
    """An input that a network may read beside counts and utility inputs."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Checkpoints that read another version of it cannot be used."""

    @property
    def width(self) -> int:
        """Its columns of the first layer."""

    @property
    def num_places(self) -> int:
        """Length of the rows of counts of the boards that it reads."""

def network_inputs() -> list[InputInfo]:
    """Return all inputs that a network may read."""

def encode(boards: Annotated[NDArray[numpy.int8], dict(shape=(None, 2, None), order='C', device='cpu', writable=False)], utility_inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Sequence[str] = []) -> NDArray[numpy.float32]:
    """
    Return float32[N, num_board_features + U + widths of `inputs`], what a network reads of afterstates int8[N, 2, num_places]: counts, then utility inputs float32[N, U], then the named inputs in this order.
    """

def shots(boards: Annotated[NDArray[numpy.int8], dict(shape=(None, 2, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8]:
    """
    Return uint8[N, 2, 7] for boards int8[N, 2, 26]: what a roll of each side would do to the other's blots, where sides move in opposite directions. Of the 36 rolls, how many hit at least one; the pips lost on average by the hit blot that has come furthest, times 1.5, rounded down; how many rolls could hit one or another; how many hit one on the shooter's points 1 to 6, 7 to 12, 13 to 18, 19 to 24.
    """

def num_board_features(num_places: int) -> int:
    """
    Return how many inputs the counts of a board give; the utility inputs follow them.
    """

def place_features(num_places: int) -> NDArray[numpy.float32]:
    """
    Return float32[num_places, 16, 4]: the inputs of each count on each place; `encode` lays them out side by side, then place by place.
    """

class Player:
    """A player that the engine runs by itself."""

    @staticmethod
    def random() -> Player:
        """Every legal play with equal chance."""

    @staticmethod
    def baseline() -> Player:
        """The hand-made player of every game."""

    @staticmethod
    def pubeval(contact: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], race: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Player:
        """Tesauro's pubeval with its 122 contact and 122 race weights, float32."""

    @staticmethod
    def network(network: Network, tables: Bearoff | None = None, *, ply: int = 0, root: Sequence[tuple[int, int, float]] = [(8, 0, 0.0)], replies: tuple[int, int, float] = (1, 0, 0.0), values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, inputs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, noise: float = 0.0, cap: float = 0.0) -> Player:
        """
        The play of the highest expected utility as a search at `ply` sees it; filters as for `Searcher`. `values` float32[K] and `inputs` float32[K - 2] stand in for the contest's own: what it plays for, and what the network is told of that. Its judgement of each position is off by a normal error of `noise` points, the same whenever it meets the position in a game, and no play loses more than `cap` points.
        """

class Chooser:
    """A player that chooses one play at a time, in a game without stages."""

    def __init__(self, rules: Rules, player: Player) -> None: ...

    def choose(self, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], first: int, second: int, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, seed: int, game: int) -> tuple[NDArray[numpy.int8], tuple[tuple[int, int], ...], int | None]:
        """
        Return the play that the player makes of a roll, in the form of `forced_play`; arguments as for `choose_plays`, in the first round and turn of the game.
        """

def choose_plays(rules: Rules, player: Player, boards: Annotated[NDArray[numpy.int8], dict(shape=(None, 2, None), order='C', device='cpu', writable=False)], dice: Annotated[NDArray[numpy.int8], dict(shape=(None, 2), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, seed: int, games: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], rounds: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], plies: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[NDArray[numpy.int8], NDArray[numpy.int16]]:
    """
    Return what a player makes of each board int8[N, 2, num_places] with its roll int8[N, 2]: the afterstates int8[N, 2, num_places], the mover first, and the mover's scores int16[N], NO_SCORE where the game goes on. values float32[1 or N, K] and inputs float32[same, K - 2] say what the player plays for; the seed, games uint64[N], rounds uint32[N] and plies uint32[N] are where in `duel` the turns would be, for a player that draws at random.
    """

def roll_luck(rules: Rules, luck_network: Player, boards: Annotated[NDArray[numpy.int8], dict(shape=(None, 2, None), order='C', device='cpu', writable=False)], dice: Annotated[NDArray[numpy.int8], dict(shape=(None, 2), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, can_double: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> NDArray[numpy.float64]:
    """
    Return float64[N], how much better a network finds the roll int8[N, 2] of each board int8[N, 2, num_places] than the mean roll, for the player who rolled it. values float32[1 or N, K] and inputs float32[same, K - 2] say what the player plays for; can_double uint8[N] is 0 for an opening roll that is played as it fell.
    """

class SelfPlayResult:
    """Trajectories of self-play, game after game."""

    @property
    def boards(self) -> NDArray[numpy.int8]:
        """
        int8[N, 2, num_places]: afterstates, the player who has just moved first.
        """

    @property
    def targets(self) -> NDArray[numpy.float32]:
        """float32[N, K]: the lambda-return of each afterstate, for that player."""

    @property
    def utility_inputs(self) -> NDArray[numpy.float32]:
        """float32[N, U]: what that player played for."""

    @property
    def values(self) -> NDArray[numpy.float32]:
        """
        float32[N, K]: what the scores were worth to that player, in points; look-ahead only.
        """

    @property
    def siblings(self) -> NDArray[numpy.int32]:
        """
        int32[D]: afterstates of each decision, one after the other in `boards`; look-ahead only.
        """

    @property
    def lengths(self) -> NDArray[numpy.int32]:
        """int32[games]: afterstates of each game, 0 for a void game."""

    @property
    def score_indices(self) -> NDArray[numpy.int8]:
        """
        int8[games]: the winner's score, an index into the ruleset's scores; -1 for a void game.
        """

    @property
    def sum_abs_td_error(self) -> float: ...

    @property
    def starter_scores(self) -> list[int]:
        """Games by score, in the ruleset's order, for the side that started."""

    @property
    def plies(self) -> int: ...

    @property
    def evaluated(self) -> int: ...

def lambda_returns(predictions: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], outcome: int, lambda_: float) -> NDArray[numpy.float32]:
    """
    Return the targets float32[T, K] of one game from its predictions float32[T, K], each row for the player who made that afterstate; `outcome` is the winner's score index; the winner moved right after the last row.
    """

def self_play(rules: Rules, network: Network, seed: int, first_game: int, num_games: int, *, lambda_: float, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], shares: Sequence[float], threads: int = 1, tables: Bearoff | None = None) -> SelfPlayResult:
    """
    Play games first_game … first_game + num_games - 1 of the seed. Each game's utility is drawn from rows of values float32[M, K] and inputs float32[M, K - 2] with the given shares. The same for any thread count.
    """

MOST_CANDIDATES: int = 32

class LookaheadSettings:
    """
    How `lookahead` leaves the main line, what it keeps and how it looks ahead.

    A play is drawn at random with the chance `explore` and among those within `margin` points of the best with the chance `near`; with the chance `scramble` a game begins with up to `scrambled` plays at random. Of each decision, kept with the chance `sample`, the play that was made and up to `siblings` others within `margin` points of the best are recorded. A target is the expectation over 21 rolls of the best reply at 0-ply: among all replies, or, where `candidates` is not 0, among that number of replies that look best to first order; where `finalists` is not 0, among that number of these that look best by their first layer. With `lambda_` above 0 every position of a game is kept, `sample` is for siblings, and what look-ahead corrects later in the game is handed back. Raises ValueError for a number out of its range.
    """

    def __init__(self, *, explore: float = 0.0, near: float = 0.0, scramble: float = 0.0, scrambled: int = 0, sample: float = 1.0, siblings: int = 0, margin: float = 0.0, candidates: int = 0, finalists: int = 0, lambda_: float = 0.0) -> None: ...

def lookahead(rules: Rules, network: Network, seed: int, first_game: int, num_games: int, *, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], shares: Sequence[float], settings: LookaheadSettings, threads: int = 1, tables: Bearoff | None = None) -> SelfPlayResult:
    """
    Play games as `self_play` does, but off the main line, with one ply of look-ahead as the target of each recorded afterstate; see `LookaheadSettings`.
    """

class DuelResult:
    """Paired contests between A and B."""

    @property
    def points(self) -> NDArray[numpy.int16]:
        """
        [pairs, 2] int16: A's score of a game, or ±1 for a match; first with A in seat 0, then in seat 1 with the same dice. A void game is 0.
        """

    @property
    def luck(self) -> NDArray[numpy.float64]:
        """
        [pairs, 2] float64: by how much the luck network finds A's rolls better than B's, in points or in match-winning chance; no rows without one.
        """

    @property
    def contest_scores(self) -> NDArray[numpy.int32]:
        """[pairs, 2, K] int32: games by score for A, in the ruleset's order."""

    @property
    def contest_voids(self) -> NDArray[numpy.int32]:
        """[pairs, 2] int32: void games."""

    @property
    def contest_plies(self) -> NDArray[numpy.int32]:
        """[pairs, 2] int32: turns of both sides."""

    @property
    def scores(self) -> list[int]:
        """Games by score for A, in the ruleset's order."""

    @property
    def games(self) -> int: ...

    @property
    def void_games(self) -> int: ...

    @property
    def plies(self) -> int: ...

def duel(rules: Rules, a: Player, b: Player, seed: int, first_pair: int, num_pairs: int, *, length: int = 0, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 1, luck_network: Player | None = None) -> DuelResult:
    """
    Play pairs of games (length 0) or matches to `length` points, each pair with the same dice and the seats swapped. values float32[1 or length², K] and inputs float32[same, K - 2] are the utilities by (points the player needs - 1, points the opponent needs - 1). A `luck_network` says how lucky the rolls were.
    """

def duel_set(rules: Sequence[Rules], a: Sequence[Player], b: Sequence[Player], seed: int, first_pair: int, num_pairs: int, *, length: int, values: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]], inputs: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]], threads: int = 1, luck_networks: Sequence[Player] = []) -> DuelResult:
    """
    The same for matches whose games are of several kinds, played in turn: rules, players and utilities for each, and a luck network, or None where the luck of a game is left out. `contest_scores` then counts by all the scores that any of the games has, best first.
    """

def random_walk(rules: Rules, seed: int, first_game: int, num_games: int) -> tuple[NDArray[numpy.int8], NDArray[numpy.int8]]:
    """
    Return every position before the dice int8[N, 2, num_places] and its roll int8[N, 2] in games of random play.
    """

def random_turns(rules: Rules, seed: int, game: int) -> list[dict[str, Any]]:
    """
    Return the turns of one game of random play, each seen by its mover: `before` int8[1, 2, num_places] and the stages `passed` to the mover, `dice` ((0, 0) if passed dice ended the game), `after`, the stages `passed_on`, and the mover's `score` or NO_SCORE.
    """

CUBE_EFFICIENCY: float = 0.68

class CubeStakes:
    """
    The stakes of a game with a cube, seen by one side. In a match worth float64[2n + 1] is that side's chance of winning the match after −n to n points with this game, and away the points that both sides need, its own first; None in single games. owner is `centred`, `me` or `opponent`.
    """

    def __init__(self, worth: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, away: tuple[int, int] = (1, 1), *, limit: int = 64, value: int = 1, owner: str = 'centred', is_crawford: bool = False) -> None: ...

def decide_cube(scores: Sequence[int], outcomes: Sequence[float], stakes: CubeStakes, efficiency: float = 0.68) -> tuple[float, float, float, bool, bool, bool, bool]:
    """
    Return what doubling is worth to the player on roll, before the dice, from the K chances of its scores, best first: no_double, double_take, double_pass, can_double, should_double, should_take, is_too_good. Values are match-winning chances, or points in units of the cube.
    """

def cubeful_equity(scores: Sequence[int], outcomes: Sequence[float], stakes: CubeStakes, efficiency: float = 0.68) -> float:
    """
    Return what a position is worth between two turns, whichever side rolls next.
    """

def cube_points(scores: Sequence[int], outcomes: Sequence[float], stakes: CubeStakes, efficiency: float = 0.68) -> tuple[float, float]:
    """
    Return the lowest chance of winning with which the side takes a double of the present cube, and that from which the opponent passes.
    """

def cube_decisions(rules: Rules, player: Player, boards: Annotated[NDArray[numpy.int8], dict(shape=(None, 2, None), order='C', device='cpu', writable=False)], stakes: Sequence[CubeStakes], threads: int = 1) -> tuple[NDArray[numpy.float64], NDArray[numpy.uint8]]:
    """
    Return the decisions of a network at its ply on boards int8[N, 2, 26] before the roll, the player on roll first, with its stakes: float64[N, 3], no_double, double_take, double_pass; and uint8[N, 4], can_double, should_double, should_take, is_too_good. They are those of `Searcher.cube_decision`.
    """

class Searcher:
    """
    Look-ahead and rollouts with one network. Filters are (keep, extra, margin): the best `keep` plays are looked at more deeply, and up to `extra` more that are worse by no more than `margin` points; `root[p]` chooses those that go on from p-ply to (p + 1)-ply, its last entry also deeper ones, `replies` the replies below. Values of a call: one row of values float32[1, K] and inputs float32[1, K - 2] says what the player plays for.
    """

    def __init__(self, rules: Rules, network: Network, tables: Bearoff | None = None, *, root: Sequence[tuple[int, int, float]], replies: tuple[int, int, float], cache_entries: int = 0, threads: int = 1) -> None: ...

    def rank(self, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], first: int, second: int, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], ply: int, milliseconds: float | None = None) -> tuple[NDArray[numpy.float32], NDArray[numpy.float32], NDArray[numpy.int32], NDArray[numpy.int32]]:
        """
        Return for each play, in the order of `legal_plays`: the probabilities of the scores for the mover float32[n, K], its expected utility float32[n], the ply int32[n] at which it was looked at; and the plays best first int32[n]. When the time is up the last finished ply stands.
        """

    def best(self, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], first: int, second: int, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], ply: int, milliseconds: float | None = None) -> tuple[tuple[NDArray[numpy.int8], tuple[tuple[int, int], ...], int | None], NDArray[numpy.float32], int]:
        """
        Return the first play in the order of `rank`, in the form of `forced_play`; the probabilities of the scores float32[K] for the mover; and the ply at which the play was looked at.
        """

    def compare(self, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], ply: int, threshold: float) -> bool | NDArray[numpy.float32]:
        """
        Return True or False as soon as the rolls that have been searched decide whether the expected utility is above the threshold; otherwise the probabilities that `evaluate` finds.
        """

    def compare_roll(self, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], first: int, second: int, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], ply: int, threshold: float) -> bool | NDArray[numpy.float32]:
        """
        Return True or False as soon as it is decided whether the expected utility of the best play of a roll is above the threshold; otherwise the probabilities of the scores after it, as `best` finds them.
        """

    def evaluate(self, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], ply: int, milliseconds: float | None = None) -> tuple[NDArray[numpy.float32], int]:
        """
        Return the probabilities of the scores float32[K] of an afterstate for the player who has just moved, and the deepest ply that was finished in time.
        """

    def cube_decision(self, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], stakes: CubeStakes, ply: int) -> tuple[float, float, float, bool, bool, bool, bool]:
        """
        Return the decisions of a board int8[2, 26] before the roll, the player on roll first, in the form of `decide_cube`: the player plays each of the 21 rolls at `ply`, and the opponent may then use the cube.
        """

    def roll_out(self, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, ply: int, truncate: int, adjusts_luck: bool, seed: int, first_trial: int, num_trials: int) -> NDArray[numpy.float64]:
        """
        Return float64[num_trials, K], what each trial of an afterstate came to for the player who has just moved. Both sides play at `ply`; after `truncate` turns (0: never) the network's value stands for the rest. With luck adjusted a row is not a distribution, but its mean is. Trials are the same for any number of threads.
        """

    @property
    def evaluated(self) -> int:
        """Afterstates that the network has seen in searches."""

    @property
    def cache_hits(self) -> int: ...

    @property
    def cache_misses(self) -> int: ...

BEAROFF_VERSION: int = 1

class BearoffShape:
    """
    What bear-off tables are built for: the bear-off rule; the lowest points and the checkers on them that a side of the one-sided tables has (at most 8 and 15), and of the two-sided one (6 and 9). The defaults are what the product uses.
    """

    def __init__(self, *, larger_first: bool, points: int = 8, checkers: int = 15, pair_points: int = 6, pair_checkers: int = 8) -> None: ...

    @property
    def larger_first(self) -> bool: ...

    @property
    def points(self) -> int: ...

    @property
    def checkers(self) -> int: ...

    @property
    def pair_points(self) -> int: ...

    @property
    def pair_checkers(self) -> int: ...

def build_bearoff(shape: BearoffShape, progress: Callable[[int], object] | None = None) -> numpy.typing.NDArray[numpy.uint8]:
    """
    Return the tables' bytes uint8[n], the same for the same shape; `progress` is called with percents newly done.
    """

class Bearoff:
    """
    Exact bear-off tables, read from bytes uint8[n] that they keep alive and do not copy. They are immutable, so threads may share them.
    """

    def __init__(self, shape: BearoffShape, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def shape(self) -> BearoffShape: ...

    @property
    def num_positions(self) -> int:
        """Positions of a side in the one-sided tables."""

    @property
    def num_pairs(self) -> int:
        """Pairs of positions in the two-sided table."""

    def fits(self, rules: Rules) -> bool:
        """Return whether the rules bear off as the tables do."""

    def covers(self, rules: Rules, board: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)]) -> bool:
        """
        Return whether the tables have the board int8[2, num_places]: the game is one they fit and goes on, and both sides' checkers are off or on their lowest points.
        """

    def distribution(self, rules: Rules, after: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.float64], bool]:
        """
        Return float64[K], the probabilities of the ruleset's scores, best first, for the player who has just moved, row 0 of the afterstate int8[2, num_places]; and whether they come from the two-sided table, exact, rather than from the distributions of both sides' rolls. A board that is not covered raises RulesetError.
        """

    def distribution_on_roll(self, rules: Rules, before: Annotated[NDArray[numpy.int8], dict(shape=(2, None), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.float64], bool]:
        """
        Return the same for the player on roll, row 0 of the position, before the dice.
        """

    def expected_rolls(self, row: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """
        Return how many rolls a side, int8[num_places], needs on average to bear off all its checkers.
        """

    def rolls_to_clear(self, row: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
        """
        Return float64[n], the chance of each number of rolls, from 0 up, that a side int8[num_places] needs to bear off all its checkers; it plays for the fewest on average.
        """

    def rolls_to_first(self, row: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
        """
        Return the same for its first checker off, playing for that; no roll where one is off already.
        """
