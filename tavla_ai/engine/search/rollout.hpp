// Rollouts: games played out from a position, and their results.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "base/dice.hpp"
#include "rules/turn.hpp"
#include "search/search.hpp"

namespace tavla {

struct RolloutSettings {
  int ply = 0;                // at which both sides choose their plays
  int truncate = 0;           // turns after which the network's value stands for the rest; 0 plays to the end
  bool adjusts_luck = true;
};

// Plays trials of one position on one thread. Gul Bara is not rolled out.
class RolloutThread {
 public:
  RolloutThread(const Rules& rules, const Network& network, const Bearoff* tables, const SearchSettings& search)
      : rules_(rules), searcher_(rules, network, tables, search, nullptr, 1),
        thread_(rules, network, tables, search, nullptr) {}

  // Result of a trial for the player who has just moved. Trials n, n + 36, n + 72 … begin with the same roll, so
  // that 36 trials in a row begin with each roll as often as dice do. With luck adjusted the network's opinion of
  // each roll, which is 0 on average whatever the network, is taken away: a number in place of certainty, that can
  // leave [0, 1]. Nothing if the time is up.
  std::optional<std::array<double, kMaxScores>> trial(const Board& after, const Utility& utility,
                                                      const RolloutSettings& settings, std::uint64_t seed,
                                                      std::uint64_t number, Deadline& deadline) {
    const int num_scores = rules_.num_scores();
    const GameStreams streams(seed, number);
    const std::array<Utility, 2> utilities{utility, utility.opposed(num_scores)};
    std::array<double, kMaxScores> luck{};
    Board board = after;
    StuckCount stuck(rules_.stuck_limit);
    Deadline never;
    for (int turn = 0;; ++turn) {
      if (deadline.has_passed()) return std::nullopt;
      const int mover = turn % 2 == 0 ? 1 : 0;  // 1: the opponent of the player whose value this is
      const bool is_last = (settings.truncate > 0 && turn == settings.truncate) || stuck.is_reached();
      if (is_last || thread_.covers(board))
        return minus(*thread_.expectation(board, utilities[mover ^ 1], 0, never), mover ^ 1, luck);
      const Board before = board.swapped();
      const auto first = static_cast<int>(number % kNumRolls);
      const Roll roll = turn == 0 ? Roll{first / 6 + 1, first % 6 + 1} : streams.roll(static_cast<std::uint32_t>(turn));
      const Utility& mine = utilities[mover];
      if (settings.adjusts_luck) {
        std::array<double, kMaxScores> mean{};
        for (const Roll each : kDistinctRolls) add(mean, *thread_.reply(before, each, mine, 0, never), weight_of(each));
        const Distribution rolled = *thread_.reply(before, roll, mine, 0, never);
        for (int k = 0; k < num_scores; ++k)
          luck[mover ? num_scores - 1 - k : k] += static_cast<double>(rolled[k]) - mean[k] / kNumRolls;
      }
      const PlayList& plays = thread_.generate(before, roll, mine);
      const int leaf = settings.ply == 0 || plays.num_leaves() == 1
                           ? thread_.best()
                           : searcher_.rank(before, roll, mine, settings.ply, deadline).order().front();
      if (plays.leaf(leaf).is_finished()) return minus(thread_.distribution(leaf), mover, luck);
      stuck.add(plays.leaf_node(leaf) != 0);
      board = plays.afterstate(leaf, before);
    }
  }

 private:
  // A distribution of side 0 or 1, seen by side 0, without the luck.
  std::array<double, kMaxScores> minus(const Distribution& found, int side,
                                       const std::array<double, kMaxScores>& luck) const {
    std::array<double, kMaxScores> result{};
    const int num_scores = rules_.num_scores();
    for (int k = 0; k < num_scores; ++k) result[k] = found[side ? num_scores - 1 - k : k] - luck[k];
    return result;
  }

  const Rules& rules_;
  Searcher searcher_;
  SearchThread thread_;
};

}  // namespace tavla
