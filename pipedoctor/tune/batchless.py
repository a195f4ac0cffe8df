"""What is said of a loader that gives no batch at all."""

from pipedoctor.units import many

NONE = "the loader gives no batch"


def fewer(samples: int, size: int) -> str:
    """Why nothing comes of so many samples where incomplete batches are left out."""
    verb = "is" if samples == 1 else "are"
    said = f"{many(samples, 'sample')} {verb} fewer than batch_size={size}"
    return f"drop_last=True, and {said}"
