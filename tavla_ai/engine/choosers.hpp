// Choosers: each picks one of the legal plays of a roll by the value of what is left after it.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <variant>
#include <vector>

#include "bearoff.hpp"
#include "board.hpp"
#include "dice.hpp"
#include "network.hpp"
#include "plays.hpp"
#include "rules.hpp"
#include "turn.hpp"
#include "utility.hpp"

namespace tavla {

// One decision: the position before the play, its legal plays, and what the mover plays for.
struct Decision {
  const Rules& rules;
  const Board& before;
  Roll roll;
  const PlayList& plays;
  const Utility& utility;
  const GameStreams& streams;
  std::uint32_t ply;
};

inline bool has_contact(const Board& board) {
  int mine = kBar;
  while (mine > 0 && board.count[0][mine] == 0) --mine;
  int theirs = kBar;
  while (theirs > 0 && board.count[1][theirs] == 0) --theirs;
  // My rearmost checker still has to pass his: he stands on my point 25 - theirs or below mine.
  return mine > 25 - theirs;
}

// Chances of scores that the rules leave open no more, as a network may still see them, go to the next smaller score:
// who has borne off a checker does not lose more than the smallest score, and in a race nobody is a backgammon any more
// whose checkers have left the other's home. `row(k)` is the chance of score k, for the player who has just moved.
template <class Row>
void drop_impossible(const Rules& rules, bool i_bore_off, bool he_bore_off, bool no_backgammon, Row&& row) {
  const int num_scores = rules.num_scores();
  const int num_wins = num_scores / 2;
  const int most = he_bore_off ? num_wins - 1 : no_backgammon ? num_wins - 2 : 0;
  for (int k = 0; k < most; ++k) {
    row(k + 1) += row(k);
    row(k) = 0;
  }
  const int least = i_bore_off ? num_wins - 1 : no_backgammon ? num_wins - 2 : 0;
  for (int k = 0; k < least; ++k) {
    row(num_scores - 2 - k) += row(num_scores - 1 - k);
    row(num_scores - 1 - k) = 0;
  }
}

// Whether a side, a row of counts, has nobody beyond a point or on the bar.
inline bool has_nobody_beyond(int point, const std::int8_t* row) {
  for (int i = point + 1; i <= kBar; ++i)
    if (row[i] > 0) return false;
  return true;
}

// Whether a side, a row of counts, has nobody on the bar or in the other's home.
inline bool is_clear_of_home(const std::int8_t* row) { return has_nobody_beyond(kPoints - kHome, row); }

// What the tables say of a race that they cover, for the player who has just moved.
inline Distribution exact(const Bearoff& tables, const Rules& rules, const Board& after) {
  std::array<double, kMaxScores> wide{};
  tables.distribution(rules, after, wide.data());
  Distribution found{};
  for (int k = 0; k < rules.num_scores(); ++k) found[k] = static_cast<float>(wide[k]);
  return found;
}

// Whether a game of three-point results can no longer end in one.
inline bool has_no_backgammon(const Rules& rules, const Board& board) {
  return rules.num_scores() >= 6 && is_clear_of_home(board.count[1]) && is_clear_of_home(board.count[0]) &&
         !has_contact(board);
}

// Picks the play of the highest expected utility as the network predicts it; ties go to the first. A finished game
// is worth its score and a race that the bear-off tables cover what they say, whatever the network says.
class NetworkChooser {
 public:
  explicit NetworkChooser(const Network& network, const Bearoff* tables = nullptr)
      : network_(&network), tables_(tables), scratch_(network), stride_(padded(PlayList::kMaxLeaves)),
        probabilities_(static_cast<std::size_t>(stride_) * network.num_outputs()), values_(stride_) {}

