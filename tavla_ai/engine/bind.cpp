// The engine's Python face. Shapes and dtypes are checked here; the core trusts what it is given.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <span>

#include "bind.hpp"
#include "choices.hpp"
#include "duel.hpp"
#include "lookahead.hpp"
#include "perft.hpp"
#include "selfplay.hpp"
#include "threads.hpp"

namespace tavla {
namespace {

// In place of a score where the game goes on.
constexpr std::int16_t kNoScore = -32768;

nb::ndarray<nb::numpy, std::int8_t> boards_to_numpy(const std::vector<Board>& boards, int num_places) {
  std::vector<std::int8_t> flat;
  flat.reserve(boards.size() * 2 * num_places);
  for (const Board& board : boards)
    for (const auto& row : board.count) flat.insert(flat.end(), row, row + num_places);
  return to_numpy(std::move(flat), {boards.size(), 2, static_cast<std::size_t>(num_places)});
}

// Counts within the bounds of the network's tables; whether the game can reach them is the rules' to say.
std::vector<Board> boards_for_network(const BoardsInput& input, int num_places) {
  require_places(input.shape(2), num_places);
  std::vector<Board> boards(input.shape(0));
  for (std::size_t i = 0; i < boards.size(); ++i) {
    read_board(input.data() + i * 2 * num_places, num_places, boards[i]);
    for (const auto& row : boards[i].count)
      for (int place = 0; place < num_places; ++place)
        if (row[place] < 0 || row[place] > kCheckers)
          throw RulesError("position " + std::to_string(i) + ": " + std::to_string(row[place]) + " on place " +
                           std::to_string(place) + ", expected 0 to 15");
  }
  return boards;
}

Family family_of(const std::string& name) {
  if (name == "opposed-hit") return Family::kOpposedHit;
  if (name == "plakoto") return Family::kPlakoto;
  if (name == "fevga") return Family::kFevga;
  if (name == "gul-bara") return Family::kGulBara;
  if (name == "tawula") return Family::kTawula;
  throw nb::value_error(("family '" + name + "': not one the engine plays").c_str());
}

Rules make_rules(const std::string& family, const std::vector<int>& setup, int reserve, bool opening_rerolls,
                 bool winner_rolls, bool hit_and_run, bool larger_die_first, bool pinned_blocks_bear_off,
                 bool leave_a_move, int cascade_from, const std::vector<int>& scores, int stuck_limit) {
  require(setup.size() == kCommonPlaces, "setup: 26 counts expected");
  require(scores.size() >= 2 && scores.size() <= kMaxScores, "scores: 2 to 8 scores expected");
  require(stuck_limit >= 2, "stuck_limit: at least 2 expected");
  Rules rules;
  rules.family = family_of(family);
  for (int place = 0; place < kCommonPlaces; ++place) {
    require(setup[place] >= 0 && setup[place] <= kCheckers, "setup: counts from 0 to 15 expected");
    rules.setup[place] = static_cast<std::int8_t>(setup[place]);
  }
  require(reserve >= 0 && reserve <= kCheckers, "reserve: 0 to 15 expected");
  rules.reserve = reserve;
  rules.opening_rerolls = opening_rerolls;
  rules.winner_rolls = winner_rolls;
  rules.hit_and_run = hit_and_run;
  rules.larger_die_first = larger_die_first;
  rules.pinned_blocks_bear_off = pinned_blocks_bear_off;
  rules.leave_a_move = leave_a_move;
  rules.cascade_from = cascade_from;
  rules.scores = scores;
  require(rules.family != Family::kOpposedHit || scores[0] < 3 || (hit_and_run && !larger_die_first),
          "rules: three-point games are played with hit-and-run and free bear-off only");
  rules.stuck_limit = stuck_limit;
  check_board(rules, rules.start());
  return rules;
}

DenseLayer layer_of(const Matrix& weight, const Vector& bias) {
  require(weight.shape(0) == bias.shape(0), "network: a layer's weight and bias differ in their outputs");
  DenseLayer layer;
  layer.out = static_cast<int>(weight.shape(0));
  layer.in = static_cast<int>(weight.shape(1));
  layer.weight.assign(weight.data(), weight.data() + weight.size());
  layer.bias.assign(bias.data(), bias.data() + bias.size());
  return layer;
}

std::shared_ptr<Network> make_network(const std::vector<std::pair<Matrix, Vector>>& layers, int num_places,
                                      const std::optional<std::string>& kernels) {
  require(layers.size() >= 2, "network: a first layer and an output layer expected");
  std::vector<DenseLayer> rest;
  for (std::size_t i = 1; i < layers.size(); ++i) rest.push_back(layer_of(layers[i].first, layers[i].second));
  return std::make_shared<Network>(num_places, layer_of(layers[0].first, layers[0].second), rest,
                                   kernels ? kernels_by_name(*kernels) : best_kernels());
}

// Rows of out[k * stride + i] as [n, k].
std::vector<float> transposed(const std::vector<float>& columns, int stride, int n, int num_scores) {
  std::vector<float> rows(static_cast<std::size_t>(n) * num_scores);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < num_scores; ++k) rows[static_cast<std::size_t>(i) * num_scores + k] = columns[k * stride + i];
  return rows;
}

nb::ndarray<nb::numpy, float> evaluate(const Network& network, const BoardsInput& boards, const Matrix& utility_inputs,
                                       int threads) {
  const std::vector<Board> checked = boards_for_network(boards, network.num_places());
  const std::size_t n = checked.size();
  const int num_scores = network.num_outputs();
  require(utility_inputs.shape(0) == n && static_cast<int>(utility_inputs.shape(1)) == network.num_utility_inputs(),
          "utility_inputs: one row per board with the network's number of utility inputs expected");
  require_finite(std::span(utility_inputs.data(), utility_inputs.size()));
  std::vector<float> out(n * num_scores);
  {
    const nb::gil_scoped_release release;
    run_threads(threads, static_cast<std::int64_t>(n), [&](int, std::int64_t begin, std::int64_t end) {
      Network::Scratch scratch(network);
      std::vector<float> block(static_cast<std::size_t>(Network::kBlock) * num_scores);
      for (std::int64_t i = begin; i < end; i += Network::kBlock) {
        const int count = static_cast<int>(std::min<std::int64_t>(Network::kBlock, end - i));
        network.evaluate_boards(checked.data() + i, utility_inputs.data() + i * network.num_utility_inputs(), count,
                                scratch, block.data(), Network::kBlock);
        for (int j = 0; j < count; ++j)
          for (int k = 0; k < num_scores; ++k) out[(i + j) * num_scores + k] = block[k * Network::kBlock + j];
      }
    });
  }
  return to_numpy(std::move(out), {n, static_cast<std::size_t>(num_scores)});
}

std::unique_ptr<PlayList> generate(const Rules& rules, const Board& board, int first, int second) {
  check_dice(first, second);
  check_playable(rules, board);
  auto plays = std::make_unique<PlayList>();
  plays->generate(rules, board, first, second);
  return plays;
}

nb::ndarray<nb::numpy, float> evaluate_plays(const Network& network, const Rules& rules, const BoardInput& input,
                                             int first, int second, const Vector& utility_inputs) {
  const Board board = board_of(rules, input);
  require(network.num_places() == rules.num_places(), "network: made for another game");
  require(static_cast<int>(utility_inputs.size()) == network.num_utility_inputs(),
          "utility_inputs: the network's number of utility inputs expected");
  require_finite(std::span(utility_inputs.data(), utility_inputs.size()));
  const auto plays = generate(rules, board, first, second);
  Network::Scratch scratch(network);
  const int stride = padded(plays->num_leaves());
  std::vector<float> columns(static_cast<std::size_t>(stride) * network.num_outputs());
  network.evaluate_plays(board, *plays, utility_inputs.data(), scratch, columns.data(), stride);
  const auto n = static_cast<std::size_t>(plays->num_leaves());
  return to_numpy(transposed(columns, stride, plays->num_leaves(), network.num_outputs()),
                  {n, static_cast<std::size_t>(network.num_outputs())});
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
  return to_output(rules, board, *generate(rules, board, first, second));
}

PlaysOutput legal_stage(const Rules& rules, const BoardInput& input, const std::vector<int>& dice) {
  const Board board = board_of(rules, input);
  require(!dice.empty() && dice.size() <= 4, "dice: one to four expected");
  for (int die : dice) check_dice(die, die);
  const bool is_pair = dice.size() == 2 && dice[0] != dice[1];
  for (int die : dice) require(is_pair || die == dice[0], "dice: two different ones, or up to four of a kind expected");
  check_playable(rules, board);
  auto plays = std::make_unique<PlayList>();
  plays->generate_stage(rules, board, dice);
  return to_output(rules, board, *plays);
}

nb::ndarray<nb::numpy, std::int32_t> count_plays(const Rules& rules, const BoardsInput& input,
                                                 const Input<std::int8_t, nb::shape<-1, 2>>& dice) {
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
    auto plays = std::make_unique<PlayList>();
    for (std::size_t i = 0; i < n; ++i) {
      plays->generate(rules, boards[i], dice.data()[2 * i], dice.data()[2 * i + 1]);
      counts[i] = plays->num_leaves();
    }
  }
  return to_numpy(std::move(counts), {n});
}

