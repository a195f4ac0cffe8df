"""PDR831: was torchvision built for this torch?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Interpreter, Packages, Requirements, TorchBuild
from pipedoctor.facts.world_torch import TorchPairs
from pipedoctor_checks.torch._version_mismatch import VersionFacts
from pipedoctor_checks.torch._version_pairs import judge_package


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
    its attributes: torchvision calls functions of torch that exist in only one release.

    ## How it is judged

    First by the requirements of the installed torchvision, else by the table of
    releases. A version that is not in the table is not judged, nor are two nightlies or
    a pair built by conda-forge. From torchvision 0.29.1 on one file supports every
    torch from 2.14 on. If only the patch level differs it is a risk.

    ## Sources

    - https://github.com/pytorch/vision#installation
    """
    known = VersionFacts(packages, pairs, requirements, torch, interpreter)
    yield from judge_package("torchvision", known)
