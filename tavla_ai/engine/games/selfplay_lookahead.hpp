// Positions of self-play labelled by one ply of look-ahead.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "games/selfplay.hpp"
#include "search/network_chooser.hpp"
#include "search/replies.hpp"
#include "search/search.hpp"

namespace tavla {

struct LookaheadSettings {
  double explore = 0;    // chance that a play is drawn at random instead of the best
  double near = 0;       // chance that a play is drawn among those that look nearly as good as the best, by `margin`
  double scramble = 0;   // chance that a game begins with plays at random
  int scrambled = 0;     // largest number of these plays, drawn evenly
  double sample = 1;     // chance that a decision is kept
  int siblings = 0;      // largest number of the best other plays kept of a decision
  double margin = 0;     // largest distance of these plays from the best, in points
  int candidates = 0;    // number of replies to each roll that are ranked, see Replies; 0 ranks all
  int finalists = 0;     // number of candidates that the network evaluates; 0 evaluates all
  double lambda = 0;     // λ of the returns over later corrections by look-ahead
};

// One turn of a game whose positions are labelled.
struct LabelledTurn {
  Distribution correction{};  // value of the afterstate by look-ahead minus that by the network
  bool is_best = false;       // the play was the network's own, as look-ahead assumes of replies
  std::size_t first = 0;      // rows of its decision in the result
  std::size_t count = 0;
};

// λ-returns over expected temporal differences. What look-ahead corrects of the positions to come is handed back to
// those before, discounted by λ for each turn, as far as the best plays were made. In TD(λ) the same sum has the luck
// of the rolls in it (Sutton and Barto, Reinforcement Learning, 2nd edition, section 12.1); here each term is a mean
// over all rolls. The siblings of a play get what the play itself gets, so that their differences stay as they were.
inline void hand_back(const std::vector<LabelledTurn>& turns, double lambda, int num_scores, float* targets) {
  std::array<double, kMaxScores> ahead{};  // for the player of the turn at hand
  for (std::size_t t = turns.size(); t-- > 0;) {
    const LabelledTurn& turn = turns[t];
    for (std::size_t row = turn.first; row < turn.first + turn.count; ++row) {
      float* target = targets + row * static_cast<std::size_t>(num_scores);
      double total = 0;
      std::array<double, kMaxScores> chances{};
      for (int k = 0; k < num_scores; ++k) total += chances[k] = std::max(0.0, target[k] + ahead[k]);
      for (int k = 0; k < num_scores; ++k) target[k] = static_cast<float>(chances[k] / total);
    }
    std::array<double, kMaxScores> before{};
    if (turn.is_best)
      for (int k = 0; k < num_scores; ++k)
        before[k] = lambda * (static_cast<double>(turn.correction[num_scores - 1 - k]) + ahead[num_scores - 1 - k]);
    ahead = before;
  }
}

// Plays games of self-play that leave the main line, on one thread. Each afterstate's target is the expectation over
// the opponent's 21 rolls of the best reply as the network sees it, whatever was then played. With a λ every position of
// a game is kept, since all of them are looked ahead from, and `sample` says of which decisions the siblings are. Not
// for games with stages.
class LabelledSelfPlay {
 public:
  LabelledSelfPlay(const Rules& rules, const Network& network, const Bearoff* tables, const UtilityMix& mix,
                   const LookaheadSettings& settings)
      : rules_(rules), mix_(mix), settings_(settings), thread_(rules, network, tables, search_, nullptr),
        chooser_(network, tables), plays_(std::make_unique<PlayList>()) {
    if (settings.candidates > 0) replies_.emplace(rules, network, tables, settings.candidates, settings.finalists);
  }

  // Its parts refer to one another.
  LabelledSelfPlay(const LabelledSelfPlay&) = delete;
  LabelledSelfPlay& operator=(const LabelledSelfPlay&) = delete;

  // Plays a game and adds the decisions that are kept of it.
  void play(const GameStreams& streams, SelfPlayResult& result) {
    const std::array<Utility, 2> utilities = mix_.of_game(streams, rules_.num_scores());
    const std::uint32_t scrambled = num_scrambled(streams);
    const std::size_t begin = result.targets.size();
    turns_.clear();
    const GameResult game = play_game(
        rules_, streams, std::nullopt,
        [&](int seat, const Board& before, Roll roll, std::uint32_t ply) {
          const bool is_sampled = streams.sample_draw(ply) < settings_.sample;
          kept_.clear();
          TurnEnd end = play_roll(rules_, before, roll, *plays_, [&] {
            return choose({rules_, before, roll, *plays_, utilities[seat], streams, ply}, ply < scrambled,
                          is_sampled && settings_.siblings > 0);
          });
          if (!end.is_finished && (is_sampled || is_line_kept())) kept_.push_back(end.after);
          if (!kept_.empty()) label(utilities[seat], !end.is_finished, result);
          return end;
        },
        [](int, std::span<const Stage>, TurnEnd&, std::uint32_t) {});
    if (is_line_kept()) hand_back(turns_, settings_.lambda, rules_.num_scores(), result.targets.data());
    result.add_game(game, num_rows(result.targets.size() - begin));
  }

