"""PDR939: An HDF5 file handle is shared with workers."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    in_code(
        "Open it in the worker, at first use, not in __init__",
        (
            "def __getitem__(self, i):\n"
            "    if self.file is None:\n"
            '        self.file = h5py.File(self.path, "r")'
        ),
    ),
    advise(
        "On network file systems without locks",
        snippet="export HDF5_USE_FILE_LOCKING=FALSE",
        fits=(
            Habitat.BARE,
            Habitat.SLURM,
        ),
    ),
)


@check("PDR939", "An HDF5 file handle is shared with workers")
def hdf5_handle_shared_across_fork(log: Log, site: Site | None, /) -> Findings:
    """
    Find an HDF5 file that was opened before the workers were forked.

    ## Why it hurts

    Forked workers share the position and the state of the parent's handle: they
    read each other's bytes. Data are wrong, or HDF5 reports a damaged file that is
    whole.

    ## How it is judged

    HDF5 reports broken headers or filters, or its objects could not be pickled.
    Where it fails without workers, too, the file is damaged.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/11929
    - https://github.com/pytorch/pytorch/issues/11887
    """
    yield from told(
        log,
        site,
        "hdf5_handle_shared_across_fork",
        (
            "An HDF5 file that the parent opened is read by several workers "
            "through one handle"
        ),
        *_REMEDIES,
    )
