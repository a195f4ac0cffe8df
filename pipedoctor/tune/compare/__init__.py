"""Compare a loader with a variant of itself: before and after, with and without."""
