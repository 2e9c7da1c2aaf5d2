// Paired games and matches between two players: the same dice twice, with the seats swapped.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "game.hpp"
#include "judge.hpp"
#include "player.hpp"
#include "seat.hpp"
#include "threads.hpp"

namespace tavla {

// How a contest is scored. length 0: single games for points; otherwise matches to `length` points, and
// `grid[(a − 1) * length + b − 1]` is the utility of the side that needs a points against one that needs b.
struct Contest {
  int length = 0;
  std::vector<Utility> grid;  // one entry for single games

  const Utility& utility(int away, int opponent_away) const {
    return length == 0 ? grid[0] : grid[static_cast<std::size_t>(away - 1) * length + opponent_away - 1];
  }
};

// One contest, a game or a match, as A saw it.
struct ContestResult {
  std::int16_t points = 0;  // its score, or ±1 for a match won or lost
  double luck = 0;          // A's, less B's, in the contest's utility
  std::int32_t plies = 0;
  std::int32_t void_games = 0;
  std::array<std::int32_t, kMaxScores> scores{};  // games by score
};

struct DuelResult {
  int num_scores = 0;
  bool has_luck = false;
  std::vector<ContestResult> contests;  // [pairs, 2]
};

class DuelTable {
 public:
  DuelTable(const Rules& rules, const Player& a, const Player& b, const NetworkPlayer* judge, const Contest& contest)
      : rules_(rules), contest_(contest), stakes_{a.stakes, b.stakes}, choosers_{make_chooser(a), make_chooser(b)},
        plays_(std::make_unique<PlayList>()) {
    if (judge) judge_.emplace(rules, *judge);
  }

  // Plays pair `pair` with A in seat `a_seat`.
  ContestResult play(std::uint64_t seed, std::uint64_t pair, int a_seat) {
    ContestResult result;
    std::array<int, 2> away{contest_.length, contest_.length};  // by seat
    std::optional<int> first_seat;
    for (std::uint32_t round = 0;; ++round) {
      const GameStreams streams(seed, pair, round);
      std::array<Utility, 2> real;
      std::array<Utility, 2> utilities;
      for (int seat = 0; seat < 2; ++seat) {
        real[seat] = contest_.utility(away[seat], away[seat ^ 1]);
        utilities[seat] = stakes_[seat ^ a_seat].seen(real[seat]);
      }
      const GameResult game = play_game(
          rules_, streams, first_seat,
          [&](int seat, const Board& before, Roll roll, std::uint32_t ply) {
            if (judge_) {
              const bool can_double = ply > 0 || rules_.opening_rerolls || first_seat.has_value();
              const double of_roll = judge_->luck(before, roll, real[seat], can_double);
              result.luck += seat == a_seat ? of_roll : -of_roll;
            }
            return std::visit(
                [&](auto& chooser) {
                  return Seat(rules_, chooser, *plays_).take_turn(before, roll, utilities[seat], streams, ply);
                },
                choosers_[seat ^ a_seat]);
          },
          [&](int seat, std::span<const Stage> stages, TurnEnd& end, std::uint32_t ply) {
            std::visit(
                [&](auto& chooser) {
                  Seat(rules_, chooser, *plays_).play_passed(stages, utilities[seat], streams, ply, end);
                },
                choosers_[seat ^ a_seat]);
          });
      result.plies += game.plies;
      if (game.is_void) {
        ++result.void_games;
        if (contest_.length == 0) return result;
        first_seat.reset();
        continue;
      }
      const bool a_ended = game.winner == a_seat;
      const int k = game.score_index;
      ++result.scores[a_ended ? k : rules_.num_scores() - 1 - k];
      const int points = rules_.scores[k];
      if (contest_.length == 0) {
        result.points = static_cast<std::int16_t>(a_ended ? points : -points);
        return result;
      }
      away[game.winner] -= points;
      if (away[game.winner] <= 0) {
        result.points = a_ended ? 1 : -1;
        return result;
      }
      // After a drawn game the next one starts with a fresh opening roll.
      first_seat.reset();
      if (rules_.winner_rolls && points > 0) first_seat = game.winner;
    }
  }

 private:
  const Rules& rules_;
  const Contest& contest_;
  std::array<Stakes, 2> stakes_;     // A, B
  std::array<Chooser, 2> choosers_;
  std::optional<Judge> judge_;
  std::unique_ptr<PlayList> plays_;
};

inline DuelResult duel(const Rules& rules, const Player& a, const Player& b, const NetworkPlayer* judge,
                       const Contest& contest, std::uint64_t seed, std::uint64_t first_pair, std::int64_t num_pairs,
                       int threads) {
  DuelResult result{rules.num_scores(), judge != nullptr, {}};
  result.contests.resize(static_cast<std::size_t>(num_pairs) * 2);
  run_threads(threads, num_pairs, [&](int, std::int64_t begin, std::int64_t end) {
    DuelTable table(rules, a, b, judge, contest);
    for (std::int64_t i = begin; i < end; ++i)
      for (int a_seat = 0; a_seat < 2; ++a_seat)
        result.contests[static_cast<std::size_t>(2 * i + a_seat)] =
            table.play(seed, first_pair + static_cast<std::uint64_t>(i), a_seat);
  });
  return result;
}

}  // namespace tavla
