// How lucky rolls are, as a network sees them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/dice.hpp"
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
    return values.of_roll[index_of(rolled)] - values.mean;
  }

 private:
  static constexpr int kCandidates = 2;
  static constexpr std::size_t kKnown = 4096;

  struct Values {
    bool is_set = false;
    std::uint64_t tag = 0;
    Board board{};
    std::array<float, kNumDistinctRolls> of_roll{};
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
    for (const Roll roll : kDistinctRolls) {
      if (roll.is_double() && !can_double) continue;
      total += weight_of(roll) * static_cast<double>(values.of_roll[index_of(roll)]);
      weights += weight_of(roll);
    }
    values.mean = total / weights;
    return values;
  }

  const Rules& rules_;
  Replies replies_;
  std::vector<Values> known_;
};

}  // namespace tavla
