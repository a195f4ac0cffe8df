"""PDR938: an LMDB environment opened by the parent is used in workers."""

from pipedoctor.check import Remedy
from pipedoctor.facts.log import Log
from pipedoctor_checks.crashes._late_opening import open_on_first_use
from pipedoctor_checks.crashes._log_check import log_check


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    opened = "lmdb.open(self.path, readonly=True, lock=False)"
    return (open_on_first_use(log, "lmdb_env_shared_across_fork", "env", opened),)


@log_check(
    "PDR938",
    "An LMDB environment is shared with workers",
    summary="An LMDB environment opened by the parent is used in workers",
    remedies=_choose_remedies,
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
