"""Training by self-play TD(λ): configuration, workers, learner and the pipeline that joins them."""