  int choose(const Decision& decision) {
    const PlayList& plays = decision.plays;
    const int n = plays.num_leaves();
    const int num_scores = network_->num_outputs();
    network_->evaluate_plays(decision.before, plays, decision.utility.inputs.data(), scratch_,
                             probabilities_.data(), stride_);
    num_evaluated_ += n;
    if (tables_ && tables_->covers_side(decision.before.count[1]))
      for (int leaf = 0; leaf < n; ++leaf) {
        // Most plays leave a checker too far out, or hit: no board is made for them.
        const Node& node = plays.leaf(leaf);
        if (node.is_finished() || node.hits > 0 || node.occupied >> (BearoffIndex::kMaxPoints + 1)) continue;
        const Board after = plays.afterstate(leaf, decision.before);
        if (tables_->covers(decision.rules, after)) set_distribution(leaf, exact(*tables_, decision.rules, after), num_scores);
      }
    // Most games have nobody off and nothing to drop.
    const bool he_bore_off = decision.before.count[1][kOff] > 0;
    const bool he_is_clear = num_scores >= 6 && is_clear_of_home(decision.before.count[1]);
    for (int leaf = 0; leaf < n; ++leaf) {
      const bool i_bore_off = plays.leaf(leaf).off > 0;
      const bool no_backgammon =
          he_is_clear && has_no_backgammon(decision.rules, plays.afterstate(leaf, decision.before));
      if (!i_bore_off && !he_bore_off && !no_backgammon) continue;
      drop_impossible(decision.rules, i_bore_off, he_bore_off, no_backgammon, [&](int k) -> float& {
        return probabilities_[static_cast<std::size_t>(k) * stride_ + leaf];
      });
    }
    std::fill_n(values_.begin(), n, 0.0f);
    for (int k = 0; k < num_scores; ++k) {
      const float* row = probabilities_.data() + static_cast<std::size_t>(k) * stride_;
      const float value = decision.utility.values[k];
      for (int i = 0; i < n; ++i) values_[i] += value * row[i];
    }
    best_ = 0;
    for (int i = 0; i < n; ++i) {
      if (plays.leaf(i).is_finished()) {
        Distribution certain{};
        const int score = decision.rules.score_index(plays.score(i));
        certain[score] = 1;
        set_distribution(i, certain, num_scores);
        values_[i] = decision.utility.values[score];
      }
      if (values_[i] > values_[best_]) best_ = i;
    }
    return best_;
  }

  // Of the last decision: the best play, the expected utility of each, and its distribution.
  int best() const { return best_; }
  const std::vector<float>& values() const { return values_; }
  float value(int leaf) const { return values_[leaf]; }
  float probability(int score, int leaf) const {
    return probabilities_[static_cast<std::size_t>(score) * stride_ + leaf];
  }
  Distribution distribution(int leaf) const {
    Distribution found{};
    for (int k = 0; k < network_->num_outputs(); ++k) found[k] = probability(k, leaf);
    return found;
  }

  // Afterstates that the network has seen.
  std::int64_t num_evaluated() const { return num_evaluated_; }

  // The distribution of an afterstate for the player who has just moved.
  Distribution evaluate(const Rules& rules, const Board& after, const Utility& utility) {
    if (tables_ && tables_->covers(rules, after)) return exact(*tables_, rules, after);
    network_->evaluate_boards(&after, utility.inputs.data(), 1, scratch_, probabilities_.data(), stride_);
    ++num_evaluated_;
    Distribution found = distribution(0);
    drop_impossible(rules, after.count[0][kOff] > 0, after.count[1][kOff] > 0, has_no_backgammon(rules, after),
                    [&](int k) -> float& { return found[k]; });
    return found;
  }

  // Gul Bara: plays all stages of a roll, the best few positions of each stage going on to the next.
  TurnEnd choose_stages(const Rules& rules, const Board& before, std::span<const Stage> stages,
                        const Utility& utility, PlayList& plays);

 private:
  void set_distribution(int leaf, const Distribution& distribution, int num_scores) {
    for (int k = 0; k < num_scores; ++k)
      probabilities_[static_cast<std::size_t>(k) * stride_ + leaf] = distribution[k];
  }

