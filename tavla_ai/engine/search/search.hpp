// Look-ahead: the expectation over the opponent's 21 rolls of its best reply, n plies deep.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/dice.hpp"
#include "base/threads.hpp"
#include "search/cache.hpp"
#include "search/misjudgement.hpp"
#include "search/network_chooser.hpp"

namespace tavla {

// Which of some plays are looked at more deeply: the best `keep` always, and of the next best up to `extra` that
// are worse than the best by no more than `margin`, in points.
struct PlayFilter {
  int keep = 1;
  int extra = 0;
  float margin = 0;
};

struct SearchSettings {
  std::vector<PlayFilter> root{{8, 0, 0}};  // root[p]: plays of the roll that go on from p-ply to (p + 1)-ply; the
                                            // last one holds for all deeper plies
  PlayFilter replies{1, 0, 0};              // replies, judged at 0-ply, that are looked at more deeply

  const PlayFilter& at_root(int ply) const {
    return root[std::min<std::size_t>(static_cast<std::size_t>(ply), root.size() - 1)];
  }
};

// Set once when the time is up; a search that sees it gives up.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(std::optional<Clock::time_point> at = std::nullopt) : at_(at) {}
  // Whether the time can run out by itself.
  bool is_set() const { return at_.has_value(); }
  // Ends the time now.
  void pass() { passed_.store(true, std::memory_order_relaxed); }
  bool has_passed() {
    if (!at_) return passed_.load(std::memory_order_relaxed);
    if (!passed_.load(std::memory_order_relaxed) && Clock::now() >= *at_)
      passed_.store(true, std::memory_order_relaxed);
    return passed_.load(std::memory_order_relaxed);
  }

 private:
  std::optional<Clock::time_point> at_;
  std::atomic<bool> passed_{false};
};

// The plays of the roll before one ply of look-ahead.
inline std::vector<int> filtered(const PlayFilter& filter, std::vector<int>&& plays, const std::vector<float>& values,
                                 float point) {
  std::stable_sort(plays.begin(), plays.end(), [&](int a, int b) { return values[a] > values[b]; });
  std::size_t n = std::min(plays.size(), static_cast<std::size_t>(filter.keep));
  const std::size_t most = std::min(plays.size(), n + static_cast<std::size_t>(filter.extra));
  while (n < most && values[plays[n]] >= values[plays[0]] - filter.margin * point) ++n;
  plays.resize(n);
  return std::move(plays);
}

// One thread's part of a search with one network. Plies are named as gnubg names them: 0-ply is the network on each
// afterstate, n-ply the expectation over 21 rolls of the opponent's best (n − 1)-ply reply. What bear-off tables
// know is not looked at any deeper. Gul Bara is not searched: its turns are more than one roll and one play.
class SearchThread {
 public:
  SearchThread(const Rules& rules, const Network& network, const Bearoff* tables, const SearchSettings& settings,
               SearchCache* cache)
      : rules_(rules), settings_(settings), cache_(cache), network_(network), tables_(tables) {}

  // Plays of a roll with their 0-ply values, as level 0 of a search.
  const PlayList& generate(const Board& before, Roll roll, const Utility& utility) {
    return generate(before, roll, utility, 0);
  }
  int best() const { return levels_[0]->chooser.best(); }
  float value(int leaf) const { return levels_[0]->chooser.value(leaf); }
  Distribution distribution(int leaf) const { return levels_[0]->chooser.distribution(leaf); }

  // The scores of an afterstate for the player who has just moved; nothing if the time is up.
  std::optional<Distribution> expectation(const Board& after, const Utility& utility, int ply, Deadline& deadline) {
    if (ply == 0 || covers(after)) return level(0).chooser.evaluate(rules_, after, utility);
    if (const auto known = remembered(after, utility, ply)) return known;
    const Utility theirs = utility.opposed(rules_.num_scores());
    const Board before = after.swapped();
    RollSum total{};
    for (const Roll roll : kDistinctRolls) {
      const auto found = reply(before, roll, theirs, ply - 1, deadline);
      if (!found) return std::nullopt;
      add(total, *found, weight_of(roll));
    }
    const Distribution mean = reversed_mean(total, rules_.num_scores());
    remember(after, utility, ply, mean);
    return mean;
  }

