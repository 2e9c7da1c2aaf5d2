// The games, each as a type: start of a turn, legal steps and their effects, legal ends of a turn. Generator<F> in
// generator.hpp plays any of them; everything is decided at compile time.
#pragma once

#include <bit>
#include <cstdint>

#include "rules/plays.hpp"

namespace tavla {

constexpr std::uint32_t bit(int place) { return std::uint32_t{1} << place; }

// Bits `from` to `to`, both included.
constexpr std::uint32_t bits(int from, int to) { return (bit(to) << 1) - bit(from); }

constexpr std::uint32_t kPointBits = bits(1, kPoints);
constexpr std::uint32_t kHomeBits = bits(1, kHome);

// Functions that most games share. A family derives from this and replaces the functions that differ.
template <class Derived>
struct CommonFamily {
  // Whether doubles may be generated with falling sources only, which reaches every end once. False if a rule depends
  // on the order of steps.
  static bool is_canonical(const Turn&, const Node&) { return true; }

  // Whether a turn may end here; a pass always may.
  static bool may_end(const Turn&, const Node&) { return true; }

  // Whether the larger die must come first, if it can, when all checkers are home.
  static constexpr bool larger_die_first = false;

  // Whether two steps with different dice, each legal at the root, may be made in either order with the same result.
  static constexpr bool steps_commute = false;

  // Keeps only some of the legal plays, after all other rules.
  static constexpr bool has_preference = false;

  static void begin(const Rules& rules, const Board& board, Turn& turn, Node& root) {
    for (int place = 1; place < kCommonPlaces; ++place) {
      const int mine = board.count[0][place];
      if (mine) root.occupied |= bit(place);
      root.key.add(place, mine);
    }
    root.off = static_cast<std::uint8_t>(board.count[0][kOff]);
    std::uint32_t held = 0;
    for (int point = 1; point <= kPoints; ++point) {
      const int theirs = board.count[1][Derived::facing(point)];
      turn.theirs |= static_cast<std::uint32_t>(theirs >= 1) << point;
      held |= static_cast<std::uint32_t>(theirs >= Derived::held_by) << point;
      root.blots |= static_cast<std::uint32_t>(theirs == 1 && Derived::held_by > 1) << point;
    }
    turn.open = kPointBits & ~held;
    turn.opponent_bore_off = board.count[1][kOff] > 0;
    Derived::begin_more(rules, board, turn, root);
  }

  static void begin_more(const Rules&, const Board&, Turn&, Node&) {}

  // Checkers that may be borne off with `die` when all are home: those on the exact point, or on the highest point if
  // no checker is on the die's point or above.
  static std::uint32_t bear_off_sources(const Node& node, int die) {
    std::uint32_t found = node.occupied & bit(die);
    if (node.occupied >> die == 0) found |= bit(31 - std::countl_zero(node.occupied));
    return found;
  }

  static bool is_home(const Node& node) { return node.occupied >> (kHome + 1) == 0 && node.occupied != 0; }

  // Moves the counts; the family adds the effect of a landing.
  static void move(Node& after, int from, int to) {
    after.key.remove(from);
    if (after.key.count(from) == 0) after.occupied &= ~bit(from);
    if (to == kOff) {
      ++after.off;
      if (after.occupied == 0) after.flags |= Node::kFinished;
    } else {
      after.key.add(to);
      after.occupied |= bit(to);
    }
  }

  static void hit(Node& after, int to) {
    after.is_hit = true;
    after.blots &= ~bit(to);
    after.key.mark_hit(to);
    ++after.hits;
  }

  static Board afterstate(const Turn&, const Node& node, const Board& before) {
    Board after = before;
    after.count[0][kOff] = static_cast<std::int8_t>(node.off);
    for (int place = 1; place < kCommonPlaces; ++place)
      after.count[0][place] = static_cast<std::int8_t>(node.key.count(place));
    for (std::uint32_t hits = node.key.hits(); hits; hits &= hits - 1)
      after.count[1][Derived::facing(std::countr_zero(hits))] = 0;
    after.count[1][kBar] = static_cast<std::int8_t>(before.count[1][kBar] + node.hits);
    return after;
  }

  // Calls visit(Change) for each place that the step from `parent` to `node` changes.
  template <class Visit>
  static void each_change(const Turn&, const Board& before, const Node& parent, const Node& node, Visit&& visit) {
    const int left = parent.key.count(node.from);
    visit(change(0, node.from, left, left - 1));
    each_landing(before, parent, node, visit);
  }

  template <class Visit>
  static void each_landing(const Board& before, const Node& parent, const Node& node, Visit&& visit) {
    const int met = node.to == kOff ? parent.off : parent.key.count(node.to);
    visit(change(0, node.to, met, met + 1));
    if (!node.is_hit) return;
    const int on_bar = before.count[1][kBar] + parent.hits;
    visit(change(1, Derived::facing(node.to), 1, 0));
    visit(change(1, kBar, on_bar, on_bar + 1));
  }

  static Change change(int side, int place, int before, int after) {
    return {static_cast<std::uint8_t>(side), static_cast<std::uint8_t>(place), static_cast<std::uint8_t>(before),
            static_cast<std::uint8_t>(after)};
  }

  // Bearing off scores 1, or 2 while the opponent has borne off nothing.
  static int score(const Turn& turn, const Node&) { return turn.opponent_bore_off ? 1 : 2; }
};

// See FamilyTable.
template <class F>
int changes(const Turn& turn, const Board& before, const Node& parent, const Node& node, Change* out) {
  int n = 0;
  F::each_change(turn, before, parent, node, [&](const Change& change) { out[n++] = change; });
  return n;
}

template <class F>
void gains(const Turn& turn, const Board& before, std::span<const Node> nodes, Gains& of_changes, float* out) {
  out[0] = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    float gain = out[node.parent];
    F::each_change(turn, before, nodes[node.parent], node,
                   [&](const Change& change) { gain += of_changes.of(change); });
    out[i] = gain;
  }
}

template <class F>
constexpr FamilyTable family_table{&F::afterstate, &changes<F>, &F::score, &gains<F>};

}  // namespace tavla
