// Players and single decisions of theirs in the engine's Python face.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "bind/arrays.hpp"
#include "bind/checks.hpp"
#include "bind/module.hpp"
#include "bind/players.hpp"
#include "games/choose_plays.hpp"
#include "games/luck.hpp"
#include "games/player.hpp"

namespace tavla {
namespace {

std::array<float, Pubeval::kInputs> pubeval_weights(const Vector& weights) {
  require(weights.size() == Pubeval::kInputs, "pubeval: 122 weights expected");
  std::array<float, Pubeval::kInputs> copy;
  std::copy_n(weights.data(), weights.size(), copy.begin());
  return copy;
}

Player pubeval_player(const Vector& contact, const Vector& race) {
  return {std::make_shared<const Pubeval>(Pubeval{pubeval_weights(contact), pubeval_weights(race)}), {}};
}

// Numbers that a player is told in place of the contest's.
std::optional<std::array<float, kMaxScores>> fixed_numbers(const std::optional<Vector>& given, int expected) {
  if (!given) return std::nullopt;
  require(static_cast<int>(given->size()) == expected, "stakes: one number per score or input expected");
  require_finite(std::span(given->data(), given->size()));
  std::array<float, kMaxScores> numbers{};
  std::copy_n(given->data(), given->size(), numbers.begin());
  return numbers;
}

Player network_player(std::shared_ptr<Network> network, std::shared_ptr<Bearoff> tables, int ply,
                      const std::vector<std::tuple<int, int, float>>& root, const std::tuple<int, int, float>& replies,
                      const std::optional<Vector>& values, const std::optional<Vector>& inputs, float noise,
                      float cap) {
  require(ply >= 0 && ply <= 4, "ply: 0 to 4 expected");
  require(std::isfinite(noise) && noise >= 0 && std::isfinite(cap) && cap >= 0,
          "noise and cap: numbers from 0 up expected");
  const StakesView stakes{fixed_numbers(values, network->num_outputs()),
                      fixed_numbers(inputs, network->num_utility_inputs())};
  return {NetworkPlayer{std::move(network), std::move(tables), settings_of(root, replies), ply, {noise, cap}}, stakes};
}

using Counters = Input<std::uint32_t, nb::ndim<1>>;
using GameNumbers = Input<std::uint64_t, nb::ndim<1>>;

// Rolls to be played or judged, as they come from Python.
struct RollsInput {
  const BoardsInput& boards;
  const DiceInput& dice;
  const Matrix& values;
  const Matrix& inputs;
};

// Where in a duel turns would be.
struct TurnNumbers {
  std::uint64_t seed;
  const GameNumbers& games;
  const Counters& rounds;
  const Counters& plies;
};

// A position to be played from, its roll and what it is played for.
struct CheckedRoll {
  Board board;
  Roll roll;
  Utility utility;
};

std::vector<CheckedRoll> checked_rolls(const Rules& rules, const RollsInput& input) {
  const std::size_t n = input.boards.shape(0);
  std::vector<CheckedRoll> rolls(n);
  if (n == 0) return rolls;
  const std::vector<Utility> utilities = utilities_of(input.values, input.inputs, rules.num_scores());
  require(utilities.size() == 1 || utilities.size() == n, "utilities: one row, or one per board expected");
  const int num_places = rules.num_places();
  for (std::size_t i = 0; i < n; ++i) {
    CheckedRoll& one = rolls[i];
    read_board(input.boards.data() + i * 2 * num_places, num_places, one.board);
    check_playable(rules, one.board);
    one.roll = {input.dice.data()[2 * i], input.dice.data()[2 * i + 1]};
    check_dice(one.roll.first, one.roll.second);
    one.utility = utilities[utilities.size() == 1 ? 0 : i];
  }
  return rolls;
}

// A player that chooses one play at a time. Calls from several Python threads wait for each other.
class BoundChooser {
 public:
  BoundChooser(const Rules& rules, const Player& player) : rules_(rules), chooser_(rules_, player) {
    require_plays(player, rules_);
    if (rules_.facts().has_stages) throw RulesError("chooser: a turn of Gul Bara is more than one roll");
  }

