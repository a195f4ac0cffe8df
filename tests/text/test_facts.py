"""Single lines of a text and the facts that they give."""

import pytest

from pipedoctor.check import docker_run, select_remedies
from pipedoctor.facts import (
    Accelerators,
    Cpu,
    Device,
    Distribution,
    Facts,
    Gpu,
    Interpreter,
    Libraries,
    Library,
    Packages,
    Shm,
    Site,
    TorchBuild,
    TorchImport,
    Variables,
)
from pipedoctor.facts.site import Launcher
from pipedoctor.text import read_environment

BEGIN = "PyTorch version: 2.4.0\nIs debug build: False\n"


def told(*lines: str, begin: str = BEGIN) -> Facts:
    return read_environment((begin + "\n".join(lines) + "\n").encode()).facts


@pytest.mark.parametrize(
    ("line", "site"),
    [
        ("OS: Ubuntu 22.04 LTS (x86_64)", ("linux", "Ubuntu 22.04 LTS", "x86_64")),
        ("OS: macOS 14.5 (arm64)", ("darwin", "macOS 14.5", "arm64")),
        ("OS: Mac OSX 10.14.6", ("darwin", "Mac OSX 10.14.6", "")),
        (
            "OS: Microsoft Windows 11 Home (10.0.26200 64-bit)",
            ("windows", "Microsoft Windows 11 Home (10.0.26200 64-bit)", ""),
        ),
        ("Python platform: Windows-10-10.0.19045-SP0", ("windows", "", "")),
        ("sys.platform: win32", ("windows", "", "")),
        (r"cuDNN version: C:\CUDA\bin\cudnn64_8.dll", ("windows", "", "")),
        ("cuDNN version: /usr/lib/libcudnn.so.8", ("linux", "", "")),
    ],
)
def test_the_system(line: str, site: tuple[str, str, str]) -> None:
    system, distribution, machine = site
    assert told(line).get(Site) == Site(
        system=system,
        distribution=distribution,
        machine=machine,
        place_known=False,
    )


@pytest.mark.parametrize("line", ["OS: Could not collect", "cuDNN version: N/A"])
def test_no_word_of_a_system(line: str) -> None:
    facts = told(line)

    assert facts.get(Site) is None
    assert facts.unknown["site"] == "not in this text"


@pytest.mark.parametrize(
    "lines",
    [
        ("OS: Ubuntu 22.04", "Python platform: Linux-5.15-microsoft-standard-WSL2"),
        ("OS: Ubuntu 22.04", "cuDNN version: /usr/lib/wsl/lib/libcudnn.so.8"),
        ("OS: Ubuntu 22.04", "LD_LIBRARY_PATH=/usr/lib/wsl/lib"),
    ],
)
def test_wsl(lines: tuple[str, ...]) -> None:
    site = told(*lines).get(Site)

    assert site is not None
    assert (site.system, site.wsl) == ("linux", True)


@pytest.mark.parametrize(
    ("version", "build"),
    [
        ("2.4.0+cu121", TorchBuild(version="2.4.0", local="cu121", cuda="12.1")),
        ("1.5.0+cu92", TorchBuild(version="1.5.0", local="cu92", cuda="9.2")),
        ("2.4.0+cpu", TorchBuild(version="2.4.0", local="cpu")),
        (
            "2.6.0+rocm6.2.4",
            TorchBuild(version="2.6.0", local="rocm6.2.4", hip="6.2.4"),
        ),
        (
            "2.8.0+xpu",
            TorchBuild(version="2.8.0", local="xpu", xpu="unknown version"),
        ),
        ("2.4.0", TorchBuild(version="2.4.0", known_backend=False)),
        (
            "1.9.0a0+gitd69c22d",
            TorchBuild(version="1.9.0a0", local="gitd69c22d", known_backend=False),
        ),
        (
            "2.1.0a0+4136153.nv23.06",
            TorchBuild(version="2.1.0a0", local="4136153.nv23.06", known_backend=False),
        ),
    ],
)
def test_the_name_of_a_build(version: str, build: TorchBuild) -> None:
    facts = told(begin=f"PyTorch version: {version}\nIs debug build: No\n")

    torch = facts.get(TorchBuild)
    assert torch is not None
    assert torch == TorchBuild(
        version=build.version,
        local=build.local,
        cuda=build.cuda,
        hip=build.hip,
        xpu=build.xpu,
        known_backend=build.known_backend,
        origin="text",
    )
    assert facts.get(TorchImport) == TorchImport(ok=True, version=version)


