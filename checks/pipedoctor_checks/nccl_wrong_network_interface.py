"""PDR960: NCCL or Gloo uses a network interface that others cannot reach."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        ("Name the interface that the machines share (`ip -br addr`)"),
        snippet="export NCCL_SOCKET_IFNAME=eth0 GLOO_SOCKET_IFNAME=eth0",
        fits=(
            Habitat.BARE,
            Habitat.SLURM,
        ),
    ),
    advise(
        "Use the host's network",
        argv=("docker", "run", "--network=host", "-e", "NCCL_SOCKET_IFNAME=eth0"),
        fits=(Habitat.DOCKER,),
    ),
    advise(
        "Name the pod's interface in NCCL_SOCKET_IFNAME",
        snippet="env:\n- name: NCCL_SOCKET_IFNAME\n  value: eth0",
        fits=(Habitat.KUBERNETES,),
    ),
)


@check("PDR960", "NCCL or Gloo uses a network interface that others cannot reach")
def nccl_wrong_network_interface(log: Log, site: Site | None, /) -> Findings:
    """
    Find ranks that cannot connect to each other.

    ## Why it hurts

    NCCL and Gloo pick an interface by themselves, or are told one that does not
    exist here: a bridge of Docker, the loopback. The other machines cannot reach
    it.

    ## How it is judged

    Connecting failed, or no interface was found. A refused connection may also mean
    that the other rank has died: read its log first.

    ## Sources

    - https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html
    - https://github.com/pytorch/pytorch/issues/29482
    """
    yield from told(
        log,
        site,
        "nccl_wrong_network_interface",
        (
            "NCCL or Gloo uses a network interface that is missing or that the "
            "other ranks cannot reach"
        ),
        *_REMEDIES,
    )
