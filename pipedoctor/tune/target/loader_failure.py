"""Why a loader gives no batch, or failed, in one line."""

import traceback

from pipedoctor.tune.target.gpu_state import explain_early_cuda
from pipedoctor.tune.target.target import format_error, format_place
from pipedoctor.units import format_count

NO_BATCH = "the loader yields no batch"


class LoaderFailedError(Exception):
    """The loader failed while it was measured; the message says how."""


class EmptyLoaderError(LoaderFailedError):
    """It gave not even a first batch."""


def explain_too_few(samples: int, size: int) -> str:
    """Why nothing comes of so many samples where incomplete batches are left out."""
    verb = "is" if samples == 1 else "are"
    comparison = f"{format_count(samples, 'sample')} {verb} fewer than batch_size={size}"
    return f"drop_last=True, and {comparison}"


def describe_failure(error: BaseException) -> str:
    """One line for what the loader raised; of a worker's error, the original."""
    if isinstance(error, LoaderFailedError):
        return str(error)
    text = "".join(traceback.format_exception_only(error))  # its own str() may raise
    if early := explain_early_cuda(text):
        return early
    if "DataLoader worker" in text and error.__cause__ is not None:
        error = error.__cause__  # of what did it die?
    if "Original Traceback" in text:
        lines = [line for line in text.strip().splitlines() if line.strip()]
        places = [line.strip() for line in lines if line.strip().startswith("File ")]
        return f"{lines[-1].strip()}{format_place(list(map(_parse_place, places)))}"[:400]
    return format_error(error)


def _parse_place(line: str) -> tuple[str, str]:
    _, name, rest = line.split('"', 2)
    return name, "".join(filter(str.isdecimal, rest.partition(",")[2].partition(",")[0]))
