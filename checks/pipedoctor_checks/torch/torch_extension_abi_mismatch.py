"""PDR834: were compiled extensions built for this torch?"""

from pipedoctor.check import Confidence, Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import Distribution, Interpreter, Packages, TorchBuild
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.versions import get_series, is_prerelease
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks._shared.companion_versions import COMPANIONS
from pipedoctor_checks.torch._version_pairs import imported_copies

_VENDOR_VERSION = compile_lazily(r"nv\d")
_PYG_PACKAGES = frozenset(
    ("pyg-lib", "torch-cluster", "torch-scatter", "torch-sparse", "torch-spline-conv")
)
_BUILD_SUFFIX = compile_lazily(r"pt(\d)\.?(\d+?)(cu\d+|cpu)")


@check(
    "PDR834",
    "A compiled extension was built for another torch",
    after=("PDR831", "PDR832", "PDR835"),
)
def torch_extension_abi_mismatch(
    packages: Packages, torch: TorchBuild, interpreter: Interpreter | None = None, /
) -> Findings:
    """
    Compare the torch version recorded in extensions with the installed torch.

    ## Why it hurts

    `undefined symbol: _ZN...` or a crash at import: an extension is compiled for one
    release and one CUDA of torch.

    ## How it is judged

    Extensions that contain torch's release in their version (`2.1.1+pt20cu117`, as
    PyTorch Geometric's do) are compared with this torch and its CUDA. A torch built by
    NVIDIA (`+nv23.06`, Jetson and NGC images) is not compatible with torchvision or
    torchaudio from the public index. Extensions without such information are not
    judged.

    ## Sources

    - https://pytorch-geometric.readthedocs.io/en/latest/install/installation.html
    - https://docs.nvidia.com/deeplearning/frameworks/install-pytorch-jetson-platform/index.html
    """
    if _VENDOR_VERSION.search(f"{torch.version}+{torch.local}"):
        yield from _judge_vendor_build(packages, torch)
    for copy in packages.entries:
        match = _BUILD_SUFFIX.fullmatch(copy.version.partition("+")[2])
        if match and imported_copies(packages, copy.name)[0] is copy:
            release = f"{match[1]}.{match[2]}"
            yield from _judge_extension(copy, release, match[3], torch, interpreter)


def _judge_vendor_build(packages: Packages, torch: TorchBuild) -> Findings:
    for name in COMPANIONS:
        for copy in imported_copies(packages, name)[:1]:
            if not is_prerelease(copy.version) and not _VENDOR_VERSION.search(copy.version):
                yield Finding(
                    severity=Severity.BREAKS,
                    summary=f"{name} {copy.version} is a public build, but torch"
                    f" {torch.version} was built by NVIDIA",
                    evidence={name: copy.version, "torch": torch.version},
                    confidence=Confidence.LIKELY,
                    remedies=(advise_user(f"Build {name} from source, or install NVIDIA's wheel"),),
                )


def _judge_extension(
    copy: Distribution,
    release: str,
    backend: str,
    torch: TorchBuild,
    place: Interpreter | None,
) -> Findings:
    own = f"cu{get_series(torch.cuda).replace('.', '')}" if torch.cuda else "cpu"
    wrong = release != get_series(torch.version)
    other = torch.known_backend and own != backend and not torch.hip
    if not wrong and not other:
        return
    minor = not wrong and own[:-1] == backend[:-1]
    yield Finding(
        severity=Severity.RISKS if minor else Severity.BREAKS,
        summary=f"{copy.name} {copy.version} was built for torch {release} and {backend}, but"
        f" this is torch {torch.version} and {own}",
        evidence={copy.name: copy.version, "torch": torch.version, "backend": own},
        confidence=Confidence.LIKELY,
        remedies=(_install_for(copy.name, torch, own, place),),
    )


def _install_for(name: str, torch: TorchBuild, own: str, place: Interpreter | None) -> Remedy:
    """By the page of PyG that has the wheels for this release and backend."""
    title = f"Install the {name} built for exactly this torch, {own}"
    if name not in _PYG_PACKAGES or is_prerelease(torch.version):
        return advise_user(title)
    page = f"https://data.pyg.org/whl/torch-{get_series(torch.version)}.0+{own}.html"
    return pip_command.reinstall(place, title, name, "--find-links", page)
