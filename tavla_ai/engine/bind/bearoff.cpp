// Bear-off tables in the engine's Python face.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "value/bearoff.hpp"

namespace tavla {
namespace {

using Bytes = Input<std::uint8_t, nb::ndim<1>>;
using RowInput = Input<std::int8_t, nb::ndim<1>>;
using Output = nb::ndarray<nb::numpy, double>;

// The counts of a side that the tables know.
const std::int8_t* row_of(const Bearoff& tables, const RowInput& input) {
  require(input.size() >= kCommonPlaces, "row: at least 26 counts expected");
  for (int place = 0; place < kCommonPlaces; ++place)
    if (input.data()[place] < 0 || input.data()[place] > kCheckers)
      throw RulesError("row: " + std::to_string(input.data()[place]) + " checkers on place " + std::to_string(place) +
                       ", expected 0 to 15");
  if (!tables.covers_side(input.data()))
    throw RulesError("row: not in the bear-off tables, which have up to " + std::to_string(tables.shape().checkers) +
                     " checkers on the lowest " + std::to_string(tables.shape().points) + " points");
  return input.data();
}

// The chance of each number of rolls, from none up.
Output chances(const Bearoff::Rolls& rolls) {
  std::vector<double> out;
  for (int t = 0; t <= rolls.longest(); ++t) out.push_back(rolls.more_than(t - 1) - rolls.more_than(t));
  const std::size_t n = out.size();
  return to_numpy(std::move(out), {n});
}

std::pair<Output, bool> distribution(const Bearoff& tables, const Rules& rules, const BoardInput& input,
                                     Bearoff::Source (Bearoff::*of)(const Rules&, const Board&, double*) const) {
  const Board board = board_of(rules, input);
  if (!tables.covers(rules, board)) throw RulesError("board: not in the bear-off tables");
  std::vector<double> out(static_cast<std::size_t>(rules.num_scores()));
  const Bearoff::Source source = (tables.*of)(rules, board, out.data());
  return {to_numpy(std::move(out), {static_cast<std::size_t>(rules.num_scores())}),
          source == Bearoff::Source::kTwoSided};
}

nb::ndarray<nb::numpy, std::uint8_t> build(const BearoffShape& shape, const std::optional<nb::callable>& progress) {
  std::vector<std::uint8_t> data;
  {
    const nb::gil_scoped_release release;
    data = build_bearoff(shape, [&](int percents) {
      const nb::gil_scoped_acquire acquire;
      // Ctrl-C is heard while the tables are being built.
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (progress) (*progress)(percents);
    });
  }
  const std::size_t n = data.size();
  return to_numpy(std::move(data), {n});
}

}  // namespace

void bind_bearoff(nb::module_& m) {
  m.attr("BEAROFF_VERSION") = kBearoffVersion;

  nb::class_<BearoffShape>(m, "BearoffShape",
                           "What bear-off tables are built for: the bear-off rule; the lowest points and the checkers "
                           "on them that a side of the one-sided tables has (at most 8 and 15), and of the two-sided "
                           "one (6 and 9). The defaults are what the product uses.")
      .def("__init__",
           [](BearoffShape* shape, bool larger_first, int points, int checkers, int pair_points, int pair_checkers) {
             new (shape) BearoffShape{larger_first, points, checkers, pair_points, pair_checkers};
           },
           nb::kw_only(), "larger_first"_a, "points"_a = BearoffShape{}.points, "checkers"_a = BearoffShape{}.checkers,
           "pair_points"_a = BearoffShape{}.pair_points, "pair_checkers"_a = BearoffShape{}.pair_checkers)
      .def_ro("larger_first", &BearoffShape::larger_first)
      .def_ro("points", &BearoffShape::points)
      .def_ro("checkers", &BearoffShape::checkers)
      .def_ro("pair_points", &BearoffShape::pair_points)
      .def_ro("pair_checkers", &BearoffShape::pair_checkers);

  m.def("build_bearoff", &build, "shape"_a, "progress"_a.none() = nb::none(),
        nb::sig("def build_bearoff(shape: BearoffShape, progress: collections.abc.Callable[[int], object] | None = "
                "None) -> numpy.typing.NDArray[numpy.uint8]"),
        "Return the tables' bytes uint8[n], the same for the same shape; `progress` is called with percents newly "
        "done.");

  nb::class_<Bearoff>(m, "Bearoff",
                      "Exact bear-off tables, read from bytes uint8[n] that they keep alive and do not copy. They are "
                      "immutable, so threads may share them.")
      .def("__init__",
           [](Bearoff* tables, const BearoffShape& shape, const Bytes& data) {
             new (tables) Bearoff(shape, {data.data(), data.size()});
           },
           "shape"_a, "data"_a.noconvert(), nb::keep_alive<1, 3>())
      .def_prop_ro("shape", &Bearoff::shape)
      .def_prop_ro("num_positions", &Bearoff::num_positions, "Positions of a side in the one-sided tables.")
      .def_prop_ro("num_pairs", &Bearoff::num_pairs, "Pairs of positions in the two-sided table.")
      .def("fits", &Bearoff::fits, "rules"_a, "Return whether the rules bear off as the tables do.")
      .def("covers",
           [](const Bearoff& tables, const Rules& rules, const BoardInput& board) {
             return tables.covers(rules, board_of(rules, board));
           },
           "rules"_a, "board"_a.noconvert(),
           "Return whether the tables have the board int8[2, num_places]: the game is one they fit and goes on, and "
           "both sides' checkers are off or on their lowest points.")
      .def("distribution",
           [](const Bearoff& tables, const Rules& rules, const BoardInput& after) {
             return distribution(tables, rules, after, &Bearoff::distribution);
           },
           "rules"_a, "after"_a.noconvert(),
           "Return float64[K], the probabilities of the ruleset's scores, best first, for the player who has just "
           "moved, row 0 of the afterstate int8[2, num_places]; and whether they come from the two-sided table, "
           "exact, rather than from the distributions of both sides' rolls. A board that is not covered raises "
           "RulesetError.")
      .def("distribution_on_roll",
           [](const Bearoff& tables, const Rules& rules, const BoardInput& before) {
             return distribution(tables, rules, before, &Bearoff::distribution_on_roll);
           },
           "rules"_a, "before"_a.noconvert(),
           "Return the same for the player on roll, row 0 of the position, before the dice.")
      .def("expected_rolls",
           [](const Bearoff& tables, const RowInput& row) {
             return tables.rolls_to_clear(row_of(tables, row)).mean();
           },
           "row"_a.noconvert(),
           "Return how many rolls a side, int8[num_places], needs on average to bear off all its checkers.")
      .def("rolls_to_clear",
           [](const Bearoff& tables, const RowInput& row) {
             return chances(tables.rolls_to_clear(row_of(tables, row)));
           },
           "row"_a.noconvert(),
           "Return float64[n], the chance of each number of rolls, from 0 up, that a side int8[num_places] needs to "
           "bear off all its checkers; it plays for the fewest on average.")
      .def("rolls_to_first",
           [](const Bearoff& tables, const RowInput& row) {
             return chances(tables.rolls_to_first(row_of(tables, row)));
           },
           "row"_a.noconvert(),
           "Return the same for its first checker off, playing for that; no roll where one is off already.");
}

}  // namespace tavla
