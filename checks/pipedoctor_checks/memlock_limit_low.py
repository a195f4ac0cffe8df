"""PDR707: may an RDMA adapter lock the memory that it transfers from?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Habitat, Limits, Site
from pipedoctor.remedy import Lasts, Place, Remedy, compose, docker_run, fitting, slurm
from pipedoctor.units import human


@check("PDR707", "The limit on locked memory is low for RDMA")
def memlock_limit_low(limits: Limits, site: Site | None, /) -> Findings:
    """
    Look for a bounded RLIMIT_MEMLOCK where an RDMA adapter is present.

    ## Why it hurts

    InfiniBand and RoCE lock the memory that they transfer from. Where little may be
    locked, NCCL or a parallel file system may fall back to something slower or fail
    with `Cannot allocate memory`. Memory that PyTorch pins for a GPU is not known to
    fall under this limit, so without such an adapter nothing is said.

    ## How it is judged

    A soft limit, an adapter in /sys/class/infiniband, and no CAP_IPC_LOCK: a note.

    ## Sources

    - https://man7.org/linux/man-pages/man2/getrlimit.2.html
    - https://docs.redhat.com/zh-cn/documentation/red_hat_enterprise_linux/7/html/networking_guide/sec-relaxing_memlock_restrictions_for_users
    - https://www.ibm.com/support/pages/node/129429
    """
    if limits.memlock is None:
        message = "limits: RLIMIT_MEMLOCK is not known"
        raise CannotJudge(message)
    soft = limits.memlock.soft
    if soft is None or limits.exempt_from_memlock or not limits.rdma_devices:
        return
    yield Finding(
        severity=Severity.NOTE,
        summary=f"{human(soft)} of memory may be locked, and there is an RDMA adapter",
        evidence={
            "limits.memlock.soft": soft,
            "limits.rdma_devices": list(limits.rdma_devices),
        },
        remedies=_unlimited(site),
    )


def _unlimited(site: Site | None) -> tuple[Remedy, ...]:
    logins = Remedy(
        title="For good, for new logins (not for services or containers)",
        snippet=(
            "# /etc/security/limits.d/90-memlock.conf\n"
            "* soft memlock unlimited\n* hard memlock unlimited"
        ),
        lasts=Lasts.ALWAYS,
        root=True,
        fits=(Habitat.BARE,),
        advice=True,
    )
    pods = Remedy(
        title="A pod has no field for it: the node's container runtime sets it",
        snippet="# containerd.service.d/memlock.conf\n[Service]\nLimitMEMLOCK=infinity",
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        fits=(Habitat.KUBERNETES,),
        advice=True,
    )
    return fitting(
        site.habitat if site else None,
        logins,
        docker_run("Start the container without the limit", "--ulimit=memlock=-1:-1"),
        compose(
            "Say so in compose.yaml", ulimits={"memlock": {"soft": -1, "hard": -1}}
        ),
        pods,
        slurm("Give the job the limit of the submitting shell", "--propagate=MEMLOCK"),
    )
