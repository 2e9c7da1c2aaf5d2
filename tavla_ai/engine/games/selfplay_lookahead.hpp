// Positions of self-play with what one ply of look-ahead says of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "games/selfplay.hpp"
#include "search/network_chooser.hpp"
#include "search/replies.hpp"
#include "search/search.hpp"

namespace tavla {

struct LookaheadSettings {
  double explore = 0;    // chance that a play is drawn at random instead of the best
  double near = 0;       // chance that a play is drawn among those that look nearly as good as the best, by `margin`
  double scramble = 0;   // chance that a game begins with plays at random
  int scrambled = 0;     // of such a game at most so many plays, drawn evenly
  double sample = 1;     // chance that a decision is kept
  int siblings = 0;      // of a decision, the best plays besides the one that was made, at most
  double margin = 0;     // and those only that look worse than the best by no more than so many points
  int candidates = 0;    // replies to each roll that are looked at, see Replies; 0 looks at all
  int finalists = 0;     // and that the network is asked about; 0 asks about all candidates
  double lambda = 0;     // of the returns over what look-ahead corrects further on in the game
};

// One turn of a game whose positions are labelled.
struct LabelledTurn {
  Distribution correction{};  // what look-ahead says of the position after it, less what the network says
  bool is_best = false;       // the play was the network's own, as look-ahead expects of whoever replies
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

// Games of self-play that leave the main line; each afterstate's target is the expectation over the opponent's 21
// rolls of his best reply as the network sees it, whatever was then played. With a λ every position of a game is kept,
// since all of them are looked ahead from, and `sample` says of which decisions the siblings are. Not for Gul Bara.
inline void lookahead_range(const Rules& rules, const Network& network, const Bearoff* tables, const UtilityMix& mix,
                            const LookaheadSettings& settings, const Games& games, SelfPlayResult& result) {
  const SearchSettings search;
  SearchThread thread(rules, network, tables, search, nullptr);
  std::optional<Replies> replies;
  if (settings.candidates > 0) replies.emplace(rules, network, tables, settings.candidates, settings.finalists);
  NetworkChooser chooser(network, tables);
  auto plays = std::make_unique<PlayList>();
  const int num_scores = rules.num_scores();
  const auto places = static_cast<std::size_t>(rules.num_places());
  Deadline never;
  std::vector<Board> kept;   // of one decision
  std::vector<int> ranked;
  std::vector<LabelledTurn> turns;
  const bool is_line_kept = settings.lambda > 0;
  const auto target_of = [&](const Board& after, const Utility& utility) {
    if (!replies || thread.covers(after)) return *thread.expectation(after, utility, 1, never);
    replies->evaluate(after.swapped(), utility.opposed(num_scores), true);
    return replies->mean_after();
  };
  for (std::int64_t g = 0; g < games.number; ++g) {
    const GameStreams streams = games.streams(g);
    const Utility& mine = mix.draw(streams.utility_draw());
    const std::array<Utility, 2> utilities{mine, mine.opposed(num_scores)};
    const bool is_scrambled = streams.scramble_draw(0) < settings.scramble;
    const auto scrambled = is_scrambled ? static_cast<std::uint32_t>(streams.scramble_draw(1) *
                                                                     (settings.scrambled + 1))
                                        : 0u;
    std::int32_t num_kept = 0;
    turns.clear();
    const GameResult game = play_game(
        rules, streams, std::nullopt,
        [&](int seat, const Board& before, Roll roll, std::uint32_t ply) {
          const Utility& utility = utilities[seat];
          const bool is_sampled = streams.sample_draw(ply) < settings.sample;
          bool is_best = true;
          kept.clear();
          TurnEnd end = play_roll(rules, before, roll, *plays, [&] {
            const int best = chooser.choose({rules, before, roll, *plays, utility, streams, ply});
            const double drawn = streams.explore_draw(ply);
            const bool at_random = ply < scrambled || drawn < settings.explore;
            const bool is_near = !at_random && drawn < settings.explore + settings.near;
            const int n = plays->num_leaves();
            const bool has_siblings = is_sampled && settings.siblings > 0;
            if (is_near || has_siblings) {
              const float least = chooser.value(best) - static_cast<float>(settings.margin) * utility.point(num_scores);
              ranked.clear();
              for (int leaf = 0; leaf < n; ++leaf)
                if (chooser.value(leaf) >= least) ranked.push_back(leaf);
            }
            int chosen = best;
            if (at_random) chosen = static_cast<int>(streams.choice(ply, static_cast<std::uint32_t>(n)));
            if (is_near) chosen = ranked[streams.choice(ply, static_cast<std::uint32_t>(ranked.size()))];
            is_best = chosen == best;
            if (has_siblings) {
              std::erase_if(ranked, [&](int leaf) { return leaf == chosen || plays->leaf(leaf).is_finished(); });
              std::stable_sort(ranked.begin(), ranked.end(),
                               [&](int a, int b) { return chooser.value(a) > chooser.value(b); });
              if (ranked.size() > static_cast<std::size_t>(settings.siblings))
                ranked.resize(static_cast<std::size_t>(settings.siblings));
              for (const int leaf : ranked) kept.push_back(plays->afterstate(leaf, before));
            }
            return chosen;
          });
          if (!is_sampled && !is_line_kept) return end;
          if (!end.is_finished) kept.push_back(end.after);
          if (kept.empty()) return end;
          result.siblings.push_back(static_cast<std::int32_t>(kept.size()));
          LabelledTurn turn{{}, is_best, result.targets.size() / static_cast<std::size_t>(num_scores), kept.size()};
          for (const Board& after : kept) {
            const Distribution target = target_of(after, utility);
            const Distribution prediction = *thread.expectation(after, utility, 0, never);
            // The play that was made comes last.
            if (!end.is_finished)
              for (int k = 0; k < num_scores; ++k) turn.correction[k] = target[k] - prediction[k];
            for (const auto& row : after.count) result.boards.insert(result.boards.end(), row, row + places);
            result.targets.insert(result.targets.end(), target.begin(), target.begin() + num_scores);
            for (int u = 0; u < num_scores - 2; ++u) result.utility_inputs.push_back(utility.inputs[u]);
            for (int k = 0; k < num_scores; ++k)
              result.values.push_back(utility.values[k] / utility.point(num_scores));
            result.sum_abs_td_error +=
                std::fabs(utility.of(target, num_scores) - utility.of(prediction, num_scores));
            ++num_kept;
          }
          turns.push_back(turn);
          return end;
        },
        [](int, std::span<const Stage>, TurnEnd&, std::uint32_t) {});
    if (is_line_kept) hand_back(turns, settings.lambda, num_scores, result.targets.data());
    result.plies += game.plies;
    result.lengths.push_back(num_kept);
    result.score_indices.push_back(game.is_void ? std::int8_t{-1} : static_cast<std::int8_t>(game.score_index));
    if (game.is_void) continue;
    const int k = game.score_index;
    ++result.starter_scores[static_cast<std::size_t>(game.winner == game.starter ? k : num_scores - 1 - k)];
  }
  result.evaluated += chooser.num_evaluated() + thread.num_evaluated() + (replies ? replies->num_evaluated() : 0);
}

}  // namespace tavla
