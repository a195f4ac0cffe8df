"""PDR930: The container's seccomp filter forbids new threads."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        (
            "Update Docker, runc and libseccomp of the host; until "
            "then, do without the filter"
        ),
        argv=("docker", "run", "--security-opt", "seccomp=unconfined"),
        fits=(Habitat.BARE, Habitat.DOCKER),
    ),
    advise(
        ("Update the node's container runtime; until then, do without the filter"),
        snippet=("securityContext:\n  seccompProfile:\n    type: Unconfined"),
        fits=(Habitat.KUBERNETES,),
    ),
    advise("Ask for a newer Apptainer on the nodes", fits=(Habitat.SLURM,)),
)


@check("PDR930", "The container's seccomp filter forbids new threads")
def container_seccomp_blocks_threads(log: Log, site: Site | None, /) -> Findings:
    """
    Find an old container engine that answers clone3 with EPERM.

    ## Why it hurts

    glibc 2.34 and newer start threads with `clone3`. Docker before 20.10.10 and
    libseccomp before 2.5 do not know the call and answer `Operation not permitted`,
    where glibc falls back only on `Function not implemented`: nothing that needs a
    thread starts.

    ## How it is judged

    Creating a thread failed with `Operation not permitted`; with `Resource
    temporarily unavailable` it is the limit of processes instead.

    ## Sources

    - https://github.com/coqui-ai/TTS/issues/3439
    - https://docs.docker.com/engine/security/seccomp/
    """
    yield from told(
        log,
        site,
        "container_seccomp_blocks_threads",
        (
            "An old Docker or libseccomp forbids the system call that newer "
            "images start threads with"
        ),
        *_REMEDIES,
    )
