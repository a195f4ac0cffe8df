"""PDR818: is this torch a debug build?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import TorchBuild


@check("PDR818", "This torch is a debug build")
def debug_build(torch: TorchBuild, /) -> Findings:
    """
    Report a torch that was compiled for debugging: unoptimized, with assertions.

    ## Why it hurts

    CPU operators, including transforms in the workers, are several times slower than in
    a release build. Measurements with it say nothing about the pipeline.

    ## How it is judged

    By torch's own flag (`torch.version.debug`). No published wheel is a debug build, so
    it was built on purpose: a note.

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/CONTRIBUTING.md
    - https://github.com/pytorch/pytorch/blob/main/torch/utils/collect_env.py
    """
    if torch.debug:
        yield Finding(
            severity=Severity.NOTE,
            summary=f"torch {torch.version} was compiled for debugging",
            evidence={"torch": torch.version, "debug": True},
        )
