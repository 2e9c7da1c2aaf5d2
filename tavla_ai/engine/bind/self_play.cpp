// Self-play in the engine's Python face.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/checks.hpp"
#include "bind/module.hpp"
#include "games/selfplay.hpp"
#include "games/selfplay_lookahead.hpp"

namespace tavla {
namespace {

// What the threads of self-play brought, joined when it is asked for.
struct SelfPlayParts {
  std::vector<SelfPlayResult> parts;

  std::size_t num_afterstates() const {
    std::size_t total = 0;
    for (const SelfPlayResult& part : parts)
      for (std::int32_t length : part.lengths) total += static_cast<std::size_t>(length);
    return total;
  }

  template <class T>
  std::vector<T> joined(std::vector<T> SelfPlayResult::* field) const {
    std::size_t size = 0;
    for (const SelfPlayResult& part : parts) size += (part.*field).size();
    std::vector<T> all;
    all.reserve(size);
    for (const SelfPlayResult& part : parts) all.insert(all.end(), (part.*field).begin(), (part.*field).end());
    return all;
  }

  template <class T>
  T total(T SelfPlayResult::* field) const {
    T sum = 0;
    for (const SelfPlayResult& part : parts) sum += part.*field;
    return sum;
  }
};

UtilityMix mix_of(const Matrix& values, const Matrix& inputs, const std::vector<double>& shares, int num_scores) {
  UtilityMix mix{utilities_of(values, inputs, num_scores), {}};
  require(shares.size() == mix.utilities.size(), "shares: one per utility expected");
  double total = 0;
  for (double share : shares) {
    require(share >= 0, "shares: numbers from 0 up expected");
    total += share;
  }
  require(total > 0, "shares: at least one above 0 expected");
  double sum = 0;
  for (double share : shares) mix.shares.push_back((sum += share) / total);
  return mix;
}

void require_games(const Games& games) { require(games.number >= 0, "num_games: a number from 0 up expected"); }

void require_lambda(double lambda) { require(lambda >= 0 && lambda <= 1, "lambda_: a number from 0 to 1 expected"); }

// Plays games without Python's lock; `play(games, result)` plays those of one thread.
template <class Play>
SelfPlayParts play_unlocked(const Rules& rules, const Games& games, int threads, Play&& play) {
  require_games(games);
  const nb::gil_scoped_release release;
  return {play_in_parts(rules, games, threads, play)};
}

void check_settings(const LookaheadSettings& settings) {
  for (double chance : {settings.explore, settings.near, settings.scramble, settings.sample})
    require(chance >= 0 && chance <= 1, "explore, near, scramble and sample: numbers from 0 to 1 expected");
  require(settings.explore + settings.near <= 1, "explore and near: at most 1 together expected");
  require(settings.scrambled >= 0, "scrambled: a number from 0 up expected");
  require(settings.siblings >= 0, "siblings: a number from 0 up expected");
  require(settings.margin >= 0, "margin: a number of points from 0 up expected");
  require_lambda(settings.lambda);
  const std::string most = std::to_string(Replies::kMostCandidates);
  require(settings.candidates >= 0 && settings.candidates <= Replies::kMostCandidates,
          "candidates: a number from 0 to " + most + " expected");
  require(settings.finalists == 0 || settings.candidates > 0,
          "finalists: candidates, of which they are some, expected");
  require(settings.finalists >= 0 && settings.finalists <= Replies::kMostCandidates,
          "finalists: a number from 0 to " + most + " expected");
}

// Returns over a single game in which the players take turns.
nb::ndarray<nb::numpy, float> returns_of_game(const Matrix& predictions, int outcome, float lambda) {
  const auto length = static_cast<int>(predictions.shape(0));
  const int num_scores = static_cast<int>(predictions.shape(1));
  require(num_scores >= 2 && num_scores <= kMaxScores, "predictions: 2 to 8 columns expected");
  require(outcome >= 0 && outcome < num_scores, "outcome: a column of predictions expected");
  require(lambda >= 0 && lambda <= 1, "lambda_: a number from 0 to 1 expected");
  std::vector<float> targets(predictions.size());
  std::vector<std::uint8_t> seats;
  for (int t = 0; t <= length; ++t) seats.push_back(t & 1);
  lambda_returns(predictions.data(), seats.data(), length, num_scores, outcome, lambda, targets.data());
  return to_numpy(std::move(targets), {predictions.shape(0), predictions.shape(1)});
}

}  // namespace

void bind_self_play(nb::module_& m) {
  nb::class_<SelfPlayParts>(m, "SelfPlayResult", "Trajectories of self-play, game after game.")
      .def_prop_ro("boards",
                   [](const SelfPlayParts& r) {
                     const std::size_t n = r.num_afterstates();
                     std::vector<std::int8_t> boards = r.joined(&SelfPlayResult::boards);
                     const std::size_t places = n ? boards.size() / n / 2 : 0;
                     return to_numpy(std::move(boards), {n, 2, places});
                   },
                   nb::rv_policy::automatic,
                   "int8[N, 2, num_places]: afterstates, the player who has just moved first.")
      .def_prop_ro("targets",
                   [](const SelfPlayParts& r) {
                     return rows_to_numpy(r.joined(&SelfPlayResult::targets), r.num_afterstates());
                   },
                   nb::rv_policy::automatic, "float32[N, K]: the lambda-return of each afterstate, for that player.")
      .def_prop_ro("utility_inputs",
                   [](const SelfPlayParts& r) {
                     return rows_to_numpy(r.joined(&SelfPlayResult::utility_inputs), r.num_afterstates());
                   },
                   nb::rv_policy::automatic, "float32[N, U]: what that player played for.")
      .def_prop_ro("values",
                   [](const SelfPlayParts& r) {
                     std::vector<float> values = r.joined(&SelfPlayResult::values);
                     return rows_to_numpy(std::move(values), values.empty() ? 0 : r.num_afterstates());
                   },
                   nb::rv_policy::automatic,
                   "float32[N, K]: what the scores were worth to that player, in points; look-ahead only.")
      .def_prop_ro("siblings",
                   [](const SelfPlayParts& r) {
                     std::vector<std::int32_t> siblings = r.joined(&SelfPlayResult::siblings);
                     const std::size_t decisions = siblings.size();
                     return to_numpy(std::move(siblings), {decisions});
                   },
                   nb::rv_policy::automatic,
                   "int32[D]: afterstates of each decision, one after the other in `boards`; look-ahead only.")
      .def_prop_ro("lengths",
                   [](const SelfPlayParts& r) {
                     std::vector<std::int32_t> lengths = r.joined(&SelfPlayResult::lengths);
                     const std::size_t games = lengths.size();
                     return to_numpy(std::move(lengths), {games});
                   },
                   nb::rv_policy::automatic, "int32[games]: afterstates of each game, 0 for a void game.")
      .def_prop_ro("score_indices",
                   [](const SelfPlayParts& r) {
                     std::vector<std::int8_t> indices = r.joined(&SelfPlayResult::score_indices);
                     const std::size_t games = indices.size();
                     return to_numpy(std::move(indices), {games});
                   },
                   nb::rv_policy::automatic,
                   "int8[games]: the winner's score, an index into the ruleset's scores; -1 for a void game.")
      .def_prop_ro("sum_abs_td_error",
                   [](const SelfPlayParts& r) { return r.total(&SelfPlayResult::sum_abs_td_error); })
      .def_prop_ro("starter_scores",
                   [](const SelfPlayParts& r) {
                     std::vector<std::int64_t> total;
                     for (const SelfPlayResult& part : r.parts) {
                       total.resize(part.starter_scores.size());
                       for (std::size_t k = 0; k < total.size(); ++k) total[k] += part.starter_scores[k];
                     }
                     return total;
                   },
                   "Games by score, in the ruleset's order, for the side that started.")
      .def_prop_ro("plies", [](const SelfPlayParts& r) { return r.total(&SelfPlayResult::plies); })
      .def_prop_ro("evaluated", [](const SelfPlayParts& r) { return r.total(&SelfPlayResult::evaluated); });

  m.def("lambda_returns", &returns_of_game, "predictions"_a.noconvert(), "outcome"_a, "lambda_"_a,
        "Return the targets float32[T, K] of one game from its predictions float32[T, K], each row for the player "
        "who made that afterstate; `outcome` is the winner's score index; the winner moved right after the last row.");
  m.def("self_play",
        [](const Rules& rules, const Network& network, std::uint64_t seed, std::uint64_t first_game,
           std::int64_t num_games, float lambda, const Matrix& values, const Matrix& inputs,
           const std::vector<double>& shares, int threads, const Bearoff* tables) {
          require_fits(network, rules);
          require_lambda(lambda);
          const UtilityMix mix = mix_of(values, inputs, shares, rules.num_scores());
          return play_unlocked(rules, {seed, first_game, num_games}, threads,
                               [&](const Games& games, SelfPlayResult& result) {
                                 self_play_range(rules, network, tables, mix, games, lambda, result);
                               });
        },
        "rules"_a, "network"_a, "seed"_a, "first_game"_a, "num_games"_a, nb::kw_only(), "lambda_"_a,
        "values"_a.noconvert(), "inputs"_a.noconvert(), "shares"_a, "threads"_a = 1, "tables"_a = nb::none(),
        "Play games first_game … first_game + num_games - 1 of the seed. Each game's utility is drawn from rows of "
        "values float32[M, K] and inputs float32[M, K - 2] with the given shares. The same for any thread count.");
}

void bind_lookahead(nb::module_& m) {
  m.attr("MOST_CANDIDATES") = Replies::kMostCandidates;

  using Settings = LookaheadSettings;
  constexpr Settings usual;
  nb::class_<Settings>(
      m, "LookaheadSettings",
      "How `lookahead` leaves the main line, what it keeps and how it looks ahead.\n\n"
      "A play is drawn at random with the chance `explore` and among those within `margin` points of the best with the "
      "chance `near`; with the chance `scramble` a game begins with up to `scrambled` plays at random. Of each decision, "
      "kept with the chance `sample`, the play that was made and up to `siblings` others within `margin` points of the "
      "best are recorded. A target is the expectation over 21 rolls of the best reply at 0-ply: among all replies, or, "
      "where `candidates` is not 0, among that number of replies that look best to first order; where `finalists` is "
      "not 0, among that number of these that look best by their first layer. With `lambda_` above 0 every position of a "
      "game is kept, `sample` is for siblings, and what look-ahead corrects later in the game is handed back. Raises "
      "ValueError for a number out of its range.")
      .def("__init__",
           [](Settings* settings, double explore, double near, double scramble, int scrambled, double sample,
              int siblings, double margin, int candidates, int finalists, double lambda) {
             const Settings given{.explore = explore, .near = near, .scramble = scramble, .scrambled = scrambled,
                                  .sample = sample, .siblings = siblings, .margin = margin, .candidates = candidates,
                                  .finalists = finalists, .lambda = lambda};
             check_settings(given);
             new (settings) Settings(given);
           },
           nb::kw_only(), "explore"_a = usual.explore, "near"_a = usual.near, "scramble"_a = usual.scramble,
           "scrambled"_a = usual.scrambled, "sample"_a = usual.sample, "siblings"_a = usual.siblings,
           "margin"_a = usual.margin, "candidates"_a = usual.candidates, "finalists"_a = usual.finalists,
           "lambda_"_a = usual.lambda);

  m.def("lookahead",
        [](const Rules& rules, const Network& network, std::uint64_t seed, std::uint64_t first_game,
           std::int64_t num_games, const Matrix& values, const Matrix& inputs, const std::vector<double>& shares,
           const Settings& settings, int threads, const Bearoff* tables) {
          require_fits(network, rules);
          if (rules.facts().has_stages)
            throw RulesError("lookahead: a turn of Gul Bara is more than one roll; it is not looked ahead");
          const UtilityMix mix = mix_of(values, inputs, shares, rules.num_scores());
          return play_unlocked(rules, {seed, first_game, num_games}, threads,
                               [&](const Games& games, SelfPlayResult& result) {
                                 lookahead_range(rules, network, tables, mix, settings, games, result);
                               });
        },
        "rules"_a, "network"_a, "seed"_a, "first_game"_a, "num_games"_a, nb::kw_only(), "values"_a.noconvert(),
        "inputs"_a.noconvert(), "shares"_a, "settings"_a, "threads"_a = 1, "tables"_a = nb::none(),
        "Play games as `self_play` does, but off the main line, with one ply of look-ahead as the target of each "
        "recorded afterstate; see `LookaheadSettings`.");
}

}  // namespace tavla