  // An expectation in the cache.
  std::optional<Distribution> remembered(const Board& after, const Utility& utility, int ply) {
    if (!cache_) return std::nullopt;
    return cache_->find(after, SearchCache::tag(ply, utility, rules_.num_scores()));
  }
  void remember(const Board& after, const Utility& utility, int ply, const Distribution& mean) {
    if (cache_) cache_->store(after, SearchCache::tag(ply, utility, rules_.num_scores()), mean);
  }

  // The scores after the best (ply)-ply play of a roll, for the player who makes it; nothing if the time is up.
  std::optional<Distribution> reply(const Board& before, Roll roll, const Utility& utility, int ply,
                                    Deadline& deadline) {
    if (deadline.has_passed()) return std::nullopt;
    const PlayList& plays = generate(before, roll, utility, ply);
    const NetworkChooser& chooser = levels_[ply]->chooser;
    const int best = chooser.best();
    if (ply == 0 || plays.leaf(best).is_finished()) return chooser.distribution(best);
    const int num_scores = rules_.num_scores();
    if (settings_.replies.keep == 1 && settings_.replies.extra == 0)
      return expectation(plays.afterstate(best, before), utility, ply, deadline);
    std::vector<int> all(plays.num_leaves());
    std::iota(all.begin(), all.end(), 0);
    Distribution top{};
    float top_value = 0;
    bool is_first = true;
    for (int leaf : filtered(settings_.replies, std::move(all), chooser.values(), utility.point(num_scores))) {
      const auto found = plays.leaf(leaf).is_finished()
                             ? std::optional(chooser.distribution(leaf))
                             : expectation(plays.afterstate(leaf, before), utility, ply, deadline);
      if (!found) return std::nullopt;
      const float value = utility.of(*found, num_scores);
      if (is_first || value > top_value) {
        top = *found;
        top_value = value;
      }
      is_first = false;
    }
    return top;
  }

  bool covers(const Board& after) const { return tables_ && tables_->covers(rules_, after); }

  // Afterstates that the network has seen.
  std::int64_t num_evaluated() const {
    std::int64_t total = 0;
    for (const auto& one : levels_) total += one->chooser.num_evaluated();
    return total;
  }

 private:
  struct Level {
    explicit Level(const Network& network, const Bearoff* tables) : chooser(network, tables) {}
    PlayList plays;
    NetworkChooser chooser;
  };

  Level& level(int ply) {
    while (static_cast<int>(levels_.size()) <= ply) levels_.push_back(std::make_unique<Level>(network_, tables_));
    return *levels_[ply];
  }

  const PlayList& generate(const Board& before, Roll roll, const Utility& utility, int ply) {
    static const GameStreams no_streams(0, 0);
    Level& at = level(ply);
    at.plays.generate(rules_, before, roll.first, roll.second);
    at.chooser.choose({rules_, before, roll, at.plays, utility, no_streams, 0});
    return at.plays;
  }

  const Rules& rules_;
  const SearchSettings& settings_;
  SearchCache* cache_;
  const Network& network_;
  const Bearoff* tables_;
  std::vector<std::unique_ptr<Level>> levels_;  // by ply
};

// The plays of a roll as a search sees them, in the generator's order.
struct SearchedPlays {
  std::vector<Distribution> distributions;
  std::vector<float> values;
  std::vector<int> plies;  // at which each was looked at
  int ply = 0;             // the deepest that was finished

  // Best first: those that were looked at most deeply, and of these the most valuable.
  std::vector<int> order() const {
    std::vector<int> plays(values.size());
    std::iota(plays.begin(), plays.end(), 0);
    std::stable_sort(plays.begin(), plays.end(), [&](int a, int b) {
      return plies[a] != plies[b] ? plies[a] > plies[b] : values[a] > values[b];
    });
    return plays;
  }
};

// Result of a search against a threshold: the scores if everything was searched; otherwise whether the value is certain
// to be above the threshold.
struct Compared {
  std::optional<Distribution> scores;
  bool is_more = false;
};

// A mean of values over the 36 rolls, of which a part is known.
class PartialMean {
 public:
  // low, high: the least and the greatest value that a roll can have. The slack is much larger than the errors of
  // rounding and of probabilities that do not add up to 1 exactly.
  PartialMean(double low, double high) : low_(low), high_(high), slack_(1e-5 * (high - low)) {}

