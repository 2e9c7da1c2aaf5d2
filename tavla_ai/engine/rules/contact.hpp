// Progress of the sides where they move in opposite directions.
#pragma once

#include <cstdint>

#include "rules/board.hpp"

namespace tavla {

inline bool has_contact(const Board& board) {
  int mine = kBar;
  while (mine > 0 && board.count[0][mine] == 0) --mine;
  int theirs = kBar;
  while (theirs > 0 && board.count[1][theirs] == 0) --theirs;
  // My rearmost checker still has to pass the opponent's, which is on my point 25 − theirs or below mine.
  return mine > 25 - theirs;
}

// Whether a side, a row of counts, has no checker beyond a point or on the bar.
inline bool has_nobody_beyond(int point, const std::int8_t* row) {
  for (int i = point + 1; i <= kBar; ++i)
    if (row[i] > 0) return false;
  return true;
}

// Whether a side, a row of counts, has no checker on the bar or in the other side's home.
inline bool is_clear_of_home(const std::int8_t* row) { return has_nobody_beyond(kPoints - kHome, row); }

}  // namespace tavla
