// Rules, dice and plays in the engine's Python face.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/dice.hpp"
#include "bind/arrays.hpp"
#include "bind/checks.hpp"
#include "bind/module.hpp"
#include "rules/hits.hpp"
#include "rules/perft.hpp"
#include "rules/plays.hpp"
#include "rules/rules.hpp"

namespace tavla {
namespace {

Family family_of(const std::string& name) {
  for (std::size_t i = 0; i < kFamilies.size(); ++i)
    if (kFamilies[i].name == name) return static_cast<Family>(i);
  throw nb::value_error(("family '" + name + "': not one the engine plays").c_str());
}

std::unique_ptr<Rules> make_rules(const std::string& family, const std::vector<int>& setup, int reserve,
                                  const Variant& variant, bool opening_rerolls, bool winner_rolls,
                                  const std::vector<int>& scores, int stuck_limit) {
  require(setup.size() == kCommonPlaces, "setup: 26 counts expected");
  require(scores.size() >= 2 && scores.size() <= kMaxScores, "scores: 2 to 8 scores expected");
  require(stuck_limit >= 2, "stuck_limit: at least 2 expected");
  require(reserve >= 0 && reserve <= kCheckers, "reserve: 0 to 15 expected");
  auto rules = std::make_unique<Rules>();
  rules->family = family_of(family);
  for (int place = 0; place < kCommonPlaces; ++place) {
    require(setup[place] >= 0 && setup[place] <= kCheckers, "setup: counts from 0 to 15 expected");
    rules->setup[place] = static_cast<std::int8_t>(setup[place]);
  }
  rules->reserve = reserve;
  rules->variant = variant;
  rules->opening_rerolls = opening_rerolls;
  rules->winner_rolls = winner_rolls;
  rules->scores = scores;
  rules->stuck_limit = stuck_limit;
  require(!rules->facts().is_opposed_hit() || scores[0] < 3 || (variant.hit_and_run && !variant.larger_die_first),
          "rules: three-point games are played with hit-and-run and free bear-off only");
  check_board(*rules, rules->start());
  return rules;
}

using PlaysOutput = std::tuple<nb::ndarray<nb::numpy, std::int8_t>, nb::ndarray<nb::numpy, std::int8_t>,
                               nb::ndarray<nb::numpy, std::int16_t>>;

PlaysOutput to_output(const Rules& rules, const Board& board, const PlayList& plays) {
  const auto n = static_cast<std::size_t>(plays.num_leaves());
  std::vector<Board> after;
  std::vector<std::int8_t> steps(n * 8, -1);
  std::vector<std::int16_t> scores(n, kNoScore);
  for (std::size_t i = 0; i < n; ++i) {
    const int leaf = static_cast<int>(i);
    after.push_back(plays.afterstate(leaf, board));
    std::array<std::pair<std::int8_t, std::int8_t>, 4> path;
    const int length = plays.steps(leaf, path);
    for (int s = 0; s < length; ++s) {
      steps[i * 8 + s * 2] = path[s].first;
      steps[i * 8 + s * 2 + 1] = path[s].second;
    }
    if (plays.leaf(leaf).is_finished()) scores[i] = static_cast<std::int16_t>(plays.score(leaf));
  }
  return {boards_to_numpy(after, rules.num_places()), to_numpy(std::move(steps), {n, 4, 2}),
          to_numpy(std::move(scores), {n})};
}

PlaysOutput legal_plays(const Rules& rules, const BoardInput& input, int first, int second) {
  const Board board = board_of(rules, input);
  return to_output(rules, board, checked_plays(rules, board, first, second));
}

PlaysOutput legal_stage(const Rules& rules, const BoardInput& input, const std::vector<int>& dice) {
  const Board board = board_of(rules, input);
  require(!dice.empty() && dice.size() <= 4, "dice: one to four expected");
  for (int die : dice) check_dice(die, die);
  const bool is_pair = dice.size() == 2 && dice[0] != dice[1];
  for (int die : dice) require(is_pair || die == dice[0], "dice: two different ones, or up to four of a kind expected");
  check_playable(rules, board);
  PlayList& plays = shared_plays();
  plays.generate_stage(rules, board, dice);
  return to_output(rules, board, plays);
}

std::optional<PlayOutput> forced_play(const Rules& rules, const BoardInput& input, int first, int second) {
  const Board board = board_of(rules, input);
  const PlayList& plays = checked_plays(rules, board, first, second);
  if (plays.num_leaves() > 1) return std::nullopt;
  return play_output(plays.play(0, board), rules.num_places());
}

nb::ndarray<nb::numpy, std::int32_t> hitting_rolls(const Rules& rules, const BoardsInput& input) {
  require(rules.facts().hits() || rules.facts().pins(), "hitting_rolls: nothing is ever hit in this game");
  const std::vector<Board> boards = boards_for_network(input, rules.num_places());
  for (const Board& board : boards) check_playable(rules, board);
  std::vector<std::int32_t> rolls(boards.size());
  {
    const nb::gil_scoped_release release;
    PlayList& plays = shared_plays();
    for (std::size_t i = 0; i < boards.size(); ++i) rolls[i] = num_hitting_rolls(rules, boards[i], plays);
  }
  return to_numpy(std::move(rolls), {boards.size()});
}

nb::ndarray<nb::numpy, std::int32_t> count_plays(const Rules& rules, const BoardsInput& input,
                                                 const DiceInput& dice) {
  const std::size_t n = input.shape(0);
  require(dice.shape(0) == n, "dice: one roll per board expected");
  std::vector<Board> boards = boards_for_network(input, rules.num_places());
  for (std::size_t i = 0; i < n; ++i) try {
      check_playable(rules, boards[i]);
      check_dice(dice.data()[2 * i], dice.data()[2 * i + 1]);
    } catch (const RulesError& error) {
      throw RulesError("position " + std::to_string(i) + ": " + error.what());
    }
  std::vector<std::int32_t> counts(n);
  {
    const nb::gil_scoped_release release;
    PlayList& plays = shared_plays();
    for (std::size_t i = 0; i < n; ++i) {
      plays.generate(rules, boards[i], dice.data()[2 * i], dice.data()[2 * i + 1]);
      counts[i] = plays.num_leaves();
    }
  }
  return to_numpy(std::move(counts), {n});
}

// The first rolls of a game's dice stream.
nb::ndarray<nb::numpy, std::int8_t> rolls(std::uint64_t seed, std::uint64_t game, std::uint32_t n,
                                          std::uint32_t round) {
  std::vector<std::int8_t> dice;
  const GameStreams streams(seed, game, round);
  for (std::uint32_t ply = 0; ply < n; ++ply) {
    const Roll roll = streams.roll(ply);
    dice.push_back(static_cast<std::int8_t>(roll.first));
    dice.push_back(static_cast<std::int8_t>(roll.second));
  }
  return to_numpy(std::move(dice), {n, 2});
}

std::pair<int, std::pair<int, int>> opening(const Rules& rules, std::uint64_t seed, std::uint64_t game,
                                            std::uint32_t round) {
  const Opening opening = open_game(GameStreams(seed, game, round), rules.opening_rerolls);
  return {opening.seat, {opening.roll.first, opening.roll.second}};
}

std::uint64_t checked_perft(const Rules& rules, const BoardInput& input, int depth) {
  require(depth >= 1, "depth: a number from 1 up expected");
  const Board board = board_of(rules, input);
  check_playable(rules, board);
  const nb::gil_scoped_release release;
  return perft(rules, board, depth);
}

}  // namespace

void bind_dice(nb::module_& m) {
  m.def("rolls", &rolls, "seed"_a, "game"_a, "n"_a, "round"_a = 0,
        "Return int8[n, 2], the first n rolls of a game's dice stream; `round` tells the games of a match apart.");
  m.def("opening", &opening, "rules"_a, "seed"_a, "game"_a, "round"_a = 0,
        "Return the seat that starts a game and the first roll that is played; `round` as for `rolls`.");
}

void bind_rules(nb::module_& m) {
  nb::class_<Variant>(m, "Variant", "What sets the games of one family apart; `cascade_from` is 0 for never.")
      .def("__init__",
           [](Variant* variant, bool hit_and_run, bool larger_die_first, bool pinned_blocks_bear_off, bool leave_a_move,
              int cascade_from) {
             new (variant) Variant{.hit_and_run = hit_and_run,
                                   .larger_die_first = larger_die_first,
                                   .pinned_blocks_bear_off = pinned_blocks_bear_off,
                                   .leave_a_move = leave_a_move,
                                   .cascade_from = cascade_from};
           },
           nb::kw_only(), "hit_and_run"_a, "larger_die_first"_a, "pinned_blocks_bear_off"_a, "leave_a_move"_a,
           "cascade_from"_a);

  nb::class_<Rules>(m, "Rules", "What the generator needs to know of a ruleset.")
      .def(nb::new_(&make_rules), nb::kw_only(), "family"_a, "setup"_a, "reserve"_a, "variant"_a, "opening_rerolls"_a,
           "winner_rolls"_a, "scores"_a, "stuck_limit"_a)
      .def_prop_ro("num_places", &Rules::num_places, "Length of a side's row of counts.")
      .def("start", [](const Rules& rules) {
        nb::ndarray<nb::numpy, std::int8_t> boards = boards_to_numpy({rules.start()}, rules.num_places());
        return nb::cast(boards).attr("__getitem__")(0);
      }, nb::sig("def start(self) -> numpy.typing.NDArray[numpy.int8]"), "Return the start position int8[2, num_places].")
      .def("check", [](const Rules& rules, const BoardInput& input) { board_of(rules, input); }, "board"_a.noconvert(),
           "Raise RulesetError, naming the offence, unless the game can have this board int8[2, num_places].");
}

void bind_plays(nb::module_& m) {
  m.attr("NO_SCORE") = kNoScore;
  m.attr("MAX_PLAYS") = PlayList::kMaxLeaves;
  m.def("legal_plays", &legal_plays, "rules"_a, "board"_a.noconvert(), "first"_a, "second"_a,
        "Return the distinct afterstates int8[n, 2, 26] of a roll, the mover first, and one way to reach each: steps "
        "int8[n, 4, 2] of (from, to), padded with -1, and the mover's scores int16[n], NO_SCORE where the game goes "
        "on. A pass is one afterstate without steps. In Gul Bara a roll is its first stage.");
  m.def("legal_stage", &legal_stage, "rules"_a, "board"_a.noconvert(), "dice"_a,
        "The same for exactly these dice: two different ones, or one to four of a kind.");
  m.def("forced_play", &forced_play, "rules"_a, "board"_a.noconvert(), "first"_a, "second"_a,
        "Return the only play of a roll: its afterstate int8[2, num_places], its steps of (from, to), and the mover's "
        "score, None where the game goes on. Return None where there is a choice.");
  m.def("hitting_rolls", &hitting_rolls, "rules"_a, "afterstates"_a.noconvert(),
        "Return int32[N], the number of the opponent's 36 rolls that can hit, or pin, a checker of the mover of each "
        "afterstate int8[N, 2, num_places].");
  m.def("count_plays", &count_plays, "rules"_a, "boards"_a.noconvert(), "dice"_a.noconvert(),
        "Return int32[N], the number of legal plays of each board int8[N, 2, num_places] with its roll int8[N, 2].");
  m.def("perft", &checked_perft, "rules"_a, "board"_a.noconvert(), "depth"_a,
        "Return the number of distinct afterstates over the 21 rolls, `depth` turns deep.");
}

}  // namespace tavla
