"""PDR832: was torchaudio built for this torch?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Interpreter, Packages, Requirements, TorchBuild
from pipedoctor.facts.world_torch import TorchPairs
from pipedoctor_checks._misfit import Known
from pipedoctor_checks._pairs import judge


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
    of torch that exist in one release only.

    ## How it is judged

    First by what the installed torchaudio itself requires, else by the table of
    releases. A version that the table does not know is not judged, nor are two
    nightlies or a pair that conda-forge made. From torchaudio 2.11 one file
    serves every torch from 2.11 on. Where only the patch level differs it is a
    risk.

    ## Sources

    - https://docs.pytorch.org/audio/2.11.0/installation.html
    """
    known = Known(packages, pairs, requirements, torch, interpreter)
    yield from judge("torchaudio", known)
