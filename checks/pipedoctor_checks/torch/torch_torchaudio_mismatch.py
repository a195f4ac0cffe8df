"""PDR832: was torchaudio built for this torch?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Interpreter, Packages, Requirements, TorchBuild
from pipedoctor.facts.world_torch import TorchPairs
from pipedoctor_checks.torch._version_mismatch import VersionFacts
from pipedoctor_checks.torch._version_pairs import judge_package


@check("PDR832", "torchaudio was built for another torch", after=("PDR835",))
def torch_torchaudio_mismatch(
    packages: Packages,
    pairs: TorchPairs,
    requirements: Requirements | None,
    torch: TorchBuild | None,
    interpreter: Interpreter | None,
    /,
) -> Findings:
    """
    Compare the versions of torch and torchaudio with the pairs that were released.

    ## Why it hurts

    An undefined symbol when torchaudio is imported: its compiled part calls functions
    of torch that exist in only one release.

    ## How it is judged

    First by the requirements of the installed torchaudio, else by the table of
    releases. A version that is not in the table is not judged, nor are two nightlies or
    a pair built by conda-forge. From torchaudio 2.11 on one file supports every torch
    from 2.11 on. If only the patch level differs it is a risk.

    ## Sources

    - https://docs.pytorch.org/audio/2.11.0/installation.html
    """
    known = VersionFacts(packages, pairs, requirements, torch, interpreter)
    yield from judge_package("torchaudio", known)
