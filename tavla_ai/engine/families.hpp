// The games, each as a type: how a turn begins, where checkers may go, what a step does, how a turn may end.
// Generator<F> in generator.hpp plays any of them; nothing here is decided at run time.
#pragma once

#include <bit>
#include <cstdint>

#include "plays.hpp"

namespace tavla {

constexpr std::uint32_t bit(int place) { return std::uint32_t{1} << place; }

// Bits `from` to `to`, both included.
constexpr std::uint32_t bits(int from, int to) { return (bit(to) << 1) - bit(from); }

constexpr std::uint32_t kPointBits = bits(1, kPoints);
constexpr std::uint32_t kHomeBits = bits(1, kHome);

// What most games share. A family derives from this and replaces what differs.
template <class Derived>
struct CommonFamily {
  // Whether doubles may be generated with falling sources only: every end is then met once. False where a
  // rule looks at the order of steps.
  static bool is_canonical(const Turn&, const Node&) { return true; }

  // Whether a turn may end here; a pass always may.
  static bool may_end(const Turn&, const Node&) { return true; }

  // With all men home, whether the larger die must come first where it can.
  static constexpr bool larger_die_first = false;

  // Whether two steps with different dice, each legal at the root, may be made in either order and end alike.
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
    turn.he_bore_off = board.count[1][kOff] > 0;
    Derived::begin_more(rules, board, turn, root);
  }

  static void begin_more(const Rules&, const Board&, Turn&, Node&) {}

  // Checkers that may be borne off with `die`, all men being home: the exact point, or the highest one
  // where nobody stands on the die's point or above.
  static std::uint32_t bear_off_sources(const Node& node, int die) {
    std::uint32_t found = node.occupied & bit(die);
    if (node.occupied >> die == 0) found |= bit(31 - std::countl_zero(node.occupied));
    return found;
  }

  static bool is_home(const Node& node) { return node.occupied >> (kHome + 1) == 0 && node.occupied != 0; }

  // Moves the counts; what a landing does is the family's.
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
  static int score(const Turn& turn, const Node&) { return turn.he_bore_off ? 1 : 2; }
};

// Tavla and western backgammon: the opponent's point q is my 25 − q, a lone checker is hit, two hold a point.
//   HitAndRun: whether a checker that hits in its own home may move on in the same turn.
//   LargerDieFirst: with all men home the larger die is played first.
//   Triple: 3 points where the loser, with nothing off, has a checker on the bar or in the winner's home.
template <bool HitAndRun, bool LargerDieFirst, bool Triple>
struct OpposedHit : CommonFamily<OpposedHit<HitAndRun, LargerDieFirst, Triple>> {
  using Common = CommonFamily<OpposedHit>;
  static constexpr int held_by = 2;
  static constexpr bool larger_die_first = LargerDieFirst;
  // Of two such steps neither closes anything to the other: nobody but a hitter in his home is held up by his own step.
  static constexpr bool steps_commute = HitAndRun;
  static constexpr int facing(int point) { return opposed_point(point); }

  static void begin_more(const Rules&, const Board& board, Turn& turn, Node&) {
    if constexpr (Triple)
      for (int place = kPoints - kHome + 1; place <= kBar; ++place) turn.he_is_far |= board.count[1][place] > 0;
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
    // Flag bit p: the checker that hit on my home point p may not move on. A hit outside home, or on
    // entering, binds nobody.
    if (!HitAndRun && to <= kHome) after.flags |= static_cast<std::uint8_t>(bit(to));
  }

  static int score(const Turn& turn, const Node& node) {
    // A checker that was hit in this turn stands on the bar.
    if (Triple && !turn.he_bore_off && (turn.he_is_far || node.hits > 0)) return 3;
    return Common::score(turn, node);
  }
};

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
    turn.his_mother = root.blots & bit(1);
    turn.my_mother_pinned = turn.pinned & bit(kPoints);
  }

  // Pinning his mother ends the turn at once if my start is empty, or if mine is pinned too.
  static bool is_canonical(const Turn& turn, const Node&) { return !turn.his_mother; }

  static std::uint32_t sources(const Turn& turn, const Node& node, int die, std::uint32_t) {
    std::uint32_t found = node.occupied & (turn.open << die);
    if (Common::is_home(node) && !(PinnedBlocksBearOff && turn.pinned)) found |= Common::bear_off_sources(node, die);
    return found & ~turn.pinned;
  }

  static void step(const Turn& turn, const Node&, Node& after, int from, int to) {
    Common::move(after, from, to);
    const bool his_mother_pinned = turn.his_mother && (after.occupied & bit(1));
    if (his_mother_pinned && (turn.my_mother_pinned || !(after.occupied & bit(kPoints)))) after.flags |= Node::kFinished;
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
    if (turn.his_mother && (node.occupied & bit(1))) return turn.my_mother_pinned ? 0 : 2;
    return Common::score(turn, node);
  }
};

// Fevga and Gul Bara: both sides go the same way round, one checker holds a point, nothing is hit.
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
  static constexpr int his_start = 12;  // my number for his 24

  static void begin_more(const Rules&, const Board&, Turn& turn, Node&) {
    // A wall on my first six points, while he has a checker on his first twelve.
    if (turn.theirs & bits(1, 12)) turn.walls = bits(19, 24);
    // A wall in front of his start, while he has a checker there.
    if (turn.theirs & bit(his_start)) turn.other_walls = bits(6, 11);
  }

  static bool has_passed(const Node& node) { return node.off > 0 || (node.occupied & bits(1, his_start - 1)); }

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

  // Whether the opponent would have a legal single step, which may not end in a wall of his own.
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
    for (int place = 1; place <= kHome; ++place) turn.his_home += static_cast<std::uint8_t>(board.count[1][place]);
    // He enters on his 24 on top of his own, on 23..19 only where he does not stand.
    for (int his = 19; his <= 24; ++his)
      if (his == kPoints || board.count[1][his] == 0) turn.entry |= bit(facing(his));
  }

  static int reserve(const Node& node) { return node.key.count(kReserveSlot); }

  // A checker may have to make room on a point before another can land there.
  static bool is_canonical(const Turn&, const Node& root) {
    return reserve(root) == 0 && !(root.occupied & (one_only | bit(kBar)));
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

  // I have borne off and all my other men are home; he has one on the bar and 14 home.
  static bool is_capote(const Turn& turn, const Node& node) {
    if (node.off == 0 || reserve(node) > 0 || node.occupied >> (kHome + 1) != 0) return false;
    int his_home = turn.his_home;
    for (std::uint32_t hits = node.key.hits(); hits; hits &= hits - 1)
      if (facing(std::countr_zero(hits)) <= kHome) --his_home;
    return turn.his_bar + node.hits == 1 && his_home == kCheckers - 1;
  }

  // Whoever hits in the victim's starting table must leave him a way in.
  static bool may_end(const Turn& turn, const Node& node) {
    if (!(node.flags & kHitAtHisStart)) return true;
    // My blots do not keep him out, two of my checkers do; where I hit him he no longer stands.
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
    F::each_change(turn, before, nodes[node.parent], node, [&](const Change& change) { gain += of_changes.of(change); });
    out[i] = gain;
  }
}

template <class F>
constexpr FamilyTable family_table{&F::afterstate, &changes<F>, &F::score, &gains<F>};

}  // namespace tavla
