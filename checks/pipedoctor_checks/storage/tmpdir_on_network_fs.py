"""PDR713: do temporary files stay on this node?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Severity,
    check,
    environment,
    select_remedies,
)
from pipedoctor.facts import Filesystems, PathFact, Paths, Site
from pipedoctor_checks.storage._paths_by_role import find_alternative

REMOTE_KINDS = frozenset({"network", "network_parallel", "fuse_network", "fuse_object"})


@check("PDR713", "Temporary files are on a network file system")
def tmpdir_on_network_fs(paths: Paths, table: Filesystems, site: Site | None, /) -> Findings:
    """
    Look up the file system type of TMPDIR.

    ## Why it hurts

    Workers share tensors through sockets and files under TMPDIR. On NFS a file that is
    still open when it is deleted remains as `.nfs...`, and the folder cannot be
    removed: `Device or resource busy` at the end of every worker. Other file systems
    cannot hold sockets.

    ## How it is judged

    The mount that contains TMPDIR (else TEMP, TMP, `/tmp`) has a type that the table of
    file systems classifies as network, cluster or object store. NFS is certain, the
    others are likely.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/143471
    - https://docs.python.org/3/library/tempfile.html
    """
    known = [entry for entry in paths.find_roles("tmp") if entry.mount]
    if not known:
        reason = "the mount that contains the temporary folder is not known"
        raise CannotJudge(reason)
    for entry in known:
        row = table.find_by_mount(entry.mount) if entry.mount else None
        if row and row.kind in REMOTE_KINDS:
            yield _report_tmpdir(entry, paths, table, site)


def _report_tmpdir(entry: PathFact, paths: Paths, table: Filesystems, site: Site | None) -> Finding:
    fstype = entry.mount.fstype if entry.mount else ""
    source = entry.mount.source if entry.mount else ""
    local = Paths(entries=tuple(e for e in paths.entries if _is_local(e, table)))
    better = find_alternative(local, entry)
    remedies = (
        environment("Keep temporary files on this node", TMPDIR=better.path) if better else ()
    )
    name = entry.named_by if entry.named_by != "default" else "the default"
    return Finding(
        severity=Severity.RISKS,
        confidence=(Confidence.CERTAIN if fstype in {"nfs", "nfs4"} else Confidence.LIKELY),
        summary=f"{entry.path} ({name}) is on {fstype} {source}",
        evidence={"path": entry.path, "mount.fstype": fstype, "mount.source": source},
        remedies=select_remedies(site.launcher if site else None, *remedies),
    )


def _is_local(entry: PathFact, table: Filesystems) -> bool:
    row = table.find_by_mount(entry.mount) if entry.mount else None
    return row is not None and row.kind in {"local", "memory", "overlay"}
