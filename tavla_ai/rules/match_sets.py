"""Sets of games: matches over several games in turn."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tavla_ai.errors import RulesetError
from tavla_ai.rules.houses import get_ruleset, ruleset_names
from tavla_ai.rules.rulesets import Ruleset, check_default_length


class MatchSet(BaseModel):
    """A match over several games, played in turn again and again, with one score.

    The ruleset of each game says who starts it, as in any match.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="name of the set")
    title: str = Field(description="name of the set at its house")
    games: tuple[str, ...] = Field(min_length=1, description="names of the rulesets, in the order of play")
    match_lengths: tuple[int, ...] = Field(description="match lengths that the house offers, in points")
    default_match_length: int = Field(ge=1, description="default match length, in points")

    @model_validator(mode="after")
    def _check(self) -> MatchSet:
        for name in self.games:
            if name not in ruleset_names():
                raise ValueError(f"games: unknown ruleset {name!r}; expected some of {', '.join(ruleset_names())}")
        check_default_length(self.match_lengths, self.default_match_length)
        return self

    def ruleset_of(self, game: int) -> Ruleset:
        """Return the ruleset of a game of the match, counted from 0."""
        if game < 0:
            raise RulesetError(f"game {game} of {self.name}: expected 0 or more")
        return get_ruleset(self.games[game % len(self.games)])


_MATCH_SETS = {
    match_set.name: match_set
    for match_set in (
        MatchSet(name=name, title=title, games=games, match_lengths=(3, 5, 7), default_match_length=5)
        for name, title, games in (
            ("zar-turkish", "Turkish set (Zar Club)", ("portes",)),
            ("zar-greek", "Greek set (Zar Club)", ("portes", "plakoto-greek", "fevga")),
            ("zar-macedonian", "Macedonian set (Zar Club)", ("portes", "gul-bara", "plakoto")),
            ("zar-bulgarian", "Bulgarian set (Zar Club)", ("portes", "gul-bara", "plakoto")),
        )
    )
}


def match_set_names() -> tuple[str, ...]:
    """Return the names of all sets of games, sorted."""
    return tuple(sorted(_MATCH_SETS))


def get_match_set(name: str) -> MatchSet:
    """Return the set of games of a name.

    Raises:
      RulesetError: no set has this name; the message lists those that exist.
    """
    try:
        return _MATCH_SETS[name]
    except KeyError:
        raise RulesetError(f"unknown set {name!r}; expected one of {', '.join(match_set_names())}") from None


def get_game(name: str) -> Ruleset | MatchSet:
    """Return the ruleset or the set of games of a name.

    Raises:
      RulesetError: nothing has this name.
    """
    return get_match_set(name) if name in _MATCH_SETS else get_ruleset(name)


def games_of(game: Ruleset | MatchSet) -> tuple[Ruleset, ...]:
    """Return the rulesets that are played in turn: one, or those of a set."""
    return (game,) if isinstance(game, Ruleset) else tuple(get_ruleset(name) for name in game.games)


def scores_of(game: Ruleset | MatchSet) -> tuple[int, ...]:
    """Return all scores that a game, or any game of a set, can have, best first."""
    return tuple(sorted({score for ruleset in games_of(game) for score in ruleset.scores}, reverse=True))


def check_match_length(game: Ruleset | MatchSet, length: int) -> None:
    """Raise `RulesetError` if the house does not offer matches of this length."""
    if isinstance(game, Ruleset):
        game.check_match_length(length)
    elif length not in game.match_lengths:
        raise RulesetError(f"match length {length}: {game.name} is played to {', '.join(map(str, game.match_lengths))}")