@pytest.mark.parametrize(
    ("build", "cuda", "known"),
    [
        ("py3.7_cuda10.1.243_cudnn7.6.3_0", "10.1", True),
        ("cuda112py37h76afcab_0", "11.2", True),
        ("cuda100py37h53c1284_0", "10.0", True),
        ("py3.9_cpu_0", "", True),
        ("cpu_mkl_py312_h446997d_101", "", True),
        ("py37h0b31af3_0", "", False),
    ],
)
def test_the_build_string_of_conda(build: str, cuda: str, known: bool) -> None:
    torch = told(f"[conda] pytorch 2.4.0 {build} pytorch").get(TorchBuild)

    assert torch is not None
    assert (torch.cuda, torch.known_backend) == (cuda, known)
    assert torch.conda_build == build


def test_a_debug_build() -> None:
    torch = told(begin="PyTorch version: 2.4.0\nIs debug build: Yes\n").get(TorchBuild)

    assert torch is not None
    assert torch.debug


def test_a_hip_runtime_in_the_list_of_a_build() -> None:
    torch = told("PyTorch built with:", "  - HIP Runtime 5.4").get(TorchBuild)

    assert torch is not None
    assert torch.hip == "5.4"


@pytest.mark.parametrize(
    ("lines", "devices"),
    [
        (("GPU 0: Tesla T4",), (Device(index=0, name="Tesla T4"),)),
        (
            ("GPU 0,2: NVIDIA L4",),
            (Device(index=0, name="NVIDIA L4"), Device(index=1, name="NVIDIA L4")),
        ),
        (
            ("GPU 0: NVIDIA H100 (UUID: GPU-12ab)",),
            (Device(index=0, name="NVIDIA H100", uuid="GPU-12ab"),),
        ),
        (("GPU 0: AMD Radeon RX 7900 XTX",), ()),
        (("GPU 0: Could not collect",), ()),
        (("GPU models and configuration: GRID T4-8Q",), ("GRID T4-8Q",)),
        (("GPU models and configuration: Radeon Pro 560",), ()),
        (("GPU models and configuration: Device 66a1",), ()),
    ],
)
def test_cards(lines: tuple[str, ...], devices: tuple[Device | str, ...]) -> None:
    gpu = told(*lines).get(Gpu)

    expected = tuple(
        Device(index=0, name=card) if isinstance(card, str) else card for card in devices
    )
    assert (gpu.devices if gpu else ()) == expected


def test_a_slice_of_a_card() -> None:
    gpu = told(
        "GPU models and configuration: GPU 0: NVIDIA A100-PCIE-40GB",
        "  MIG 1g.5gb     Device  0: (UUID: MIG-aaaa)",
    ).get(Gpu)

    assert gpu is not None
    assert gpu.devices == (Device(index=0, name="NVIDIA A100-PCIE-40GB", mig=True),)


@pytest.mark.parametrize(
    ("value", "driver"),
    [
        ("384.111", "384.111"),
        ("525.85.12", "525.85.12"),
        ("552.22", "552.22"),
        ("1.1.0", ""),
        ("Could not collect", ""),
        ("N/A", ""),
    ],
)
def test_drivers(value: str, driver: str) -> None:
    gpu = told(f"Nvidia driver version: {value}").get(Gpu)

    assert (gpu.driver if gpu else "") == driver


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("Failed to initialize NVML: Driver/library version mismatch", 18),
        (
            "NVIDIA-SMI failed: it couldn't communicate with the NVIDIA driver",
            9,
        ),
    ],
)
def test_what_nvidia_smi_complains_of(words: str, code: int) -> None:
    gpu = told(f"Nvidia driver version: {words}").get(Gpu)

    assert gpu is not None
    assert (gpu.error, gpu.error_code) == (words, code)


GONE = (
    "GPU models and configuration: Could not collect",
    "Nvidia driver version: Could not collect",
)


