"""Judge every decision of a match file: what each play lost, and how lucky each roll was."""

import sys
from pathlib import Path

from tavla_ai import analyze_match, load_evaluator, read_match

MATCH = """
 3 point match

 Game 1
 Ayşe : 0                       Hard : 0
  1) 41: 13/9 9/8                56: 24/18 13/8
  2) 24: 13/9 6/4                51: 24/23 23/18
  3) 24: 8/4 6/4                 12: 13/11 11/10
  4) 31: 8/5 6/5                 33: 8/5 8/5 6/3 6/3
  5) 66: 24/18 24/18 8/2 8/2     24: 18/14 18/16*
  6) 24: 25/23 13/9*             45:
  7) 36: 13/7 18/15*             31: 25/22 25/24
"""

if len(sys.argv) > 1:
    path = Path(sys.argv[1])
else:
    path = Path("match.mat")
    path.write_text(MATCH, encoding="utf-8")

evaluator = load_evaluator("north-sultan")
analysis = analyze_match(read_match(path, evaluator.ruleset), evaluator)

for player, name in enumerate(analysis.players):
    summary = analysis.summary(player)
    print(
        f"{name}: {summary.decisions} decisions, {summary.error_rate:.1f} thousandths of a point lost in each, "
        f"luck {summary.luck_points:+.2f} points"
    )
for decision in analysis.worst(3):
    print(
        f"move {decision.move}, {analysis.players[decision.player]}: {analysis.action_text(decision)} lost "
        f"{decision.loss_points:.3f} points; best was {analysis.best_text(decision)}"
    )
