// A hand-made player for every game: an opponent where pubeval does not play.
#pragma once

#include <algorithm>
#include <array>

#include "rules/board.hpp"
#include "search/decision.hpp"

namespace tavla {

// What the facts of a position are worth, in pips, by what happens to a lone checker. Made by hand.
struct BaselineWeights {
  float borne_off;   // a checker borne off, beyond its pips
  float blocked;     // a number blocked before an opposing checker; more of them are worth more each
  float prime;       // the square of what a row of held points before an opposing checker has beyond three
  float caught;      // a lone checker that is hit or pinned, beyond its pips
  float caught_pip;  // a pip that a checker loses when it is hit, or has left when it is pinned
  float threat;      // the part of a blot's risk that counts while its owner is to roll
  float mother;      // a pinned checker on its start, while the side that pins it has not left its own
  float stacked;     // a checker beyond three on a point outside home
  float dead;        // a number that no checker can play; less where few can, since a double is played four times
};

constexpr BaselineWeights baseline_weights(LoneChecker fate) {
  switch (fate) {
    case LoneChecker::kIsHit: return {3, 0.8f, 3, 6, 1, 0.25f, 0, 0.5f, 3};
    case LoneChecker::kIsPinned: return {2, 1, 0.7f, 8, 2, 0.1f, 100, 0.5f, 5};
    case LoneChecker::kHoldsThePoint: return {1.5f, 0.4f, 0.4f, 0, 0, 0, 0, 0.4f, 10};
  }
  return {};
}

// The value of an afterstate: its race, blocked numbers and primes, blots and pins, of both sides alike.
class BaselineEvaluation {
 public:
  BaselineEvaluation(const Rules& rules, const Board& after)
      : rules_(rules), board_(after), weights_(baseline_weights(rules.facts().lone_checker)) {
    for (int side = 0; side < 2; ++side)
      for (int point = 1; point <= kPoints; ++point) is_closed_[1 - side][rules.facing(point)] = holds(side, point);
  }

  // In pips, for the side that has just moved.
  float value() const { return of_side(0, 1) - of_side(1, weights_.threat); }

 private:
  static constexpr int kEntry = kPoints + 1;  // where checkers on the bar and in reserve stand

  bool is_pinned(int side, int point) const {
    return rules_.facts().pins() && board_.count[side][kPinned + point] > 0;
  }

  bool pins_one(int side, int point) const { return is_pinned(1 - side, rules_.facing(point)); }

  // Whether the other side may not come to a point of this side.
  bool holds(int side, int point) const {
    const int least = rules_.facts().lone_checker == LoneChecker::kHoldsThePoint ? 1 : 2;
    const int number = board_.count[side][point];
    return !is_pinned(side, point) && (number >= least || (number > 0 && pins_one(side, point)));
  }

  int waiting(int side) const {
    return board_.count[side][kBar] + (rules_.facts().has_reserve ? board_.count[side][kReserve] : 0);
  }

  // The checkers that a side can move from a place.
  int movable(int side, int place) const {
    if (place == kEntry) return waiting(side);
    return is_pinned(side, place) ? 0 : board_.count[side][place];
  }

  // How much a side's checkers are held up by the points that are closed to it.
  float blockade(int side) const {
    float total = 0;
    int row = 0;
    int longest = 0;
    int rearmost = kEntry;
    while (rearmost > 0 && movable(side, rearmost) == 0) --rearmost;
    std::array<int, 7> moves{};  // by die, checkers that can play it
    for (int place = 1; place <= rearmost; ++place) {
      if (const int number = movable(side, place); number > 0) {
        int blocked = 0;
        for (int die = 1; die <= 6; ++die) {
          const bool is_blocked = die < place && is_closed_[side][place - die];
          blocked += is_blocked;
          if (!is_blocked && (die < place || rearmost <= kHome)) moves[die] += number;
        }
        const int beyond = std::max(0, longest - 3);
        const float held_up = weights_.blocked * static_cast<float>(blocked) * (1 + 0.15f * static_cast<float>(blocked)) +
                              weights_.prime * static_cast<float>(beyond * beyond);
        total += held_up * (1 + 0.3f * static_cast<float>(std::min(number, 5) - 1));
      }
      if (place > kPoints) break;
      row = is_closed_[side][place] ? row + 1 : 0;
      longest = std::max(longest, row);
    }
    // A double is played four times.
    for (int die = 1; die <= 6; ++die) {
      static constexpr std::array<float, 4> kShort{1, 0.5f, 0.3f, 0.15f};
      if (moves[die] < 4) total += weights_.dead * kShort[moves[die]];
    }
    return total;
  }

