"""Programs that have torch; run by path in the environment of a run, never imported."""
