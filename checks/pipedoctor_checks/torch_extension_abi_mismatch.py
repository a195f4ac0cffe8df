"""PDR834: were compiled extensions built for this torch?"""

import re

from pipedoctor.check import Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Distribution, Packages, TorchBuild
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor.versions import series, unreleased
from pipedoctor_checks._pairs import imported

_VENDOR = re.compile(r"nv\d")
_BUILT = re.compile(r"pt(\d)\.?(\d+?)(cu\d+|cpu)")


@check(
    "PDR834",
    "A compiled extension was built for another torch",
    after=("PDR831", "PDR832", "PDR835"),
)
def torch_extension_abi_mismatch(packages: Packages, torch: TorchBuild, /) -> Findings:
    """
    Compare what extensions say of themselves with the torch that is here.

    ## Why it hurts

    `undefined symbol: _ZN...` or a crash at import: an extension is compiled against
    one release and one CUDA of torch.

    ## How it is judged

    Extensions that carry torch's release in their version (`2.1.1+pt20cu117`, as
    PyTorch Geometric's do) are compared with this torch and its CUDA. A torch that
    NVIDIA built (`+nv23.06`, Jetson and NGC images) does not go with torchvision or
    torchaudio from the public index. Extensions that say nothing are not judged.

    ## Sources

    - https://pytorch-geometric.readthedocs.io/en/latest/install/installation.html
    - https://docs.nvidia.com/deeplearning/frameworks/install-pytorch-jetson-platform/index.html
    """
    if _VENDOR.search(f"{torch.version}+{torch.local}"):
        yield from _vendor(packages, torch)
    for copy in packages.entries:
        match = _BUILT.fullmatch(copy.version.partition("+")[2])
        if match and imported(packages, copy.name)[0] is copy:
            yield from _extension(copy, f"{match[1]}.{match[2]}", match[3], torch)


def _vendor(packages: Packages, torch: TorchBuild) -> Findings:
    for name in ("torchvision", "torchaudio"):
        for copy in imported(packages, name)[:1]:
            if not unreleased(copy.version) and not _VENDOR.search(copy.version):
                yield Finding(
                    severity=Severity.BREAKS,
                    summary=f"{name} {copy.version} is a public build, torch "
                    f"{torch.version} is NVIDIA's own",
                    evidence={name: copy.version, "torch": torch.version},
                    confidence=Confidence.LIKELY,
                    remedies=(
                        _advice(f"Build {name} from source, or take NVIDIA's wheel"),
                    ),
                )


def _extension(
    copy: Distribution, release: str, backend: str, torch: TorchBuild
) -> Findings:
    own = f"cu{series(torch.cuda).replace('.', '')}" if torch.cuda else "cpu"
    wrong = release != series(torch.version)
    other = torch.known_backend and own != backend and not torch.hip
    if not wrong and not other:
        return
    minor = not wrong and own[:-1] == backend[:-1]
    yield Finding(
        severity=Severity.RISKS if minor else Severity.BREAKS,
        summary=f"{copy.name} {copy.version} was built for torch {release} and "
        f"{backend}, here is torch {torch.version} and {own}",
        evidence={copy.name: copy.version, "torch": torch.version, "backend": own},
        confidence=Confidence.LIKELY,
        remedies=(_advice(f"Install the {copy.name} of exactly this torch, {own}"),),
    )


def _advice(title: str) -> Remedy:
    return Remedy(title=title, lasts=Lasts.ALWAYS, advice=True)