std::vector<float> place_feature_table(int num_places) {
  std::vector<float> table(static_cast<std::size_t>(num_places) * kCounts * kPlaceFeatures);
  for (int place = 0; place < num_places; ++place)
    for (int count = 0; count < kCounts; ++count)
      place_features(place, count, table.data() + (place * kCounts + count) * kPlaceFeatures);
  return table;
}

nb::ndarray<nb::numpy, float> encode(const BoardsInput& input, const Matrix& utility_inputs, bool shots) {
  const int num_places = static_cast<int>(input.shape(2));
  require(num_places >= kCommonPlaces && num_places <= kMaxPlaces, "boards: rows of 26 to 50 counts expected");
  const std::vector<Board> boards = boards_for_network(input, num_places);
  const std::size_t n = boards.size();
  require(utility_inputs.shape(0) == n, "utility_inputs: one row per board expected");
  const std::size_t num_utility = utility_inputs.shape(1);
  require(!shots || num_places == kCommonPlaces, "shots: boards of 26 places expected");
  const std::size_t width = num_board_features(num_places) + num_utility + (shots ? kNumShotInputs : 0);
  std::vector<float> out(n * width);
  {
    const nb::gil_scoped_release release;
    static const std::vector<float> table = place_feature_table(kMaxPlaces);
    for (std::size_t i = 0; i < n; ++i) {
      float* row = out.data() + i * width;
      for (const auto& counts : boards[i].count)
        for (int place = 0; place < num_places; ++place) {
          std::memcpy(row, table.data() + (place * kCounts + counts[place]) * kPlaceFeatures,
                      kPlaceFeatures * sizeof(float));
          row += kPlaceFeatures;
        }
      std::memcpy(row, utility_inputs.data() + i * num_utility, num_utility * sizeof(float));
      if (!shots) continue;
      row += num_utility;
      const Shots found = shots_of(boards[i], best_kernels());
      for (const std::uint8_t value : found) {
        shot_inputs(value, row);
        row += kShotInputs;
      }
    }
  }
  return to_numpy(std::move(out), {n, width});
}

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

