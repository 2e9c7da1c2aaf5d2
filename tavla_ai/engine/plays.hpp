// Legal plays: all distinct afterstates of a roll, as a tree of steps.
#pragma once

#include <array>
#include <cstdint>

#include "board.hpp"
#include "rules.hpp"

namespace tavla {

// The mover's checkers and the points where he has hit, exactly, in 128 bits: four bits per place
// (places 0..15 in `lo`, 16..25 in `hi`), then one bit per hit point from bit 40 of `hi`. Place 0 stays
// empty: what is borne off follows from the rest.
struct Key {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;

  bool operator==(const Key&) const = default;

  int count(int place) const {
    const std::uint64_t half = place & 16 ? hi : lo;
    return static_cast<int>(half >> ((place & 15) * 4)) & 15;
  }
  void add(int place) { (place & 16 ? hi : lo) += std::uint64_t{1} << ((place & 15) * 4); }
  void remove(int place) { (place & 16 ? hi : lo) -= std::uint64_t{1} << ((place & 15) * 4); }
  void mark_hit(int point) { hi |= std::uint64_t{1} << (39 + point); }
  bool has_hit(int point) const { return hi >> (39 + point) & 1; }
};

// A position inside a turn: reached from `parent` by moving one checker from `from` to `to`.
struct Node {
  Key key;
  std::uint32_t occupied;  // bit p: I have a checker on place p (1..25)
  std::uint32_t blots;     // bit p: a lone opposing checker on my point p
  std::uint16_t parent;
  std::uint8_t from;
  std::uint8_t to;
  std::uint8_t off;     // my checkers borne off
  std::uint8_t hits;    // opposing checkers hit so far in this turn
  std::uint8_t frozen;  // bit p: the checker that hit on my home point p may not move on
  bool is_hit;          // whether this step hit

  bool is_finished() const { return occupied == 0; }
};

// All legal plays of one roll. Buffers are reused between rolls; nothing is allocated.
class PlayList {
 public:
  // The canonical order of a double gives at most C(18, 4) ends and fewer inner nodes than that.
  static constexpr int kMaxLeaves = 3060;
  static constexpr int kMaxNodes = kMaxLeaves + 1 + 15 + 120 + 680;

  int num_leaves() const { return num_leaves_; }
  int num_nodes() const { return num_nodes_; }
  const Node& node(int index) const { return nodes_[index]; }
  int leaf_node(int leaf) const { return leaves_[leaf]; }
  const Node& leaf(int leaf) const { return nodes_[leaves_[leaf]]; }

  // The steps of a play in order; returns how many there are.
  int steps(int leaf, std::array<std::pair<std::int8_t, std::int8_t>, 4>& out) const {
    int depth = 0;
    for (int i = leaves_[leaf]; i != 0; i = nodes_[i].parent) ++depth;
    int position = depth;
    for (int i = leaves_[leaf]; i != 0; i = nodes_[i].parent)
      out[--position] = {static_cast<std::int8_t>(nodes_[i].from), static_cast<std::int8_t>(nodes_[i].to)};
    return depth;
  }

  // The afterstate of a play, the player who moved first.
  Board afterstate(int leaf, const Board& before) const {
    const Node& node = nodes_[leaves_[leaf]];
    Board after = before;
    after.count[0][kOff] = static_cast<std::int8_t>(node.off);
    for (int place = 1; place < kPlaces; ++place)
      after.count[0][place] = static_cast<std::int8_t>(node.key.count(place));
    for (std::uint64_t hits = node.key.hi >> 40; hits; hits &= hits - 1)
      after.count[1][25 - (__builtin_ctzll(hits) + 1)] = 0;
    after.count[1][kBar] = static_cast<std::int8_t>(before.count[1][kBar] + node.hits);
    return after;
  }

  // Generates the plays of a roll. The board and dice must have been checked.
  template <class Family>
  void generate(const Board& board, int first, int second) {
    reset(board);
    if (first == second)
      generate_double<Family>(first);
    else if (first > second)
      generate_mixed<Family>(first, second);
    else
      generate_mixed<Family>(second, first);
    if (num_leaves_ == 0) leaves_[num_leaves_++] = 0;  // a pass leaves the position as it is
  }

