"""`tavla rulesets`."""

from __future__ import annotations

import click

from tavla_ai.cli._options import json_option
from tavla_ai.cli._printing import plain, print_json, print_table
from tavla_ai.rules import get_match_set, get_ruleset, match_set_names, ruleset_names

_COLUMNS = {
    "name": "name",
    "title": "game",
    "family": "family",
    "opening": "opening",
    "scores": "scores",
    "match_lengths": "matches to",
    "default_match_length": "default",
}


@click.command()
@click.argument("name", required=False)
@json_option
def rulesets(name: str | None, as_json: bool) -> None:
    """List the games and the sets of games, or show the rules of one.

    \b
    Examples:
      tavla rulesets north-sultan
      tavla rulesets zar-greek
    """
    if name is not None:
        shown = get_match_set(name) if name in match_set_names() else get_ruleset(name)
        if as_json:
            print_json(shown.model_dump(mode="json"))
            return
        fields = type(shown).model_fields
        rows = [
            [key, plain(value), fields[key].description or ""] for key, value in shown.model_dump(mode="json").items()
        ]
        print_table(shown.title, ["", "", "meaning"], rows, num_text=3)
        return
    presets = [get_ruleset(preset) for preset in ruleset_names()]
    sets = [get_match_set(match_set) for match_set in match_set_names()]
    if as_json:
        print_json(
            {
                "rulesets": [preset.model_dump(mode="json") for preset in presets],
                "match_sets": [match_set.model_dump(mode="json") for match_set in sets],
            }
        )
        return
    print_table(
        "Rulesets",
        list(_COLUMNS.values()),
        [[plain(getattr(preset, field)) for field in _COLUMNS] for preset in presets],
        num_text=6,
    )
    print_table(
        "Sets: games in turn, for one score",
        ["name", "set", "games", "matches to", "default"],
        [[s.name, s.title, plain(s.games), plain(s.match_lengths), str(s.default_match_length)] for s in sets],
        num_text=4,
    )
