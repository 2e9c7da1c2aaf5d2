"""Ask an exported network for a play with ONNX Runtime and numpy, as a server in another language does.

Export needs the extra `[export]`. A server has its own rules; here they come from `tavla_ai`.
"""

from pathlib import Path

import numpy as np
import onnxruntime

from tavla_ai import Position, export_bundle, format_play, get_ruleset, legal_plays, verify_bundle

bundle = Path("bundle")
if not bundle.exists():
    export_bundle("tavla/easy", bundle)
verify_bundle(bundle)

# All afterstates of a roll are one batch: int8 [N, 2, 26], the side that has just moved first.
house = get_ruleset("oyna-tavla")
start = Position.start(house)
plays = legal_plays(house, start, (3, 1))
boards = np.stack([play.afterstate.board for play in plays])
# What the scores 2, 1, -1, -2 are worth: points in a single game, chances of winning the match in a match.
utility = np.tile(np.array([2, 1, -1, -2], np.float32), (len(plays), 1))

session = onnxruntime.InferenceSession(bundle / "model.onnx")
outcomes, expected = session.run(None, {"boards": boards, "utility": utility})

for i in np.argsort(-expected)[:3]:
    chances = ", ".join(f"{score:+d}: {chance:.3f}" for score, chance in zip(house.scores, outcomes[i], strict=True))
    print(f"{format_play(start, plays[i].steps, house):12} {expected[i]:+.3f} points  ({chances})")
