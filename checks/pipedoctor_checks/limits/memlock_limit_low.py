"""PDR707: may an RDMA adapter lock the memory that it transfers from?"""

from pipedoctor.check import (
    CannotJudge,
    Finding,
    Findings,
    Remedy,
    Severity,
    check,
    compose,
    docker_run,
    select_remedies,
    slurm,
)
from pipedoctor.facts import Launcher, Limits, Site
from pipedoctor.units import format_size
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks.limits._limit_of_shell import raise_as_root


@check("PDR707", "The limit on locked memory is low for RDMA")
def memlock_limit_low(limits: Limits, site: Site | None, /) -> Findings:
    """
    Look for a finite RLIMIT_MEMLOCK on a machine with an RDMA adapter.

    ## Why it hurts

    InfiniBand and RoCE lock the memory that they transfer from. If the limit is low,
    NCCL or a parallel file system may fall back to a slower path or fail with `Cannot
    allocate memory`. Memory that PyTorch pins for a GPU is not known to be subject to
    this limit, so without such an adapter nothing is reported.

    ## How it is judged

    A note if there is a soft limit, an adapter in /sys/class/infiniband, and no
    CAP_IPC_LOCK.

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
        summary=f"the limit on locked memory is {format_size(soft)}, and there is an RDMA adapter",
        evidence={
            "limits.memlock.soft": soft,
            "limits.rdma_devices": list(limits.rdma_devices),
        },
        remedies=_lift_memlock(site),
    )


def _lift_memlock(site: Site | None) -> tuple[Remedy, ...]:
    logins = advise_user(
        "Raise the limit permanently for new logins (not for services or containers)",
        snippet=(
            "# /etc/security/limits.d/90-memlock.conf\n"
            "* soft memlock unlimited\n* hard memlock unlimited"
        ),
        fits=(Launcher.BARE,),
        root=True,
    )
    pods = advise_launch(
        "Set the limit in the node's container runtime: a pod has no field for it",
        snippet="# containerd.service.d/memlock.conf\n[Service]\nLimitMEMLOCK=infinity",
        fits=(Launcher.KUBERNETES,),
    )
    return select_remedies(
        site.launcher if site else None,
        raise_as_root("memlock", "unlimited"),
        logins,
        docker_run("Start the container without the limit", "--ulimit=memlock=-1:-1"),
        compose("Set ulimits in compose.yaml", ulimits={"memlock": {"soft": -1, "hard": -1}}),
        pods,
        slurm("Propagate the limit of the submitting shell to the job", "--propagate=MEMLOCK"),
    )
