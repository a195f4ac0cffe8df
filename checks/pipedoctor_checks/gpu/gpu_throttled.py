"""PDR810: are the clocks of a GPU reduced by heat or power?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Gpu
from pipedoctor_checks._shared.advice import advise_user

SLOWDOWN_REASONS = (
    "hardware slowdown",
    "software thermal slowdown",
    "hardware thermal slowdown",
    "hardware power brake",
)


@check("PDR810", "GPU clocks are throttled")
def gpu_throttled(gpu: Gpu, /) -> Findings:
    """
    Read the driver's reasons for reduced GPU clocks.

    ## Why it hurts

    A GPU that is too hot or gets too little power runs at a fraction of its clocks, and
    all ranks wait for the slowest.

    ## How it is judged

    Only reasons that indicate a fault: thermal slowdown, hardware slowdown and the
    power brake. An idle GPU, application clocks and the power cap that every loaded GPU
    reaches are normal.

    ## Sources

    - https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html
    """
    if all(device.throttled is None for device in gpu.devices):
        reason = "the driver reports no throttle reasons for any GPU"
        raise CannotJudge(reason)
    for device in gpu.devices:
        reasons = [word for word in device.throttled or () if word in SLOWDOWN_REASONS]
        if reasons:
            hot = device.temperature
            yield Finding(
                severity=Severity.SLOWS,
                summary=f"GPU {device.index} ({device.name or 'NVIDIA'}) is throttled:"
                f" {', '.join(reasons)}{f' at {hot} °C' if hot else ''}",
                evidence={"throttled": reasons, "temperature": hot},
                remedies=(_COOLING_REMEDY,),
            )


_COOLING_REMEDY = advise_user(
    "Check airflow, fans, dust and power cables of this GPU",
    argv=("nvidia-smi", "-q", "-d", "PERFORMANCE,TEMPERATURE,POWER"),
)
