// Legal plays: all distinct afterstates of a roll, as a tree of steps.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "rules/board.hpp"
#include "rules/changes.hpp"
#include "rules/rules.hpp"

namespace tavla {

// The mover's checkers and the points of its hits, exactly, in 128 bits: four bits per place (0..15 in `lo`,
// 16..25 in `hi`), then one bit per hit point from bit 40 of `hi`. The count of checkers borne off follows from the
// others, so its four bits hold the reserve in games that have one.
struct Key {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;

  bool operator==(const Key&) const = default;

  int count(int place) const {
    const std::uint64_t half = place & 16 ? hi : lo;
    return static_cast<int>(half >> ((place & 15) * 4)) & 15;
  }
  void add(int place, int n = 1) { (place & 16 ? hi : lo) += static_cast<std::uint64_t>(n) << ((place & 15) * 4); }
  void remove(int place) { (place & 16 ? hi : lo) -= std::uint64_t{1} << ((place & 15) * 4); }
  void mark_hit(int point) { hi |= std::uint64_t{1} << (39 + point); }
  std::uint32_t hits() const { return static_cast<std::uint32_t>(hi >> 40) << 1; }  // bit p: hit on my point p
};

// Place of the reserve in a Key.
constexpr int kReserveSlot = 0;

// A position inside a turn: reached from `parent` by moving one checker from `from` to `to`.
struct Node {
  static constexpr std::uint8_t kFinished = 1 << 7;  // the game is over

  Key key;
  std::uint32_t occupied;  // bit p: I have a checker on place p (1..25)
  std::uint32_t blots;     // bit p: a lone opposing checker on my point p that may be hit or pinned
  std::uint16_t parent;
  std::uint8_t from;
  std::uint8_t to;
  std::uint8_t off;    // my checkers borne off
  std::uint8_t hits;   // opposing checkers hit so far in this turn
  std::uint8_t flags;  // kFinished, and the family's state of the turn so far
  bool is_hit;         // whether this step hit

  bool is_finished() const { return flags & kFinished; }
};

// Constants of a turn, seen by the mover.
struct Turn {
  std::uint32_t open = 0;          // bit p: the opponent lets me land on point p
  std::uint32_t theirs = 0;        // bit p: the opponent has a checker on my point p
  std::uint32_t pinned = 0;        // bit p: my checker on point p is pinned
  std::uint32_t entry = 0;         // bit p: before this turn's steps the opponent could enter on my point p
  std::uint32_t walls = 0;         // points that may not all be held at the end of the turn
  std::uint32_t other_walls = 0;   // points of another wall
  bool their_mother = false;         // the opponent's mother is alone on its start, or pinned there
  bool my_mother_pinned = false;
  bool opponent_bore_off = false;
  bool opponent_is_far = false;          // the opponent has a checker on the bar or in my home
  std::uint8_t his_bar = 0;
  std::uint8_t their_home = 0;       // the opponent's checkers on its points 1..6
};

constexpr int kMaxChanges = 6;

// Functions that differ between games, other than generating plays.
struct FamilyTable {
  // The afterstate of a node, the player who moved first.
  Board (*afterstate)(const Turn&, const Node&, const Board& before);
  // The places that the step from `parent` to `node` changes; returns how many.
  int (*changes)(const Turn&, const Board& before, const Node& parent, const Node& node, Change* out);
  // The mover's score at a node that ends the game.
  int (*score)(const Turn&, const Node&);
  // First-order gain of the changes from the board to each node: out[num_nodes].
  void (*gains)(const Turn&, const Board& before, std::span<const Node> nodes, Gains&, float* out);
};

// One play of a roll, taken out of its list.
struct Play {
  Board after;                                            // the player who moved first
  std::array<std::pair<std::int8_t, std::int8_t>, 4> path;  // (from, to) of each step
  int num_steps = 0;
  std::optional<int> score;  // the mover's, if it ends the game
};

// All legal plays of one roll. Buffers are reused between rolls; nothing is allocated.
class PlayList {
 public:
  // The canonical order of a double gives at most C(18, 4) ends and fewer inner nodes than that.
  static constexpr int kMaxLeaves = 3060;
  static constexpr int kMaxNodes = 2 * kMaxLeaves;

  // Generates the plays of a roll: two different dice, or four of a double. Board and dice must be checked before.
  void generate(const Rules& rules, const Board& board, int first, int second);

  // Generates plays in two steps, for several rolls of one board.
  void begin(const Rules& rules, const Board& board);
  void generate_roll(const Rules& rules, const Board& board, int first, int second);

  // Generates the plays of exactly these dice: two different ones, or one to four of a kind.
  void generate_stage(const Rules& rules, const Board& board, std::span<const int> dice);

  int num_leaves() const { return num_leaves_; }
  int num_nodes() const { return num_nodes_; }
  const Node& node(int index) const { return nodes_[index]; }
  int leaf_node(int leaf) const { return leaves_[leaf]; }
  const Node& leaf(int leaf) const { return nodes_[leaves_[leaf]]; }

  // Writes the steps of a play in order and returns their number.
  int steps(int leaf, std::array<std::pair<std::int8_t, std::int8_t>, 4>& out) const {
    const int depth = num_steps(leaf);
    int position = depth;
    for (int i = leaves_[leaf]; i != 0; i = nodes_[i].parent)
      out[--position] = {static_cast<std::int8_t>(nodes_[i].from), static_cast<std::int8_t>(nodes_[i].to)};
    return depth;
  }
  int num_steps(int leaf) const {
    int depth = 0;
    for (int i = leaves_[leaf]; i != 0; i = nodes_[i].parent) ++depth;
    return depth;
  }
  // The first die that a play used, of two different dice.
  int first_die(int leaf) const;

  Board afterstate(int leaf, const Board& before) const { return table_->afterstate(turn_, this->leaf(leaf), before); }
  int changes(const Board& before, const Node& node, Change* out) const {
    return table_->changes(turn_, before, nodes_[node.parent], node, out);
  }
  // First-order gain of each node: out[num_nodes()].
  void gains(const Board& before, Gains& of_changes, float* out) const {
    table_->gains(turn_, before, {nodes_.data(), static_cast<std::size_t>(num_nodes_)}, of_changes, out);
  }
  // The mover's score of a play that ends the game.
  int score(int leaf) const { return table_->score(turn_, this->leaf(leaf)); }

  Play play(int leaf, const Board& before) const {
    Play found{afterstate(leaf, before), {}, 0, std::nullopt};
    found.num_steps = steps(leaf, found.path);
    if (this->leaf(leaf).is_finished()) found.score = score(leaf);
    return found;
  }

 private:
  template <class F>
  friend class Generator;

  static constexpr int kHashSlots = 8192;

  struct Slot {
    std::uint16_t stamp = 0;
    std::uint16_t index = 0;
  };

  const FamilyTable* table_ = nullptr;
  Turn turn_;
  int num_nodes_ = 0;
  int num_leaves_ = 0;
  int smaller_begin_ = kMaxNodes;  // nodes from here on played the smaller die first
  int larger_ = 0;
  int smaller_ = 0;
  std::uint16_t stamp_ = 0;
  std::array<Node, kMaxNodes> nodes_;
  std::array<std::uint16_t, kMaxLeaves> leaves_;
  std::array<Slot, kHashSlots> slots_{};
};

}  // namespace tavla
