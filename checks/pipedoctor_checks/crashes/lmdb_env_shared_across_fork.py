"""PDR938: an LMDB environment opened by the parent is used in workers."""

from pipedoctor.check import in_code
from pipedoctor_checks.crashes._log_check import log_check

_OPEN_LATE = """def __init__(self, path):
    self.path = path
    self.env = None


def __getitem__(self, index):
    if self.env is None:
        self.env = lmdb.open(self.path, readonly=True, lock=False)
    ...  # read from self.env, as now"""


@log_check(
    "PDR938",
    "An LMDB environment is shared with workers",
    summary="An LMDB environment opened by the parent is used in workers",
    remedies=(in_code("Open it in the worker, on first use, not in __init__", _OPEN_LATE),),
)
def lmdb_env_shared_across_fork() -> None:
    """
    Find an LMDB environment that was opened before the workers were started.

    ## Why it hurts

    An LMDB environment must not be used in a process that was forked after it was
    opened: reads fail, hang or crash. Nor can it be pickled for spawned workers.

    ## How it is judged

    LMDB reports an error about its reader slots or its state, or an `Environment` could
    not be pickled.

    ## Sources

    - https://lmdb.readthedocs.io/en/release/
    - https://github.com/baudm/parseq/issues/6
    """
