// Gul Bara: the plays of a whole roll, found by a beam search over its stages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/dice.hpp"
#include "rules/plays.hpp"
#include "rules/turn.hpp"
#include "search/network_chooser.hpp"

namespace tavla {

// One search. The best few positions of each stage are searched at the next stage.
class StageSearch {
 public:
  StageSearch(const Rules& rules, std::span<const Stage> stages, const Utility& utility, NetworkChooser& chooser,
              PlayList& plays)
      : rules_(rules), stages_(stages), utility_(utility), opposed_(utility.opposed(rules.num_scores())),
        chooser_(chooser), plays_(plays) {}

  TurnEnd best_turn(const Board& before) {
    std::vector<Candidate> going{{{before, {}, false, 0, false}, 0}};
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      next_.clear();
      for (const Candidate& from : going) {
        const std::size_t first = next_.size();
        play_stage(from.end, stage);
        // As many dice as possible are played, so either all of these pass dice on or none does.
        if (next_.size() > first && !next_.back().end.passed.empty()) look_at_replies(first);
      }
      std::stable_sort(next_.begin(), next_.end(), is_better);
      if (next_.size() > kBeam) next_.resize(kBeam);
      std::swap(going, next_);
      if (going.empty()) break;
    }
    return best_;
  }

 private:
  static constexpr std::size_t kBeam = 6;

  struct Candidate {
    TurnEnd end;
    float value;
  };

  static bool is_better(const Candidate& a, const Candidate& b) { return a.value > b.value; }

  void offer(TurnEnd&& end, float value) {
    if (has_best_ && value <= best_value_) return;
    best_ = std::move(end);
    best_value_ = value;
    has_best_ = true;
  }

  // Offers the plays of a stage that end the turn and appends the others to next_. What a stage leaves unplayed is
  // worth what the opponent makes of it, which costs further generations: the values of this one are taken first.
  void play_stage(const TurnEnd& from, std::size_t stage) {
    const Board board = from.after;
    const bool is_last = stage + 1 == stages_.size();
    plays_.generate_stage(rules_, board, stages_[stage].span());
    chooser_.choose({rules_, board, {}, plays_, utility_, no_streams_, 0});
    for (int leaf = 0; leaf < plays_.num_leaves(); ++leaf) {
      TurnEnd end{plays_.afterstate(leaf, board), {}, plays_.leaf(leaf).is_finished(), 0,
                  from.has_moved || plays_.leaf_node(leaf) != 0};
      if (end.is_finished) end.points = plays_.score(leaf);
      const Stage rest = unplayed(stages_[stage], plays_, leaf);
      if (rest.count > 0) {
        end.passed.push_back(rest);
        end.passed.insert(end.passed.end(), stages_.begin() + static_cast<std::ptrdiff_t>(stage) + 1, stages_.end());
      }
      if (end.is_finished || (is_last && end.passed.empty()))
        offer(std::move(end), chooser_.value(leaf));
      else
        next_.push_back({std::move(end), chooser_.value(leaf)});
    }
  }

  // Offers those candidates from `first` on that look best before the passed dice, with the value that they have after
  // them, and drops all of them from next_.
  void look_at_replies(std::size_t first) {
    std::stable_sort(next_.begin() + static_cast<std::ptrdiff_t>(first), next_.end(), is_better);
    const std::size_t looked_at = std::min(next_.size(), first + kBeam);
    for (std::size_t i = first; i < looked_at; ++i) {
      TurnEnd& end = next_[i].end;
      const float value = value_after_reply(end);
      offer(std::move(end), value);
    }
    next_.resize(first);
  }

  // The value of a position once the opponent has played the dice that were passed.
  float value_after_reply(const TurnEnd& end) {
    TurnEnd reply{end.after.swapped(), {}, false, 0, false};
    play_passed_stages(rules_, end.passed, plays_, reply, [&](const Board& board, const PlayList& list) {
      return chooser_.choose({rules_, board, {}, list, opposed_, no_streams_, 0});
    });
    if (reply.is_finished) return -opposed_.values[rules_.score_index(reply.points)];
    return utility_.of(chooser_.evaluate(rules_, reply.after.swapped(), utility_), rules_.num_scores());
  }

  const Rules& rules_;
  std::span<const Stage> stages_;
  const Utility& utility_;
  const Utility opposed_;
  NetworkChooser& chooser_;
  PlayList& plays_;
  const GameStreams no_streams_{0, 0};
  std::vector<Candidate> next_;
  TurnEnd best_;
  float best_value_ = 0;
  bool has_best_ = false;
};

// The turn of a roll whose stages are given, `before` having counted it.
inline TurnEnd choose_stages(const Rules& rules, const Board& before, std::span<const Stage> stages,
                             const Utility& utility, NetworkChooser& chooser, PlayList& plays) {
  return StageSearch(rules, stages, utility, chooser, plays).best_turn(before);
}

}  // namespace tavla
