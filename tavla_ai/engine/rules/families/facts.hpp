// Families of games: one row of facts for each, which no house changes. The moves of a family are a type of its own.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tavla {

enum class Family { kOpposedHit, kPlakoto, kFevga, kGulBara, kTawula };

// Fate of a single checker when an opposing one comes to its point.
enum class LoneChecker { kIsHit, kIsPinned, kHoldsThePoint };

// An end of the game before a side has borne off all checkers. kMother: a checker is pinned on its start; kCapote: a
// checker is caught on the bar by a side that is bearing off.
enum class SpecialEnding { kNone, kMother, kCapote };

// The facts of one family; they mirror tavla_ai/rules/families.py.
struct FamilyFacts {
  std::string_view name;
  bool is_parallel;       // both sides move in the same direction; otherwise each moves towards the other's home
  LoneChecker lone_checker;
  int num_more_places = 0;   // places of a side's row beyond those that every game has
  bool has_reserve = false;  // the added place holds checkers that have to enter
  bool has_stages = false;   // a turn may be more than one roll, and own rolls are counted
  SpecialEnding special_ending = SpecialEnding::kNone;
  bool has_mars = true;      // bearing off against a side that has borne off nothing scores more

  constexpr bool hits() const { return lone_checker == LoneChecker::kIsHit; }
  constexpr bool pins() const { return lone_checker == LoneChecker::kIsPinned; }
  // Whether checkers meet and are hit as in backgammon.
  constexpr bool is_opposed_hit() const { return !is_parallel && hits(); }
};

// In the order of Family.
constexpr std::array<FamilyFacts, 5> kFamilies{{
    {.name = "opposed-hit", .is_parallel = false, .lone_checker = LoneChecker::kIsHit},
    {.name = "plakoto",
     .is_parallel = false,
     .lone_checker = LoneChecker::kIsPinned,
     .num_more_places = 24,
     .special_ending = SpecialEnding::kMother},
    {.name = "fevga", .is_parallel = true, .lone_checker = LoneChecker::kHoldsThePoint},
    {.name = "gul-bara",
     .is_parallel = true,
     .lone_checker = LoneChecker::kHoldsThePoint,
     .num_more_places = 1,
     .has_stages = true},
    {.name = "tawula",
     .is_parallel = true,
     .lone_checker = LoneChecker::kIsHit,
     .num_more_places = 1,
     .has_reserve = true,
     .special_ending = SpecialEnding::kCapote,
     .has_mars = false},
}};

constexpr const FamilyFacts& facts_of(Family family) { return kFamilies[static_cast<std::size_t>(family)]; }

}  // namespace tavla
