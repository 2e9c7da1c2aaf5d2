// Whether rules, networks and searches fit each other, checked before the core is called.
#pragma once

#include <cmath>
#include <memory>
#include <tuple>
#include <vector>

#include "bind/arrays.hpp"
#include "rules/plays.hpp"
#include "rules/rules.hpp"
#include "search/search.hpp"
#include "value/network.hpp"

namespace tavla {

inline void require_fits(const Network& network, const Rules& rules) {
  require(network.num_outputs() == rules.num_scores(), "network: one output per score of the ruleset expected");
  require(network.num_utility_inputs() == rules.num_scores() - 2,
          "network: two utility inputs fewer than the ruleset has scores expected");
  require(network.num_places() == rules.num_places(), "network: made for another game");
}

inline PlayFilter filter_of(const std::tuple<int, int, float>& filter) {
  const auto [keep, extra, margin] = filter;
  require(keep >= 1 && extra >= 0 && std::isfinite(margin) && margin >= 0,
          "filter: keep of at least 1, extra and margin of at least 0 expected");
  return {keep, extra, margin};
}

inline SearchSettings settings_of(const std::vector<std::tuple<int, int, float>>& root,
                                  const std::tuple<int, int, float>& replies) {
  require(!root.empty(), "root: at least one filter expected");
  SearchSettings settings{{}, filter_of(replies)};
  for (const auto& filter : root) settings.root.push_back(filter_of(filter));
  return settings;
}

inline void require_ply(const Rules& rules, int ply) {
  require(ply >= 0 && ply <= 4, "ply: 0 to 4 expected");
  if (ply > 0 && rules.facts().has_stages)
    throw RulesError("search: a turn of Gul Bara is more than one roll; only 0-ply is played");
}

// A list of plays of this thread, whose buffers are too large to be made for each call. It holds the plays of one roll
// at a time.
inline PlayList& shared_plays() {
  static thread_local const auto plays = std::make_unique<PlayList>();
  return *plays;
}

// The plays of a roll that the caller gives, in the thread's list.
inline const PlayList& checked_plays(const Rules& rules, const Board& board, int first, int second) {
  check_dice(first, second);
  check_playable(rules, board);
  PlayList& plays = shared_plays();
  plays.generate(rules, board, first, second);
  return plays;
}

}  // namespace tavla
