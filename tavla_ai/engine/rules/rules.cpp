#include "rules/rules.hpp"

#include <algorithm>
#include <numeric>

namespace tavla {
namespace {

std::string name_of(int side) { return side == 0 ? "the mover" : "the opponent"; }

void check_counts(const Rules& rules, const Board& board) {
  for (int side = 0; side < 2; ++side) {
    int total = 0;
    for (int place = 0; place < rules.num_places(); ++place) {
      const int n = board.count[side][place];
      if (n < 0 || n > kCheckers)
        throw RulesError("board: " + std::to_string(n) + " checkers of " + name_of(side) + " on place " +
                         std::to_string(place) + ", expected 0 to 15");
      const bool is_checkers = place < kCommonPlaces || rules.facts().has_reserve;
      if (is_checkers) total += n;
    }
    if (total != kCheckers)
      throw RulesError("board: " + name_of(side) + " has " + std::to_string(total) + " checkers, expected 15");
    if (!rules.facts().hits() && board.count[side][kBar] > 0)
      throw RulesError("board: " + name_of(side) + " has a checker on the bar, but nothing is hit in this game");
  }
  if (board.count[0][kOff] == kCheckers && board.count[1][kOff] == kCheckers)
    throw RulesError("board: both sides have borne off all their checkers");
}

// The mistake in the checkers of both sides on a point, or an empty text.
const char* point_offence(int mine, int theirs, bool pins, int my_pin, int their_pin) {
  if (mine > 0 && theirs > 0) {
    if (!pins) return "both sides stand on ";
    if (my_pin + their_pin != 1) return "both sides stand, and not exactly one is pinned, on ";
    if ((my_pin ? mine : theirs) != 1) return "more than one checker is pinned on ";
  } else if (my_pin + their_pin != 0) {
    return "a checker is pinned with no opponent over it on ";
  }
  return nullptr;
}

void check_points(const Rules& rules, const Board& board) {
  const bool pins = rules.facts().pins();
  for (int point = 1; point <= kPoints; ++point) {
    const int facing = rules.facing(point);
    const char* offence =
        point_offence(board.count[0][point], board.count[1][facing], pins,
                      pins ? board.count[0][kPinned + point] : 0, pins ? board.count[1][kPinned + facing] : 0);
    if (offence) throw RulesError("board: " + std::string(offence) + "the mover's point " + std::to_string(point));
  }
}

}  // namespace

Board Rules::start() const {
  Board board{};
  for (int side = 0; side < 2; ++side) {
    std::copy(setup.begin(), setup.end(), board.count[side]);
    if (facts().has_reserve) board.count[side][kReserve] = static_cast<std::int8_t>(reserve);
  }
  return board;
}

void check_board(const Rules& rules, const Board& board) {
  check_counts(rules, board);
  check_points(rules, board);
  for (int side = 0; side < 2; ++side) {
    if (rules.facts().has_reserve && board.count[side][kReserve] > rules.reserve)
      throw RulesError("board: " + name_of(side) + " has " + std::to_string(board.count[side][kReserve]) +
                       " checkers in reserve, expected at most " + std::to_string(rules.reserve));
    if (rules.facts().has_stages && board.count[side][kOwnRolls] > 3)
      throw RulesError("board: " + name_of(side) + " has counted " + std::to_string(board.count[side][kOwnRolls]) +
                       " own rolls, expected at most 3");
  }
}

bool is_finished(const Rules& rules, const Board& board) {
  if (board.count[0][kOff] == kCheckers || board.count[1][kOff] == kCheckers) return true;
  const auto home = [&](int side) {
    return std::accumulate(board.count[side] + 1, board.count[side] + kHome + 1, 0);
  };
  const SpecialEnding ending = rules.facts().special_ending;
  for (int side = 0; side < 2; ++side) {
    const std::int8_t* winner = board.count[side];
    const std::int8_t* loser = board.count[side ^ 1];
    if (ending == SpecialEnding::kMother && loser[kPinned + kPoints] &&
        (winner[kPoints] == 0 || winner[kPinned + kPoints]))
      return true;
    if (ending == SpecialEnding::kCapote && winner[kOff] > 0 && winner[kOff] + home(side) == kCheckers &&
        loser[kBar] == 1 && home(side ^ 1) == kCheckers - 1)
      return true;
  }
  return false;
}

void check_dice(int first, int second) {
  for (int die : {first, second})
    if (die < 1 || die > 6)
      throw RulesError("dice " + std::to_string(first) + "-" + std::to_string(second) +
                       ": expected two numbers from 1 to 6");
}

}  // namespace tavla
