"""PDR804: does a variable hide the GPUs that this machine has?"""

from pipedoctor.check import Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import Accelerators, Gpu, Site, TorchBuild, Variables
from pipedoctor_checks._shared.path_variables import unset_variable
from pipedoctor_checks.gpu._gpu_container import request_gpus
from pipedoctor_checks.gpu._visible_devices import (
    find_unknown_device,
    hides_all,
    is_hidden_by_container,
)

AMD_VARIABLES = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


@check("PDR804", "An environment variable hides the GPU")
def gpu_hidden_by_environment(
    variables: Variables,
    gpu: Gpu | None,
    accelerators: Accelerators | None,
    torch: TorchBuild | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Compare CUDA_VISIBLE_DEVICES and similar variables with the GPUs of this machine.

    ## Why it hurts

    `torch.cuda.is_available()` is False or too few GPUs are counted, although
    `nvidia-smi` shows them all. A forgotten `export CUDA_VISIBLE_DEVICES=` in a shell's
    start-up file is enough.

    ## How it is judged

    Only if there is hardware to hide, and only for a torch that could use it. An empty
    value, `-1` and `NoDevFiles` hide everything; an index or a UUID that does not exist
    hides itself and all entries after it. In a container without any GPU, `void` or
    `none` in NVIDIA_VISIBLE_DEVICES is the reason. With ROCm, HIP_VISIBLE_DEVICES and
    ROCR_VISIBLE_DEVICES count.

    ## Sources

    - https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#cuda-environment-variables
    - https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html
    - https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html
    """
    if torch is not None and torch.is_cpu_only:
        return
    if torch is None or not torch.hip:
        yield from _judge_nvidia(variables, gpu, site)
        if is_hidden_by_container(variables, gpu, accelerators, site):
            yield from _report_container(variables.values["NVIDIA_VISIBLE_DEVICES"], site)
    elif accelerators is not None and accelerators.rocm:
        for name in AMD_VARIABLES:
            value = variables.values.get(name)
            if value is not None and hides_all(value):
                yield _report_hidden(name, value, "every AMD GPU", None, site)


def _judge_nvidia(variables: Variables, gpu: Gpu | None, site: Site | None) -> Findings:
    value = variables.values.get("CUDA_VISIBLE_DEVICES")
    if value is None or gpu is None or not gpu.devices:
        return
    count = len(gpu.devices)
    gpus = "1 GPU" if count == 1 else f"{count} GPUs"
    if hides_all(value):
        every = "the only GPU" if count == 1 else f"all {gpus}"
        yield _report_hidden("CUDA_VISIBLE_DEVICES", value, every, count, site)
        return
    wrong = find_unknown_device(value, gpu.devices)
    if wrong:
        first = wrong == value.split(",")[0].strip()
        yield Finding(
            severity=Severity.BREAKS if first else Severity.RISKS,
            summary=f"CUDA_VISIBLE_DEVICES={value} names {wrong}, which does not exist among"
            f" {gpus}: {'no GPU is' if first else 'it and the entries after it are not'}"
            " visible",
            evidence={"CUDA_VISIBLE_DEVICES": value, "gpus": count},
            remedies=_show_gpus("CUDA_VISIBLE_DEVICES", count, site),
        )


def _report_container(value: str, site: Site | None) -> Findings:
    name = "NVIDIA_VISIBLE_DEVICES"
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"{name}={value} hides the host's GPUs from this container",
        evidence={name: value},
        remedies=request_gpus(site, flags=("-e", f"{name}=all")),
    )


def _report_hidden(
    name: str, value: str, what: str, count: int | None, site: Site | None
) -> Finding:
    return Finding(
        severity=Severity.BREAKS,
        summary=f'{name}="{value}" hides {what} from this job',
        evidence={name: value, "gpus": count},
        remedies=_show_gpus(name, count, site),
    )


def _show_gpus(name: str, count: int | None, site: Site | None) -> tuple[Remedy, ...]:
    """In a container all by number: an empty value would hide them again."""
    title = f"Unset {name}, or name GPUs that exist"
    every = ",".join(map(str, range(count or 0)))
    return unset_variable(site if count else None, title, name, every)
