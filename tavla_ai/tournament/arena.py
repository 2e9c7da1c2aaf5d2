"""The arena, in which the bots of a tournament play each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tavla_ai import engine
from tavla_ai.bots import BASELINES, Bot, PlayStyle, checkpoint_bot, join_bots, load_bot, network_player, peers_able_to
from tavla_ai.engine import MAX_SEED
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.match import MatchEquity, match_equity, match_utilities, utilities
from tavla_ai.network import Checkpoint
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import MatchSet, Ruleset, check_match_length, compile_rules, games_of
from tavla_ai.tournament.contests import Contests
from tavla_ai.tournament.lockstep import Leg, play_pairs

# Outside engines that turn the cube, as users type them.
_DOUBLING = tuple(f"{kind}:PLY" for kind in peers_able_to("play", "double"))


class Arena:
    """The place where bots play each other; every process that plays has its own arena.

    Args:
      game: the game or the set of games; the bots must be made for it.
      bots: the bots that may play.
      seed: seed of the dice, 0 to 2**64 − 1.
      match_length: points that win a match; None for single games.
      luck_networks: networks that measure the luck of the rolls, one for each game of a set; None leaves out the luck
        of that game. An empty sequence leaves out all luck.
      cube: whether the bots turn the doubling cube.

    Raises:
      RulesetError: the house does not offer the match length, a set is played in single games, luck cannot be measured
        in a game, an outside engine is to play Gul Bara, or the house has no cube to turn.
      TavlaError: the seed is out of range, the number of luck networks is not that of games, or a bot cannot double.
    """

    def __init__(
        self,
        game: Ruleset | MatchSet,
        bots: Sequence[Bot],
        seed: int,
        match_length: int | None = None,
        luck_networks: Sequence[Checkpoint | None] = (),
        *,
        cube: bool = False,
    ) -> None:
        check_seed(seed)
        if match_length is not None:
            check_match_length(game, match_length)
        self.game, self.bots = game, tuple(bots)
        self.seed, self.match_length = seed, match_length
        self.luck_networks = tuple(luck_networks) or (None,) * len(games_of(game))
        if len(self.luck_networks) != len(games_of(game)):
            raise TavlaError(
                f"{game.name}: {len(self.luck_networks)} luck networks; expected one, or none, for each of its "
                f"{len(games_of(game))} games"
            )
        if isinstance(game, MatchSet):
            if match_length is None:
                raise RulesetError(f"{game.name}: a set of games is played in matches; expected a match length")
            self.utilities = match_utilities(game, match_length)
        else:
            self.utilities = [utilities(game, match_length)]
        if not all(bot.is_native for bot in self.bots):
            for ruleset in games_of(game):
                ruleset.check_has_no_stages("outside engine")
        self.cube = cube
        self._equity = self._cube_equity() if cube else None
        self._luck_players = [
            None if network is None else _luck_player(ruleset, network)
            for ruleset, network in zip(games_of(game), self.luck_networks, strict=True)
        ]
        self._rules = [compile_rules(ruleset) for ruleset in games_of(game)]

    def _cube_equity(self) -> MatchEquity:
        """Return the match equity table of contests with a cube, after checks that they can be played."""
        for ruleset in games_of(self.game):
            if not ruleset.cube:
                raise RulesetError(f"{ruleset.name}: has no cube; expected a house with one, or play without a cube")
        for bot in self.bots:
            if not bot.can_double:
                raise TavlaError(
                    f"{bot.name}: makes no cube decisions; expected a network, a level, or {' or '.join(_DOUBLING)}"
                )
        return match_equity(self.game, self.match_length or 1)

    def is_native(self, a: int, b: int) -> bool:
        """Return whether the engine plays both sides."""
        return self.bots[a].is_native and self.bots[b].is_native

    def is_whole(self, a: int, b: int) -> bool:
        """Return whether the engine plays whole contests by itself: both sides, without a cube."""
        return self.is_native(a, b) and not self.cube

    def play(
        self,
        a: int,
        b: int,
        first_pair: int,
        num_pairs: int,
        threads: int = 1,
        progress: ProgressCallback | None = None,
    ) -> Contests:
        """Play some pairs of bot number `a` against bot number `b`.

        Args:
          threads: engine threads.
          progress: called with the number of contests finished since its last call.
        """
        contest: dict[str, Any] = {
            "seed": self.seed,
            "first_pair": first_pair,
            "num_pairs": num_pairs,
            "length": self.match_length or 0,
            "threads": min(threads, num_pairs),
        }
        a_players, b_players = self.bots[a].native_players, self.bots[b].native_players
        if a_players is None or b_players is None or self.cube:
            return play_pairs(self.legs(a, b), **contest, progress=progress)
        if isinstance(self.game, MatchSet):
            result = engine.duel_set(
                self._rules,
                a_players,
                b_players,
                values=[values for values, _ in self.utilities],
                inputs=[inputs for _, inputs in self.utilities],
                luck_networks=self._luck_players,  # type: ignore[arg-type]  # the generated stub omits None
                **contest,
            )
        else:
            values, inputs = self.utilities[0]
            contest |= {"values": values, "inputs": inputs, "luck_network": self._luck_players[0]}
            result = engine.duel(self._rules[0], a_players[0], b_players[0], **contest)
        if progress is not None:
            progress(2 * num_pairs)
        return Contests(
            result.points,
            result.contest_scores,
            result.contest_voids,
            result.contest_plies,
            result.luck if any(self.luck_networks) else None,
        )

    def legs(self, a: int, b: int) -> list[Leg]:
        """Return the game, or the games of the set, played by bot number `a` and bot number `b`."""
        return [
            Leg(ruleset, (of_a, of_b), stakes, luck_player, self._equity)
            for ruleset, of_a, of_b, stakes, luck_player in zip(
                games_of(self.game),
                self.bots[a].by_game,
                self.bots[b].by_game,
                self.utilities,
                self._luck_players,
                strict=True,
            )
        ]

    def recipe(self) -> dict[str, Any]:
        """Return the recipe from which `from_recipe` makes the same arena in another process.

        Raises:
          TavlaError: a bot's network is not from a checkpoint.
        """
        return {
            "game": self.game,
            "bots": [[_recipe(part) for part in bot.by_game] for bot in self.bots],
            "names": [bot.name for bot in self.bots],
            "seed": self.seed,
            "match_length": self.match_length,
            "luck_networks": self.luck_networks,
            "cube": self.cube,
        }

    @staticmethod
    def from_recipe(recipe: dict[str, Any]) -> Arena:
        """Return the arena of a recipe."""
        game = recipe["game"]
        bots = []
        for name, parts in zip(recipe["names"], recipe["bots"], strict=True):
            made = [
                load_bot(spec, ruleset) if checkpoint is None else checkpoint_bot(spec, ruleset, checkpoint, style)
                for (spec, checkpoint, style), ruleset in zip(parts, games_of(game), strict=True)
            ]
            bots.append(made[0] if isinstance(game, Ruleset) else join_bots(name, game, made))
        return Arena(game, bots, recipe["seed"], recipe["match_length"], recipe["luck_networks"], cube=recipe["cube"])


def check_seed(seed: int) -> None:
    """Raise `TavlaError` unless a seed of dice is in range."""
    if not 0 <= seed <= MAX_SEED:
        raise TavlaError(f"seed {seed}: expected 0 to {MAX_SEED}")


def _luck_player(ruleset: Ruleset, network: Checkpoint) -> engine.Player:
    ruleset.check_has_no_stages("luck of the rolls")
    return network_player(ruleset, network.network_for(ruleset))


def _recipe(bot: Bot) -> tuple[str, Checkpoint | None, PlayStyle]:
    if bot.checkpoint is None and bot.is_native and bot.name not in BASELINES:
        raise TavlaError(f"{bot.name}: has no checkpoint that another process could read; play without Ray workers")
    return bot.name, bot.checkpoint, bot.style
