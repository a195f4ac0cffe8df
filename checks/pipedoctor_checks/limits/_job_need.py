"""What the workers of a job need of something that is limited."""

import msgspec


class JobNeed(msgspec.Struct, frozen=True, kw_only=True):
    """What a job needs; `workers` None: its job is unknown."""

    workers: int | None = None
    least: int = 0
    """With less the job fails."""

    @property
    def subject(self) -> str:
        """Whose need it is, to begin a clause: ``4 workers need``."""
        return "1 worker needs" if self.workers == 1 else f"{self.workers} workers need"
