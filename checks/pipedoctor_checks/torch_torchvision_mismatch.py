"""PDR831: was torchvision built for this torch?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Interpreter, Packages, Requirements, TorchBuild
from pipedoctor.facts.world_torch import TorchPairs
from pipedoctor_checks._misfit import Known
from pipedoctor_checks._pairs import judge


@check("PDR831", "torchvision was built for another torch", after=("PDR835",))
def torch_torchvision_mismatch(
    packages: Packages,
    pairs: TorchPairs,
    requirements: Requirements | None,
    torch: TorchBuild | None,
    interpreter: Interpreter | None,
    /,
) -> Findings:
    """
    Compare the versions of torch and torchvision with the pairs that were released.

    ## Why it hurts

    `operator torchvision::nms does not exist`, an undefined symbol, or a module without
    its attributes: torchvision calls functions of torch that exist in one release only.

    ## How it is judged

    First by what the installed torchvision itself requires, else by the table of
    releases. A version that the table does not know is not judged, nor are two
    nightlies or a pair that conda-forge made. From torchvision 0.29.1 one file
    serves every torch from 2.14 on. Where only the patch level differs it is a
    risk.

    ## Sources

    - https://github.com/pytorch/vision#installation
    """
    known = Known(packages, pairs, requirements, torch, interpreter)
    yield from judge("torchvision", known)