  void add(double value, int weight) {
    sum_ += weight * value;
    rolls_ += weight;
  }
  // True if the mean is certain to be above the threshold, false if it is certain to be below, nothing if neither.
  std::optional<bool> compared(double threshold) const {
    const int rest = kNumRolls - rolls_;
    if (sum_ + rest * low_ > kNumRolls * (threshold + slack_)) return true;
    if (sum_ + rest * high_ < kNumRolls * (threshold - slack_)) return false;
    return std::nullopt;
  }

 private:
  double low_;
  double high_;
  double slack_;
  double sum_ = 0;
  int rolls_ = 0;
};

// Searches on several threads. What is found does not depend on how many there are, unless the time runs out.
class Searcher {
 public:
  Searcher(const Rules& rules, const Network& network, const Bearoff* tables, const SearchSettings& settings,
           SearchCache* cache, int threads)
      : rules_(rules), settings_(settings) {
    for (int i = 0; i < std::max(threads, 1); ++i)
      threads_.push_back(std::make_unique<SearchThread>(rules, network, tables, settings_, cache));
  }

  // Values of the plays of a roll for the mover. Once the time is up the last finished ply stands.
  SearchedPlays rank(const Board& before, Roll roll, const Utility& utility, int ply, Deadline& deadline) {
    Ranking ranking = ranked_at_once(before, roll, utility);
    for (int depth = 1; depth <= ply; ++depth) {
      keep_going(ranking, depth, utility);
      if (!deepen(ranking, depth, utility, deadline)) break;
    }
    return std::move(ranking.found);
  }

  // The first play of `rank`'s order, with its scores and the ply at which it was looked at.
  struct Best {
    Play play;
    Distribution scores;
    int ply;
  };
  Best best(const Board& before, Roll roll, const Utility& utility, int ply, Deadline& deadline) {
    if (ply == 0) {
      SearchThread& first = *threads_[0];
      const PlayList& plays = first.generate(before, roll, utility);
      return {plays.play(first.best(), before), first.distribution(first.best()), 0};
    }
    const SearchedPlays found = rank(before, roll, utility, ply, deadline);
    const int leaf = found.order().front();
    // The search has used the lists of plays for replies.
    return {threads_[0]->generate(before, roll, utility).play(leaf, before), found.distributions[leaf],
            found.plies[leaf]};
  }

  // Compares the value of the first play in `rank`'s order with a threshold. The scores in the result are those of a
  // play that is on the same side of the threshold as that play.
  Compared compare_roll(const Board& before, Roll roll, const Utility& utility, int ply, double threshold,
                        Deadline& deadline) {
    Ranking ranking = ranked_at_once(before, roll, utility);
    for (int depth = 1; depth < ply; ++depth) {
      keep_going(ranking, depth, utility);
      if (!deepen(ranking, depth, utility, deadline)) return {};
    }
    if (ply > 0) keep_going(ranking, ply, utility);
    std::optional<int> best;
    std::vector<float>& values = ranking.found.values;
    for (int leaf : ranking.going) {
      if (ply > 0 && !ranking.is_known[leaf]) {
        const Compared one = compare(ranking.afterstates[leaf], utility, ply, threshold, deadline);
        if (!one.scores && one.is_more) return one;
        if (!one.scores) continue;
        ranking.found.distributions[leaf] = *one.scores;
        values[leaf] = utility.of(*one.scores, rules_.num_scores());
      }
      if (!best || values[leaf] > values[*best]) best = leaf;
    }
    if (!best) return {};
    return {ranking.found.distributions[*best], false};
  }

  // The scores of an afterstate for the player who has just moved, at the deepest ply that was finished in time.
  std::pair<Distribution, int> evaluate(const Board& after, const Utility& utility, int ply, Deadline& deadline) {
    Deadline never;
    Distribution found = *threads_[0]->expectation(after, utility, 0, never);
    if (threads_[0]->covers(after)) return {found, ply};
    // Shallower searches matter only if the time can run out.
    for (int depth = deadline.is_set() ? 1 : std::max(ply, 1); depth <= ply; ++depth) {
      const auto deeper = expectations({0}, {after}, utility, depth, deadline);
      if (!deeper) return {found, depth - 1};
      found = deeper->front();
    }
    return {found, ply};
  }

