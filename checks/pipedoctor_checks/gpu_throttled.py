"""PDR810: are the clocks of a GPU held down by heat or power?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Gpu
from pipedoctor.remedy import Lasts, Remedy

SLOW = (
    "hardware slowdown",
    "software thermal slowdown",
    "hardware thermal slowdown",
    "hardware power brake",
)


@check("PDR810", "A GPU runs below its clocks")
def gpu_throttled(gpu: Gpu, /) -> Findings:
    """
    Read why the driver holds the clocks of a GPU down.

    ## Why it hurts

    A card that is too hot or gets too little power runs at a fraction of its clocks,
    and all ranks wait for the slowest.

    ## How it is judged

    Only reasons that are a fault: thermal slowdown, hardware slowdown and the power
    brake. An idle GPU, application clocks and the power cap that every loaded card
    reaches are normal.

    ## Sources

    - https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html
    """
    if all(device.throttled is None for device in gpu.devices):
        reason = "the driver says of no GPU why its clocks are down"
        raise CannotJudge(reason)
    for device in gpu.devices:
        reasons = [word for word in device.throttled or () if word in SLOW]
        if reasons:
            hot = device.temperature
            yield Finding(
                severity=Severity.SLOWS,
                summary=f"GPU {device.index} ({device.name or 'NVIDIA'}) is slowed "
                f"down: {', '.join(reasons)}{f' at {hot} °C' if hot else ''}",
                evidence={"throttled": reasons, "temperature": hot},
                remedies=(_COOL,),
            )


_COOL = Remedy(
    title="Look at airflow, fans, dust and power cables of this card",
    argv=("nvidia-smi", "-q", "-d", "PERFORMANCE,TEMPERATURE,POWER"),
    lasts=Lasts.ALWAYS,
    advice=True,
)
