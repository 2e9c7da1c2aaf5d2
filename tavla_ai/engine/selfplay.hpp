// Self-play of one network against itself, with the λ-targets of every afterstate.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "game.hpp"
#include "players.hpp"

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
  std::vector<Board> boards;          // afterstates, the player who has just moved first
  std::vector<float> targets;         // [N, K] for him
  std::vector<float> utility_inputs;  // [N, U] his
  std::vector<std::int32_t> lengths;  // afterstates per game; 0 for a void game
  std::vector<std::int8_t> score_indices;  // per game, for the winner; −1 for a void game
  double sum_abs_td_error = 0;        // |expected utility of target − of prediction|, one-step
  std::int64_t plies = 0;
  std::int64_t evaluated = 0;         // afterstates the network has seen

  void append(const SelfPlayResult& other) {
    boards.insert(boards.end(), other.boards.begin(), other.boards.end());
    targets.insert(targets.end(), other.targets.begin(), other.targets.end());
    utility_inputs.insert(utility_inputs.end(), other.utility_inputs.begin(), other.utility_inputs.end());
    lengths.insert(lengths.end(), other.lengths.begin(), other.lengths.end());
    score_indices.insert(score_indices.end(), other.score_indices.begin(), other.score_indices.end());
    sum_abs_td_error += other.sum_abs_td_error;
    plies += other.plies;
    evaluated += other.evaluated;
  }
};

// λ-returns over outcome distributions. predictions[t] is the distribution for the player who made
// afterstate t; the next player made afterstate t + 1, so every step back reverses the scores:
//   target[t] = reverse((1 − λ) predictions[t + 1] + λ target[t + 1]),
// and the last target is the reversed outcome of the play that ended the game.
// predictions, targets: [length, K]; outcome: index of the winner's score.
inline void lambda_returns(const float* predictions, int length, int num_scores, int outcome, float lambda,
                           float* targets) {
  std::array<float, kMaxScores> next{};
  next[outcome] = 1.0f;
  for (int t = length - 1; t >= 0; --t) {
    float* target = targets + static_cast<std::size_t>(t) * num_scores;
    for (int k = 0; k < num_scores; ++k) target[k] = next[num_scores - 1 - k];
    const float* prediction = predictions + static_cast<std::size_t>(t) * num_scores;
    for (int k = 0; k < num_scores; ++k) next[k] = (1 - lambda) * prediction[k] + lambda * target[k];
  }
}

template <class Family>
void self_play_range(const Rules& rules, const Network& network, const UtilityMix& mix, std::uint64_t seed,
                     std::uint64_t first_game, std::int64_t num_games, float lambda, SelfPlayResult& result) {
  auto plays = std::make_unique<PlayList>();
  NetworkChooser chooser(network);
  const int num_scores = rules.num_scores();
  const int num_inputs = network.num_utility_inputs();
  std::vector<float> predictions;
  for (std::int64_t g = 0; g < num_games; ++g) {
    const GameStreams streams(seed, first_game + static_cast<std::uint64_t>(g));
    const Utility& mine = mix.draw(streams.utility_draw());
    const std::array<Utility, 2> utilities{mine, mine.opposed(num_scores)};
    const std::size_t begin = result.boards.size();
    predictions.clear();
    const GameResult game = play_game<Family>(
        rules, streams, std::nullopt, *plays, [&](int seat, const Board& before, Roll, std::uint32_t ply) {
          const int leaf = chooser.choose({rules, before, *plays, utilities[seat], streams, ply});
          result.evaluated += plays->num_leaves();
          if (!plays->leaf(leaf).is_finished()) {
            result.boards.push_back(plays->afterstate(leaf, before));
            for (int k = 0; k < num_scores; ++k) predictions.push_back(chooser.probability(k, leaf));
            for (int u = 0; u < num_inputs; ++u) result.utility_inputs.push_back(utilities[seat].inputs[u]);
          }
          return leaf;
        });
    result.plies += game.plies;
    if (game.is_void) {
      result.boards.resize(begin);
      result.utility_inputs.resize(begin * num_inputs);
      result.lengths.push_back(0);
      result.score_indices.push_back(-1);
      continue;
    }
    const int length = static_cast<int>(result.boards.size() - begin);
    result.targets.resize((begin + length) * num_scores);
    float* targets = result.targets.data() + begin * num_scores;
    lambda_returns(predictions.data(), length, num_scores, game.score_index, lambda, targets);
    for (int t = 0; t < length; ++t) {
      const int seat = game.winner ^ ((length - t) & 1);
      float error = 0;
      for (int k = 0; k < num_scores; ++k)
        error += utilities[seat].values[k] * (targets[t * num_scores + k] - predictions[t * num_scores + k]);
      result.sum_abs_td_error += std::fabs(error);
    }
    result.lengths.push_back(length);
    result.score_indices.push_back(static_cast<std::int8_t>(game.score_index));
  }
}

inline SelfPlayResult self_play(const Rules& rules, const Network& network, const UtilityMix& mix,
                                std::uint64_t seed, std::uint64_t first_game, std::int64_t num_games, float lambda,
                                int threads) {
  return with_family(rules, [&]<class Family>(Family) {
    std::vector<SelfPlayResult> parts(std::max(threads, 1));
    run_threads(threads, num_games, [&](int part, std::int64_t begin, std::int64_t end) {
      self_play_range<Family>(rules, network, mix, seed, first_game + static_cast<std::uint64_t>(begin), end - begin,
                              lambda, parts[part]);
    });
    for (std::size_t i = 1; i < parts.size(); ++i) parts[0].append(parts[i]);
    return std::move(parts[0]);
  });
}

// Positions before the dice with their rolls, as random play meets them.
struct RandomWalk {
  std::vector<Board> boards;
  std::vector<std::array<std::int8_t, 2>> dice;
};

inline RandomWalk random_walk(const Rules& rules, std::uint64_t seed, std::uint64_t first_game,
                              std::int64_t num_games) {
  return with_family(rules, [&]<class Family>(Family) {
    RandomWalk walk;
    auto plays = std::make_unique<PlayList>();
    RandomChooser chooser;
    for (std::int64_t g = 0; g < num_games; ++g) {
      const GameStreams streams(seed, first_game + static_cast<std::uint64_t>(g));
      play_game<Family>(rules, streams, std::nullopt, *plays, [&](int, const Board& before, Roll roll, std::uint32_t ply) {
        walk.boards.push_back(before);
        walk.dice.push_back({static_cast<std::int8_t>(roll.first), static_cast<std::int8_t>(roll.second)});
        return chooser.choose({rules, before, *plays, Utility{}, streams, ply});
      });
    }
    return walk;
  });
}

}  // namespace tavla
