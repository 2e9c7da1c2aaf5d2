// Tawula.
#pragma once

#include <bit>
#include <cstdint>

#include "rules/families/common.hpp"

namespace tavla {

// Tawula: parallel, hitting; 13 checkers enter from a reserve while two starters wait.
struct Tawula : CommonFamily<Tawula> {
  using Common = CommonFamily<Tawula>;
  static constexpr int held_by = 2;
  static constexpr int starters = 2;
  static constexpr std::uint8_t kEntered = 1 << 0;  // a checker has entered in this turn
  static constexpr std::uint8_t kHitAtHisStart = 1 << 1;
  static constexpr std::uint32_t starting_table = bits(19, 24);
  static constexpr std::uint32_t one_only = bits(14, 24);  // points where I may not stand twice
  static constexpr int facing(int point) { return parallel_point(point); }

  static void begin_more(const Rules&, const Board& board, Turn& turn, Node& root) {
    root.key.add(kReserveSlot, board.count[0][kReserve]);
    turn.his_bar = static_cast<std::uint8_t>(board.count[1][kBar]);
    for (int place = 1; place <= kHome; ++place) turn.their_home += static_cast<std::uint8_t>(board.count[1][place]);
    // The opponent enters on its point 24 also on its own checkers, on 23..19 only on points without them.
    for (int his = 19; his <= 24; ++his)
      if (his == kPoints || board.count[1][his] == 0) turn.entry |= bit(facing(his));
  }

  static int reserve(const Node& node) { return node.key.count(kReserveSlot); }

  // A checker may have to make room on a point before another can land there, and a capote ends the turn at once: what
  // has been played before it depends on the order. A capote needs 14 of the opponent's checkers home or on the bar.
  static bool is_canonical(const Turn& turn, const Node& root) {
    return reserve(root) == 0 && !(root.occupied & (one_only | bit(kBar))) &&
           turn.their_home + turn.his_bar < kCheckers - 1;
  }

  // Points that a checker from the reserve may enter on.
  static std::uint32_t reserve_targets(const Turn& turn, const Node& node) {
    return turn.open & ~node.occupied & starting_table;
  }

  static std::uint32_t sources(const Turn& turn, const Node& node, int die, std::uint32_t dice_left) {
    const std::uint32_t target = bit(kBar - die);
    if (node.occupied & bit(kBar)) {
      const std::uint32_t targets = turn.open & (~node.occupied | bit(kPoints));
      return targets & target ? bit(kBar) : 0;
    }
    std::uint32_t found = node.occupied & ((turn.open & ~(node.occupied & one_only)) << die);
    if (const int waiting = reserve(node); waiting > 0) {
      const std::uint32_t enter = reserve_targets(turn, node);
      if (!(node.flags & kEntered)) {
        // If any die left lets a checker enter, one must before an ordinary move.
        std::uint32_t by_dice = 0;
        for (std::uint32_t dice = dice_left; dice; dice &= dice - 1) by_dice |= bit(kBar - std::countr_zero(dice));
        if (enter & by_dice) found = 0;
      }
      if (node.key.count(kPoints) <= starters) found &= ~bit(kPoints);
      if (enter & target) found |= bit(kReserve);
    } else if (Common::is_home(node)) {
      found |= Common::bear_off_sources(node, die);
    }
    return found;
  }

  static void step(const Turn& turn, const Node& before, Node& after, int from, int to) {
    if (from == kReserve) {
      after.key.remove(kReserveSlot);
      after.key.add(to);
      after.occupied |= bit(to);
    } else {
      Common::move(after, from, to);
    }
    if (from >= kBar) after.flags |= kEntered;
    if (to != kOff && (before.blots & bit(to))) {
      Common::hit(after, to);
      if (facing(to) >= 19) after.flags |= kHitAtHisStart;
    }
    if (is_capote(turn, after)) after.flags |= Node::kFinished;
  }

  // I have borne off and all my other checkers are home; the opponent has one on the bar and 14 home.
  static bool is_capote(const Turn& turn, const Node& node) {
    if (node.off == 0 || reserve(node) > 0 || node.occupied >> (kHome + 1) != 0) return false;
    int their_home = turn.their_home;
    for (std::uint32_t hits = node.key.hits(); hits; hits &= hits - 1)
      if (facing(std::countr_zero(hits)) <= kHome) --their_home;
    return turn.his_bar + node.hits == 1 && their_home == kCheckers - 1;
  }

  // A side that hits in the other's starting quarter must leave it a way in.
  static bool may_end(const Turn& turn, const Node& node) {
    if (!(node.flags & kHitAtHisStart)) return true;
    // My blots do not keep the opponent out, two of my checkers do; a point where I hit has no opponent any more.
    std::uint32_t entry = turn.entry | node.key.hits();
    for (; entry; entry &= entry - 1) {
      const int point = std::countr_zero(entry);
      if (facing(point) >= 19 && node.key.count(point) < 2) return true;
    }
    return false;
  }

  static Board afterstate(const Turn& turn, const Node& node, const Board& before) {
    Board after = Common::afterstate(turn, node, before);
    after.count[0][kReserve] = static_cast<std::int8_t>(reserve(node));
    return after;
  }

  template <class Visit>
  static void each_change(const Turn& turn, const Board& before, const Node& parent, const Node& node, Visit&& visit) {
    if (node.from != kReserve) return Common::each_change(turn, before, parent, node, visit);
    visit(Common::change(0, kReserve, reserve(parent), reserve(node)));
    Common::each_landing(before, parent, node, visit);
  }

  static int score(const Turn& turn, const Node& node) { return is_capote(turn, node) ? 7 : 1; }
};

}  // namespace tavla
