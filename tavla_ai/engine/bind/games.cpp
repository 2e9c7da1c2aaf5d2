// Duels and games of random play in the engine's Python face.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/players.hpp"
#include "games/duel.hpp"
#include "games/random_games.hpp"

namespace tavla {
namespace {

// One game of a contest, checked.
Leg leg_of(const Rules& rules, const Player& a, const Player& b, const Player* luck, int length,
           std::vector<Utility> grid) {
  for (const Player* player : {&a, &b}) require_plays(*player, rules);
  require(grid.size() == static_cast<std::size_t>(length == 0 ? 1 : length * length),
          "utilities: one row for single games, length * length rows for matches expected");
  return {&rules, &a, &b, luck ? luck_network_of(rules, *luck) : nullptr, std::move(grid)};
}

DuelResult checked_duel(const Contest& contest, const Games& pairs, int threads) {
  require(pairs.number >= 0, "num_pairs: a number from 0 up expected");
  const nb::gil_scoped_release release;
  return duel(contest, pairs, threads);
}

// What each game of a match of several kinds is, by game.
struct SetOfGames {
  const std::vector<const Rules*>& rules;
  const std::vector<const Player*>& a;
  const std::vector<const Player*>& b;
  const std::vector<Matrix>& values;
  const std::vector<Matrix>& inputs;
  const std::vector<const Player*>& luck_networks;  // null, or none at all, where luck is left out
};

Contest contest_of_set(const SetOfGames& games, int length) {
  require(length >= 1, "length: a number from 1 up expected");
  const std::size_t n = games.rules.size();
  require(n > 0 && games.a.size() == n && games.b.size() == n && games.values.size() == n && games.inputs.size() == n,
          "duel_set: players and utilities for each game expected");
  require(games.luck_networks.empty() || games.luck_networks.size() == n,
          "duel_set: a luck network, or None, for each game expected");
  Contest contest{length, {}};
  for (std::size_t i = 0; i < n; ++i) {
    require(games.rules[i] && games.a[i] && games.b[i], "duel_set: rules and players expected, not None");
    contest.legs.push_back(leg_of(*games.rules[i], *games.a[i], *games.b[i],
                                  games.luck_networks.empty() ? nullptr : games.luck_networks[i], length,
                                  utilities_of(games.values[i], games.inputs[i], games.rules[i]->num_scores())));
  }
  require(contest.scores().size() <= kMaxScores, "duel_set: the games have too many scores");
  return contest;
}

template <class T>
auto of_contests(const DuelResult& result, T ContestResult::* member) {
  std::vector<T> flat;
  flat.reserve(result.contests.size());
  for (const ContestResult& contest : result.contests) flat.push_back(contest.*member);
  return to_numpy(std::move(flat), {result.contests.size() / 2, 2});
}

std::int64_t total_of(const DuelResult& result, std::int32_t ContestResult::* member) {
  std::int64_t total = 0;
  for (const ContestResult& contest : result.contests) total += contest.*member;
  return total;
}

std::vector<std::int64_t> total_scores(const DuelResult& result) {
  std::vector<std::int64_t> total(static_cast<std::size_t>(result.num_scores));
  for (const ContestResult& contest : result.contests)
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += contest.scores[k];
  return total;
}

using WalkOutput = std::pair<nb::ndarray<nb::numpy, std::int8_t>, nb::ndarray<nb::numpy, std::int8_t>>;

WalkOutput run_random_walk(const Rules& rules, std::uint64_t seed, std::uint64_t first_game, std::int64_t num_games) {
  const RandomWalk walk = random_walk(rules, {seed, first_game, num_games});
  std::vector<std::int8_t> dice;
  for (const auto& roll : walk.dice) dice.insert(dice.end(), roll.begin(), roll.end());
  return {boards_to_numpy(walk.boards, rules.num_places()), to_numpy(std::move(dice), {walk.boards.size(), 2})};
}

std::vector<std::vector<int>> stages_to_lists(const std::vector<Stage>& stages) {
  std::vector<std::vector<int>> lists;
  for (const Stage& stage : stages) lists.emplace_back(stage.dice.begin(), stage.dice.begin() + stage.count);
  return lists;
}

nb::list random_turns(const Rules& rules, std::uint64_t seed, std::uint64_t game) {
  const auto plays = std::make_unique<PlayList>();
  nb::list out;
  for (const RandomTurn& turn : random_game(rules, GameStreams(seed, game), *plays)) {
    nb::dict row;
    row["before"] = boards_to_numpy({turn.before.board}, rules.num_places());
    row["passed"] = stages_to_lists(turn.before.passed);
    row["dice"] = nb::make_tuple(turn.roll.first, turn.roll.second);
    row["after"] = boards_to_numpy({turn.end.after}, rules.num_places());
    row["passed_on"] = stages_to_lists(turn.end.passed);
    row["score"] = turn.end.is_finished ? turn.end.points : kNoScore;
    out.append(row);
  }
  return out;
}

}  // namespace

void bind_duel(nb::module_& m) {
  nb::class_<DuelResult>(m, "DuelResult", "Paired contests between A and B.")
      .def_prop_ro("points", [](const DuelResult& r) { return of_contests<std::int16_t>(r, &ContestResult::points); },
                   nb::rv_policy::automatic,
                   "[pairs, 2] int16: A's score of a game, or ±1 for a match; first with A in seat 0, then in seat 1 "
                   "with the same dice. A void game is 0.")
      .def_prop_ro("luck",
                   [](const DuelResult& r) {
                     return r.has_luck ? of_contests<double>(r, &ContestResult::luck)
                                       : to_numpy(std::vector<double>(), {0, 2});
                   },
                   nb::rv_policy::automatic,
                   "[pairs, 2] float64: by how much the luck network finds A's rolls better than B's, in points or in "
                   "match-winning chance; no rows without one.")
      .def_prop_ro("contest_scores",
                   [](const DuelResult& r) {
                     std::vector<std::int32_t> flat;
                     for (const ContestResult& contest : r.contests)
                       flat.insert(flat.end(), contest.scores.begin(), contest.scores.begin() + r.num_scores);
                     return to_numpy(std::move(flat),
                                     {r.contests.size() / 2, 2, static_cast<std::size_t>(r.num_scores)});
                   },
                   nb::rv_policy::automatic, "[pairs, 2, K] int32: games by score for A, in the ruleset's order.")
      .def_prop_ro("contest_voids",
                   [](const DuelResult& r) { return of_contests<std::int32_t>(r, &ContestResult::void_games); },
                   nb::rv_policy::automatic, "[pairs, 2] int32: void games.")
      .def_prop_ro("contest_plies",
                   [](const DuelResult& r) { return of_contests<std::int32_t>(r, &ContestResult::plies); },
                   nb::rv_policy::automatic, "[pairs, 2] int32: turns of both sides.")
      .def_prop_ro("scores", &total_scores, "Games by score for A, in the ruleset's order.")
      .def_prop_ro("games",
                   [](const DuelResult& r) {
                     const std::vector<std::int64_t> scores = total_scores(r);
                     return std::accumulate(scores.begin(), scores.end(), std::int64_t{0});
                   })
      .def_prop_ro("void_games", [](const DuelResult& r) { return total_of(r, &ContestResult::void_games); })
      .def_prop_ro("plies", [](const DuelResult& r) { return total_of(r, &ContestResult::plies); });

  m.def("duel",
        [](const Rules& rules, const Player& a, const Player& b, std::uint64_t seed, std::uint64_t first_pair,
           std::int64_t num_pairs, int length, const Matrix& values, const Matrix& inputs, int threads,
           const Player* luck_network) {
          require(length >= 0, "length: a number from 0 up expected");
          std::vector<Utility> grid = utilities_of(values, inputs, rules.num_scores());
          const Contest contest{length, {leg_of(rules, a, b, luck_network, length, std::move(grid))}};
          return checked_duel(contest, {seed, first_pair, num_pairs}, threads);
        },
        "rules"_a, "a"_a, "b"_a, "seed"_a, "first_pair"_a, "num_pairs"_a, nb::kw_only(), "length"_a = 0,
        "values"_a.noconvert(), "inputs"_a.noconvert(), "threads"_a = 1, "luck_network"_a = nb::none(),
        "Play pairs of games (length 0) or matches to `length` points, each pair with the same dice and the seats "
        "swapped. values float32[1 or length², K] and inputs float32[same, K - 2] are the utilities by "
        "(points the player needs - 1, points the opponent needs - 1). A `luck_network` says how lucky the rolls were.");
  m.def("duel_set",
        [](const std::vector<const Rules*>& rules, const std::vector<const Player*>& a,
           const std::vector<const Player*>& b, std::uint64_t seed, std::uint64_t first_pair, std::int64_t num_pairs,
           int length, const std::vector<Matrix>& values, const std::vector<Matrix>& inputs, int threads,
           const std::vector<const Player*>& luck_networks) {
          const Contest contest = contest_of_set({rules, a, b, values, inputs, luck_networks}, length);
          return checked_duel(contest, {seed, first_pair, num_pairs}, threads);
        },
        "rules"_a, "a"_a, "b"_a, "seed"_a, "first_pair"_a, "num_pairs"_a, nb::kw_only(), "length"_a, "values"_a,
        "inputs"_a, "threads"_a = 1, "luck_networks"_a = std::vector<const Player*>{},
        "The same for matches whose games are of several kinds, played in turn: rules, players and utilities for each, "
        "and a luck network, or None where the luck of a game is left out. `contest_scores` then counts by all the "
        "scores that any of the games has, best first.");
}

void bind_random_games(nb::module_& m) {
  m.def("random_walk", &run_random_walk, "rules"_a, "seed"_a, "first_game"_a, "num_games"_a,
        "Return every position before the dice int8[N, 2, num_places] and its roll int8[N, 2] in games of random play.");
  m.def("random_turns", &random_turns, "rules"_a, "seed"_a, "game"_a,
        nb::sig("def random_turns(rules: Rules, seed: int, game: int) -> list[dict[str, typing.Any]]"),
        "Return the turns of one game of random play, each seen by its mover: `before` int8[1, 2, num_places] and the "
        "stages `passed` to the mover, `dice` ((0, 0) if passed dice ended the game), `after`, the stages `passed_on`, "
        "and the mover's `score` or NO_SCORE.");
}

}  // namespace tavla
