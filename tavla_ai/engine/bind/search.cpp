// Look-ahead and rollouts in the engine's Python face.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>

#include "base/threads.hpp"
#include "bind/arrays.hpp"
#include "bind/checks.hpp"
#include "bind/cube.hpp"
#include "bind/module.hpp"
#include "search/rollout.hpp"

namespace tavla {
namespace {

Deadline deadline_in(std::optional<double> milliseconds) {
  if (!milliseconds) return Deadline();
  return Deadline(Deadline::Clock::now() + std::chrono::duration_cast<Deadline::Clock::duration>(
                                               std::chrono::duration<double, std::milli>(*milliseconds)));
}

// Runs `work(deadline)` without Python's lock on a thread of its own, so that Ctrl-C is heard meanwhile. A call that is
// over at once is made here.
template <class Work>
void run_interruptibly(bool is_short, std::optional<double> milliseconds, Work&& work) {
  Deadline deadline = deadline_in(milliseconds);
  if (is_short) {
    const nb::gil_scoped_release release;
    work(deadline);
    return;
  }
  auto done = std::async(std::launch::async, [&] { work(deadline); });
  bool is_interrupted = false;
  while (true) {
    {
      const nb::gil_scoped_release release;
      if (done.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready) break;
    }
    if (!is_interrupted && PyErr_CheckSignals() != 0) {
      is_interrupted = true;
      deadline.pass();
    }
  }
  if (is_interrupted) throw nb::python_error();
  done.get();
}

// A search with all that it needs to stay alive. Calls from several Python threads wait for each other.
class BoundSearcher {
 public:
  BoundSearcher(const Rules& rules, std::shared_ptr<Network> network, std::shared_ptr<Bearoff> tables,
                const std::vector<std::tuple<int, int, float>>& root, const std::tuple<int, int, float>& replies,
                std::size_t cache_entries, int threads)
      : rules_(rules), network_(std::move(network)), tables_(std::move(tables)), settings_(settings_of(root, replies)),
        threads_(std::max(threads, 1)) {
    require_fits(*network_, rules_);
    if (cache_entries > 0) cache_ = std::make_unique<SearchCache>(cache_entries);
    searcher_ = std::make_unique<Searcher>(rules_, *network_, tables_.get(), settings_, cache_.get(), threads_);
  }

  using Floats = nb::ndarray<nb::numpy, float>;
  using Ints = nb::ndarray<nb::numpy, std::int32_t>;

  std::tuple<Floats, Floats, Ints, Ints> rank(const BoardInput& input, int first, int second, const Matrix& values,
                                              const Matrix& inputs, int ply, std::optional<double> milliseconds) {
    const Board board = board_of(rules_, input);
    check_playable(rules_, board);
    check_dice(first, second);
    const Utility utility = utility_of(values, inputs, ply);
    SearchedPlays found;
    run_interruptibly(ply < 2, milliseconds, [&](Deadline& deadline) {
      const std::lock_guard lock(mutex_);
      found = searcher_->rank(board, {first, second}, utility, ply, deadline);
    });
    const std::size_t n = found.values.size();
    std::vector<float> flat;
    for (const Distribution& row : found.distributions)
      flat.insert(flat.end(), row.begin(), row.begin() + rules_.num_scores());
    const std::vector<int> order = found.order();
    return {to_numpy(std::move(flat), {n, static_cast<std::size_t>(rules_.num_scores())}),
            to_numpy(std::move(found.values), {n}),
            to_numpy(std::vector<std::int32_t>(found.plies.begin(), found.plies.end()), {n}),
            to_numpy(std::vector<std::int32_t>(order.begin(), order.end()), {n})};
  }

  std::tuple<PlayOutput, Floats, int> best(const BoardInput& input, int first, int second, const Matrix& values,
                                           const Matrix& inputs, int ply, std::optional<double> milliseconds) {
    const Board board = board_of(rules_, input);
    check_playable(rules_, board);
    check_dice(first, second);
    const Utility utility = utility_of(values, inputs, ply);
    std::optional<Searcher::Best> found;
    run_interruptibly(ply < 2, milliseconds, [&](Deadline& deadline) {
      const std::lock_guard lock(mutex_);
      found = searcher_->best(board, {first, second}, utility, ply, deadline);
    });
    return {play_output(found->play, rules_.num_places()), scores_to_numpy(found->scores), found->ply};
  }

  std::variant<bool, Floats> compare(const BoardInput& input, const Matrix& values, const Matrix& inputs, int ply,
                                     double threshold) {
    const Board board = board_of(rules_, input);
    check_playable(rules_, board);
    const Utility utility = utility_of(values, inputs, ply);
    return compared(ply, [&](Deadline& deadline) {
      return searcher_->compare(board, utility, ply, threshold, deadline);
    });
  }