  PlayOutput choose(const BoardInput& input, int first, int second, const Matrix& values, const Matrix& inputs,
                    std::uint64_t seed, std::uint64_t game) {
    const Board board = board_of(rules_, input);
    check_playable(rules_, board);
    check_dice(first, second);
    const std::vector<Utility> utilities = utilities_of(values, inputs, rules_.num_scores());
    require(utilities.size() == 1, "utilities: one row expected");
    std::optional<Play> play;
    {
      const nb::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      play = chooser_.choose({board, {first, second}, utilities[0], GameStreams(seed, game), 0});
    }
    return play_output(*play, rules_.num_places());
  }

 private:
  Rules rules_;
  PlayChooser chooser_;
  std::mutex mutex_;
};

using ChosenPlays = std::tuple<nb::ndarray<nb::numpy, std::int8_t>, nb::ndarray<nb::numpy, std::int16_t>>;

ChosenPlays checked_choose_plays(const Rules& rules, const Player& player, const RollsInput& input,
                                 const TurnNumbers& numbers, int threads) {
  require_plays(player, rules);
  if (rules.facts().has_stages)
    throw RulesError("choose_plays: a turn of Gul Bara is more than one roll");
  require_places(input.boards.shape(2), rules.num_places());
  const std::size_t n = input.boards.shape(0);
  require(input.dice.shape(0) == n && numbers.games.size() == n && numbers.rounds.size() == n &&
              numbers.plies.size() == n,
          "choose_plays: one roll, game, round and ply per board expected");
  std::vector<OpenTurn> turns;
  turns.reserve(n);
  for (const CheckedRoll& one : checked_rolls(rules, input)) {
    const std::size_t i = turns.size();
    turns.push_back({one.board, one.roll, one.utility,
                     GameStreams(numbers.seed, numbers.games.data()[i], numbers.rounds.data()[i]),
                     numbers.plies.data()[i]});
  }
  std::vector<TurnEnd> ends;
  {
    const nb::gil_scoped_release release;
    ends = choose_plays(rules, player, turns, threads);
  }
  std::vector<Board> after;
  std::vector<std::int16_t> scores;
  for (const TurnEnd& end : ends) {
    after.push_back(end.after);
    scores.push_back(end.is_finished ? static_cast<std::int16_t>(end.points) : kNoScore);
  }
  return {boards_to_numpy(after, rules.num_places()), to_numpy(std::move(scores), {n})};
}

nb::ndarray<nb::numpy, double> checked_roll_luck(const Rules& rules, const Player& player, const RollsInput& input,
                                                 const Input<std::uint8_t, nb::ndim<1>>& can_double, int threads) {
  const NetworkPlayer* network = luck_network_of(rules, player);
  require_places(input.boards.shape(2), rules.num_places());
  const std::size_t n = input.boards.shape(0);
  require(input.dice.shape(0) == n && can_double.size() == n,
          "roll_luck: one roll and one can_double per board expected");
  const std::vector<CheckedRoll> rolls = checked_rolls(rules, input);
  for (std::size_t i = 0; i < n; ++i)
    require(can_double.data()[i] || rolls[i].roll.first != rolls[i].roll.second,
            "roll_luck: a double where there can be none");
  std::vector<double> luck(n);
  if (n > 0) {
    const nb::gil_scoped_release release;
    run_threads(threads, static_cast<std::int64_t>(n), [&](int, std::int64_t begin, std::int64_t end) {
      Luck luck_here(rules, *network);
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        luck[i] = luck_here.of(rolls[i].board, rolls[i].roll, rolls[i].utility, can_double.data()[i] != 0);
    });
  }
  return to_numpy(std::move(luck), {n});
}

}  // namespace

void bind_player(nb::module_& m) {
  nb::class_<Player>(m, "Player", "A player that the engine runs by itself.")
      .def_static("random", [] { return Player{RandomPlayer{}, {}}; }, "Every legal play with equal chance.")
      .def_static("baseline", [] { return Player{BaselinePlayer{}, {}}; }, "The hand-made player of every game.")
      .def_static("pubeval", &pubeval_player, "contact"_a, "race"_a,
                  "Tesauro's pubeval with its 122 contact and 122 race weights, float32.")
      .def_static(
          "network", &network_player, "network"_a, "tables"_a = nb::none(), nb::kw_only(), "ply"_a = 0,
          "root"_a = std::vector<std::tuple<int, int, float>>{{8, 0, 0.0f}},
          "replies"_a = std::tuple<int, int, float>{1, 0, 0.0f}, "values"_a = nb::none(), "inputs"_a = nb::none(),
          "noise"_a = 0.0f, "cap"_a = 0.0f,
          "The play of the highest expected utility as a search at `ply` sees it; filters as for `Searcher`. `values` "
          "float32[K] and `inputs` float32[K - 2] stand in for the contest's own: what it plays for, and what the "
          "network is told of that. Its judgement of each position is off by a normal error of `noise` points, the same "
          "whenever it meets the position in a game, and no play loses more than `cap` points.");
}

void bind_choosing(nb::module_& m) {
  nb::class_<BoundChooser>(m, "Chooser", "A player that chooses one play at a time, in a game without stages.")
      .def(nb::init<const Rules&, const Player&>(), "rules"_a, "player"_a)
      .def("choose", &BoundChooser::choose, "board"_a.noconvert(), "first"_a, "second"_a, "values"_a.noconvert(),
           "inputs"_a.noconvert(), nb::kw_only(), "seed"_a, "game"_a,
           "Return the play that the player makes of a roll, in the form of `forced_play`; arguments as for "
           "`choose_plays`, in the first round and turn of the game.");
  m.def("choose_plays",
        [](const Rules& rules, const Player& player, const BoardsInput& boards, const DiceInput& dice,
           const Matrix& values, const Matrix& inputs, std::uint64_t seed, const GameNumbers& games,
           const Counters& rounds, const Counters& plies, int threads) {
          return checked_choose_plays(rules, player, {boards, dice, values, inputs}, {seed, games, rounds, plies},
                                      threads);
        },
        "rules"_a, "player"_a, "boards"_a.noconvert(), "dice"_a.noconvert(), "values"_a.noconvert(),
        "inputs"_a.noconvert(), nb::kw_only(), "seed"_a, "games"_a.noconvert(), "rounds"_a.noconvert(),
        "plies"_a.noconvert(), "threads"_a = 1,
        "Return what a player makes of each board int8[N, 2, num_places] with its roll int8[N, 2]: the afterstates "
        "int8[N, 2, num_places], the mover first, and the mover's scores int16[N], NO_SCORE where the game goes on. "
        "values float32[1 or N, K] and inputs float32[same, K - 2] say what the player plays for; the seed, games "
        "uint64[N], rounds uint32[N] and plies uint32[N] are where in `duel` the turns would be, for a player that "
        "draws at random.");
  m.def("roll_luck",
        [](const Rules& rules, const Player& luck_network, const BoardsInput& boards, const DiceInput& dice,
           const Matrix& values, const Matrix& inputs, const Input<std::uint8_t, nb::ndim<1>>& can_double,
           int threads) {
          return checked_roll_luck(rules, luck_network, {boards, dice, values, inputs}, can_double, threads);
        },
        "rules"_a, "luck_network"_a, "boards"_a.noconvert(), "dice"_a.noconvert(), "values"_a.noconvert(),
        "inputs"_a.noconvert(), nb::kw_only(), "can_double"_a.noconvert(), "threads"_a = 1,
        "Return float64[N], how much better a network finds the roll int8[N, 2] of each board int8[N, 2, num_places] "
        "than the mean roll, for the player who rolled it. values float32[1 or N, K] and inputs float32[same, K - 2] "
        "say what the player plays for; can_double uint8[N] is 0 for an opening roll that is played as it fell.");
}

}  // namespace tavla
