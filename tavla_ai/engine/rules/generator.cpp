#include "rules/generator.hpp"

#include "rules/families/opposed_hit.hpp"
#include "rules/families/parallel.hpp"
#include "rules/families/plakoto.hpp"
#include "rules/families/tawula.hpp"
#include "rules/plays.hpp"

namespace tavla {
namespace {

// Calls `function` with the type of the game that these rules describe.
template <class Function>
void with_family(const Rules& rules, Function&& function) {
  switch (rules.family) {
    case Family::kOpposedHit: {
      const bool triple = !rules.scores.empty() && rules.scores.front() == 3;
      if (triple) return function(OpposedHit<true, false, true>{});
      if (rules.variant.hit_and_run)
        return rules.variant.larger_die_first ? function(OpposedHit<true, true, false>{})
                                      : function(OpposedHit<true, false, false>{});
      return rules.variant.larger_die_first ? function(OpposedHit<false, true, false>{})
                                    : function(OpposedHit<false, false, false>{});
    }
    case Family::kPlakoto:
      return rules.variant.pinned_blocks_bear_off ? function(Plakoto<true>{}) : function(Plakoto<false>{});
    case Family::kFevga:
      return rules.variant.leave_a_move ? function(Fevga<true>{}) : function(Fevga<false>{});
    case Family::kGulBara:
      return function(GulBara{});
    case Family::kTawula:
      return function(Tawula{});
  }
}

}  // namespace

void PlayList::begin(const Rules& rules, const Board& board) {
  with_family(rules, [&]<class F>(F) { Generator<F>::begin(*this, rules, board); });
}

void PlayList::generate_roll(const Rules& rules, const Board& board, int first, int second) {
  with_family(rules, [&]<class F>(F) { Generator<F>(*this, board).roll(first, second); });
}

void PlayList::generate(const Rules& rules, const Board& board, int first, int second) {
  begin(rules, board);
  generate_roll(rules, board, first, second);
}

void PlayList::generate_stage(const Rules& rules, const Board& board, std::span<const int> dice) {
  begin(rules, board);
  with_family(rules, [&]<class F>(F) {
    Generator<F> generator(*this, board);
    if (dice.size() == 2 && dice[0] != dice[1])
      generator.mixed(std::max(dice[0], dice[1]), std::min(dice[0], dice[1]));
    else
      generator.equal(dice[0], static_cast<int>(dice.size()));
  });
}

int PlayList::first_die(int leaf) const {
  int index = leaves_[leaf];
  while (nodes_[index].parent != 0) index = nodes_[index].parent;
  return index >= smaller_begin_ ? smaller_ : larger_;
}

}  // namespace tavla
