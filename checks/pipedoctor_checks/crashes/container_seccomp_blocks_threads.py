"""PDR930: The container's seccomp filter blocks new threads."""

from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR930",
    "The container's seccomp filter blocks new threads",
    summary=(
        "An old Docker or libseccomp blocks the system call that newer images use to start threads"
    ),
    remedies=(
        advise_launch(
            "Update Docker, runc and libseccomp on the host; until then, run without the filter",
            argv=("docker", "run", "--security-opt", "seccomp=unconfined"),
            fits=(Launcher.BARE, Launcher.DOCKER),
        ),
        advise_launch(
            "Update the node's container runtime; until then, run without the filter",
            snippet="securityContext:\n  seccompProfile:\n    type: Unconfined",
            fits=(Launcher.KUBERNETES,),
        ),
        advise_launch("Ask for a newer Apptainer on the nodes", fits=(Launcher.SLURM,)),
    ),
)
def container_seccomp_blocks_threads() -> None:
    """
    Find an old container engine that answers clone3 with EPERM.

    ## Why it hurts

    glibc 2.34 and newer start threads with `clone3`. Docker before 20.10.10 and
    libseccomp before 2.5 do not know the call and return `Operation not permitted`, but
    glibc falls back only on `Function not implemented`: no program that needs a thread
    starts.

    ## How it is judged

    Creating a thread failed with `Operation not permitted`; with `Resource temporarily
    unavailable` the cause is the limit on processes instead.

    ## Sources

    - https://github.com/coqui-ai/TTS/issues/3439
    - https://docs.docker.com/engine/security/seccomp/
    """
