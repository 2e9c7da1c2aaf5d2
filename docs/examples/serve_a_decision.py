"""Answer the questions of a game server, one JSON object in, one out: a play, a concession, a double."""

import json
from functools import cache
from typing import Any

from tavla_ai import Evaluator, MatchState, TavlaError, format_play, load_evaluator, read_position

# A server would read these from its queue. The side that decides comes first in position and score.
START = "24:2 13:5 8:3 6:5 / 24:2 13:5 8:3 6:5"
REQUESTS = [
    {"ask": "play", "game": "oyna-tavla", "position": START, "dice": [3, 1], "length": 5, "score": [2, 3]},
    {"ask": "concede", "game": "oyna-tavla", "position": "6:3 5:3 off:9 / 1:2 off:13"},
    {"ask": "double", "game": "oyna-backgammon", "position": START, "length": 5, "score": [0, 0]},
    {"ask": "play", "game": "oyna-tavla", "position": START, "dice": [7, 1]},
]


@cache
def evaluator_of(game: str) -> Evaluator:
    """Load the network of a game once."""
    return load_evaluator(game)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a request; for a request that cannot be answered, the reason."""
    try:
        evaluator = evaluator_of(request["game"])
        position = read_position(request["position"], evaluator.ruleset).position
        match = MatchState(request.get("length"), tuple(request.get("score", (0, 0))))
        if request["ask"] == "concede":
            return {"concede": evaluator.should_concede(position, match)}
        if request["ask"] == "double":
            return {"double": evaluator.should_double(position, match)}
        best = evaluator.rank_plays(position, tuple(request["dice"]), match)[0]
        play = format_play(position, best.steps, evaluator.ruleset)
        return {"play": play, "steps": best.steps, "value": round(best.evaluation.value, 3)}
    except TavlaError as error:
        return {"error": str(error)}


for asked in REQUESTS:
    print(json.dumps(answer(asked)))