  std::variant<bool, Floats> compare_roll(const BoardInput& input, int first, int second, const Matrix& values,
                                          const Matrix& inputs, int ply, double threshold) {
    const Board board = board_of(rules_, input);
    check_playable(rules_, board);
    check_dice(first, second);
    const Utility utility = utility_of(values, inputs, ply);
    return compared(ply, [&](Deadline& deadline) {
      return searcher_->compare_roll(board, {first, second}, utility, ply, threshold, deadline);
    });
  }

  std::pair<Floats, int> evaluate(const BoardInput& input, const Matrix& values, const Matrix& inputs, int ply,
                                  std::optional<double> milliseconds) {
    const Board board = board_of(rules_, input);
    check_playable(rules_, board);
    const Utility utility = utility_of(values, inputs, ply);
    std::pair<Distribution, int> found;
    run_interruptibly(ply < 2, milliseconds, [&](Deadline& deadline) {
      const std::lock_guard lock(mutex_);
      found = searcher_->evaluate(board, utility, ply, deadline);
    });
    return {scores_to_numpy(found.first), found.second};
  }

  CubeOutput cube_decision(const BoardInput& input, const CubeStakes& stakes, int ply) {
    const Board board = board_of(rules_, input);
    check_cube_position(rules_, board);
    require_ply(rules_, ply);
    CubeDecision found{};
    run_interruptibly(ply < 1, std::nullopt, [&](Deadline& deadline) {
      const std::lock_guard lock(mutex_);
      found = CubeSearch(rules_, *searcher_).decide(board, stakes, ply, deadline);
    });
    return cube_output(found);
  }

  nb::ndarray<nb::numpy, double> roll_out(const BoardInput& input, const Matrix& values, const Matrix& inputs, int ply,
                                          int truncate, bool adjusts_luck, std::uint64_t seed,
                                          std::uint64_t first_trial, std::int64_t num_trials) {
    const Board board = board_of(rules_, input);
    check_playable(rules_, board);
    if (rules_.facts().has_stages)
      throw RulesError("rollout: a turn of Gul Bara is more than one roll; it is not rolled out");
    const Utility utility = utility_of(values, inputs, ply);
    require(truncate >= 0 && num_trials >= 0, "truncate and num_trials: numbers from 0 up expected");
    const auto num_scores = static_cast<std::size_t>(rules_.num_scores());
    std::vector<double> out(static_cast<std::size_t>(num_trials) * num_scores);
    run_interruptibly(false, std::nullopt, [&](Deadline& deadline) {
      run_threads(threads_, num_trials, [&](int, std::int64_t begin, std::int64_t end) {
        RolloutThread thread(rules_, *network_, tables_.get(), settings_);
        for (std::int64_t i = begin; i < end; ++i) {
          const auto found = thread.trial(board, utility, {ply, truncate, adjusts_luck}, seed,
                                          first_trial + static_cast<std::uint64_t>(i), deadline);
          if (!found) return;
          std::copy_n(found->begin(), num_scores, out.begin() + i * static_cast<std::int64_t>(num_scores));
        }
      });
    });
    return to_numpy(std::move(out), {static_cast<std::size_t>(num_trials), num_scores});
  }

  std::int64_t num_evaluated() const { return searcher_->num_evaluated(); }
  std::int64_t cache_hits() const { return cache_ ? cache_->hits() : 0; }
  std::int64_t cache_misses() const { return cache_ ? cache_->misses() : 0; }

 private:
  Floats scores_to_numpy(const Distribution& scores) const {
    const auto n = static_cast<std::size_t>(rules_.num_scores());
    return to_numpy(std::vector<float>(scores.begin(), scores.begin() + rules_.num_scores()), {n});
  }

  template <class Work>
  std::variant<bool, Floats> compared(int ply, Work&& work) {
    Compared found;
    run_interruptibly(ply < 2, std::nullopt, [&](Deadline& deadline) {
      const std::lock_guard lock(mutex_);
      found = work(deadline);
    });
    if (found.scores) return scores_to_numpy(*found.scores);
    return found.is_more;
  }

  Utility utility_of(const Matrix& values, const Matrix& inputs, int ply) const {
    require_ply(rules_, ply);
    const std::vector<Utility> utilities = utilities_of(values, inputs, rules_.num_scores());
    require(utilities.size() == 1, "utilities: one row expected");
    return utilities[0];
  }

