// Self-play of one network against itself, with the λ-targets of every afterstate.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/threads.hpp"
#include "games/game.hpp"
#include "games/seat.hpp"
#include "search/network_chooser.hpp"

namespace tavla {

// Utilities that games are played for: `shares` are cumulative and end at 1. Each entry is what seat 0
// plays for.
struct UtilityMix {
  std::vector<Utility> utilities;
  std::vector<double> shares;

  const Utility& draw(double random) const {
    const auto found = std::upper_bound(shares.begin(), shares.end(), random);
    return utilities[std::min<std::size_t>(found - shares.begin(), utilities.size() - 1)];
  }
};

// Trajectories of a range of games, game after game in order.
struct SelfPlayResult {
  std::vector<std::int8_t> boards;    // [N, 2, num_places] afterstates, the player who has just moved first
  std::vector<float> targets;         // [N, K] for him
  std::vector<float> utility_inputs;  // [N, U] his
  std::vector<float> values;          // [N, K] what the scores are worth to him, in points; look-ahead only
  std::vector<std::int32_t> siblings;  // afterstates per decision, one decision after the other; look-ahead only
  std::vector<std::int32_t> lengths;  // afterstates per game; 0 for a void game
  std::vector<std::int8_t> score_indices;  // per game, for the winner; −1 for a void game
  std::vector<std::int64_t> starter_scores;  // [K] games by score for the side that started
  double sum_abs_td_error = 0;        // |expected utility of target − of prediction|, one-step
  std::int64_t plies = 0;
  std::int64_t evaluated = 0;         // afterstates the network has seen

  // Room for games of usual length, so that nothing is copied while it grows.
  void reserve(std::int64_t games, int num_places, int num_scores) {
    constexpr std::int64_t kUsualLength = 64;
    const auto rows = static_cast<std::size_t>(games * kUsualLength);
    boards.reserve(rows * 2 * static_cast<std::size_t>(num_places));
    targets.reserve(rows * static_cast<std::size_t>(num_scores));
    utility_inputs.reserve(rows * static_cast<std::size_t>(num_scores - 2));
    lengths.reserve(static_cast<std::size_t>(games));
    score_indices.reserve(static_cast<std::size_t>(games));
    starter_scores.resize(static_cast<std::size_t>(num_scores));
  }
};

// λ-returns over outcome distributions. predictions[t] is the distribution for the player who made
// afterstate t. Where the other player made afterstate t + 1 the step back reverses the scores:
//   target[t] = reverse((1 − λ) predictions[t + 1] + λ target[t + 1]),
// and the last target is the outcome of the play that ended the game, reversed likewise.
// predictions, targets: [length, K]; seats[t]: who made afterstate t, seats[length]: who ended the game;
// outcome: index of his score.
inline void lambda_returns(const float* predictions, const std::uint8_t* seats, int length, int num_scores,
                           int outcome, float lambda, float* targets) {
  std::array<float, kMaxScores> next{};
  next[outcome] = 1.0f;
  for (int t = length - 1; t >= 0; --t) {
    float* target = targets + static_cast<std::size_t>(t) * num_scores;
    for (int k = 0; k < num_scores; ++k) target[k] = next[seats[t] != seats[t + 1] ? num_scores - 1 - k : k];
    const float* prediction = predictions + static_cast<std::size_t>(t) * num_scores;
    for (int k = 0; k < num_scores; ++k) next[k] = (1 - lambda) * prediction[k] + lambda * target[k];
  }
}

inline void self_play_range(const Rules& rules, const Network& network, const Bearoff* tables, const UtilityMix& mix,
                            const Games& games, float lambda, SelfPlayResult& result) {
  auto plays = std::make_unique<PlayList>();
  NetworkChooser chooser(network, tables);
  Seat<NetworkChooser> table(rules, chooser, *plays);
  const int num_scores = rules.num_scores();
  const int num_inputs = network.num_utility_inputs();
  const auto places = static_cast<std::size_t>(rules.num_places());
  const bool may_pass_dice = rules.family == Family::kGulBara;
  std::vector<float> predictions;
  std::vector<std::uint8_t> seats;
  Distribution distribution{};
  for (std::int64_t g = 0; g < games.number; ++g) {
    const GameStreams streams = games.streams(g);
    const Utility& mine = mix.draw(streams.utility_draw());
    const std::array<Utility, 2> utilities{mine, mine.opposed(num_scores)};
    const std::size_t begin = result.boards.size();
    const std::size_t begin_inputs = result.utility_inputs.size();
    predictions.clear();
    seats.clear();
    const GameResult game = play_game(
        rules, streams, std::nullopt,
        [&](int seat, const Board& before, Roll roll, std::uint32_t ply) {
          TurnEnd end = table.take_turn(before, roll, utilities[seat], streams, ply);
          // Positions with passed dice to play are not learned: their worth follows from those after them.
          if (end.is_finished || !end.passed.empty()) return end;
          if (may_pass_dice)
            distribution = chooser.evaluate(rules, end.after, utilities[seat]);
          else
            for (int k = 0; k < num_scores; ++k) distribution[k] = chooser.probability(k, table.last_leaf());
          for (const auto& row : end.after.count) result.boards.insert(result.boards.end(), row, row + places);
          predictions.insert(predictions.end(), distribution.begin(), distribution.begin() + num_scores);
          for (int u = 0; u < num_inputs; ++u) result.utility_inputs.push_back(utilities[seat].inputs[u]);
          seats.push_back(static_cast<std::uint8_t>(seat));
          return end;
        },
        [&](int seat, std::span<const Stage> stages, TurnEnd& end, std::uint32_t ply) {
          table.play_passed(stages, utilities[seat], streams, ply, end);
        });
    result.plies += game.plies;
    if (game.is_void) {
      result.boards.resize(begin);
      result.utility_inputs.resize(begin_inputs);
      result.lengths.push_back(0);
      result.score_indices.push_back(-1);
      continue;
    }
    const int length = static_cast<int>(seats.size());
    seats.push_back(static_cast<std::uint8_t>(game.winner));
    const std::size_t begin_targets = result.targets.size();
    result.targets.resize(begin_targets + static_cast<std::size_t>(length) * num_scores);
    float* targets = result.targets.data() + begin_targets;
    lambda_returns(predictions.data(), seats.data(), length, num_scores, game.score_index, lambda, targets);
    for (int t = 0; t < length; ++t) {
      float error = 0;
      for (int k = 0; k < num_scores; ++k)
        error += utilities[seats[t]].values[k] * (targets[t * num_scores + k] - predictions[t * num_scores + k]);
      result.sum_abs_td_error += std::fabs(error);
    }
    const int k = game.score_index;
    ++result.starter_scores[game.winner == game.starter ? k : num_scores - 1 - k];
    result.lengths.push_back(length);
    result.score_indices.push_back(static_cast<std::int8_t>(game.score_index));
  }
  result.evaluated += chooser.num_evaluated();
}

// One part a thread, in the order of their games: `play(games, result)` fills each.
template <class Play>
std::vector<SelfPlayResult> play_in_parts(const Rules& rules, const Games& games, int threads, Play&& play) {
  std::vector<SelfPlayResult> parts(std::max(threads, 1));
  run_threads(threads, games.number, [&](int part, std::int64_t begin, std::int64_t end) {
    // Filled in the thread's own memory: neighbours in `parts` share cache lines.
    SelfPlayResult result;
    result.reserve(end - begin, rules.num_places(), rules.num_scores());
    play(games.part(begin, end), result);
    parts[part] = std::move(result);
  });
  return parts;
}

}  // namespace tavla
