// Paired games and matches between two players: the same dice twice, with the seats swapped.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/threads.hpp"
#include "games/game.hpp"
#include "games/luck.hpp"
#include "games/player.hpp"
#include "games/seat.hpp"

namespace tavla {

// One game of a contest and who plays it. `grid[(a − 1) * length + b − 1]` is the utility of the side that needs a
// points against one that needs b in a match to `length`; single games have one entry.
struct Leg {
  const Rules* rules;
  const Player* a;
  const Player* b;
  const NetworkPlayer* luck_network;  // or null
  std::vector<Utility> grid;
};

// length 0: single games for points; otherwise matches to `length` points. The games of a match are played in turn,
// round and round; a void one is played again.
struct Contest {
  int length = 0;
  std::vector<Leg> legs;

  bool has_luck() const {
    return std::any_of(legs.begin(), legs.end(), [](const Leg& leg) { return leg.luck_network != nullptr; });
  }

  const Utility& utility(std::size_t leg, int away, int opponent_away) const {
    const std::vector<Utility>& grid = legs[leg].grid;
    return length == 0 ? grid[0] : grid[static_cast<std::size_t>(away - 1) * length + opponent_away - 1];
  }

  // The scores of all its games, best first.
  std::vector<int> scores() const {
    std::vector<int> all;
    for (const Leg& leg : legs)
      for (int k = 0; k < leg.rules->num_scores(); ++k) all.push_back(leg.rules->scores[k]);
    std::sort(all.begin(), all.end(), std::greater<>());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
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

// Plays contests on one thread.
class ContestPlayer {
 public:
  explicit ContestPlayer(const Contest& contest) : contest_(contest), scores_(contest.scores()) {
    for (const Leg& leg : contest.legs) legs_.push_back(std::make_unique<LegPlayers>(leg));
  }

  // Plays pair `pair` with A in seat `a_seat`.
  ContestResult play(std::uint64_t seed, std::uint64_t pair, int a_seat) {
    Standing standing{.a_seat = a_seat, .away = {contest_.length, contest_.length}};
    for (std::uint32_t round = 0;; ++round) {
      const GameResult game = next_game(GameStreams(seed, pair, round), standing);
      if (score(game, standing)) return standing.result;
    }
  }

 private:
  // What one game of the contest needs.
  struct LegPlayers {
    explicit LegPlayers(const Leg& leg)
        : rules(*leg.rules), stakes{leg.a->stakes, leg.b->stakes},
          choosers{make_chooser(*leg.a), make_chooser(*leg.b)} {
      if (leg.luck_network) luck.emplace(rules, *leg.luck_network);
    }

    const Rules& rules;
    std::array<StakesView, 2> stakes;  // A, B
    std::array<Chooser, 2> choosers;
    std::optional<Luck> luck;
  };

  // Where a contest stands between its games.
  struct Standing {
    int a_seat;
    std::array<int, 2> away;      // points that each seat needs
    std::optional<int> winner{};  // of the game before, if it had one
    std::size_t leg = 0;          // of the next game
    ContestResult result{};
  };

  // Plays the next game and adds its luck.
  GameResult next_game(const GameStreams& streams, Standing& standing) {
    LegPlayers& players = *legs_[standing.leg];
    const Rules& rules = players.rules;
    const int a_seat = standing.a_seat;
    const std::optional<int> first_seat = rules.winner_rolls ? standing.winner : std::nullopt;
    std::array<Utility, 2> real;
    std::array<Utility, 2> utilities;
    for (int seat = 0; seat < 2; ++seat) {
      real[seat] = contest_.utility(standing.leg, standing.away[seat], standing.away[seat ^ 1]);
      utilities[seat] = players.stakes[seat ^ a_seat].seen(real[seat]);
    }
    return play_game(
        rules, streams, first_seat,
        [&](int seat, const Board& before, Roll roll, std::uint32_t ply) {
          if (players.luck) {
            const bool can_double = ply > 0 || rules.opening_rerolls || first_seat.has_value();
            const double of_roll = players.luck->of(before, roll, real[seat], can_double);
            standing.result.luck += seat == a_seat ? of_roll : -of_roll;
          }
          return std::visit(
              [&](auto& chooser) {
                return Seat(rules, chooser, *plays_).take_turn(before, roll, utilities[seat], streams, ply);
              },
              players.choosers[seat ^ a_seat]);
        },
        [&](int seat, std::span<const Stage> stages, TurnEnd& end, std::uint32_t ply) {
          std::visit(
              [&](auto& chooser) {
                Seat(rules, chooser, *plays_).play_passed(stages, utilities[seat], streams, ply, end);
              },
              players.choosers[seat ^ a_seat]);
        });
  }

  // Scores a game; returns whether the contest is over.
  bool score(const GameResult& game, Standing& standing) const {
    ContestResult& result = standing.result;
    result.plies += game.plies;
    if (game.is_void) {
      ++result.void_games;
      standing.winner.reset();
      return contest_.length == 0;
    }
    const bool a_ended = game.winner == standing.a_seat;
    const int points = contest_.legs[standing.leg].rules->scores[game.score_index];
    const int of_a = a_ended ? points : -points;
    ++result.scores[static_cast<std::size_t>(std::find(scores_.begin(), scores_.end(), of_a) - scores_.begin())];
    if (contest_.length == 0) {
      result.points = static_cast<std::int16_t>(of_a);
      return true;
    }
    standing.away[game.winner] -= points;
    if (standing.away[game.winner] <= 0) {
      result.points = a_ended ? 1 : -1;
      return true;
    }
    // After a drawn game the next one starts with a fresh opening roll.
    standing.winner = points > 0 ? std::optional(game.winner) : std::nullopt;
    standing.leg = (standing.leg + 1) % legs_.size();
    return false;
  }

  const Contest& contest_;
  std::vector<int> scores_;
  std::vector<std::unique_ptr<LegPlayers>> legs_;
  std::unique_ptr<PlayList> plays_ = std::make_unique<PlayList>();
};

// Plays pairs of contests. Games of a pair have its number and their round in the match.
inline DuelResult duel(const Contest& contest, const Games& pairs, int threads) {
  DuelResult result{static_cast<int>(contest.scores().size()), contest.has_luck(), {}};
  result.contests.resize(static_cast<std::size_t>(pairs.number) * 2);
  run_threads(threads, pairs.number, [&](int, std::int64_t begin, std::int64_t end) {
    ContestPlayer player(contest);
    for (std::int64_t i = begin; i < end; ++i)
      for (int a_seat = 0; a_seat < 2; ++a_seat)
        result.contests[static_cast<std::size_t>(2 * i + a_seat)] =
            player.play(pairs.seed, pairs.first + static_cast<std::uint64_t>(i), a_seat);
  });
  return result;
}

}  // namespace tavla