  // What a side loses when its lone checker on a point is hit or pinned.
  float cost_of_catch(int side, int point) const {
    if (rules_.facts().hits()) return weights_.caught + weights_.caught_pip * static_cast<float>(kEntry - point);
    const bool is_lost = point == kPoints && board_.count[1 - side][kPoints] > 0;
    return weights_.caught + weights_.caught_pip * static_cast<float>(point) + (is_lost ? weights_.mother : 0);
  }

  // How many of the 36 rolls bring an opposing checker to a point of a side, other plays of the roll left aside.
  int rolls_that_reach(int side, int point) const {
    const int other = 1 - side;
    const int target = rules_.facing(point);
    const auto stands = [&](int pips) { return target + pips <= kEntry && movable(other, target + pips) > 0; };
    const auto is_open = [&](int pips) { return target + pips <= kPoints && !is_closed_[other][target + pips]; };
    int rolls = 0;
    for (const Roll roll : kDistinctRolls) {
      const auto [a, b] = roll;
      bool reaches = stands(a) || stands(b);
      if (roll.is_double()) {
        for (int steps = 2; steps <= 4 && !reaches && is_open((steps - 1) * a); ++steps) reaches = stands(steps * a);
      } else {
        reaches = reaches || (stands(a + b) && (is_open(a) || is_open(b)));
      }
      if (reaches) rolls += weight_of(roll);
    }
    return rolls;
  }

  float of_side(int side, float share_of_risk) const {
    const int other = 1 - side;
    const FamilyFacts& facts = rules_.facts();
    const int off = board_.count[side][kOff];
    float total = weights_.borne_off * static_cast<float>(off) + blockade(other);
    int pips = kEntry * waiting(side);
    int pips_to_home = (kEntry - kHome) * waiting(side);
    for (int point = 1; point <= kPoints; ++point) {
      const int number = board_.count[side][point];
      if (number == 0) continue;
      pips += number * point;
      pips_to_home += number * std::max(0, point - kHome);
      if (is_pinned(side, point))
        total -= cost_of_catch(side, point);
      else if (number == 1 && !holds(side, point))
        total -= share_of_risk * cost_of_catch(side, point) * static_cast<float>(rolls_that_reach(side, point)) / kNumRolls;
      if (number > 3 && point > kHome && point < kPoints) total -= weights_.stacked * static_cast<float>(number - 3);
    }
    // A side that may lose a mars has to come home.
    if (facts.has_mars && off == 0)
      total -= static_cast<float>(pips_to_home * board_.count[other][kOff]) / kCheckers;
    return total - static_cast<float>(pips);
  }

  const Rules& rules_;
  const Board& board_;
  const BaselineWeights weights_;
  bool is_closed_[2][kPoints + 1] = {};  // whether the other side closes a point of this one
};

class BaselineChooser {
 public:
  int choose(const Decision& decision) {
    int best = 0;
    float best_value = 0;
    for (int i = 0; i < decision.plays.num_leaves(); ++i) {
      const float value = decision.plays.leaf(i).is_finished()
                              ? kPipsPerPoint * static_cast<float>(decision.plays.score(i))
                              : BaselineEvaluation(decision.rules, decision.plays.afterstate(i, decision.before)).value();
      if (i == 0 || value > best_value) {
        best = i;
        best_value = value;
      }
    }
    return best;
  }

 private:
  // Beyond any value of a game that goes on.
  static constexpr float kPipsPerPoint = 10'000;
};

}  // namespace tavla
