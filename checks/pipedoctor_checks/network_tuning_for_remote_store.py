"""PDR730: can one connection carry what a distant store could deliver?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Filesystems, Limits, Paths, Site
from pipedoctor.units import MiB, human
from pipedoctor_checks._medium import SLOW_KINDS
from pipedoctor_checks._sysctl import tuned

_NOT_TCP = frozenset({"network_parallel", "vm_shared"})


@check("PDR730", "TCP buffers bound what a remote store can deliver")
def network_tuning_for_remote_store(
    paths: Paths,
    limits: Limits,
    table: Filesystems,
    site: Site | None,
    /,
    *,
    enough: int = 16 * MiB,
    round_trip: float = 0.010,
) -> Findings:
    """
    Name the bound that TCP buffers set, where a data set lies on a remote store.

    ## Why it hurts

    It mostly does not: nothing in PyTorch's documentation asks for network settings,
    and for data on local disks they are folklore. Only to a distant store is one
    connection bounded by its receive buffer for each round trip. More connections,
    larger files and a copy on a local disk help more, and need no root.

    ## How it is judged

    Only with `--data` on a network file system or an object store, only when
    net.ipv4.tcp_rmem allows less than `enough`: a note, with the rate that a buffer
    of this size bounds one connection to at a `round_trip` of so many seconds. The
    true round trip is not measured: no connection is ever opened.

    ## Sources

    - https://docs.kernel.org/networking/ip-sysctl.html
    - https://man7.org/linux/man-pages/man7/tcp.7.html
    """
    remote = [
        (entry.path, entry.mount.fstype)
        for entry in paths.of("data")
        if entry.mount and (row := table.of(entry.mount))
        if row.kind in SLOW_KINDS.keys() - _NOT_TCP
    ]
    if not remote:
        return
    size = limits.tcp_receive_buffer
    if size is None:
        message = "limits: net.ipv4.tcp_rmem is not known"
        raise CannotJudge(message)
    if size >= enough:
        return
    (path, fstype), rate = remote[0], int(size / round_trip)
    yield Finding(
        severity=Severity.NOTE,
        confidence=Confidence.POSSIBLE,
        summary=f"one connection to {path} ({fstype}) carries at most "
        f"{human(rate)}/s at a round trip of {round_trip * 1000:g} ms",
        evidence={"limits.tcp_receive_buffer": size, "path": path, "fstype": fstype},
        remedies=tuned("net.ipv4.tcp_rmem", f"4096 131072 {2 * enough}", site),
    )
