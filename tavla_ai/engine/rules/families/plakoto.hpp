// Plakoto.
#pragma once

#include <cstdint>

#include "rules/families/common.hpp"

namespace tavla {

// Plakoto: opposed, a lone checker is pinned by landing on it, two checkers or a pinner hold a point.
//   PinnedBlocksBearOff: any own pinned checker, at home too, forbids bearing off (the Greek game).
template <bool PinnedBlocksBearOff>
struct Plakoto : CommonFamily<Plakoto<PinnedBlocksBearOff>> {
  using Common = CommonFamily<Plakoto>;
  static constexpr int held_by = 2;
  static constexpr int facing(int point) { return opposed_point(point); }

  static void begin_more(const Rules&, const Board& board, Turn& turn, Node& root) {
    for (int point = 1; point <= kPoints; ++point)
      if (board.count[0][kPinned + point]) turn.pinned |= bit(point);
    turn.open &= ~turn.pinned;
    root.blots &= ~turn.pinned;
    turn.their_mother = root.blots & bit(1);
    turn.my_mother_pinned = turn.pinned & bit(kPoints);
  }

  // Pinning the opponent's mother ends the turn at once if my start is empty or my mother is pinned too.
  static bool is_canonical(const Turn& turn, const Node&) { return !turn.their_mother; }

  static std::uint32_t sources(const Turn& turn, const Node& node, int die, std::uint32_t) {
    std::uint32_t found = node.occupied & (turn.open << die);
    if (Common::is_home(node) && !(PinnedBlocksBearOff && turn.pinned)) found |= Common::bear_off_sources(node, die);
    return found & ~turn.pinned;
  }

  static void step(const Turn& turn, const Node&, Node& after, int from, int to) {
    Common::move(after, from, to);
    const bool his_mother_pinned = turn.their_mother && (after.occupied & bit(1));
    if (his_mother_pinned && (turn.my_mother_pinned || !(after.occupied & bit(kPoints))))
      after.flags |= Node::kFinished;
  }

  static bool pins(const Node& node, int point) { return node.blots & node.occupied & bit(point); }

  static Board afterstate(const Turn& turn, const Node& node, const Board& before) {
    Board after = Common::afterstate(turn, node, before);
    for (int point = 1; point <= kPoints; ++point)
      after.count[1][kPinned + facing(point)] = static_cast<std::int8_t>(pins(node, point));
    return after;
  }

  template <class Visit>
  static void each_change(const Turn& turn, const Board& before, const Node& parent, const Node& node, Visit&& visit) {
    Common::each_change(turn, before, parent, node, visit);
    for (int point : {int{node.from}, int{node.to}})
      if (point != kOff && pins(parent, point) != pins(node, point))
        visit(Common::change(1, kPinned + facing(point), pins(parent, point), pins(node, point)));
  }

  static int score(const Turn& turn, const Node& node) {
    if (turn.their_mother && (node.occupied & bit(1))) return turn.my_mother_pinned ? 0 : 2;
    return Common::score(turn, node);
  }
};

}  // namespace tavla