  Rules rules_;
  std::shared_ptr<Network> network_;
  std::shared_ptr<Bearoff> tables_;
  SearchSettings settings_;
  int threads_;
  std::unique_ptr<SearchCache> cache_;
  std::unique_ptr<Searcher> searcher_;
  std::mutex mutex_;
};

}  // namespace

void bind_search(nb::module_& m) {
  nb::class_<BoundSearcher>(
      m, "Searcher",
      "Look-ahead and rollouts with one network. Filters are (keep, extra, margin): the best `keep` plays are looked at "
      "more deeply, and up to `extra` more that are worse by no more than `margin` points; `root[p]` chooses those that "
      "go on from p-ply to (p + 1)-ply, its last entry also deeper ones, `replies` the replies below. Values of a call: "
      "one row of values float32[1, K] and inputs float32[1, K - 2] says what the player plays for.")
      .def(nb::new_([](const Rules& rules, std::shared_ptr<Network> network, std::shared_ptr<Bearoff> tables,
                       const std::vector<std::tuple<int, int, float>>& root, const std::tuple<int, int, float>& replies,
                       std::size_t cache_entries, int threads) {
             return std::make_unique<BoundSearcher>(rules, std::move(network), std::move(tables), root, replies,
                                                    cache_entries, threads);
           }),
           "rules"_a, "network"_a, "tables"_a = nb::none(), nb::kw_only(), "root"_a, "replies"_a, "cache_entries"_a = 0,
           "threads"_a = 1)
      .def("rank", &BoundSearcher::rank, "board"_a.noconvert(), "first"_a, "second"_a, "values"_a.noconvert(),
           "inputs"_a.noconvert(), "ply"_a, "milliseconds"_a = nb::none(),
           "Return for each play, in the order of `legal_plays`: the probabilities of the scores for the mover "
           "float32[n, K], its expected utility float32[n], the ply int32[n] at which it was looked at; and the plays "
           "best first int32[n]. When the time is up the last finished ply stands.")
      .def("best", &BoundSearcher::best, "board"_a.noconvert(), "first"_a, "second"_a, "values"_a.noconvert(),
           "inputs"_a.noconvert(), "ply"_a, "milliseconds"_a = nb::none(),
           "Return the first play in the order of `rank`, in the form of `forced_play`; the probabilities of the scores "
           "float32[K] for the mover; and the ply at which the play was looked at.")
      .def("compare", &BoundSearcher::compare, "board"_a.noconvert(), "values"_a.noconvert(), "inputs"_a.noconvert(),
           "ply"_a, "threshold"_a,
           "Return True or False as soon as the rolls that have been searched decide whether the expected utility is above "
           "the threshold; otherwise the probabilities that `evaluate` finds.")
      .def("compare_roll", &BoundSearcher::compare_roll, "board"_a.noconvert(), "first"_a, "second"_a,
           "values"_a.noconvert(), "inputs"_a.noconvert(), "ply"_a, "threshold"_a,
           "Return True or False as soon as it is decided whether the expected utility of the best play of a roll is above "
           "the threshold; otherwise the probabilities of the scores after it, as `best` finds them.")
      .def("evaluate", &BoundSearcher::evaluate, "board"_a.noconvert(), "values"_a.noconvert(), "inputs"_a.noconvert(),
           "ply"_a, "milliseconds"_a = nb::none(),
           "Return the probabilities of the scores float32[K] of an afterstate for the player who has just moved, and "
           "the deepest ply that was finished in time.")
      .def("cube_decision", &BoundSearcher::cube_decision, "board"_a.noconvert(), "stakes"_a, "ply"_a,
           "Return the decisions of a board int8[2, 26] before the roll, the player on roll first, in the form of "
           "`decide_cube`: the player plays each of the 21 rolls at `ply`, and the opponent may then use the cube.")
      .def("roll_out", &BoundSearcher::roll_out, "board"_a.noconvert(), "values"_a.noconvert(), "inputs"_a.noconvert(),
           nb::kw_only(), "ply"_a, "truncate"_a, "adjusts_luck"_a, "seed"_a, "first_trial"_a, "num_trials"_a,
           "Return float64[num_trials, K], what each trial of an afterstate came to for the player who has just moved. "
           "Both sides play at `ply`; after `truncate` turns (0: never) the network's value stands for the rest. With "
           "luck adjusted a row is not a distribution, but its mean is. Trials are the same for any number of threads.")
      .def_prop_ro("evaluated", &BoundSearcher::num_evaluated, "Afterstates that the network has seen in searches.")
      .def_prop_ro("cache_hits", &BoundSearcher::cache_hits)
      .def_prop_ro("cache_misses", &BoundSearcher::cache_misses);
}

}  // namespace tavla