@pytest.mark.parametrize(
    ("lines", "accelerators"),
    [
        (GONE, Accelerators(toolkit="toolkit")),
        ((*GONE, "CUDA runtime version: 12.1.105"), Accelerators(toolkit="12.1.105")),
        ((*GONE, "CUDA runtime version: N/A"), Accelerators(toolkit="toolkit")),
        ((GONE[0],), None),
        ((GONE[1],), None),
        (("GPU models and configuration: No CUDA",), Accelerators(pci=())),
        (("Nvidia driver version: No CUDA",), Accelerators(pci=())),
        (("Nvidia driver version: 535.54.03",), Accelerators()),
        (("CUDA runtime version: 12.1.105",), None),
        (
            ("CUDA used to build PyTorch: Could not collect",),
            Accelerators(signs=("some part of CUDA",)),
        ),
        (
            (
                *GONE,
                "CUDA runtime version: 12.1.105",
                "CUDA used to build PyTorch: Could not collect",
            ),
            Accelerators(toolkit="12.1.105"),
        ),
        (
            (*GONE, "Python platform: Linux-5.10.104-tegra-aarch64-with-glibc2.29"),
            Accelerators(jetson=True, toolkit="toolkit"),
        ),
        (
            (*GONE, "OS: Ubuntu 20.04 LTS (aarch64)"),
            Accelerators(jetson=True, toolkit="toolkit"),
        ),
        (
            (
                *GONE,
                "OS: Ubuntu 24.04 LTS (aarch64)",
                "Python platform: Linux-6.8.0-1010-nvidia-aarch64-with-glibc2.39",
            ),
            Accelerators(toolkit="toolkit"),
        ),
        (("GPU 0: Orin (nvgpu)",), Accelerators(jetson=True)),
        (("ROCM used to build PyTorch: 6.1.4", *GONE), "rocm"),
    ],
)
def test_what_follows_for_the_hardware(
    lines: tuple[str, ...], accelerators: Accelerators | str | None
) -> None:
    found = told(*lines).get(Accelerators)

    if accelerators == "rocm":
        assert found is not None
        assert found.rocm
    else:
        assert found == accelerators


def test_nothing_follows_where_torch_does_not_import() -> None:
    facts = told(*GONE, begin="PyTorch version: N/A\nIs debug build: N/A\n")

    assert facts.get(Accelerators) is None
    assert facts.get(TorchBuild) is None
    assert facts.get(TorchImport) == TorchImport(ok=False, error="PyTorch version: N/A")


def test_a_driver_that_torch_calls_too_old_is_there() -> None:
    warning = "CUDA initialization: The NVIDIA driver on your system is too old (found"

    facts = told(*GONE, begin=f"{warning} version 10010)\n{BEGIN}")

    assert facts.get(Accelerators) is None


@pytest.mark.parametrize(
    ("line", "distribution"),
    [
        ("[pip3] torch==2.4.0+cu121", ("torch", "2.4.0+cu121", "pip", "", "")),
        ("[pip] numpy (1.14.3)", ("numpy", "1.14.3", "pip", "", "")),
        ("[uv] numpy==2.0.1", ("numpy", "2.0.1", "uv", "", "")),
        ("[pip3] mypy_extensions==1.0", ("mypy-extensions", "1.0", "pip", "", "")),
        ("[pip3] torch  1.7.1", ("torch", "1.7.1", "pip", "", "")),
        (
            "[conda] pytorch 1.4.0 py3.7_cpu_0 [cpuonly] pytorch",
            ("pytorch", "1.4.0", "conda", "py3.7_cpu_0", "pytorch"),
        ),
        ("[conda] blas 1.0 mkl", ("blas", "1.0", "conda", "mkl", "")),
        (
            "[conda] pytorch 1.14.0 pytorch-nightly",
            ("pytorch", "1.14.0", "conda", "", "pytorch-nightly"),
        ),
        ("[conda] torch 1.0.0 <pip>", ("torch", "1.0.0", "conda", "", "pypi")),
        ("[conda] torch 1.0 dev_0 <develop>", ("torch", "1.0", "conda", "", "pypi")),
        ("[conda] torch 2.0.1 pypi_0 pypi", ("torch", "2.0.1", "conda", "", "pypi")),
        ("[conda] torch 2.0.1 pypi_0", ("torch", "2.0.1", "conda", "", "pypi")),
        (
            "[conda] numpy 1.26 py312_0 https://repo.example.org/main",
            ("numpy", "1.26", "conda", "py312_0", "https://repo.example.org/main"),
        ),
    ],
)
def test_lines_of_packages(line: str, distribution: tuple[str, ...]) -> None:
    packages = told(line).get(Packages)

    name, version, installer, build, channel = distribution
    assert packages == Packages(
        entries=(
            Distribution(
                name=name,
                version=version,
                installer=installer,
                build=build,
                channel=channel,
            ),
        ),
        complete=False,
    )


@pytest.mark.parametrize(
    "line", ["[pip3] Could not collect", "[conda] No relevant packages", "[conda] x"]
)
def test_an_empty_list(line: str) -> None:
    assert told(line).get(Packages) == Packages(complete=False)


