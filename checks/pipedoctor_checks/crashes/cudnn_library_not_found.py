"""PDR951: a cuDNN library that the program needs is not on the loader's path."""

from pipedoctor.check import Remedy
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks.crashes._log_check import log_check

_FOLDER = "$HOME/cudnn"
_LINK_COMPILER = advise_user(
    "cuDNN is there, but not the compiler that it loads: give torch's own the name that cuDNN"
    " looks for",
    snippet=(
        "cd \"$(python -c 'import os, torch; print(os.path.dirname(torch.__file__))')/lib\"\n"
        'ln -s "$(ls libnvrtc*.so* | grep -v builtins | head -n 1)" libnvrtc.so'
    ),
    fits=(Launcher.BARE, Launcher.DOCKER, Launcher.SLURM),
)


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """The major version that the log asks for, beside the one that torch requires."""
    cause = "cudnn_library_not_found"
    if "nvrtc" in log.find_ids(cause):
        return (_LINK_COMPILER,)
    major = log.find_value(cause, "major") or log.find_value(cause, "other")
    exact = log.find_value(cause, "exact")  # libraries of two versions do not work together
    number = f"{exact}.*" if exact else f"{major}.*" if major else ""
    package = f"nvidia-cudnn-cu{_find_cuda(log.versions.get('torch', ''))}"
    wanted = f"{package}=={number}" if number else package
    what = f"cuDNN {exact or major}".strip()
    if log.system == "windows":
        return (
            advise_user(
                f"Install {what} into a folder of its own, and start the program from this shell",
                snippet=f'python -m pip install --no-deps --target C:\\cudnn "{wanted}"\n'
                'set "PATH=C:\\cudnn\\nvidia\\cudnn\\bin;%PATH%"',
            ),
        )
    return (
        advise_user(
            f"Install {what} into a folder of its own: torch keeps the version that it requires",
            snippet=f"python -m pip install --no-deps --target {_FOLDER} '{wanted}'\n"
            f"export LD_LIBRARY_PATH={_FOLDER}/nvidia/cudnn/lib:$LD_LIBRARY_PATH",
            fits=(Launcher.BARE, Launcher.SLURM),
        ),
        advise_launch(
            f"Bring {what} into the image, in a folder of its own",
            snippet=f"RUN python -m pip install --no-deps --target /opt/cudnn '{wanted}'\n"
            "ENV LD_LIBRARY_PATH=/opt/cudnn/nvidia/cudnn/lib:$LD_LIBRARY_PATH",
            fits=(Launcher.DOCKER, Launcher.KUBERNETES),
        ),
        advise_launch(
            f"Alternatively load the module of {what}",
            argv=("module", "load", "cudnn"),
            fits=(Launcher.SLURM,),
        ),
    )


def _find_cuda(torch: str) -> str:
    """The CUDA of the build that is in use: cuDNN loads its cuBLAS."""
    number, _, build = torch.partition("+")
    old = build.startswith("cu11") or (not build and number.startswith(("1.", "2.0.")))
    return "11" if old else "12"


@log_check(
    "PDR951",
    "A cuDNN library is not found",
    summary="A cuDNN library that the program needs is not on the loader's path",
    remedies=_choose_remedies,
)
def cudnn_library_not_found() -> None:
    """
    Find cuDNN libraries that the loader does not find.

    ## Why it hurts

    torch includes its own cuDNN. Other programs (onnxruntime, ctranslate2) look for a
    certain major version on the loader's path.

    ## How it is judged

    The loader names a cuDNN file that it cannot open.

    ## Sources

    - https://github.com/daswer123/xtts-finetune-webui/issues/31
    - https://docs.nvidia.com/deeplearning/cudnn/latest/
    """
