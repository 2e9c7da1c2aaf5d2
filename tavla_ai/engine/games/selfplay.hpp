// Self-play of one network against itself, with the λ-targets of every afterstate.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
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

  // What the seats of a game play for.
  std::array<Utility, 2> of_game(const GameStreams& streams, int num_scores) const {
    const Utility& first = draw(streams.utility_draw());
    return {first, first.opposed(num_scores)};
  }
};

// Trajectories of a range of games, game after game in order.
struct SelfPlayResult {
  std::vector<std::int8_t> boards;    // [N, 2, num_places] afterstates, the player who has just moved first
  std::vector<float> targets;         // [N, K] for the player who has just moved
  std::vector<float> utility_inputs;  // [N, U] of that player
  std::vector<float> values;          // [N, K] worth of the scores to that player, in points; look-ahead only
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

  // Records an afterstate and what the player who made it plays for.
  void add_afterstate(const Rules& rules, const Board& after, const Utility& mine) {
    for (const auto& row : after.count) boards.insert(boards.end(), row, row + rules.num_places());
    utility_inputs.insert(utility_inputs.end(), mine.inputs.begin(), mine.inputs.begin() + rules.num_scores() - 2);
  }

  // Records how a game ended that left `length` afterstates.
  void add_game(const GameResult& game, std::int32_t length) {
    plies += game.plies;
    lengths.push_back(length);
    score_indices.push_back(game.is_void ? std::int8_t{-1} : static_cast<std::int8_t>(game.score_index));
    if (game.is_void) return;
    const auto winners = static_cast<std::size_t>(game.score_index);
    ++starter_scores[game.winner == game.starter ? winners : starter_scores.size() - 1 - winners];
  }
};

// λ-returns over outcome distributions. predictions[t] is the distribution for the player who made
// afterstate t. Where the other player made afterstate t + 1 the step back reverses the scores:
//   target[t] = reverse((1 − λ) predictions[t + 1] + λ target[t + 1]),
// and the last target is the outcome of the play that ended the game, reversed likewise.
// predictions, targets: [length, K]; seats[t]: who made afterstate t, seats[length]: who ended the game;
// outcome: index of that player's score.
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

// Plays games of a network against itself on one thread.
class SelfPlay {
 public:
  // lambda: of the returns.
  SelfPlay(const Rules& rules, const Network& network, const Bearoff* tables, const UtilityMix& mix, float lambda)
      : rules_(rules), mix_(mix), lambda_(lambda), plays_(std::make_unique<PlayList>()), chooser_(network, tables),
        seat_(rules, chooser_, *plays_) {}

  // Its parts refer to one another.
  SelfPlay(const SelfPlay&) = delete;
  SelfPlay& operator=(const SelfPlay&) = delete;

  // Plays a game and adds its trajectory; a void game leaves none.
  void play(const GameStreams& streams, SelfPlayResult& result) {
    const std::array<Utility, 2> utilities = mix_.of_game(streams, rules_.num_scores());
    const std::size_t begin = result.boards.size();
    const std::size_t begin_inputs = result.utility_inputs.size();
    predictions_.clear();
    seats_.clear();
    const GameResult game = play_game(
        rules_, streams, std::nullopt,
        [&](int seat, const Board& before, Roll roll, std::uint32_t ply) {
          TurnEnd end = seat_.take_turn(before, roll, utilities[seat], streams, ply);
          // Positions with passed dice to play are not learned: their worth follows from those after them.
          if (!end.is_finished && end.passed.empty()) record(seat, end.after, utilities[seat], result);
          return end;
        },
        [&](int seat, std::span<const Stage> stages, TurnEnd& end, std::uint32_t ply) {
          seat_.play_passed(stages, utilities[seat], streams, ply, end);
        });
    if (game.is_void) {
      result.boards.resize(begin);
      result.utility_inputs.resize(begin_inputs);
      seats_.clear();
    } else {
      add_targets(game, utilities, result);
    }
    result.add_game(game, static_cast<std::int32_t>(seats_.size()));
  }

  // Afterstates that the network has seen.
  std::int64_t num_evaluated() const { return chooser_.num_evaluated(); }

 private:
  void record(int seat, const Board& after, const Utility& utility, SelfPlayResult& result) {
    const int num_scores = rules_.num_scores();
    // The chooser's last look at a turn of several stages was at something else.
    if (rules_.facts().has_stages) {
      const Distribution found = chooser_.evaluate(rules_, after, utility);
      predictions_.insert(predictions_.end(), found.begin(), found.begin() + num_scores);
    } else {
      for (int k = 0; k < num_scores; ++k) predictions_.push_back(chooser_.probability(k, seat_.last_leaf()));
    }
    seats_.push_back(static_cast<std::uint8_t>(seat));
    result.add_afterstate(rules_, after, utility);
  }

  void add_targets(const GameResult& game, const std::array<Utility, 2>& utilities, SelfPlayResult& result) {
    const int num_scores = rules_.num_scores();
    const int length = static_cast<int>(seats_.size());
    seats_.push_back(static_cast<std::uint8_t>(game.winner));
    const std::size_t begin = result.targets.size();
    result.targets.resize(begin + static_cast<std::size_t>(length) * num_scores);
    float* targets = result.targets.data() + begin;
    lambda_returns(predictions_.data(), seats_.data(), length, num_scores, game.score_index, lambda_, targets);
    seats_.pop_back();
    for (int t = 0; t < length; ++t) {
      float error = 0;
      for (int k = 0; k < num_scores; ++k)
        error += utilities[seats_[t]].values[k] * (targets[t * num_scores + k] - predictions_[t * num_scores + k]);
      result.sum_abs_td_error += std::fabs(error);
    }
  }

  const Rules& rules_;
  const UtilityMix& mix_;
  float lambda_;
  std::unique_ptr<PlayList> plays_;
  NetworkChooser chooser_;
  Seat<NetworkChooser> seat_;
  std::vector<float> predictions_;   // [T, K] of the game, for the player who made each afterstate
  std::vector<std::uint8_t> seats_;  // [T] of the game: who made it
};

inline void self_play_range(const Rules& rules, const Network& network, const Bearoff* tables, const UtilityMix& mix,
                            const Games& games, float lambda, SelfPlayResult& result) {
  SelfPlay self_play(rules, network, tables, mix, lambda);
  for (std::int64_t g = 0; g < games.number; ++g) self_play.play(games.streams(g), result);
  result.evaluated += self_play.num_evaluated();
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
