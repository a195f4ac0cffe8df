"""PDR960: NCCL or Gloo uses a network interface that others cannot reach."""

from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR960",
    "NCCL or Gloo uses a network interface that others cannot reach",
    summary=(
        "NCCL or Gloo uses a network interface that is missing or that the other ranks cannot reach"
    ),
    remedies=(
        advise_launch(
            "Use the interface of the default route on every machine, if it is the one that they"
            " share (`ip -br addr`)",
            snippet="export NCCL_SOCKET_IFNAME=$(ip -o -4 route show to default |"
            " awk 'NR == 1 {print $5}')\nexport GLOO_SOCKET_IFNAME=$NCCL_SOCKET_IFNAME",
            fits=(Launcher.BARE, Launcher.SLURM),
        ),
        advise_launch(
            "Use the host's network",
            argv=("docker", "run", "--network=host", "-e", "NCCL_SOCKET_IFNAME=^lo,docker,veth"),
            fits=(Launcher.DOCKER,),
        ),
        advise_launch(
            "Set the pod's interface in NCCL_SOCKET_IFNAME (`ip -br addr` in the pod)",
            snippet="env:\n- name: NCCL_SOCKET_IFNAME\n  value: eth0",
            fits=(Launcher.KUBERNETES,),
        ),
    ),
)
def nccl_wrong_network_interface() -> None:
    """
    Find ranks that cannot connect to each other.

    ## Why it hurts

    NCCL and Gloo choose an interface by themselves, or are configured with one that
    does not exist here. If it is a Docker bridge or the loopback, other machines cannot
    reach it.

    ## How it is judged

    Connecting failed, or no interface was found. A refused connection may also mean
    that the other rank has died: read its log first.

    ## Sources

    - https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html
    - https://github.com/pytorch/pytorch/issues/29482
    """
