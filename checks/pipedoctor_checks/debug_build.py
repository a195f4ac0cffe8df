"""PDR818: is this torch a debug build?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import TorchBuild


@check("PDR818", "This torch is a debug build")
def debug_build(torch: TorchBuild, /) -> Findings:
    """
    Note that torch was compiled for debugging: without optimisation, with assertions.

    ## Why it hurts

    Operators on the CPU, transforms in the workers among them, are several times slower
    than in a release build. Figures measured with it say nothing about the pipeline.

    ## How it is judged

    By what torch says of itself (`torch.version.debug`). No published wheel is a debug
    build, so that somebody built it on purpose: a note.

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
