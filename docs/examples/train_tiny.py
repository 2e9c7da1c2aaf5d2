"""Train a tiny network in seconds and let it play. It needs a checkout and the extra `[train]`.

The run, with its log and its measured checkpoint, is in `runs/example`.
"""

import subprocess
import sys
from pathlib import Path

from tavla_ai import Arena, get_ruleset, load_bot, load_checkpoint, play_tournament

CHECKOUT = Path(__file__).resolve().parents[2]
RUN = Path("runs", "example").resolve()
SETTINGS = {
    "ruleset": "north-sultan",
    "games": 600,
    "network.hidden": [16],
    "self_play.games_per_round": 200,
    "evaluation.every_games": 600,
    "evaluation.games": 100,
    "evaluation.final_games": 200,
}

# `--resume auto` continues a run that was interrupted, and does nothing after it has finished.
command = [sys.executable, "-m", "train", "--run", str(RUN), "--resume", "auto"]
for key, value in SETTINGS.items():
    command += ["--set", f"{key}={value}"]
subprocess.run(command, cwd=CHECKOUT, check=True)

card = load_checkpoint(RUN / "final").card
print(f"{card.games} games, {card.positions} positions")
for result in card.results:
    print(f"against {result.opponent}: {result.points_per_game:+.3f} ± {result.standard_error:.3f} points per game")

house = get_ruleset("north-sultan")
bots = [load_bot(str(RUN / "final"), house), load_bot("easy", house)]
played = play_tournament(Arena(house, bots, seed=7), games=200)
print(f"against Easy: {played.result.pairings[0].points_per_game:+.3f} points per game")
