// The doubling cube in the engine's Python face.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/cube.hpp"
#include "bind/module.hpp"
#include "bind/players.hpp"
#include "games/cube_decisions.hpp"

namespace tavla {
namespace {

using Doubles = Input<double, nb::ndim<1>>;

CubeOwner owner_of(const std::string& name) {
  if (name == "centred") return CubeOwner::kCentred;
  require(name == "me" || name == "opponent", "owner: centred, me or opponent expected");
  return name == "me" ? CubeOwner::kMe : CubeOwner::kOpponent;
}

CubeStakes stakes_of(const std::optional<Doubles>& worth, std::pair<std::int64_t, std::int64_t> away,
                     std::int64_t limit, std::int64_t value, const std::string& owner, bool is_crawford) {
  require(value >= 1 && limit >= 1, "cube: a value and a limit of at least 1 expected");
  CubeStakes stakes{.worth = {}, .limit = limit, .value = value, .owner = owner_of(owner), .is_crawford = is_crawford};
  if (worth) {
    require(worth->size() % 2 == 1, "worth: the value of each number of points from −n to n expected");
    require(away.first >= 1 && away.second >= 1, "away: numbers from 1 up expected");
    stakes.worth.assign(worth->data(), worth->data() + worth->size());
    stakes.away = {away.first, away.second};
  }
  return stakes;
}

void require_outcomes(const std::vector<int>& scores, const std::vector<double>& outcomes, double efficiency) {
  require(scores.size() >= 2 && scores.size() == outcomes.size(), "outcomes: one for each score expected");
  for (int score : scores) require(score != 0, "scores: a game with a cube cannot be drawn");
  for (double chance : outcomes) require(std::isfinite(chance) && chance >= 0, "outcomes: probabilities expected");
  require(efficiency >= 0 && efficiency <= 1, "efficiency: 0 to 1 expected");
}

CubeOutput run_decide_cube(const std::vector<int>& scores, const std::vector<double>& outcomes,
                           const CubeStakes& stakes, double efficiency) {
  require_outcomes(scores, outcomes, efficiency);
  return cube_output(decide_cube(scores, outcomes, stakes, efficiency));
}

double run_cubeful_equity(const std::vector<int>& scores, const std::vector<double>& outcomes,
                          const CubeStakes& stakes, double efficiency) {
  require_outcomes(scores, outcomes, efficiency);
  return cubeful_equity(scores, outcomes, stakes, efficiency);
}

std::pair<double, double> cube_points(const std::vector<int>& scores, const std::vector<double>& outcomes,
                                      const CubeStakes& stakes, double efficiency) {
  require_outcomes(scores, outcomes, efficiency);
  const CubeModel model(scores, outcomes, stakes, efficiency);
  return {model.take_point(stakes.value), model.cash_point(stakes.value)};
}

using Flags = nb::ndarray<nb::numpy, std::uint8_t>;

std::pair<nb::ndarray<nb::numpy, double>, Flags> run_cube_decisions(const Rules& rules, const Player& player,
                                                                    const BoardsInput& input,
                                                                    const std::vector<CubeStakes>& stakes, int threads) {
  require_plays(player, rules);
  const NetworkPlayer* network = std::get_if<NetworkPlayer>(&player.kind);
  require(network, "cube_decisions: a player with a network expected");
  require(input.shape(0) == stakes.size(), "cube_decisions: stakes for each board expected");
  const std::vector<Board> boards = boards_for_network(input, rules.num_places());
  for (const Board& board : boards) check_cube_position(rules, board);
  std::vector<CubeDecision> found;
  {
    const nb::gil_scoped_release release;
    found = cube_decisions(rules, *network, boards, stakes, threads);
  }
  std::vector<double> values;
  std::vector<std::uint8_t> flags;
  for (const CubeDecision& one : found) {
    values.insert(values.end(), {one.no_double, one.double_take, one.double_pass});
    flags.insert(flags.end(), {one.can_double, one.should_double, one.should_take, one.is_too_good});
  }
  return {to_numpy(std::move(values), {found.size(), 3}), to_numpy(std::move(flags), {found.size(), 4})};
}

}  // namespace

void bind_cube(nb::module_& m) {
  m.attr("CUBE_EFFICIENCY") = kCubeEfficiency;

  nb::class_<CubeStakes>(m, "CubeStakes",
                         "The stakes of a game with a cube, seen by one side. In a match worth float64[2n + 1] is that "
                         "side's chance of winning the match after −n to n points with this game, and away the points "
                         "that both sides need, its own first; None in single games. owner is `centred`, `me` or "
                         "`opponent`.")
      .def("__init__",
           [](CubeStakes* stakes, const std::optional<Doubles>& worth, std::pair<std::int64_t, std::int64_t> away,
              std::int64_t limit, std::int64_t value, const std::string& owner, bool is_crawford) {
             new (stakes) CubeStakes(stakes_of(worth, away, limit, value, owner, is_crawford));
           },
           "worth"_a.noconvert().none() = nb::none(), "away"_a = std::pair<std::int64_t, std::int64_t>(1, 1),
           nb::kw_only(), "limit"_a = 64, "value"_a = 1, "owner"_a = "centred", "is_crawford"_a = false);

  m.def("decide_cube", &run_decide_cube, "scores"_a, "outcomes"_a, "stakes"_a, "efficiency"_a = kCubeEfficiency,
        "Return what doubling is worth to the player on roll, before the dice, from the K chances of its scores, best "
        "first: no_double, double_take, double_pass, can_double, should_double, should_take, is_too_good. Values are "
        "match-winning chances, or points in units of the cube.");
  m.def("cubeful_equity", &run_cubeful_equity, "scores"_a, "outcomes"_a, "stakes"_a, "efficiency"_a = kCubeEfficiency,
        "Return what a position is worth between two turns, whichever side rolls next.");
  m.def("cube_points", &cube_points, "scores"_a, "outcomes"_a, "stakes"_a, "efficiency"_a = kCubeEfficiency,
        "Return the lowest chance of winning with which the side takes a double of the present cube, and that from "
        "which the opponent passes.");
  m.def("cube_decisions", &run_cube_decisions, "rules"_a, "player"_a, "boards"_a.noconvert(), "stakes"_a,
        "threads"_a = 1,
        "Return the decisions of a network at its ply on boards int8[N, 2, 26] before the roll, the player on roll "
        "first, with its stakes: float64[N, 3], no_double, double_take, double_pass; and uint8[N, 4], can_double, "
        "should_double, should_take, is_too_good. They are those of `Searcher.cube_decision`.");
}

}  // namespace tavla