  // Afterstates that the network has seen.
  std::int64_t num_evaluated() const {
    return chooser_.num_evaluated() + thread_.num_evaluated() + (replies_ ? replies_->num_evaluated() : 0);
  }

 private:
  std::int32_t num_rows(std::size_t num_values) const {
    return static_cast<std::int32_t>(num_values / static_cast<std::size_t>(rules_.num_scores()));
  }

  bool is_line_kept() const { return settings_.lambda > 0; }

  // Plays at random at the head of a game.
  std::uint32_t num_scrambled(const GameStreams& streams) const {
    if (streams.scramble_draw(0) >= settings_.scramble) return 0;
    return static_cast<std::uint32_t>(streams.scramble_draw(1) * (settings_.scrambled + 1));
  }

  // The play that is made: at random, near the best, or the best. Keeps the siblings of it where there are to be any.
  int choose(const Decision& decision, bool is_scrambled, bool has_siblings) {
    const int best = chooser_.choose(decision);
    const double drawn = decision.streams.explore_draw(decision.ply);
    const bool at_random = is_scrambled || drawn < settings_.explore;
    const bool is_near = !at_random && drawn < settings_.explore + settings_.near;
    if (is_near || has_siblings) find_near(decision, best);
    int chosen = best;
    if (at_random) chosen = draw(decision, plays_->num_leaves());
    if (is_near) chosen = near_[static_cast<std::size_t>(draw(decision, static_cast<int>(near_.size())))];
    if (has_siblings) keep_siblings(decision, chosen);
    is_best_ = chosen == best;
    return chosen;
  }

  static int draw(const Decision& decision, int number) {
    return static_cast<int>(decision.streams.choice(decision.ply, static_cast<std::uint32_t>(number)));
  }

  // Plays that look worse than the best by no more than the margin.
  void find_near(const Decision& decision, int best) {
    const float margin = static_cast<float>(settings_.margin) * decision.utility.point(rules_.num_scores());
    const float least = chooser_.value(best) - margin;
    near_.clear();
    for (int leaf = 0; leaf < plays_->num_leaves(); ++leaf)
      if (chooser_.value(leaf) >= least) near_.push_back(leaf);
  }

  // Keeps the afterstates of the best of the near plays, without the one that was chosen.
  void keep_siblings(const Decision& decision, int chosen) {
    std::erase_if(near_, [&](int leaf) { return leaf == chosen || plays_->leaf(leaf).is_finished(); });
    std::stable_sort(near_.begin(), near_.end(),
                     [&](int a, int b) { return chooser_.value(a) > chooser_.value(b); });
    const std::size_t number = std::min(near_.size(), static_cast<std::size_t>(settings_.siblings));
    for (std::size_t i = 0; i < number; ++i) kept_.push_back(plays_->afterstate(near_[i], decision.before));
  }

  // Records the kept afterstates of a turn with their labels. is_played: the play that was made comes last.
  void label(const Utility& utility, bool is_played, SelfPlayResult& result) {
    const int num_scores = rules_.num_scores();
    LabelledTurn turn{{}, is_best_, result.targets.size() / static_cast<std::size_t>(num_scores), kept_.size()};
    result.siblings.push_back(static_cast<std::int32_t>(kept_.size()));
    for (const Board& after : kept_) {
      const Distribution target = target_of(after, utility);
      const Distribution prediction = *thread_.expectation(after, utility, 0, never_);
      if (is_played)
        for (int k = 0; k < num_scores; ++k) turn.correction[k] = target[k] - prediction[k];
      result.add_afterstate(rules_, after, utility);
      result.targets.insert(result.targets.end(), target.begin(), target.begin() + num_scores);
      for (int k = 0; k < num_scores; ++k) result.values.push_back(utility.values[k] / utility.point(num_scores));
      result.sum_abs_td_error += std::fabs(utility.of(target, num_scores) - utility.of(prediction, num_scores));
    }
    turns_.push_back(turn);
  }

  Distribution target_of(const Board& after, const Utility& utility) {
    if (!replies_ || thread_.covers(after)) return *thread_.expectation(after, utility, 1, never_);
    replies_->evaluate(after.swapped(), utility.opposed(rules_.num_scores()), true);
    return replies_->mean_after();
  }

  const Rules& rules_;
  const UtilityMix& mix_;
  const LookaheadSettings& settings_;
  const SearchSettings search_;
  SearchThread thread_;
  std::optional<Replies> replies_;
  NetworkChooser chooser_;
  std::unique_ptr<PlayList> plays_;
  Deadline never_;
  // Of the decision at hand: plays that look nearly as good as the best, afterstates to be kept, and whether the best
  // play was made.
  std::vector<int> near_;
  std::vector<Board> kept_;
  bool is_best_ = true;
  std::vector<LabelledTurn> turns_;  // of the game
};

inline void lookahead_range(const Rules& rules, const Network& network, const Bearoff* tables, const UtilityMix& mix,
                            const LookaheadSettings& settings, const Games& games, SelfPlayResult& result) {
  LabelledSelfPlay self_play(rules, network, tables, mix, settings);
  for (std::int64_t g = 0; g < games.number; ++g) self_play.play(games.streams(g), result);
  result.evaluated += self_play.num_evaluated();
}

}  // namespace tavla
