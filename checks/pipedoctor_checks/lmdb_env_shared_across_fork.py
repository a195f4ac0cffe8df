"""PDR938: an LMDB environment that the parent opened is used in workers."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        "Open it in the worker, at first use, not in __init__",
        (
            "def __getitem__(self, i):\n"
            "    if self.env is None:\n"
            "        self.env = lmdb.open(self.path, readonly=True, "
            "lock=False)"
        ),
    ),
)


@check("PDR938", "An LMDB environment is shared with workers")
def lmdb_env_shared_across_fork(log: Log, site: Site | None, /) -> Findings:
    """
    Find an LMDB environment that was opened before the workers were started.

    ## Why it hurts

    An LMDB environment must not be used in a process that was forked after it was
    opened: reads fail, hang or crash. Nor can it be pickled for spawned workers.

    ## How it is judged

    LMDB complains of its reader slots or its state, or an `Environment` could not
    be pickled.

    ## Sources

    - https://lmdb.readthedocs.io/en/release/
    - https://github.com/baudm/parseq/issues/6
    """
    yield from told(
        log,
        site,
        "lmdb_env_shared_across_fork",
        "An LMDB environment that the parent opened is used in workers",
        *_REMEDIES,
    )
