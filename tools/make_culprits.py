"""
Make world/culprits.json by counting solved tickets.

Run it as ``python tools/make_culprits.py TICKETS 2026-11-21``, where TICKETS holds
``errors.jsonl`` (tickets with their confirmed cause) and ``collect_env.jsonl``
(environment reports with what was wrong in them). What is judgement here is only the
table below: which part of a machine each cause is about, thus what would have to differ
on a machine where the same job works. With ``--check`` nothing is written.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import msgspec

from pipedoctor.facts.world_culprits import Culprit, Culprits

TABLE_PATH = Path(__file__).parents[1] / "checks/pipedoctor_checks/world/culprits.json"

CAUSES_BY_COMPONENT = {
    "shm": "shm_too_small leaked_shm_segments nccl_shm_too_small",
    "nofile": "fd_limit_exhausted",
    "nproc": "process_limit_reached",
    "inotify": "inotify_limit",
    "logind": "systemd_removeipc",
    "memory": "worker_oom_killed worker_memory_growth_cow gpu_out_of_memory"
    " windows_paging_file_too_small",
    "cpus": "cgroup_cpu_quota_ignored too_many_workers_for_cpus",
    "threads": "thread_oversubscription",
    "processor": "cpu_lacks_instruction_set",
    "storage": "slow_storage disk_full cache_dir_not_writable tmpdir_path_too_long"
    " tmpdir_on_network_fs corrupt_download_or_checkpoint",
    "container": "container_seccomp_blocks_threads container_gpu_runtime_missing"
    " container_lost_gpu_cgroup",
    "system": "windows_missing_runtime_dll windows_paging_file_too_small"
    " wsl_libcuda_not_found unpicklable_object_spawn missing_main_guard",
    "driver": "driver_too_old nvidia_driver_missing nvml_driver_library_mismatch"
    " nvidia_uvm_state_broken cuda_forward_compat_unsupported"
    " cuda_unavailable_despite_fitting_driver fabric_manager_not_running",
    "gpu": "gpu_hardware_fault gpu_arch_not_in_build gpu_out_of_memory"
    " invalid_device_ordinal ranks_share_one_gpu",
    "variables": "cuda_libs_shadowed_by_ld_library_path invalid_device_ordinal"
    " nccl_wrong_network_interface",
    "search-path": "cuda_libs_shadowed_by_ld_library_path mixed_torch_installs",
    "torch": "torch_torchvision_mismatch torch_torchaudio_mismatch cpu_only_torch_build"
    " torch_extension_abi_mismatch mixed_torch_installs gpu_arch_not_in_build"
    " torch_not_importable pin_memory_persistent_workers_bug_1_7 driver_too_old",
    "torchvision": "torch_torchvision_mismatch torchvision_build_mismatch"
    " torchvision_image_ext_broken",
    "torchaudio": "torch_torchaudio_mismatch",
    "cuda": "driver_too_old cuda_forward_compat_unsupported cpu_only_torch_build",
    "cudnn": "cudnn_version_conflict cudnn_library_not_found multiple_cudnn_versions",
    "numpy": "numpy2_abi_mismatch numpy_missing",
    "pillow": "pillow_binary_broken pillow_api_removed",
    "opencv": "opencv_system_lib_missing native_threads_fork_deadlock",
    "media": "media_decoder_library_missing",
    "openmp": "duplicate_openmp_runtime mkl_2024_1_symbol_missing",
    "glibc": "glibc_too_old container_seccomp_blocks_threads",
    "libstdc++": "libstdcxx_too_old",
    "python": "python_eol",
    "libraries": "duplicate_openmp_runtime cudnn_library_not_found",
}
PACKAGES_BY_COMPONENT = {
    "torch": ("torch", "pytorch", "pytorch-cuda", "triton", "pytorch-triton*"),
    "torchvision": ("torchvision",),
    "torchaudio": ("torchaudio",),
    "cudnn": ("nvidia-cudnn-*", "cudnn"),
    "cuda": ("nvidia-*", "cuda-*", "cudatoolkit"),
    "numpy": ("numpy", "numpy-base"),
    "pillow": ("pillow", "pillow-simd"),
    "opencv": ("opencv", "opencv-*", "py-opencv"),
    "media": ("torchcodec", "av", "decord", "ffmpeg", "soundfile", "librosa"),
    "openmp": ("mkl", "mkl-*", "intel-openmp", "llvm-openmp", "libgomp"),
    "libstdc++": ("libstdcxx-ng", "libstdcxx"),
    "glibc": ("glibc", "sysroot-linux-64"),
    "python": ("python",),
}


def main(tickets: str, checked: str, *options: str) -> None:
    """Write the table, or with ``--check`` compare."""
    causes, first = defaultdict[str, int](int), dict[str, str]()
    total = 0
    for file in ("errors.jsonl", "collect_env.jsonl"):
        for line in (Path(tickets) / file).read_text("utf-8").splitlines():
            ticket = json.loads(line)
            total += 1
            for cause in {ticket.get("cause"), *ticket.get("expected_findings", ())}:
                if cause:
                    causes[cause] += 1
                    first.setdefault(cause, ticket["url"])
    rows = [_build_row(component, causes, first, checked) for component in CAUSES_BY_COMPONENT]
    known = [row for row in rows if row is not None]
    known.sort(key=lambda row: (-row.tickets, row.component))
    table = Culprits(tickets=total, rows=tuple(known))
    text = msgspec.json.format(msgspec.json.encode(table), indent=1) + b"\n"
    if "--check" not in options:
        TABLE_PATH.write_bytes(text)
        print(f"{TABLE_PATH}: {len(known)} rows of {total} tickets")
    elif TABLE_PATH.read_bytes() != text:
        message = f"{TABLE_PATH} is not what the tickets say"
        raise SystemExit(message)


def _build_row(
    component: str, causes: dict[str, int], first: dict[str, str], checked: str
) -> Culprit | None:
    """The row of a component; the source is a ticket about its commonest cause."""
    named = [cause for cause in CAUSES_BY_COMPONENT[component].split() if cause in causes]
    if not named:
        return None
    named.sort(key=lambda cause: (-causes[cause], cause))
    return Culprit(
        component=component,
        tickets=sum(causes[cause] for cause in named),
        causes=tuple(cause.replace("_", "-") for cause in named),
        packages=PACKAGES_BY_COMPONENT.get(component, ()),
        source=first[named[0]],
        checked=checked,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
