// Tavla and western backgammon.
#pragma once

#include <bit>
#include <cstdint>

#include "rules/families/common.hpp"

namespace tavla {

// Tavla and western backgammon: the opponent's point q is my 25 − q, a lone checker is hit, two hold a point.
//   HitAndRun: whether a checker that hits in its own home may move on in the same turn.
//   LargerDieFirst: with all men home the larger die is played first.
//   Triple: 3 points if the loser, with nothing off, has a checker on the bar or in the winner's home.
template <bool HitAndRun, bool LargerDieFirst, bool Triple>
struct OpposedHit : CommonFamily<OpposedHit<HitAndRun, LargerDieFirst, Triple>> {
  using Common = CommonFamily<OpposedHit>;
  static constexpr int held_by = 2;
  static constexpr bool larger_die_first = LargerDieFirst;
  // Neither of two such steps closes a point to the other: a step holds up only a checker that hits in its home.
  static constexpr bool steps_commute = HitAndRun;
  static constexpr int facing(int point) { return opposed_point(point); }

  static void begin_more(const Rules&, const Board& board, Turn& turn, Node&) {
    if constexpr (Triple)
      for (int place = kPoints - kHome + 1; place <= kBar; ++place) turn.opponent_is_far |= board.count[1][place] > 0;
  }

  static std::uint32_t sources(const Turn& turn, const Node& node, int die, std::uint32_t) {
    std::uint32_t found;
    if (node.occupied & bit(kBar)) {
      // All checkers on the bar must enter before any other may move.
      found = (turn.open << die) & bit(kBar);
    } else {
      found = node.occupied & (turn.open << die);
      if (Common::is_home(node)) found |= Common::bear_off_sources(node, die);
    }
    if constexpr (!HitAndRun) {
      for (std::uint32_t frozen = node.flags & found & kHomeBits; frozen; frozen &= frozen - 1) {
        const int point = std::countr_zero(frozen);
        if (node.key.count(point) == 1) found &= ~bit(point);
      }
    }
    return found;
  }

  static void step(const Turn&, const Node& before, Node& after, int from, int to) {
    Common::move(after, from, to);
    if (to == kOff || !(before.blots & bit(to))) return;
    Common::hit(after, to);
    // Flag bit p: the checker that hit on my home point p may not move on. Hits outside home, or on entering, have no
    // such effect.
    if (!HitAndRun && to <= kHome) after.flags |= static_cast<std::uint8_t>(bit(to));
  }

  static int score(const Turn& turn, const Node& node) {
    // A checker that was hit in this turn is on the bar.
    if (Triple && !turn.opponent_bore_off && (turn.opponent_is_far || node.hits > 0)) return 3;
    return Common::score(turn, node);
  }
};

}  // namespace tavla