template <class T>
nb::ndarray<nb::numpy, T> rows_to_numpy(std::vector<T>&& values, std::size_t rows) {
  const std::size_t width = rows ? values.size() / rows : 0;
  return to_numpy(std::move(values), {rows, width});
}

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

SelfPlayParts run_self_play(const Rules& rules, const Network& network, std::uint64_t seed, std::uint64_t first_game,
                            std::int64_t num_games, float lambda, const Matrix& values, const Matrix& inputs,
                            const std::vector<double>& shares, int threads, const Bearoff* tables) {
  require_fits(network, rules);
  require(lambda >= 0 && lambda <= 1, "lambda_: a number from 0 to 1 expected");
  require(num_games >= 0, "num_games: a number from 0 up expected");
  const UtilityMix mix = mix_of(values, inputs, shares, rules.num_scores());
  const nb::gil_scoped_release release;
  return {play_in_parts(rules, first_game, num_games, threads,
                        [&](std::uint64_t first, std::int64_t games, SelfPlayResult& result) {
                          self_play_range(rules, network, tables, mix, seed, first, games, lambda, result);
                        })};
}

SelfPlayParts run_lookahead(const Rules& rules, const Network& network, std::uint64_t seed, std::uint64_t first_game,
                            std::int64_t num_games, const Matrix& values, const Matrix& inputs,
                            const std::vector<double>& shares, double explore, double near, double scramble,
                            int scrambled, double sample, int siblings, double margin, int candidates, int finalists,
                            double lambda, int threads, const Bearoff* tables) {
  require_fits(network, rules);
  if (rules.family == Family::kGulBara)
    throw RulesError("lookahead: a turn of Gul Bara is more than one roll; it is not looked ahead");
  require(num_games >= 0, "num_games: a number from 0 up expected");
  for (double chance : {explore, near, scramble, sample})
    require(chance >= 0 && chance <= 1, "explore, near, scramble and sample: numbers from 0 to 1 expected");
  require(explore + near <= 1, "explore and near: at most 1 together expected");
  require(scrambled >= 0, "scrambled: a number from 0 up expected");
  require(siblings >= 0, "siblings: a number from 0 up expected");
  require(margin >= 0, "margin: a number of points from 0 up expected");
  require(lambda >= 0 && lambda <= 1, "lambda_: a number from 0 to 1 expected");
  require(candidates >= 0 && candidates <= Replies::kMostCandidates,
          "candidates: a number from 0 to " + std::to_string(Replies::kMostCandidates) + " expected");
  require(finalists == 0 || candidates > 0, "finalists: candidates, of which they are some, expected");
  require(finalists >= 0 && finalists <= Replies::kMostCandidates,
          "finalists: a number from 0 to " + std::to_string(Replies::kMostCandidates) + " expected");
  const UtilityMix mix = mix_of(values, inputs, shares, rules.num_scores());
  const nb::gil_scoped_release release;
  return {play_in_parts(rules, first_game, num_games, threads,
                        [&](std::uint64_t first, std::int64_t games, SelfPlayResult& result) {
                          lookahead_range(rules, network, tables, mix,
                                          {explore, near, scramble, scrambled, sample, siblings, margin, candidates,
                                           finalists, lambda},
                                          seed, first, games, result);
                        })};
}

void require_plays(const Player& player, const Rules& rules) {
  if (const auto* made = std::get_if<NetworkPlayer>(&player.kind)) {
    require_fits(*made->network, rules);
    require_ply(rules, made->ply);
  }
  require(!std::holds_alternative<std::shared_ptr<const Pubeval>>(player.kind) || rules.family == Family::kOpposedHit,
          "player: pubeval plays opposed, hitting games only");
}

using Counters = Input<std::uint32_t, nb::ndim<1>>;

