// Fevga and Gul Bara.
#pragma once

#include <bit>
#include <cstdint>

#include "rules/families/common.hpp"

namespace tavla {

// Fevga and Gul Bara: both sides move in the same direction, one checker holds a point, nothing is hit.
template <class Derived>
struct ParallelBlock : CommonFamily<Derived> {
  using Common = CommonFamily<Derived>;
  static constexpr int held_by = 1;
  static constexpr int facing(int point) { return parallel_point(point); }

  static std::uint32_t sources(const Turn& turn, const Node& node, int die, std::uint32_t) {
    std::uint32_t found = node.occupied & (turn.open << die);
    if (Common::is_home(node)) found |= Common::bear_off_sources(node, die);
    return found;
  }

  static void step(const Turn&, const Node&, Node& after, int from, int to) { Common::move(after, from, to); }
};

// Gul Bara; its cascades and passed dice are stages, generated one by one.
struct GulBara : ParallelBlock<GulBara> {};

// Fevga. Until a first checker has passed the opponent's start, only one may have left mine.
//   LeaveAMove: plays that leave the opponent a legal step are preferred to all others.
template <bool LeaveAMove>
struct Fevga : ParallelBlock<Fevga<LeaveAMove>> {
  using Base = ParallelBlock<Fevga>;
  using Common = CommonFamily<Fevga>;
  static constexpr bool has_preference = LeaveAMove;
  static constexpr int their_start = 12;  // my number of the opponent's point 24

  static void begin_more(const Rules&, const Board&, Turn& turn, Node&) {
    // A wall on my first six points while the opponent has a checker on its first twelve.
    if (turn.theirs & bits(1, 12)) turn.walls = bits(19, 24);
    // A wall in front of the opponent's start while it has a checker there.
    if (turn.theirs & bit(their_start)) turn.other_walls = bits(6, 11);
  }

  static bool has_passed(const Node& node) { return node.off > 0 || (node.occupied & bits(1, their_start - 1)); }

  static bool is_canonical(const Turn&, const Node& root) { return has_passed(root); }

  static std::uint32_t sources(const Turn& turn, const Node& node, int die, std::uint32_t dice_left) {
    std::uint32_t found = Base::sources(turn, node, die, dice_left);
    if (node.key.count(kPoints) < kCheckers && !has_passed(node)) found &= ~bit(kPoints);
    return found;
  }

  static bool may_end(const Turn& turn, const Node& node) {
    return !(turn.walls && (node.occupied & turn.walls) == turn.walls) &&
           !(turn.other_walls && (node.occupied & turn.other_walls) == turn.other_walls);
  }

  // Whether the opponent would have a legal single step, which may not make a wall of its own.
  static bool is_preferred(const Turn& turn, const Node& node, const Board& before) {
    if (node.is_finished()) return true;
    const Board after = Common::afterstate(turn, node, before).swapped();
    Turn his_turn;
    Node root{};
    Common::begin(Rules{}, after, his_turn, root);
    for (int die = 1; die <= 6; ++die)
      for (std::uint32_t found = sources(his_turn, root, die, 0); found; found &= found - 1) {
        const int from = std::countr_zero(found);
        Node stepped = root;
        Base::step(his_turn, root, stepped, from, from > die ? from - die : kOff);
        if (may_end(his_turn, stepped)) return true;
      }
    return false;
  }
};

}  // namespace tavla