 private:
  static constexpr std::uint32_t kPointBits = 0x1FFFFFE;
  static constexpr std::uint32_t kBarBit = 1u << kBar;
  static constexpr int kHashSlots = 1024;

  void reset(const Board& board) {
    Node root{};
    std::uint32_t held = 0;
    for (int place = 1; place < kPlaces; ++place) {
      const int mine = board.count[0][place];
      if (mine) root.occupied |= 1u << place;
      (place & 16 ? root.key.hi : root.key.lo) |= static_cast<std::uint64_t>(mine) << ((place & 15) * 4);
    }
    for (int point = 1; point <= kPoints; ++point) {
      const int theirs = board.count[1][25 - point];
      root.blots |= static_cast<std::uint32_t>(theirs == 1) << point;
      held |= static_cast<std::uint32_t>(theirs >= 2) << point;
    }
    root.off = static_cast<std::uint8_t>(board.count[0][kOff]);
    open_ = kPointBits & ~held;
    nodes_[0] = root;
    num_nodes_ = 1;
    num_leaves_ = 0;
  }

  // Bit p: the checker on place p may move by `die`.
  template <class Family>
  std::uint32_t sources(const Node& node, int die) const {
    std::uint32_t found;
    if (node.occupied & kBarBit) {
      // All checkers on the bar must enter before any other may move.
      found = (open_ << die) & kBarBit;
    } else {
      found = node.occupied & (open_ << die);
      if (node.occupied >> (kHome + 1) == 0 && node.occupied != 0) {
        found |= node.occupied & (1u << die);
        // A die above the highest occupied point bears off from that point.
        if (node.occupied >> die == 0) found |= 1u << (31 - __builtin_clz(node.occupied));
      }
    }
    if constexpr (!Family::hit_and_run) {
      for (std::uint32_t frozen = node.frozen & found; frozen; frozen &= frozen - 1) {
        const int point = __builtin_ctz(frozen);
        if (node.key.count(point) == 1) found &= ~(1u << point);
      }
    }
    return found;
  }

  // Appends the position after one step and returns its index.
  template <class Family>
  int step(int parent, int from, int die) {
    const Node& before = nodes_[parent];
    Node& after = nodes_[num_nodes_];
    after = before;
    const int to = from > die ? from - die : kOff;
    after.parent = static_cast<std::uint16_t>(parent);
    after.from = static_cast<std::uint8_t>(from);
    after.to = static_cast<std::uint8_t>(to);
    after.is_hit = false;
    after.key.remove(from);
    if (after.key.count(from) == 0) after.occupied &= ~(1u << from);
    if (to == kOff) {
      ++after.off;
    } else {
      after.key.add(to);
      after.occupied |= 1u << to;
      if (before.blots >> to & 1) {
        after.is_hit = true;
        after.blots &= ~(1u << to);
        after.key.mark_hit(to);
        ++after.hits;
        // Only a hit made in the hitter's own home board binds the hitter.
        if (!Family::hit_and_run && to <= kHome) after.frozen |= static_cast<std::uint8_t>(1u << to);
      }
    }
    return num_nodes_++;
  }

  // Doubles in canonical order: sources never increase, so every end is met once.
  template <class Family>
  void generate_double(int die) {
    int begin = 0;
    int end = 1;
    int num_finished = 0;
    for (int depth = 1; depth <= 4; ++depth) {
      const int level = num_nodes_;
      for (int parent = begin; parent < end; ++parent) {
        const std::uint32_t limit = parent == 0 ? ~0u : (2u << nodes_[parent].from) - 1;
        for (std::uint32_t found = sources<Family>(nodes_[parent], die) & limit; found; found &= found - 1) {
          const int child = step<Family>(parent, __builtin_ctz(found), die);
          // The game is over at once; the remaining dice count as used.
          if (nodes_[child].is_finished() && depth < 4) finished_[num_finished++] = static_cast<std::uint16_t>(child);
        }
      }
      if (num_nodes_ == level) break;
      begin = level;
      end = num_nodes_;
      if (depth == 4) {
        for (int i = begin; i < end; ++i) leaves_[num_leaves_++] = static_cast<std::uint16_t>(i);
        for (int i = 0; i < num_finished; ++i) leaves_[num_leaves_++] = finished_[i];
        return;
      }
    }
    if (num_finished > 0) {
      for (int i = 0; i < num_finished; ++i) leaves_[num_leaves_++] = finished_[i];
    } else if (begin > 0) {
      for (int i = begin; i < end; ++i) leaves_[num_leaves_++] = static_cast<std::uint16_t>(i);
    }
  }

