// How lucky rolls are, as a network sees them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "games/player.hpp"
#include "search/cache.hpp"
#include "search/replies.hpp"

namespace tavla {

// A network's opinion of rolls: what the best reply to the roll is worth, less the mean over the rolls that there could
// have been. It is 0 on average whatever the opinion, so taking it away from a result leaves its mean alone.
class Luck {
 public:
  Luck(const Rules& rules, const NetworkPlayer& player)
      : rules_(rules), replies_(rules, *player.network, player.tables.get(), kCandidates, 0), known_(kKnown) {}

  // can_double: false for an opening roll that is played as it fell.
  double of(const Board& before, Roll rolled, const Utility& utility, bool can_double) {
    const Values& values = values_of(before, utility, can_double);
    const int high = std::max(rolled.first, rolled.second);
    const int low = std::min(rolled.first, rolled.second);
    return values.of_roll[static_cast<std::size_t>(Replies::index(high, low))] - values.mean;
  }

 private:
  static constexpr int kCandidates = 2;
  static constexpr std::size_t kKnown = 4096;

  struct Values {
    bool is_set = false;
    std::uint64_t tag = 0;
    Board board{};
    std::array<float, Replies::kRolls> of_roll{};
    double mean = 0;
  };

  // Both games of a pair go the same way until their players differ, and all games begin alike.
  const Values& values_of(const Board& before, const Utility& utility, bool can_double) {
    const std::uint64_t tag = 2 * SearchCache::tag(0, utility, rules_.num_scores()) + can_double;
    Values& values = known_[board_hash(before, tag) % kKnown];
    if (values.is_set && values.tag == tag && values.board == before) return values;
    values.is_set = true;
    values.tag = tag;
    values.board = before;
    replies_.evaluate(before, utility, can_double);
    values.of_roll = replies_.values();
    double total = 0;
    int weights = 0;
    for (int high = 1; high <= 6; ++high)
      for (int low = 1; low <= (can_double ? high : high - 1); ++low) {
        const int weight = high == low ? 1 : 2;
        total += weight * static_cast<double>(values.of_roll[static_cast<std::size_t>(Replies::index(high, low))]);
        weights += weight;
      }
    values.mean = total / weights;
    return values;
  }

  const Rules& rules_;
  Replies replies_;
  std::vector<Values> known_;
};

}  // namespace tavla
