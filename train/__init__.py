"""Training by self-play TD(λ): configuration, workers, learner and the pipeline that joins them."""

import os

# Torch's OpenMP threads spin while they wait for each other. On a busy machine a spinning thread occupies the core that
# the other thread needs: two learner threads are then ten times slower than one. A short spin costs little on an idle
# machine. It must be set before torch is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