def test_no_list_at_all() -> None:
    assert told().unknown["packages"] == "not in this text"


def test_two_readings_of_one_line_are_one() -> None:
    packages = told("[pip3] numpy==1.2", "[pip3] numpy==1.2").get(Packages)

    assert packages is not None
    assert len(packages.entries) == 1


@pytest.mark.parametrize(
    ("path", "soname", "version"),
    [
        ("/usr/lib/libcudnn.so.8.9.2", "libcudnn.so.8", "8.9.2"),
        ("/usr/lib/libcudnn.so.7", "libcudnn.so.7", "7"),
        ("/usr/lib/libcudnn.so", "libcudnn.so", ""),
        ("/usr/lib/libcudnn_ops.so.9.1.0", "libcudnn_ops.so.9", "9.1.0"),
        ("/usr/local/cuda/lib/libcudnn.7.dylib", "libcudnn.so.7", "7"),
        (r"C:\x\cudnn64_8.dll", "libcudnn.so.8", "8"),
    ],
)
def test_paths_of_cudnn(path: str, soname: str, version: str) -> None:
    libraries = told(f"cuDNN version: {path}").get(Libraries)

    assert libraries == Libraries(entries=(Library(soname=soname, path=path, version=version),))


@pytest.mark.parametrize(
    "path", ["/usr/lib/libcudnn_static.a", "/usr/lib/libcudnn_static_v7.a", "8902"]
)
def test_what_is_no_library(path: str) -> None:
    assert told(f"cuDNN version: {path}").get(Libraries) is None


@pytest.mark.parametrize(
    ("line", "python"),
    [
        ("Python version: 3.7", Interpreter(version="3.7")),
        (
            "Python version: 3.10.12 (main, Nov 20 2023) [GCC 11.4.0] (64-bit runtime)",
            Interpreter(version="3.10.12", bits=64),
        ),
        ("Python version: 3.8 (32-bit runtime)", Interpreter(version="3.8", bits=32)),
    ],
)
def test_the_interpreter(line: str, python: Interpreter) -> None:
    assert told(line, "Libc version: N/A").get(Interpreter) == python


@pytest.mark.parametrize(
    ("value", "variables"),
    [
        ("CUDA_VISIBLE_DEVICES=", {"CUDA_VISIBLE_DEVICES": ""}),
        ("export LD_LIBRARY_PATH=/opt/lib", {"LD_LIBRARY_PATH": "/opt/lib"}),
        ("WANDB_API_KEY=secret", None),
        ("CUDA_HOME: None", None),
        ("CUDA_HOME: /usr/local/cuda", {"CUDA_HOME": "/usr/local/cuda"}),
    ],
)
def test_the_environment(value: str, variables: dict[str, str] | None) -> None:
    found = told(value).get(Variables)

    assert (found.values if found else None) == variables


def test_variables_in_prose_are_none() -> None:
    facts = told(begin=f"CUDA_VISIBLE_DEVICES=7\n\n{BEGIN}")

    assert facts.get(Variables) is None


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("64.00 MB", 64 << 20),
        ("1.50 GB", 3 << 29),
        ("512 B", 512),
        ("much", None),
    ],
)
def test_shared_memory(size: str, expected: int | None) -> None:
    shm = told(f"shared memory (/dev/shm) size .... {size}").get(Shm)

    assert (shm.size if shm else None) == expected


@pytest.mark.parametrize(
    ("lines", "logical"),
    [
        (("CPU:", "CPU(s): 8"), 8),
        (("CPU:", "CPU:    32"), 32),
        (("CPU:", "CPU(s): 0"), None),
        (("CPU:", "Apple M3 Max"), None),
        (("CPU(s): 8",), None),
    ],
)
def test_processors(lines: tuple[str, ...], logical: int | None) -> None:
    cpu = told(*lines).get(Cpu)

    assert (cpu.logical if cpu else None) == logical


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Is CUDA available: Yes", True),
        ("Is CUDA available: True", True),
        ("Is CUDA available: False", False),
        ("Is CUDA available: No", False),
        ("GPU available            No: torch.cuda.is_available() == False", False),
        ("Is CUDA available: N/A", None),
    ],
)
def test_is_cuda_available(line: str, expected: bool | None) -> None:
    outcome = told(line).get(TorchImport)

    assert outcome is not None
    assert outcome.cuda_available is expected


