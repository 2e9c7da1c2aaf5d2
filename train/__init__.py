"""Training by self-play TD(λ): configuration, workers, learner and the pipeline that joins them."""

import os

# Torch's OpenMP threads spin while they wait for each other. On a machine that is also doing something else a
# spinning thread holds the core that the other one needs: two learner threads then fall to a tenth of the speed
# of one. A short spin costs little on a quiet machine. It must be set before torch is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
