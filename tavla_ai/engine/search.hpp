// Look-ahead: the expectation over the opponent's 21 rolls of his best reply, n plies deep.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "players.hpp"

namespace tavla {

// Searches with one network. Plies are named as gnubg names them: 0-ply is the network on each afterstate, n-ply
// the expectation over 21 rolls of the opponent's best (n − 1)-ply reply. Gul Bara is not searched: its turns are
// more than one roll and one play.
class Searcher {
 public:
  // keep: plays that are looked at more deeply than 0-ply, at the root and below it.
  Searcher(const Rules& rules, const Network& network, int max_ply, int keep) : rules_(rules), keep_(keep) {
    for (int ply = 0; ply <= max_ply; ++ply) {
      lists_.push_back(std::make_unique<PlayList>());
      choosers_.push_back(std::make_unique<NetworkChooser>(network));
    }
  }

  // Values of the plays of a roll for the mover: at `ply` for the `keep` best, at 0-ply for the others.
  // depths: the ply at which each was looked at.
  void rank(const Board& before, Roll roll, const Utility& utility, int ply, std::vector<float>& values,
            std::vector<int>& depths) {
    generate(before, roll, utility, ply);
    const PlayList& plays = *lists_[ply];
    const int n = plays.num_leaves();
    values.resize(n);
    depths.assign(n, 0);
    for (int leaf = 0; leaf < n; ++leaf) values[leaf] = choosers_[ply]->value(leaf);
    if (ply == 0) return;
    for (int leaf : best_leaves(ply)) {
      depths[leaf] = ply;
      if (!plays.leaf(leaf).is_finished()) values[leaf] = expectation(plays.afterstate(leaf, before), utility, ply);
    }
  }

 private:
  void generate(const Board& before, Roll roll, const Utility& utility, int level) {
    lists_[level]->generate(rules_, before, roll.first, roll.second);
    choosers_[level]->choose({rules_, before, *lists_[level], utility, no_streams_, 0});
  }

  // The `keep` best plays at 0-ply, best first, equal ones in the generator's order.
  std::vector<int> best_leaves(int level) const {
    std::vector<int> leaves(lists_[level]->num_leaves());
    std::iota(leaves.begin(), leaves.end(), 0);
    std::stable_sort(leaves.begin(), leaves.end(), [&](int a, int b) {
      return choosers_[level]->value(a) > choosers_[level]->value(b);
    });
    if (static_cast<int>(leaves.size()) > keep_) leaves.resize(keep_);
    return leaves;
  }

  // The value of an afterstate for the player who has just moved.
  float expectation(const Board& after, const Utility& utility, int ply) {
    const Utility his = utility.opposed(rules_.num_scores());
    const Board before = after.swapped();
    const int level = ply - 1;
    float total = 0;
    for (int first = 1; first <= 6; ++first)
      for (int second = 1; second <= first; ++second) {
        generate(before, {first, second}, his, level);
        const PlayList& plays = *lists_[level];
        float best = choosers_[level]->value(0);
        if (level == 0) {
          for (int leaf = 1; leaf < plays.num_leaves(); ++leaf) best = std::max(best, choosers_[level]->value(leaf));
        } else {
          bool is_first = true;
          for (int leaf : best_leaves(level)) {
            const float value = plays.leaf(leaf).is_finished()
                                    ? choosers_[level]->value(leaf)
                                    : expectation(plays.afterstate(leaf, before), his, level);
            best = is_first ? value : std::max(best, value);
            is_first = false;
          }
        }
        total += (first == second ? 1.0f : 2.0f) * best;
      }
    return -total / 36;
  }

  const Rules& rules_;
  int keep_;
  GameStreams no_streams_{0, 0};
  std::vector<std::unique_ptr<PlayList>> lists_;        // by ply
  std::vector<std::unique_ptr<NetworkChooser>> choosers_;
};

}  // namespace tavla
