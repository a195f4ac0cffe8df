"""A slow dataset, and what was measured of a loader of it."""

from pipedoctor.facts import Pipeline
from pipedoctor.facts.source import Spot
from tests.checks.code_samples import HEAD
from tests.tune.seen import pipeline, setting, trial

SLOW = """
class Slow(Dataset):
    def __getitem__(self, index):
        return np.asarray(Image.open(self.files[index]))

    def __len__(self):
        return 9


train = DataLoader(Slow(), batch_size=4)
"""
SLOW_FIXED = SLOW.replace("batch_size=4", "batch_size=4, num_workers=32")
LINE = (HEAD + SLOW).count("\n")
"""Of `train`, the last line."""


def measured_pipeline(line: int | None, workers: int = 6, prefetch: int = 4) -> Pipeline:
    best = setting(workers, prefetch, persistent_workers=bool(workers))
    at = Spot(path="train.py", line=line) if line else None
    return pipeline(trial(0, 0.02), best=best, made_at=at)