  // `evaluate`, but it stops as soon as the rolls that have been searched decide on which side of the threshold the
  // value is: a roll that is left is worth at least the worst score that is still possible, and at most the best.
  Compared compare(const Board& after, const Utility& utility, int ply, double threshold, Deadline& deadline) {
    SearchThread& first = *threads_[0];
    if (ply == 0 || first.covers(after)) return {first.expectation(after, utility, 0, deadline)};
    if (const auto known = first.remembered(after, utility, ply)) return {known};
    const int num_scores = rules_.num_scores();
    const PossibleScores possible(rules_, after);
    PartialMean mean(utility.values[possible.worst], utility.values[possible.best]);
    std::optional<bool> is_more = mean.compared(threshold);
    if (is_more) return {std::nullopt, *is_more};
    const Utility theirs = utility.opposed(num_scores);
    const Board before = after.swapped();
    std::array<Distribution, kNumDistinctRolls> found;
    std::atomic<bool> is_over{false};
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    const auto threads = static_cast<int>(threads_.size());
    run_threads(threads, threads, [&](int part, std::int64_t, std::int64_t) {
      for (std::size_t i = next++; i < kNumDistinctRolls && !is_over; i = next++) {
        const std::size_t at = kHeaviestFirst[i];
        const Roll roll = kDistinctRolls[at];
        const auto scores = threads_[static_cast<std::size_t>(part)]->reply(before, roll, theirs, ply - 1, deadline);
        if (!scores) {
          is_over = true;
          return;
        }
        const std::lock_guard lock(mutex);
        found[at] = *scores;
        double value = 0;
        for (int k = 0; k < num_scores; ++k) value += utility.values[k] * (*scores)[num_scores - 1 - k];
        mean.add(value, weight_of(roll));
        if (!is_more) is_more = mean.compared(threshold);
        if (is_more) is_over = true;
      }
    });
    if (is_over) return {std::nullopt, is_more.value_or(false)};
    RollSum total{};
    for (std::size_t at = 0; at < kNumDistinctRolls; ++at) add(total, found[at], weight_of(kDistinctRolls[at]));
    const Distribution whole = reversed_mean(total, num_scores);
    first.remember(after, utility, ply, whole);
    return {whole};
  }

  std::int64_t num_evaluated() const {
    std::int64_t total = 0;
    for (const auto& thread : threads_) total += thread->num_evaluated();
    return total;
  }

 private:
  // The plays of a roll during a search that looks at them more and more deeply.
  struct Ranking {
    SearchedPlays found;
    std::vector<int> going;  // plays that are still searched
    std::vector<Board> afterstates;
    std::vector<bool> is_known;  // for certain: the play ends the game, or the tables cover what is left
  };

  Ranking ranked_at_once(const Board& before, Roll roll, const Utility& utility) {
    SearchThread& first = *threads_[0];
    const PlayList& plays = first.generate(before, roll, utility);
    const int n = plays.num_leaves();
    Ranking ranking{{{}, std::vector<float>(n), std::vector<int>(n), 0}, {}, std::vector<Board>(n),
                    std::vector<bool>(n)};
    for (int leaf = 0; leaf < n; ++leaf) {
      ranking.found.values[leaf] = first.value(leaf);
      ranking.found.distributions.push_back(first.distribution(leaf));
      ranking.afterstates[leaf] = plays.afterstate(leaf, before);
      ranking.going.push_back(leaf);
    }
    for (int leaf = 0; leaf < n; ++leaf)
      ranking.is_known[leaf] = plays.leaf(leaf).is_finished() || first.covers(ranking.afterstates[leaf]);
    return ranking;
  }

  // Drops the plays that are not searched `depth` plies deep.
  void keep_going(Ranking& ranking, int depth, const Utility& utility) const {
    ranking.going = filtered(settings_.at_root(depth - 1), std::move(ranking.going), ranking.found.values,
                             utility.point(rules_.num_scores()));
  }

