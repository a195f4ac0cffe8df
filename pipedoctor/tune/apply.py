"""Write the recommended arguments into the user's code."""

from pipedoctor.tune.text import line
from pipedoctor.tune.tuning import Tuning


def applied(tuning: Tuning) -> str:
    """Edit the loader's call; for now this says what to write."""
    return f"--apply: write it yourself: {line(tuning.choice.setting)}"
