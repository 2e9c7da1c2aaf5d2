// Generates all legal plays of a family. The filters are applied in this order: legality of each step, legal ends of a
// turn, as many dice as possible, the larger die, the larger die first, the family's preference.
#pragma once

#include <algorithm>
#include <bit>

#include "rules/families/common.hpp"
#include "rules/plays.hpp"

namespace tavla {

template <class F>
class Generator {
 public:
  // Begins a turn of the list; its dice follow here or in other generators of the same board.
  static void begin(PlayList& list, const Rules& rules, const Board& board) {
    list.turn_ = {};
    list.table_ = &family_table<F>;
    list.nodes_[0] = {};
    F::begin(rules, board, list.turn_, list.nodes_[0]);
  }

  Generator(PlayList& list, const Board& board) : list_(list), turn_(list.turn_), before_(board) {
    list_.num_nodes_ = 1;
    list_.num_leaves_ = 0;
  }

  // All dice of a roll.
  void roll(int first, int second) {
    if (first == second)
      equal(first, 4);
    else
      mixed(std::max(first, second), std::min(first, second));
  }

  // One to four dice of a kind.
  void equal(int die, int num_dice) {
    const bool canonical = F::is_canonical(turn_, node(0));
    std::array<int, 6> level{0, 1};  // level[d] to level[d + 1]: nodes after d dice
    int num_finished = 0;
    int depth = 0;
    while (depth < num_dice) {
      if (!canonical) new_stamp();
      for (int parent = level[depth]; parent < level[depth + 1]; ++parent) {
        if (node(parent).is_finished()) continue;
        // In canonical order sources never increase, so every end is reached once.
        const std::uint32_t limit = canonical && parent != 0 ? bits(0, node(parent).from) : ~0u;
        for (std::uint32_t found = F::sources(turn_, node(parent), die, bit(die)) & limit; found; found &= found - 1) {
          const int child = step(parent, std::countr_zero(found), die);
          if (!canonical && !is_new(child)) {
            --list_.num_nodes_;
            continue;
          }
          num_finished += node(child).is_finished();
        }
      }
      if (list_.num_nodes_ == level[depth + 1]) break;
      ++depth;
      level[depth + 1] = list_.num_nodes_;
    }
    // A game that is over counts as all dice used.
    if (depth == num_dice) keep(level[depth], level[depth + 1], true);
    for (int d = 1; num_finished > 0 && d < std::min(depth + 1, num_dice); ++d) keep_finished(level[d], level[d + 1]);
    for (int d = std::min(depth, num_dice - 1); d > 0 && list_.num_leaves_ == 0; --d)
      keep(level[d], level[d + 1], false);
    finish();
  }

  // Two different dice, in both orders; repeated positions are dropped by their key.
  void mixed(int larger, int smaller) {
    new_stamp();
    list_.larger_ = larger;
    list_.smaller_ = smaller;
    const int larger_begin = list_.num_nodes_;
    const int larger_end = play_order(larger, smaller, 0);
    if (!(F::larger_die_first && list_.num_leaves_ > 0 && F::is_home(node(0)))) {
      const int smaller_begin = list_.smaller_begin_ = list_.num_nodes_;
      std::uint32_t met = 0;
      if constexpr (F::steps_commute)
        for (int i = larger_begin; i < larger_end; ++i) met |= bit(node(i).from);
      const int smaller_end = play_order(smaller, larger, met);
      // If only one die can be played, it is the larger one if possible.
      if (list_.num_leaves_ == 0) keep(larger_begin, larger_end, false);
      if (list_.num_leaves_ == 0) keep(smaller_begin, smaller_end, false);
    }
    finish();
  }

 private:
  Node& node(int index) { return list_.nodes_[index]; }

  // Appends the position after one step and returns its index.
  int step(int parent, int from, int die) {
    const int index = list_.num_nodes_++;
    Node& after = node(index);
    const Node& before = node(parent);
    after = before;
    const int origin = from == kReserve ? kBar : from;
    const int to = origin > die ? origin - die : kOff;
    after.parent = static_cast<std::uint16_t>(parent);
    after.from = static_cast<std::uint8_t>(from);
    after.to = static_cast<std::uint8_t>(to);
    after.is_hit = false;
    F::step(turn_, before, after, from, to);
    return index;
  }