def test_a_second_framework_takes_the_weight_off_the_missing_one() -> None:
    begin = "PyTorch version: N/A (torchvision N/A)\nTensorFlow version: 2.4.4\n"

    outcome = told("Is CUDA available (PyTorch): N/A", begin=begin).get(TorchImport)

    assert outcome is not None
    assert outcome.error == "No module named 'torch': PyTorch version: N/A"


def test_what_a_warning_says_of_numpy() -> None:
    outcome = told(begin=f"UserWarning: Failed to initialize NumPy: x\n{BEGIN}").get(TorchImport)

    assert outcome is not None
    assert outcome.numpy_ok is False
    assert outcome.warnings == ("UserWarning: Failed to initialize NumPy: x",)


def test_no_word_of_an_import() -> None:
    lines = "Python version: 3.9\n[conda] pytorch 1.9.0 py3.9_cpu_0 pytorch\n"

    assert read_environment(lines.encode()).facts.get(TorchImport) is None


@pytest.mark.parametrize(
    "line", ["Is CUDA available: False", "UserWarning: Failed to initialize NumPy: x"]
)
def test_half_a_word_of_an_import(line: str) -> None:
    lines = f"{line}\nPython version: 3.9\n[conda] pytorch 1.9.0 py3.9_cpu_0 pytorch\n"

    outcome = read_environment(lines.encode()).facts.get(TorchImport)

    assert outcome is not None
    assert (outcome.ok, outcome.version) == (True, "")


def test_a_path_tells_the_interpreter() -> None:
    line = "PyTorch   2.0.1 @/opt/env/lib/python3.9/site-packages/torch"

    facts = told(line, begin="sys.platform   linux\n")

    assert facts.get(Interpreter) == Interpreter(version="3.9")


@pytest.mark.parametrize(
    ("gpus", "driver"),
    [
        ("GPU 0: NVIDIA GH200 480GB", "Could not collect"),
        ("Could not collect", "550.54"),
    ],
)
def test_an_arm_server_is_no_jetson(gpus: str, driver: str) -> None:
    found = told(
        "OS: Ubuntu 22.04 LTS (aarch64)",
        f"GPU models and configuration: {gpus}",
        f"Nvidia driver version: {driver}",
    ).get(Accelerators)

    assert found == Accelerators()


@pytest.mark.parametrize(
    ("lines", "physical"),
    [
        (("Core(s) per socket: 8", "Socket(s): 2"), 16),
        (("Core(s) per socket: 8",), None),
        (("Socket(s): 2",), None),
        (("Core(s) per socket: -", "Socket(s): 2"), None),
        (("Core(s) per socket: 0", "Socket(s): 2"), None),
    ],
)
def test_cores(lines: tuple[str, ...], physical: int | None) -> None:
    cpu = told("CPU:", "CPU(s): 32", *lines).get(Cpu)

    assert cpu is not None
    assert cpu.physical == physical


@pytest.mark.parametrize(
    ("ranges", "cpus"), [("0-15,32-47", 32), ("7", 1), ("3-", 1), ("-3", 0), ("5-2", 0)]
)
def test_ranges_of_processors(ranges: str, cpus: int) -> None:
    cpu = told("CPU:", "CPU(s): 64", f"NUMA node0 CPU(s): {ranges}").get(Cpu)

    assert cpu is not None
    assert [node.cpus for node in cpu.numa] == [cpus]


def test_other_warnings_say_nothing_of_numpy() -> None:
    outcome = told(begin=f"CUDA initialization: CUDA unknown error\n{BEGIN}").get(TorchImport)

    assert outcome is not None
    assert outcome.numpy_ok is None


def test_the_build_of_another_version_is_not_taken() -> None:
    torch = told("[conda] pytorch 2.3.0 py3.9_cpu_0 pytorch").get(TorchBuild)

    assert torch is not None
    assert torch.conda_build == ""
    assert not torch.known_backend


def test_remedies_are_given_for_every_kind_of_place() -> None:
    site = told("OS: Ubuntu 22.04").get(Site)

    assert site is not None
    assert site.launcher is Launcher.UNKNOWN
    assert site.description == "machine of a ticket"
    (remedy,) = select_remedies(site.launcher, docker_run("Give it GPUs", "--gpus", "all"))
    assert remedy.title == "Docker: Give it GPUs"
    assert remedy.advice


def test_a_container_that_is_known_is_one_all_the_same() -> None:
    site = Site(system="linux", container="docker", place_known=False)

    assert site.launcher is Launcher.DOCKER
    assert site.description == "docker container"
