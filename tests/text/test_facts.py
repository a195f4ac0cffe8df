"""Single lines of a text and the facts that they give."""

from collections.abc import Callable

import pytest

from pipedoctor.check import docker_run, select_remedies
from pipedoctor.facts import (
    Cpu,
    Distribution,
    Interpreter,
    Libraries,
    Library,
    Packages,
    Shm,
    Site,
    Variables,
)
from pipedoctor.facts.site import Launcher
from pipedoctor.report.model import Report
from tests.text.collector_lines import BEGIN, read_lines


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
    assert read_lines(line).get(Site) == Site(
        system=system,
        distribution=distribution,
        machine=machine,
        place_known=False,
    )


@pytest.mark.parametrize("line", ["OS: Could not collect", "cuDNN version: N/A"])
def test_no_word_of_a_system(line: str) -> None:
    facts = read_lines(line)

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
    site = read_lines(*lines).get(Site)

    assert site is not None
    assert (site.system, site.wsl) == ("linux", True)


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
    packages = read_lines(line).get(Packages)

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
    assert read_lines(line).get(Packages) == Packages(complete=False)


def test_no_list_at_all() -> None:
    assert read_lines().unknown["packages"] == "not in this text"


def test_two_readings_of_one_line_are_one() -> None:
    packages = read_lines("[pip3] numpy==1.2", "[pip3] numpy==1.2").get(Packages)

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
    libraries = read_lines(f"cuDNN version: {path}").get(Libraries)

    assert libraries == Libraries(entries=(Library(soname=soname, path=path, version=version),))


@pytest.mark.parametrize(
    "path", ["/usr/lib/libcudnn_static.a", "/usr/lib/libcudnn_static_v7.a", "8902"]
)
def test_what_is_no_library(path: str) -> None:
    assert read_lines(f"cuDNN version: {path}").get(Libraries) is None


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
    assert read_lines(line, "Libc version: N/A").get(Interpreter) == python


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
    found = read_lines(value).get(Variables)

    assert (found.values if found else None) == variables


def test_variables_in_prose_are_none() -> None:
    facts = read_lines(begin=f"CUDA_VISIBLE_DEVICES=7\n\n{BEGIN}")

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
    shm = read_lines(f"shared memory (/dev/shm) size .... {size}").get(Shm)

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
    cpu = read_lines(*lines).get(Cpu)

    assert (cpu.logical if cpu else None) == logical


def test_a_path_tells_the_interpreter() -> None:
    line = "PyTorch   2.0.1 @/opt/env/lib/python3.9/site-packages/torch"

    facts = read_lines(line, begin="sys.platform   linux\n")

    assert facts.get(Interpreter) == Interpreter(version="3.9")


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
    cpu = read_lines("CPU:", "CPU(s): 32", *lines).get(Cpu)

    assert cpu is not None
    assert cpu.physical == physical


@pytest.mark.parametrize(
    ("ranges", "cpus"), [("0-15,32-47", 32), ("7", 1), ("3-", 1), ("-3", 0), ("5-2", 0)]
)
def test_ranges_of_processors(ranges: str, cpus: int) -> None:
    cpu = read_lines("CPU:", "CPU(s): 64", f"NUMA node0 CPU(s): {ranges}").get(Cpu)

    assert cpu is not None
    assert [node.cpus for node in cpu.numa] == [cpus]


def test_remedies_are_given_for_every_kind_of_place() -> None:
    site = read_lines("OS: Ubuntu 22.04").get(Site)

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


def test_what_a_text_lacks_is_not_healthy(judge: Callable[[str], Report]) -> None:
    """Of a ticket without sizes, limits and mounts nothing is said that needs them."""
    report = judge(
        "Collecting environment information...\nPyTorch version: 2.5.1+cu121\nOS: Ubuntu 22.04\n"
    )

    reasons = {skip.name: skip.reason for skip in report.skipped}
    assert {"shm-too-small", "fd-limit-exhausted", "disk-full", "driver-too-old"} <= reasons.keys()
    assert all(reasons.values())
