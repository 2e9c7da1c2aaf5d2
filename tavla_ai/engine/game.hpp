// One game from its opening to its score; self-play, tournaments and random walks all run this loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "dice.hpp"
#include "plays.hpp"
#include "rules.hpp"

namespace tavla {

struct GameResult {
  bool is_void = false;  // ended by the stuck rule
  int winner = 0;        // seat; the seat that moved last, also where the score is his loss
  int score_index = 0;   // into Rules::scores, for `winner`
  int plies = 0;
};

// Plays one game. `choose(seat, before, roll, ply)` returns the leaf of `plays` that the seat plays.
template <class Family, class Choose>
GameResult play_game(const Rules& rules, const GameStreams& streams, std::optional<int> first_seat, PlayList& plays,
                     Choose&& choose) {
  Board board = rules.start();
  const Opening opening =
      first_seat ? Opening{*first_seat, streams.roll(0)} : open_game(streams, rules.opening_rerolls);
  int seat = opening.seat;
  int stuck = 0;
  GameResult result;
  for (std::uint32_t ply = 0;; ++ply) {
    const Roll roll = ply == 0 ? opening.roll : streams.roll(ply);
    plays.generate<Family>(board, roll.first, roll.second);
    const int leaf = choose(seat, board, roll, ply);
    result.plies = static_cast<int>(ply) + 1;
    stuck = plays.leaf_node(leaf) == 0 ? stuck + 1 : 0;
    if (stuck >= rules.stuck_limit) {
      result.is_void = true;
      return result;
    }
    const Board after = plays.afterstate(leaf, board);
    if (plays.leaf(leaf).is_finished()) {
      result.winner = seat;
      result.score_index = rules.finished_score_index(after.count[1][kOff] > 0);
      return result;
    }
    board = after.swapped();
    seat ^= 1;
  }
}

// Splits [0, count) into one contiguous part a thread and runs `work(part, begin, end)` on each.
template <class Work>
void run_threads(int threads, std::int64_t count, Work&& work) {
  if (threads <= 1) {
    work(0, std::int64_t{0}, count);
    return;
  }
  std::exception_ptr failure;
  std::mutex mutex;
  std::vector<std::thread> running;
  for (int part = 0; part < threads; ++part)
    running.emplace_back([&, part] {
      try {
        work(part, count * part / threads, count * (part + 1) / threads);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    });
  for (std::thread& thread : running) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tavla