  // Plays `first` then `second`; returns the end of the range of nodes after the first die alone. met: start of the
  // other order's nodes, if that order has reached everything that begins there with `second`.
  int play_order(int first, int second, std::uint32_t met) {
    const int begin = list_.num_nodes_;
    const std::uint32_t both = bit(first) | bit(second);
    for (std::uint32_t found = F::sources(turn_, node(0), first, both); found; found &= found - 1)
      step(0, std::countr_zero(found), first);
    const int end = list_.num_nodes_;
    for (int parent = begin; parent < end; ++parent) {
      if (node(parent).is_finished()) {
        if (F::may_end(turn_, node(parent))) keep_if_new(parent);
        continue;
      }
      std::uint32_t found = F::sources(turn_, node(parent), second, bit(second)) & ~met;
      for (; found; found &= found - 1) {
        const int child = step(parent, std::countr_zero(found), second);
        if (!F::may_end(turn_, node(child)) || !keep_if_new(child)) --list_.num_nodes_;
      }
    }
    return end;
  }

  // Takes nodes at which the turn may end as leaves.
  void keep(int begin, int end, bool with_finished) {
    for (int i = begin; i < end; ++i)
      if ((with_finished || !node(i).is_finished()) && F::may_end(turn_, node(i))) add_leaf(i);
  }
  void keep_finished(int begin, int end) {
    for (int i = begin; i < end; ++i)
      if (node(i).is_finished() && F::may_end(turn_, node(i))) add_leaf(i);
  }
  void add_leaf(int index) { list_.leaves_[list_.num_leaves_++] = static_cast<std::uint16_t>(index); }

  void finish() {
    if constexpr (F::has_preference) {
      std::uint16_t* const leaves = list_.leaves_.data();
      std::uint16_t* const end = leaves + list_.num_leaves_;
      std::uint16_t* const kept =
          std::stable_partition(leaves, end, [&](int i) { return F::is_preferred(turn_, node(i), before_); });
      if (kept != leaves) list_.num_leaves_ = static_cast<int>(kept - leaves);
    }
    if (list_.num_leaves_ == 0) add_leaf(0);  // a pass leaves the position as it is
  }

  void new_stamp() {
    if (++list_.stamp_ == 0) {
      list_.slots_.fill({});
      list_.stamp_ = 1;
    }
  }

  static std::uint32_t slot_of(const Node& node) {
    const std::uint64_t mixed =
        (node.key.lo ^ (node.key.hi * 0x9E3779B97F4A7C15u) ^ node.flags) * 0xD6E8FEB86659FD93u;
    return static_cast<std::uint32_t>(mixed >> 51) & (PlayList::kHashSlots - 1);
  }

  // Whether no node of this level has the same position and flags.
  bool is_new(int index) {
    for (std::uint32_t slot = slot_of(node(index));; slot = (slot + 1) & (PlayList::kHashSlots - 1)) {
      PlayList::Slot& entry = list_.slots_[slot];
      if (entry.stamp != list_.stamp_) {
        entry = {list_.stamp_, static_cast<std::uint16_t>(index)};
        return true;
      }
      const Node& known = node(entry.index);
      if (known.key == node(index).key && known.flags == node(index).flags) return false;
    }
  }

  // Takes a node as a leaf unless another leaf has the same position.
  bool keep_if_new(int index) {
    const Node& candidate = node(index);
    for (std::uint32_t slot = hash_key(candidate.key);; slot = (slot + 1) & (kMixedSlots - 1)) {
      PlayList::Slot& entry = list_.slots_[slot];
      if (entry.stamp != list_.stamp_) {
        entry = {list_.stamp_, static_cast<std::uint16_t>(list_.num_leaves_)};
        add_leaf(index);
        return true;
      }
      std::uint16_t& known = list_.leaves_[entry.index];
      if (node(known).key == candidate.key) {
        // Of two ways to finish the game, keep the one that plays more dice.
        if (!candidate.is_finished() || node(known).parent != 0 || candidate.parent == 0) return false;
        known = static_cast<std::uint16_t>(index);
        return true;
      }
    }
  }

  // Two dice have at most 240 ends: fewer slots stay in the fastest cache.
  static constexpr std::uint32_t kMixedSlots = 1024;

  static std::uint32_t hash_key(const Key& key) {
    const std::uint64_t mixed = (key.lo ^ (key.hi * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u;
    return static_cast<std::uint32_t>(mixed >> 54);
  }

  PlayList& list_;
  Turn& turn_;
  const Board& before_;
};

}  // namespace tavla