  // Searches the plays that are left; false, with nothing changed, if the time runs out.
  bool deepen(Ranking& ranking, int depth, const Utility& utility, Deadline& deadline) {
    SearchedPlays& found = ranking.found;
    std::vector<int> unknown;
    for (int leaf : ranking.going)
      if (!ranking.is_known[leaf]) unknown.push_back(leaf);
    const auto deeper = expectations(unknown, ranking.afterstates, utility, depth, deadline);
    if (!deeper) return false;
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      found.distributions[unknown[i]] = (*deeper)[i];
      found.values[unknown[i]] = utility.of((*deeper)[i], rules_.num_scores());
    }
    for (int leaf : ranking.going) found.plies[leaf] = depth;
    found.ply = depth;
    return true;
  }

  // Indices into kDistinctRolls; rolls that stand for two come first, because they decide more.
  static constexpr std::array<std::size_t, kNumDistinctRolls> kHeaviestFirst = [] {
    std::array<std::size_t, kNumDistinctRolls> order{};
    std::size_t n = 0;
    for (const int weight : {2, 1})
      for (std::size_t at = 0; at < kNumDistinctRolls; ++at)
        if (weight_of(kDistinctRolls[at]) == weight) order[n++] = at;
    return order;
  }();

  // Of each of `leaves`, looking `ply` deep; nothing if the time runs out. Each roll of each play is a piece of work;
  // the pieces are added up in their order, whoever did them.
  std::optional<std::vector<Distribution>> expectations(const std::vector<int>& leaves,
                                                        const std::vector<Board>& afterstates, const Utility& utility,
                                                        int ply, Deadline& deadline) {
    std::vector<Distribution> found(leaves.size());
    if (threads_.size() == 1) {
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        const auto one = threads_[0]->expectation(afterstates[leaves[i]], utility, ply, deadline);
        if (!one) return std::nullopt;
        found[i] = *one;
      }
      return found;
    }
    const Utility theirs = utility.opposed(rules_.num_scores());
    const std::int64_t num_pieces = static_cast<std::int64_t>(leaves.size()) * kNumDistinctRolls;
    std::vector<Distribution> pieces(static_cast<std::size_t>(num_pieces));
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> is_late{false};
    run_threads(static_cast<int>(threads_.size()), static_cast<std::int64_t>(threads_.size()),
                [&](int part, std::int64_t, std::int64_t) {
                  for (std::int64_t i = next++; i < num_pieces && !is_late; i = next++) {
                    const auto piece = threads_[part]->reply(
                        afterstates[leaves[i / kNumDistinctRolls]].swapped(),
                        kDistinctRolls[static_cast<std::size_t>(i % kNumDistinctRolls)], theirs, ply - 1, deadline);
                    if (!piece)
                      is_late = true;
                    else
                      pieces[static_cast<std::size_t>(i)] = *piece;
                  }
                });
    if (is_late) return std::nullopt;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      RollSum total{};
      for (std::size_t r = 0; r < kNumDistinctRolls; ++r)
        add(total, pieces[i * kNumDistinctRolls + r], weight_of(kDistinctRolls[r]));
      found[i] = reversed_mean(total, rules_.num_scores());
    }
    return found;
  }

  const Rules& rules_;
  SearchSettings settings_;
  std::vector<std::unique_ptr<SearchThread>> threads_;
};

// Plays at a fixed ply in games, on the thread of its game.
class SearchChooser {
 public:
  SearchChooser(std::shared_ptr<const Network> network, std::shared_ptr<const Bearoff> tables, SearchSettings settings,
                int ply, const Misjudgement& misjudgement)
      : network_(std::move(network)), tables_(std::move(tables)), settings_(std::move(settings)), ply_(ply),
        misjudgement_(misjudgement) {}

  int choose(const Decision& decision) {
    if (decision.plays.num_leaves() == 1) return 0;
    if (!searcher_) searcher_.emplace(decision.rules, *network_, tables_.get(), settings_, nullptr, 1);
    Deadline never;
    const SearchedPlays found = searcher_->rank(decision.before, decision.roll, decision.utility, ply_, never);
    return misjudged(misjudgement_, decision, tables_.get(), found.values, found.order().front());
  }

 private:
  std::shared_ptr<const Network> network_;
  std::shared_ptr<const Bearoff> tables_;
  SearchSettings settings_;
  int ply_;
  Misjudgement misjudgement_;
  std::optional<Searcher> searcher_;
};

}  // namespace tavla
