"""PDR939: An HDF5 file handle is shared with workers."""

from pipedoctor.check import in_code
from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.crashes._log_check import log_check

_OPEN_LATE = """def __init__(self, path):
    self.path = path
    self.file = None


def __getitem__(self, index):
    if self.file is None:
        self.file = h5py.File(self.path, "r")
    ...  # read from self.file, as now"""


@log_check(
    "PDR939",
    "An HDF5 file handle is shared with workers",
    summary="An HDF5 file that the parent opened is read by several workers through one handle",
    remedies=(
        in_code("Open it in the worker, on first use, not in __init__", _OPEN_LATE),
        advise_launch(
            "Disable file locking on network file systems without locks",
            snippet="export HDF5_USE_FILE_LOCKING=FALSE",
            fits=(Launcher.BARE, Launcher.SLURM),
        ),
    ),
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
