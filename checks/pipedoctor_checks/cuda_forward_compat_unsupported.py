"""PDR947: the image's own libcuda does not support this card or this driver."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        ("Take an image for the driver's CUDA, or update the host's driver"),
        fits=(Habitat.DOCKER,),
    ),
    advise(
        ("Take an image for the node's CUDA, or update the node's driver"),
        fits=(Habitat.KUBERNETES,),
    ),
    advise("Take an image for the node's CUDA", fits=(Habitat.SLURM,)),
    advise(
        ("Update the driver, or take the compat folder out of the loader's path"),
        snippet="unset LD_LIBRARY_PATH",
        fits=(Habitat.BARE,),
        place=Place.HERE,
    ),
)


@check("PDR947", "The image's compatibility libraries do not fit the GPU or driver")
def cuda_forward_compat_unsupported(log: Log, site: Site | None, /) -> Findings:
    """
    Find errors 803 and 804 of CUDA.

    ## Why it hurts

    An image for a newer CUDA brings a `libcuda` of its own (`cuda-compat`). It
    works on data-centre cards with certain drivers only; elsewhere CUDA does not
    start.

    ## How it is judged

    CUDA reports error 804 or 803. After an upgrade of the driver without a reboot
    803 means that; then NVML reports a mismatch as well.

    ## Sources

    - https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html
    - https://github.com/oobabooga/textgen/issues/4407
    """
    yield from told(
        log,
        site,
        "cuda_forward_compat_unsupported",
        "The image's own libcuda does not support this card or this driver",
        *_REMEDIES,
    )
