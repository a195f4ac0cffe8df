"""PDR730: can one connection carry what a distant store could deliver?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Filesystems, Limits, Paths, Site
from pipedoctor.units import MiB, format_size
from pipedoctor_checks._shared.storage_medium import SLOW_KINDS
from pipedoctor_checks._shared.sysctl import advise_sysctl

_KINDS_WITHOUT_TCP = frozenset({"network_parallel", "vm_shared"})


@check("PDR730", "TCP buffers limit the throughput of a remote store")
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
    Name the limit that TCP buffers set, if a dataset is on a remote store.

    ## Why it hurts

    Usually it does not: nothing in PyTorch's documentation asks for network settings,
    and for data on local disks such tuning has no effect. Only for a distant store is
    one connection limited by its receive buffer per round trip. More connections,
    larger files and a copy on a local disk help more, and need no root.

    ## How it is judged

    Only with `--data` on a network file system or an object store, and only if
    net.ipv4.tcp_rmem allows less than `enough`: a note, with the rate to which a buffer
    of this size limits one connection at a round trip of `round_trip` seconds. The true
    round trip is not measured, because no connection is ever opened.

    ## Sources

    - https://docs.kernel.org/networking/ip-sysctl.html
    - https://man7.org/linux/man-pages/man7/tcp.7.html
    """
    remote = [
        (entry.path, entry.mount.fstype)
        for entry in paths.find_roles("data")
        if entry.mount and (row := table.find_by_mount(entry.mount))
        if row.kind in SLOW_KINDS.keys() - _KINDS_WITHOUT_TCP
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
        f"{format_size(rate)}/s at a round trip of {round_trip * 1000:g} ms",
        evidence={"limits.tcp_receive_buffer": size, "path": path, "fstype": fstype},
        remedies=advise_sysctl("net.ipv4.tcp_rmem", f"4096 131072 {2 * enough}", site),
    )
