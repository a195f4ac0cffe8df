"""PDR939: An HDF5 file handle is shared with workers."""

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.crashes._late_opening import open_on_first_use
from pipedoctor_checks.crashes._log_check import log_check

_CAUSE = "hdf5_handle_shared_across_fork"


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Locks only where the log speaks of them, and not where several processes write."""
    late = open_on_first_use(log, _CAUSE, "file", 'h5py.File(self.path, "r")')
    seen = log.find_ids(_CAUSE)
    unlocked = advise_launch(
        "Disable file locking on network file systems without locks",
        snippet="export HDF5_USE_FILE_LOCKING=FALSE",
        fits=(Launcher.BARE, Launcher.SLURM),
    )
    locked = "locking" in seen
    if locked and (opened := log.find_value(_CAUSE, "opened")):
        to_read = in_code(
            "Open it to read: a process that opens it to write locks it for all others",
            f'{opened}, "r")',
        )
        return to_read, late
    return (unlocked, late) if locked else (late,)


@log_check(
    "PDR939",
    "An HDF5 file handle is shared with workers",
    summary="An HDF5 file that the parent opened is read by several workers through one handle",
    remedies=_choose_remedies,
)
def hdf5_handle_shared_across_fork() -> None:
    """
    Find an HDF5 file that was opened before the workers were forked.

    ## Why it hurts

    Forked workers share the position and the state of the parent's handle: they read
    each other's bytes. Data is wrong, or HDF5 reports damage in an intact file.

    ## How it is judged

    HDF5 reports broken headers or filters, or its objects could not be pickled. If it
    also fails without workers, the file is damaged.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/11929
    - https://github.com/pytorch/pytorch/issues/11887
    """