std::tuple<nb::ndarray<nb::numpy, std::int8_t>, nb::ndarray<nb::numpy, std::int16_t>> run_choose_plays(
    const Rules& rules, const Player& player, const BoardsInput& boards, const Input<std::int8_t, nb::shape<-1, 2>>& dice,
    const Matrix& values, const Matrix& inputs, std::uint64_t seed, const Input<std::uint64_t, nb::ndim<1>>& games,
    const Counters& rounds, const Counters& plies, int threads) {
  require_plays(player, rules);
  if (rules.family == Family::kGulBara)
    throw RulesError("choose_plays: a turn of Gul Bara is more than one roll");
  require_places(boards.shape(2), rules.num_places());
  const std::size_t n = boards.shape(0);
  require(dice.shape(0) == n && games.size() == n && rounds.size() == n && plies.size() == n,
          "choose_plays: one roll, game, round and ply per board expected");
  std::vector<TurnEnd> ends;
  if (n > 0) {
    const std::vector<Utility> utilities = utilities_of(values, inputs, rules.num_scores());
    require(utilities.size() == 1 || utilities.size() == n, "utilities: one row, or one per board expected");
    std::vector<OpenTurn> turns;
    turns.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      Board board;
      read_board(boards.data() + i * 2 * rules.num_places(), rules.num_places(), board);
      check_playable(rules, board);
      const Roll roll{dice.data()[2 * i], dice.data()[2 * i + 1]};
      check_dice(roll.first, roll.second);
      turns.push_back({board, roll, utilities[utilities.size() == 1 ? 0 : i],
                       GameStreams(seed, games.data()[i], rounds.data()[i]), plies.data()[i]});
    }
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

// The network of a judge of luck.
const NetworkPlayer* judge_of(const Rules& rules, const Player* judge) {
  require_plays(*judge, rules);
  const NetworkPlayer* judging = std::get_if<NetworkPlayer>(&judge->kind);
  require(judging, "judge: a network expected");
  if (rules.family == Family::kGulBara)
    throw RulesError("judge: a turn of Gul Bara is more than one roll; its luck is not known");
  return judging;
}

// One game of a contest, checked.
Leg leg_of(const Rules& rules, const Player& a, const Player& b, const Player* judge, int length, const Matrix& values,
           const Matrix& inputs) {
  for (const Player* player : {&a, &b}) require_plays(*player, rules);
  Leg leg{&rules, &a, &b, judge ? judge_of(rules, judge) : nullptr, utilities_of(values, inputs, rules.num_scores())};
  require(leg.grid.size() == static_cast<std::size_t>(length == 0 ? 1 : length * length),
          "utilities: one row for single games, length * length rows for matches expected");
  return leg;
}

DuelResult run_duel(const Rules& rules, const Player& a, const Player& b, std::uint64_t seed, std::uint64_t first_pair,
                    std::int64_t num_pairs, int length, const Matrix& values, const Matrix& inputs, int threads,
                    const Player* judge) {
  require(length >= 0 && num_pairs >= 0, "length and num_pairs: numbers from 0 up expected");
  const Contest contest{length, {leg_of(rules, a, b, judge, length, values, inputs)}};
  const nb::gil_scoped_release release;
  return duel(contest, seed, first_pair, num_pairs, threads);
}

DuelResult run_duel_set(const std::vector<const Rules*>& rules, const std::vector<const Player*>& a,
                        const std::vector<const Player*>& b, std::uint64_t seed, std::uint64_t first_pair,
                        std::int64_t num_pairs, int length, const std::vector<Matrix>& values,
                        const std::vector<Matrix>& inputs, int threads, const std::vector<const Player*>& judges) {
  require(length >= 1 && num_pairs >= 0, "length: a number from 1 up, num_pairs: from 0 up expected");
  const std::size_t n = rules.size();
  require(n > 0 && a.size() == n && b.size() == n && values.size() == n && inputs.size() == n,
          "duel_set: players and utilities for each game expected");
  require(judges.empty() || judges.size() == n, "duel_set: a judge, or None, for each game expected");
  Contest contest{length, {}};
  for (std::size_t i = 0; i < n; ++i) {
    require(rules[i] && a[i] && b[i], "duel_set: rules and players expected, not None");
    contest.legs.push_back(leg_of(*rules[i], *a[i], *b[i], judges.empty() ? nullptr : judges[i], length, values[i],
                                  inputs[i]));
  }
  require(contest.scores().size() <= kMaxScores, "duel_set: the games have too many scores");
  const nb::gil_scoped_release release;
  return duel(contest, seed, first_pair, num_pairs, threads);
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

nb::ndarray<nb::numpy, double> run_roll_luck(const Rules& rules, const Player& judge, const BoardsInput& input,
                                             const Input<std::int8_t, nb::shape<-1, 2>>& dice, const Matrix& values,
                                             const Matrix& inputs, const Input<std::uint8_t, nb::ndim<1>>& can_double,
                                             int threads) {
  const NetworkPlayer* judging = judge_of(rules, &judge);
  require_places(input.shape(2), rules.num_places());
  const std::size_t n = input.shape(0);
  require(dice.shape(0) == n && can_double.size() == n, "roll_luck: one roll and one can_double per board expected");
  std::vector<double> luck(n);
  if (n > 0) {
    const std::vector<Utility> utilities = utilities_of(values, inputs, rules.num_scores());
    require(utilities.size() == 1 || utilities.size() == n, "utilities: one row, or one per board expected");
    std::vector<Board> boards(n);
    for (std::size_t i = 0; i < n; ++i) {
      read_board(input.data() + i * 2 * rules.num_places(), rules.num_places(), boards[i]);
      check_playable(rules, boards[i]);
      check_dice(dice.data()[2 * i], dice.data()[2 * i + 1]);
      require(can_double.data()[i] || dice.data()[2 * i] != dice.data()[2 * i + 1],
              "roll_luck: a double where there can be none");
    }
    const nb::gil_scoped_release release;
    run_threads(threads, static_cast<std::int64_t>(n), [&](int, std::int64_t begin, std::int64_t end) {
      Judge judge_here(rules, *judging);
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        luck[i] = judge_here.luck(boards[i], {dice.data()[2 * i], dice.data()[2 * i + 1]},
                                  utilities[utilities.size() == 1 ? 0 : i], can_double.data()[i] != 0);
    });
  }
  return to_numpy(std::move(luck), {n});
}

std::vector<std::vector<int>> stages_to_lists(const std::vector<Stage>& stages) {
  std::vector<std::vector<int>> lists;
  for (const Stage& stage : stages) lists.emplace_back(stage.dice.begin(), stage.dice.begin() + stage.count);
  return lists;
}

std::array<float, Pubeval::kInputs> pubeval_weights(const Vector& weights) {
  require(weights.size() == Pubeval::kInputs, "pubeval: 122 weights expected");
  std::array<float, Pubeval::kInputs> copy;
  std::copy_n(weights.data(), weights.size(), copy.begin());
  return copy;
}

}  // namespace

NB_MODULE(_core, m) {
  // At the end of the process others, such as Ray, may still hold what is ours; that is no leak of ours to report.
  nb::set_leak_warnings(false);
  m.doc() = "Rules, dice, network and self-play of tavla-ai, in C++.";

  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const RulesError& error) {
      const nb::object type = nb::module_::import_("tavla_ai.errors").attr("RulesetError");
      PyErr_SetString(type.ptr(), error.what());
    }
  });

  m.attr("FEATURE_VERSION") = kFeatureVersion;
  m.attr("SHOTS_VERSION") = kShotsVersion;
  m.attr("NUM_SHOT_INPUTS") = kNumShotInputs;
  m.attr("NO_SCORE") = kNoScore;
  m.attr("MAX_PLAYS") = PlayList::kMaxLeaves;
  m.attr("MOST_CANDIDATES") = Replies::kMostCandidates;

  nb::class_<Rules>(m, "Rules", "What the generator needs to know of a ruleset.")
      .def(nb::new_([](const std::string& family, const std::vector<int>& setup, int reserve, bool opening_rerolls,
                       bool winner_rolls, bool hit_and_run, bool larger_die_first, bool pinned_blocks_bear_off,
                       bool leave_a_move, int cascade_from, const std::vector<int>& scores, int stuck_limit) {
             return std::make_unique<Rules>(make_rules(family, setup, reserve, opening_rerolls, winner_rolls,
                                                       hit_and_run, larger_die_first, pinned_blocks_bear_off,
                                                       leave_a_move, cascade_from, scores, stuck_limit));
           }),
           nb::kw_only(), "family"_a, "setup"_a, "reserve"_a, "opening_rerolls"_a, "winner_rolls"_a, "hit_and_run"_a,
           "larger_die_first"_a, "pinned_blocks_bear_off"_a, "leave_a_move"_a, "cascade_from"_a, "scores"_a,
           "stuck_limit"_a)
      .def_prop_ro("num_places", &Rules::num_places, "Length of a side's row of counts.")
      .def("start", [](const Rules& rules) {
        nb::ndarray<nb::numpy, std::int8_t> boards = boards_to_numpy({rules.start()}, rules.num_places());
        return nb::cast(boards).attr("__getitem__")(0);
      }, nb::sig("def start(self) -> numpy.typing.NDArray[numpy.int8]"), "Return the start position int8[2, num_places].")
      .def("check", [](const Rules& rules, const BoardInput& input) { board_of(rules, input); }, "board"_a.noconvert(),
           "Raise RulesetError, naming the offence, unless the game can have this board int8[2, num_places].");

  nb::class_<Network>(m, "Network",
                      "The value network, folded for incremental evaluation. Layers are (weight[out, in], bias[out]) "
                      "float32 pairs, first to last; `num_places` is the length of a row of counts; `kernels` names an "
                      "instruction set, the fastest by default.")
      .def(nb::new_(&make_network), "layers"_a, "num_places"_a = kCommonPlaces, "kernels"_a = nb::none())
      .def_prop_ro("num_places", &Network::num_places)
      .def_prop_ro("num_outputs", &Network::num_outputs)
      .def_prop_ro("num_utility_inputs", &Network::num_utility_inputs)
      .def_prop_ro("kernels", [](const Network& network) { return network.kernels().name; })
      .def("evaluate", &evaluate, "boards"_a.noconvert(), "utility_inputs"_a.noconvert(), "threads"_a = 1,
           "Return [N, K] float32 probabilities of the scores for the player who has just moved; boards are "
           "afterstates int8[N, 2, num_places], his side first; utility_inputs float32[N, U] are his.")
      .def("evaluate_plays", &evaluate_plays, "rules"_a, "board"_a.noconvert(), "first"_a, "second"_a, "utility_inputs"_a.noconvert(),
           "Return [n, K] float32 for the mover after each play, in the order of `legal_plays`.");

  nb::class_<Player>(m, "Player", "A player that the engine runs by itself.")
      .def_static("random", [] { return Player{RandomPlayer{}, {}}; }, "Every legal play with equal chance.")
      .def_static("pubeval",
                  [](const Vector& contact, const Vector& race) {
                    return Player{std::make_shared<const Pubeval>(Pubeval{pubeval_weights(contact), pubeval_weights(race)}),
                                  {}};
                  },
                  "contact"_a, "race"_a, "Tesauro's pubeval with its 122 contact and 122 race weights, float32.")
      .def_static(
          "network",
          [](std::shared_ptr<Network> network, std::shared_ptr<Bearoff> tables, int ply,
             const std::vector<std::tuple<int, int, float>>& root, const std::tuple<int, int, float>& replies,
             const std::optional<Vector>& values, const std::optional<Vector>& inputs, float noise, float cap) {
            require(ply >= 0 && ply <= 4, "ply: 0 to 4 expected");
            require(std::isfinite(noise) && noise >= 0 && std::isfinite(cap) && cap >= 0,
                    "noise and cap: numbers from 0 up expected");
            const auto fixed = [](const std::optional<Vector>& given, int expected) {
              std::optional<std::array<float, kMaxScores>> numbers;
              if (!given) return numbers;
              require(static_cast<int>(given->size()) == expected, "stakes: one number per score or input expected");
              require_finite(std::span(given->data(), given->size()));
              numbers.emplace();
              numbers->fill(0);
              std::copy_n(given->data(), given->size(), numbers->begin());
              return numbers;
            };
            const Stakes stakes{fixed(values, network->num_outputs()), fixed(inputs, network->num_utility_inputs())};
            return Player{NetworkPlayer{std::move(network), std::move(tables), settings_of(root, replies), ply, {noise, cap}},
                          stakes};
          },
          "network"_a, "tables"_a = nb::none(), nb::kw_only(), "ply"_a = 0,
          "root"_a = std::vector<std::tuple<int, int, float>>{{8, 0, 0.0f}},
          "replies"_a = std::tuple<int, int, float>{1, 0, 0.0f}, "values"_a = nb::none(), "inputs"_a = nb::none(),
          "noise"_a = 0.0f, "cap"_a = 0.0f,
          "The play of the highest expected utility as a search at `ply` sees it; filters as for `Searcher`. `values` "
          "float32[K] and `inputs` float32[K - 2] stand in for the contest's own: what it plays for, and what the "
          "network is told of that. Its judgement of each position is off by a normal error of `noise` points, the same "
          "whenever it meets the position in a game, and no play loses more than `cap` points.");

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
                   "[pairs, 2] float64: by how much the judge thinks that A's rolls were better than B's, in points or in "
                   "match-winning chance; no rows without a judge.")
      .def_prop_ro("contest_scores",
                   [](const DuelResult& r) {
                     std::vector<std::int32_t> flat;
                     for (const ContestResult& contest : r.contests)
                       flat.insert(flat.end(), contest.scores.begin(), contest.scores.begin() + r.num_scores);
                     return to_numpy(std::move(flat),
                                     {r.contests.size() / 2, 2, static_cast<std::size_t>(r.num_scores)});
                   },
                   nb::rv_policy::automatic, "[pairs, 2, K] int32: games by score for A, in the ruleset's order.")
      .def_prop_ro("contest_voids", [](const DuelResult& r) { return of_contests<std::int32_t>(r, &ContestResult::void_games); },
                   nb::rv_policy::automatic, "[pairs, 2] int32: void games.")
      .def_prop_ro("contest_plies", [](const DuelResult& r) { return of_contests<std::int32_t>(r, &ContestResult::plies); },
                   nb::rv_policy::automatic, "[pairs, 2] int32: turns of both sides.")
      .def_prop_ro("scores", &total_scores, "Games by score for A, in the ruleset's order.")
      .def_prop_ro("games",
                   [](const DuelResult& r) {
                     const std::vector<std::int64_t> scores = total_scores(r);
                     return std::accumulate(scores.begin(), scores.end(), std::int64_t{0});
                   })
      .def_prop_ro("void_games", [](const DuelResult& r) { return total_of(r, &ContestResult::void_games); })
      .def_prop_ro("plies", [](const DuelResult& r) { return total_of(r, &ContestResult::plies); });

  m.def("available_kernels", &available_kernels, "Names of the instruction sets this machine can run, slowest first.");
  m.def("legal_plays", &legal_plays, "rules"_a, "board"_a.noconvert(), "first"_a, "second"_a,
        "Return the distinct afterstates int8[n, 2, 26] of a roll, the mover first, and one way to reach each: steps "
        "int8[n, 4, 2] of (from, to), padded with -1, and the mover's scores int16[n], NO_SCORE where the game goes "
        "on. A pass is one afterstate without steps. In Gul Bara a roll is its first stage.");
  m.def("legal_stage", &legal_stage, "rules"_a, "board"_a.noconvert(), "dice"_a,
        "The same for exactly these dice: two different ones, or one to four of a kind.");
  m.def("count_plays", &count_plays, "rules"_a, "boards"_a.noconvert(), "dice"_a.noconvert(),
        "Return int32[N], the number of legal plays of each board int8[N, 2, num_places] with its roll int8[N, 2].");
  m.def("perft",
        [](const Rules& rules, const BoardInput& input, int depth) {
          require(depth >= 1, "depth: a number from 1 up expected");
          const Board board = board_of(rules, input);
          check_playable(rules, board);
          const nb::gil_scoped_release release;
          return perft(rules, board, depth);
        },
        "rules"_a, "board"_a.noconvert(), "depth"_a,
        "Return the number of distinct afterstates over the 21 rolls, `depth` turns deep.");
  m.def("encode", &encode, "boards"_a.noconvert(), "utility_inputs"_a.noconvert(), "shots"_a = false,
        "Return float32[N, num_board_features + U], the network's inputs for afterstates int8[N, 2, num_places]; with "
        "`shots`, NUM_SHOT_INPUTS more.");
  m.def("shots",
        [](const BoardsInput& input) {
          const std::vector<Board> boards = boards_for_network(input, kCommonPlaces);
          std::vector<std::uint8_t> out;
          out.reserve(boards.size() * kNumShots);
          for (const Board& board : boards) {
            const Shots found = shots_of(board, best_kernels());
            out.insert(out.end(), found.begin(), found.end());
          }
          return to_numpy(std::move(out), {boards.size(), 2, static_cast<std::size_t>(kShotsPerSide)});
        },
        "boards"_a.noconvert(),
        "Return uint8[N, 2, 7] for boards int8[N, 2, 26]: what a roll of each side would do to the other's blots, where "
        "sides move in opposite directions. Of the 36 rolls, how many hit at least one; the pips lost on average by the "
        "hit blot that has come furthest, times 1.5, rounded down; how many rolls could hit one or another; how many hit "
        "one on the shooter's points 1 to 6, 7 to 12, 13 to 18, 19 to 24.");
  m.def("num_board_features", &num_board_features, "num_places"_a,
        "Return how many inputs the counts of a board give; the utility inputs follow them.");
  m.def("place_features",
        [](int num_places) {
          require(num_places >= kCommonPlaces && num_places <= kMaxPlaces, "num_places: 26 to 50 expected");
          return to_numpy(place_feature_table(num_places),
                          {static_cast<std::size_t>(num_places), kCounts, kPlaceFeatures});
        },
        "num_places"_a,
        "Return float32[num_places, 16, 4]: the inputs of each count on each place; `encode` lays them out side by "
        "side, then place by place.");
  m.def("lambda_returns",
        [](const Matrix& predictions, int outcome, float lambda) {
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
        },
        "predictions"_a.noconvert(), "outcome"_a, "lambda_"_a,
        "Return the targets float32[T, K] of one game from its predictions float32[T, K], each row for the player "
        "who made that afterstate; `outcome` is the winner's score index, and he moved right after the last row.");
  m.def("self_play", &run_self_play, "rules"_a, "network"_a, "seed"_a, "first_game"_a, "num_games"_a, "lambda_"_a,
        "values"_a.noconvert(), "inputs"_a.noconvert(), "shares"_a, "threads"_a = 1, "tables"_a = nb::none(),
        "Play games first_game … first_game + num_games - 1 of the seed. Each game's utility is drawn from rows of "
        "values float32[M, K] and inputs float32[M, K - 2] with the given shares. The same for any thread count.");
  m.def("lookahead", &run_lookahead, "rules"_a, "network"_a, "seed"_a, "first_game"_a, "num_games"_a,
        "values"_a.noconvert(), "inputs"_a.noconvert(), "shares"_a, nb::kw_only(), "explore"_a, "near"_a = 0.0,
        "scramble"_a, "scrambled"_a, "sample"_a, "siblings"_a = 0, "margin"_a = 0.0, "candidates"_a = 0, "finalists"_a = 0, "lambda_"_a = 0.0,
        "threads"_a = 1, "tables"_a = nb::none(),
        "Play games as `self_play` does, but off the main line: a play is drawn at random with the chance `explore` "
        "and among those within `margin` points of the best with the chance `near`, and with the chance `scramble` a game "
        "begins with up to `scrambled` plays at random. Of each decision, kept with the chance `sample`, the play that was made and up to `siblings` others within `margin` points of the best "
        "are recorded. A target is the expectation over 21 rolls of the best reply at 0-ply, looked for among all, "
        "or, where `candidates` is not 0, among so many that look best to first order; where `finalists` is not 0, among so "
        "many of these that look best by their first layer. With lambda_ above 0 every position of a game is kept, "
        "`sample` is for siblings, and what look-ahead corrects later in the game is handed back.");
  m.def("random_walk",
        [](const Rules& rules, std::uint64_t seed, std::uint64_t first_game, std::int64_t num_games) {
          RandomWalk walk = random_walk(rules, seed, first_game, num_games);
          const std::size_t n = walk.boards.size();
          std::vector<std::int8_t> dice;
          for (const auto& roll : walk.dice) dice.insert(dice.end(), roll.begin(), roll.end());
          return std::make_pair(boards_to_numpy(walk.boards, rules.num_places()), to_numpy(std::move(dice), {n, 2}));
        },
        "rules"_a, "seed"_a, "first_game"_a, "num_games"_a,
        "Return every position before the dice int8[N, 2, num_places] and its roll int8[N, 2] in games of random play.");
  m.def("random_turns",
        [](const Rules& rules, std::uint64_t seed, std::uint64_t game) {
          auto plays = std::make_unique<PlayList>();
          nb::list out;
          for (const RandomTurn& turn : random_game(rules, seed, game, *plays)) {
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
        },
        "rules"_a, "seed"_a, "game"_a,
        nb::sig("def random_turns(rules: Rules, seed: int, game: int) -> list[dict[str, typing.Any]]"),
        "Return the turns of one game of random play, each seen by its mover: `before` int8[1, 2, num_places] and the "
        "stages `passed` to him, `dice` ((0, 0) where passed dice ended the game), `after`, the stages `passed_on`, "
        "and his `score` or NO_SCORE.");
  m.def("duel", &run_duel, "rules"_a, "a"_a, "b"_a, "seed"_a, "first_pair"_a, "num_pairs"_a, "length"_a, "values"_a.noconvert(),
        "inputs"_a.noconvert(), "threads"_a = 1, "judge"_a = nb::none(),
        "Play pairs of games (length 0) or matches to `length` points, each pair with the same dice and the seats "
        "swapped. values float32[1 or length², K] and inputs float32[same, K - 2] are the utilities by "
        "(points I need - 1, points he needs - 1). A network as `judge` says how lucky the rolls were.");
  m.def("duel_set", &run_duel_set, "rules"_a, "a"_a, "b"_a, "seed"_a, "first_pair"_a, "num_pairs"_a, "length"_a, "values"_a,
        "inputs"_a, "threads"_a = 1, "judges"_a = std::vector<const Player*>{},
        "The same for matches whose games are of several kinds, played in turn: rules, players and utilities for each, "
        "and a judge, or None where the luck of a game is left out. "
        "`contest_scores` then counts by all the scores that any of the games has, best first.");
  m.def("choose_plays", &run_choose_plays, "rules"_a, "player"_a, "boards"_a.noconvert(), "dice"_a.noconvert(),
        "values"_a.noconvert(), "inputs"_a.noconvert(), nb::kw_only(), "seed"_a, "games"_a.noconvert(),
        "rounds"_a.noconvert(), "plies"_a.noconvert(), "threads"_a = 1,
        "Return what a player makes of each board int8[N, 2, num_places] with its roll int8[N, 2]: the afterstates "
        "int8[N, 2, num_places], the mover first, and his scores int16[N], NO_SCORE where the game goes on. values "
        "float32[1 or N, K] and inputs float32[same, K - 2] say what he plays for; the seed, games uint64[N], rounds "
        "uint32[N] and plies uint32[N] are where in `duel` the turns would be, for a player that draws at random.");
  m.def("roll_luck", &run_roll_luck, "rules"_a, "judge"_a, "boards"_a.noconvert(), "dice"_a.noconvert(),
        "values"_a.noconvert(), "inputs"_a.noconvert(), "can_double"_a.noconvert(), "threads"_a = 1,
        "Return float64[N], how much better a network thinks the roll int8[N, 2] of each board int8[N, 2, num_places] is "
        "than the mean roll, to the player who rolled it. values float32[1 or N, K] and inputs float32[same, K - 2] say "
        "what he plays for; can_double uint8[N] is 0 for an opening roll that is played as it fell.");
  m.def("rolls",
        [](std::uint64_t seed, std::uint64_t game, std::uint32_t n, std::uint32_t round) {
          std::vector<std::int8_t> dice;
          const GameStreams streams(seed, game, round);
          for (std::uint32_t ply = 0; ply < n; ++ply) {
            const Roll roll = streams.roll(ply);
            dice.push_back(static_cast<std::int8_t>(roll.first));
            dice.push_back(static_cast<std::int8_t>(roll.second));
          }
          return to_numpy(std::move(dice), {n, 2});
        },
        "seed"_a, "game"_a, "n"_a, "round"_a = 0,
        "Return int8[n, 2], the first n rolls of a game's dice stream; `round` tells the games of a match apart.");
  m.def("opening",
        [](const Rules& rules, std::uint64_t seed, std::uint64_t game, std::uint32_t round) {
          const Opening opening = open_game(GameStreams(seed, game, round), rules.opening_rerolls);
          return std::make_pair(opening.seat, std::make_pair(opening.roll.first, opening.roll.second));
        },
        "rules"_a, "seed"_a, "game"_a, "round"_a = 0,
        "Return the seat that starts a game and the first roll that is played; `round` as for `rolls`.");
  bind_bearoff(m);
  bind_search(m);
}

}  // namespace tavla