  // Two different dice, in both orders; positions met before are dropped by their key.
  template <class Family>
  void generate_mixed(int larger, int smaller) {
    ++stamp_;
    if (stamp_ == 0) {
      slots_.fill({});
      stamp_ = 1;
    }
    const std::uint32_t start_occupied = nodes_[0].occupied;
    const int larger_begin = num_nodes_;
    const int larger_end = play_order<Family>(larger, smaller);
    if constexpr (Family::larger_die_first) {
      // With all men home the larger die comes first if any longest play allows it.
      if (num_leaves_ > 0 && start_occupied >> (kHome + 1) == 0) return;
    }
    const int smaller_begin = num_nodes_;
    const int smaller_end = play_order<Family>(smaller, larger);
    if (num_leaves_ > 0) return;
    // Only one die can be played: the larger one if it can be.
    if (larger_end > larger_begin)
      for (int i = larger_begin; i < larger_end; ++i) leaves_[num_leaves_++] = static_cast<std::uint16_t>(i);
    else
      for (int i = smaller_begin; i < smaller_end; ++i) leaves_[num_leaves_++] = static_cast<std::uint16_t>(i);
  }

  // Plays `first` then `second`; returns the end of the range of nodes after the first die alone.
  template <class Family>
  int play_order(int first, int second) {
    const int begin = num_nodes_;
    for (std::uint32_t found = sources<Family>(nodes_[0], first); found; found &= found - 1)
      step<Family>(0, __builtin_ctz(found), first);
    const int end = num_nodes_;
    for (int parent = begin; parent < end; ++parent) {
      if (nodes_[parent].is_finished()) {
        keep_if_new(parent);
        continue;
      }
      for (std::uint32_t found = sources<Family>(nodes_[parent], second); found; found &= found - 1)
        if (!keep_if_new(step<Family>(parent, __builtin_ctz(found), second))) --num_nodes_;
    }
    return end;
  }

  bool keep_if_new(int index) {
    const Key& key = nodes_[index].key;
    std::uint64_t mixed = (key.lo ^ (key.hi * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u;
    for (std::uint32_t slot = static_cast<std::uint32_t>(mixed >> 54);; slot = (slot + 1) & (kHashSlots - 1)) {
      Slot& entry = slots_[slot];
      if (entry.stamp != stamp_) {
        entry = {stamp_, static_cast<std::uint16_t>(num_leaves_)};
        leaves_[num_leaves_++] = static_cast<std::uint16_t>(index);
        return true;
      }
      if (nodes_[leaves_[entry.leaf]].key == key) {
        // Of two ways to finish the game show the one that plays more dice.
        if (nodes_[index].is_finished() && nodes_[leaves_[entry.leaf]].parent == 0 && nodes_[index].parent != 0) {
          leaves_[entry.leaf] = static_cast<std::uint16_t>(index);
          return true;
        }
        return false;
      }
    }
  }

  struct Slot {
    std::uint16_t stamp = 0;
    std::uint16_t leaf = 0;
  };

  std::uint32_t open_ = 0;
  int num_nodes_ = 0;
  int num_leaves_ = 0;
  std::uint16_t stamp_ = 0;
  std::array<Node, kMaxNodes> nodes_;
  std::array<std::uint16_t, kMaxLeaves> leaves_;
  std::array<std::uint16_t, kMaxLeaves> finished_;
  std::array<Slot, kHashSlots> slots_{};
};

}  // namespace tavla
