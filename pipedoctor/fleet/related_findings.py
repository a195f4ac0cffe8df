"""Which findings of a node's own report speak of a property that stands out."""

from collections.abc import Mapping, Sequence

_CHECKS_BY_PREFIX: Mapping[str, tuple[str, ...]] = {
    "shm.": ("shm-too-small", "leaked-shm-segments"),
    "limits.nofile": ("fd-limit-exhausted",),
    "limits.nproc": ("process-limit-reached",),
    "limits.threads_max": ("process-limit-reached",),
    "limits.pid": ("process-limit-reached",),
    "limits.inotify": ("inotify-limit",),
    "limits.memlock": ("memlock-limit-low",),
    "limits.max_map_count": ("map-count-low",),
    "limits.tcp_receive_buffer": ("network-tuning-for-remote-store",),
    "logind.": ("systemd-removeipc",),
    "cpu.quota": ("cgroup-cpu-quota-ignored", "too-many-workers-for-cpus"),
    "cpu.affinity": ("cpu-affinity-restricted", "too-many-workers-for-cpus"),
    "cpu.cpuset": ("cpu-affinity-restricted", "too-many-workers-for-cpus"),
    "cpu.governor": ("cpu-governor-slow",),
    "cpu.flags": ("cpu-lacks-instruction-set",),
    "threads.": ("thread-oversubscription",),
    "memory.total": ("memory-limit-too-low",),
    "memory.group": ("memory-limit-too-low",),
    "memory.overcommit": ("overcommit-refuses",),
    "memory.transparent_hugepages": ("transparent-hugepages",),
    "memory.hugepage_defrag": ("transparent-hugepages",),
    "datasets.hang": ("path-unresponsive",),
    "datasets.": ("slow-storage",),
    "bench_disk.": ("slow-storage",),
    "gpu.driver": ("driver-too-old", "nvidia-driver-missing"),
    "gpu.cuda": ("driver-too-old",),
    "gpu.error": ("nvml-driver-library-mismatch", "nvidia-driver-missing"),
    "gpu.hang": ("gpu-driver-unresponsive",),
    "gpu.count": ("gpu-hardware-fault", "gpu-hidden-by-environment"),
    "gpu.lost": ("gpu-hardware-fault",),
    "gpu.ecc": ("gpu-hardware-fault",),
    "gpu.remap": ("gpu-hardware-fault",),
    "gpu.pcie": ("gpu-pcie-link-narrow",),
    "gpu.persistence": ("gpu-persistence-off",),
    "gpu.throttled": ("gpu-throttled",),
    "accelerators.xids": ("gpu-hardware-fault",),
    "accelerators.nvidia_module": ("nvidia-driver-missing",),
    "accelerators.uvm": ("nvidia-uvm-state-broken",),
    "variables.values.CUDA_VISIBLE_DEVICES": ("gpu-hidden-by-environment",),
    "variables.values.LD_LIBRARY_PATH": ("cuda-libs-shadowed-by-ld-library-path",),
    "variables.values.PYTHONPATH": ("pythonpath-leak",),
    "interpreter.user_site": ("user-site-leak",),
    "interpreter.version": ("python-eol",),
    "interpreter.glibc": ("glibc-too-old",),
    "torch.version": ("torch-torchvision-mismatch", "driver-too-old"),
    "torch.local": ("cpu-only-torch-build",),
    "torch.cuda": ("cpu-only-torch-build", "driver-too-old"),
    "torch.debug": ("debug-build",),
    "torch_import.ok": ("torch-not-importable",),
    "torch_import.error": ("torch-not-importable",),
    "torch_import.cuda": ("cuda-unavailable-despite-fitting-driver",),
    "packages.pillow": ("pillow-outdated", "pillow-binary-broken"),
    "packages.numpy": ("numpy2-abi-mismatch", "mixed-numpy-installs"),
    "packages.nvidia-cudnn": ("cudnn-version-conflict", "multiple-cudnn-versions"),
    "packages.nvidia-": ("mixed-nvidia-wheels",),
    "packages.torchvision": ("torch-torchvision-mismatch",),
    "packages.torchaudio": ("torch-torchaudio-mismatch",),
    "requirements.": ("broken-requirements",),
    "libraries.": ("libstdcxx-too-old",),
    "image_stack.": ("image-decoder-slow", "pillow-binary-broken"),
}


def list_related_checks(name: str) -> Sequence[str]:
    """Names of findings that may be about this property, the likeliest first."""
    for prefix, names in _CHECKS_BY_PREFIX.items():
        if name.startswith(prefix):
            return names
    if not name.startswith("paths."):
        return ()
    if name.endswith((".hang", ".error")):
        return ("path-unresponsive",)
    if name.endswith(".writable"):
        return ("cache-dir-not-writable", "disk-full")
    return ("tmpdir-on-network-fs", "disk-full", "slow-storage")
