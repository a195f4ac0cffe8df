"""What a check assumes of a job that it does not know, so that a user can correct it."""

from pipedoctor.facts import Loader
from pipedoctor.units import format_count, format_size


def describe_assumed_job(job: Loader, batch: int | None, loader: Loader | None) -> str:
    """
    ``4 workers with batches of 16.0 MiB; with yours: --workers N --batch-bytes SIZE``.

    `job` is the one that was judged, `batch` the bytes of its batches unless they are
    known (None: batches were left out); `loader` is what is known of it.
    """
    size = job.batch_bytes if job.batch_bytes is not None else batch
    batches = "" if size is None else f" with batches of {format_size(size)}"
    options = (loader or Loader()).missing_options
    ranks = f" in each of {job.ranks} ranks" if (job.ranks or 1) > 1 else ""
    workers = format_count(job.num_workers or 0, "worker")
    return f"{workers}{ranks}{batches}; with yours: {options}"