  const Network* network_;
  const Bearoff* tables_;
  Network::Scratch scratch_;
  int stride_;
  std::vector<float> probabilities_;
  std::vector<float> values_;
  int best_ = 0;
  std::int64_t num_evaluated_ = 0;
};

inline TurnEnd NetworkChooser::choose_stages(const Rules& rules, const Board& before, std::span<const Stage> stages,
                                             const Utility& utility, PlayList& plays) {
  constexpr std::size_t kBeam = 6;
  struct Candidate {
    TurnEnd end;
    float value;
  };
  const GameStreams no_streams(0, 0);
  const int num_scores = rules.num_scores();
  const Utility opposed = utility.opposed(num_scores);
  std::vector<Candidate> going{{{before, {}, false, 0, false}, 0}};
  std::vector<Candidate> next;
  TurnEnd best;
  float best_value = 0;
  bool has_best = false;
  const auto offer = [&](TurnEnd&& end, float value) {
    if (has_best && value <= best_value) return;
    best = std::move(end);
    best_value = value;
    has_best = true;
  };
  for (std::size_t s = 0; s < stages.size(); ++s) {
    next.clear();
    const bool is_last = s + 1 == stages.size();
    for (const Candidate& from : going) {
      const Board board = from.end.after;
      plays.generate_stage(rules, board, stages[s].span());
      choose({rules, board, {}, plays, utility, no_streams, 0});
      // What a stage leaves unplayed is worth what the opponent makes of it, which costs further
      // generations: the values of this one are taken first.
      const std::size_t first = next.size();
      for (int leaf = 0; leaf < plays.num_leaves(); ++leaf) {
        TurnEnd end{plays.afterstate(leaf, board), {}, plays.leaf(leaf).is_finished(), 0,
                    from.end.has_moved || plays.leaf_node(leaf) != 0};
        if (end.is_finished) end.points = plays.score(leaf);
        const Stage rest = unplayed(stages[s], plays, leaf);
        if (rest.count > 0) {
          end.passed.push_back(rest);
          end.passed.insert(end.passed.end(), stages.begin() + static_cast<std::ptrdiff_t>(s) + 1, stages.end());
        }
        if (end.is_finished || (is_last && end.passed.empty()))
          offer(std::move(end), values_[leaf]);
        else
          next.push_back({std::move(end), values_[leaf]});
      }
      // As many dice as possible are played, so either all of these pass dice on or none does.
      if (next.size() > first && !next.back().end.passed.empty()) {
        // Those that look best before the passed dice are looked at in full.
        std::stable_sort(next.begin() + static_cast<std::ptrdiff_t>(first), next.end(),
                         [](const Candidate& a, const Candidate& b) { return a.value > b.value; });
        const std::size_t looked_at = std::min(next.size(), first + kBeam);
        for (std::size_t i = first; i < looked_at; ++i) {
          TurnEnd reply{next[i].end.after.swapped(), {}, false, 0, false};
          play_passed_stages(rules, next[i].end.passed, plays, reply, [&](const Board& board, const PlayList& list) {
            return choose({rules, board, {}, list, opposed, no_streams, 0});
          });
          const float value =
              reply.is_finished
                  ? -opposed.values[rules.score_index(reply.points)]
                  : utility.of(evaluate(rules, reply.after.swapped(), utility), num_scores);
          offer(std::move(next[i].end), value);
        }
        next.resize(first);
      }
    }
    std::stable_sort(next.begin(), next.end(), [](const Candidate& a, const Candidate& b) { return a.value > b.value; });
    if (next.size() > kBeam) next.resize(kBeam);
    std::swap(going, next);
    if (going.empty()) break;
  }
  return best;
}

// Tesauro's pubeval: two linear functions of 122 inputs (G. Tesauro, rec.games.backgammon, 1993).
struct Pubeval {
  static constexpr int kInputs = 122;
  std::array<float, kInputs> contact{};
  std::array<float, kInputs> race{};
};

class PubevalChooser {
 public:
  explicit PubevalChooser(const Pubeval& weights) : weights_(&weights) {}

  int choose(const Decision& decision) {
    // The class is decided on the position before the play.
    const auto& weights = has_contact(decision.before) ? weights_->contact : weights_->race;
    int best = 0;
    float best_value = 0;
    for (int i = 0; i < decision.plays.num_leaves(); ++i) {
      if (decision.plays.leaf(i).is_finished()) return i;
      const float value = evaluate(decision.plays.afterstate(i, decision.before), weights);
      if (i == 0 || value > best_value) {
        best = i;
        best_value = value;
      }
    }
    return best;
  }

 private:
  static float evaluate(const Board& after, const std::array<float, Pubeval::kInputs>& weights) {
    float total = 0;
    for (int j = 0; j < kPoints; ++j) {
      const int point = kPoints - j;
      const float* w = weights.data() + 5 * j;
      const int n = after.count[0][point];
      if (n == 0) {
        if (after.count[1][25 - point] == 1) total += w[0];
        continue;
      }
      if (n == 1) total += w[1];
      if (n >= 2) total += w[2];
      if (n == 3) total += w[3];
      if (n >= 4) total += w[4] * static_cast<float>(n - 3) / 2;
    }
    total += weights[120] * static_cast<float>(after.count[1][kBar]) / 2;
    return total + weights[121] * static_cast<float>(after.count[0][kOff]) / kCheckers;
  }

  const Pubeval* weights_;
};

// Every legal play with equal chance.
class RandomChooser {
 public:
  int choose(const Decision& decision) {
    return static_cast<int>(
        decision.streams.choice(decision.ply, static_cast<std::uint32_t>(decision.plays.num_leaves())));
  }
};

}  // namespace tavla
