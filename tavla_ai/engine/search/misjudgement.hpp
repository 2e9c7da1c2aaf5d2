// Weaker play that looks human: a judgement that is off, by a bounded amount.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "rules/board.hpp"
#include "rules/contact.hpp"
#include "search/decision.hpp"
#include "search/network_chooser.hpp"
#include "value/bearoff.hpp"

namespace tavla {

// How far a player's judgement is off, in points. It is never off where a race is exactly known or borne off: see
// `is_beyond_doubt`.
struct Misjudgement {
  float noise = 0;  // standard deviation of the error about each position
  float cap = 0;    // largest loss of a play by the error

  bool is_none() const { return noise <= 0; }
};

// A standard normal number for the position after a play, in this game: the same position always has the same error. It
// does not depend on the other plays of the roll.
inline float normal_error(const Decision& decision, int leaf) {
  const std::uint64_t hash = board_hash(decision.plays.afterstate(leaf, decision.before), 0);
  const auto [first, second] = decision.streams.error_draw(static_cast<std::uint32_t>(hash ^ (hash >> 32)));
  // Box and Muller, Annals of Mathematical Statistics 29 (1958); `first` is never 0.
  return static_cast<float>(std::sqrt(-2 * std::log(first)) * std::cos(2 * std::numbers::pi * second));
}

// Whether a side, a row of counts, has all its checkers home.
inline bool is_home(const std::int8_t* row) { return has_nobody_beyond(kHome, row); }

// Positions that are played without error: races that the tables cover, and, in games with hitting, races in which
// either side has all checkers home. So a won bear-off is not played badly, and a mars that racing can save is not lost
// by an error.
inline bool is_beyond_doubt(const Decision& decision, const Bearoff* tables) {
  const Board& before = decision.before;
  if (tables && tables->covers(decision.rules, before)) return true;
  return decision.rules.facts().is_opposed_hit() && (is_home(before.count[0]) || is_home(before.count[1])) &&
         !has_contact(before);
}

// The play that a misjudging player takes for the best. `values` are the plays' real values, `best` the best play; it
// is made if it ends the game, and where the position leaves no doubt. `tables`: of the game, or null.
inline int misjudged(const Misjudgement& misjudgement, const Decision& decision, const Bearoff* tables,
                     const std::vector<float>& values, int best) {
  if (misjudgement.is_none() || decision.plays.leaf(best).is_finished() || is_beyond_doubt(decision, tables))
    return best;
  const float point = decision.utility.point(decision.rules.num_scores());
  const float least = values[best] - misjudgement.cap * point;
  int chosen = best;
  float highest = 0;
  bool is_first = true;
  for (int leaf = 0; leaf < decision.plays.num_leaves(); ++leaf) {
    if (values[leaf] < least) continue;
    const float seen = values[leaf] + misjudgement.noise * point * normal_error(decision, leaf);
    if (is_first || seen > highest) {
      chosen = leaf;
      highest = seen;
    }
    is_first = false;
  }
  return chosen;
}

// Plays at 0-ply with a judgement that is off.
class MisjudgingChooser {
 public:
  MisjudgingChooser(const Network& network, const Bearoff* tables, const Misjudgement& misjudgement)
      : chooser_(network, tables), tables_(tables), misjudgement_(misjudgement) {}

  int choose(const Decision& decision) {
    const int best = chooser_.choose(decision);
    return misjudged(misjudgement_, decision, tables_, chooser_.values(), best);
  }

 private:
  NetworkChooser chooser_;
  const Bearoff* tables_;
  Misjudgement misjudgement_;
};

}  // namespace tavla
