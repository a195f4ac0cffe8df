"""What an import would load is followed through real ELF files in a made-up venv."""

import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.shared_libraries.libraries import libraries
from pipedoctor.facts import Libraries, UnreadableError

Make = Callable[..., Path]


def quiet(_doing: str) -> None:
    """Nobody watches."""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A virtual environment of this Python, without anything in it."""
    env = tmp_path / "env"
    (env / "bin").mkdir(parents=True)
    (env / "bin/python").symlink_to(sys.executable)
    minor = f"{sys.version_info[0]}.{sys.version_info[1]}"
    home = Path(sys.executable).resolve().parent
    (env / "pyvenv.cfg").write_text(f"home = {home}\nversion = {minor}.0\n")
    folder = env / f"lib/python{minor}/site-packages"
    folder.mkdir(parents=True)
    return folder


def look(site: Path, root: Path | None = None, **environ: str) -> Libraries:
    machine = Machine(root=root or Path("/"), environ=environ)
    return libraries(machine, EnvironmentChoice(env=str(site.parents[2])), quiet)


def taken(facts: Libraries, stem: str) -> list[tuple[str, str, str]]:
    return [(e.soname, e.found_by, e.wanted_by) for e in facts.find_chosen(stem)]


def cache(root: Path, *files: Path) -> Path:
    """A root whose linker's cache names these files, and has nothing else."""
    strings, table = bytearray(), bytearray()
    base = 48 + 24 * len(files)
    for file in files:
        key = base + len(strings)
        strings += file.name.encode() + b"\0"
        value = base + len(strings)
        strings += str(file).encode() + b"\0"
        table += struct.pack("=iIIIQ", 0x303, key, value, 0, 0)
    (root / "etc").mkdir(parents=True)
    head = b"glibc-ld.so.cache1.1" + struct.pack("=II20x", len(files), len(strings))
    (root / "etc/ld.so.cache").write_bytes(head + table + strings)
    return root


def torch_with_cudnn(site: Path, make: Make, *, rpath: bool) -> None:
    """A torch as its wheels are: cuDNN in NVIDIA's folder, one part of it lacking."""
    parts = site / "nvidia/cudnn/lib"
    graph = make(parts / "libcudnn_graph.so.9", paths="$ORIGIN", rpath=rpath)
    assert graph.is_file()
    main = make(parts / "libcudnn.so.9", paths="$ORIGIN", rpath=rpath)
    make(
        site / "torch/lib/libtorch_global_deps.so",
        main,
        paths="$ORIGIN/../../nvidia/cudnn/lib",
        rpath=rpath,
    )
    (site / "nvidia_cudnn_cu13-9.20.0.48.dist-info").mkdir()


def test_nothing_installed(site: Path) -> None:
    facts = look(site)

    assert facts.examined == ()
    assert facts.missing == ()
    assert facts.unmet == ()


@pytest.mark.parametrize("rpath", [True, False])
def test_rpath_beats_the_variable_and_runpath_does_not(
    site: Path, tmp_path: Path, shared_object: Make, rpath: bool
) -> None:
    torch_with_cudnn(site, shared_object, rpath=rpath)
    shared_object(tmp_path / "cuda/libcudnn.so.9.8.1", soname="libcudnn.so.9")
    (tmp_path / "cuda/libcudnn.so.9").symlink_to("libcudnn.so.9.8.1")

    facts = look(site, LD_LIBRARY_PATH=str(tmp_path / "cuda"))

    by = "DT_RPATH" if rpath else "LD_LIBRARY_PATH"
    wanted_by = "torch/lib/libtorch_global_deps.so"
    assert taken(facts, "libcudnn.so") == [("libcudnn.so.9", by, wanted_by)]
    own, other = sorted(facts.find_candidates("libcudnn.so"), key=lambda e: not e.bundled)
    assert (own.version, own.bundled, own.real) == ("9.20.0.48", True, "")
    assert (other.version, other.bundled) == ("9.8.1", False)
    assert own.path == str(site / "nvidia/cudnn/lib/libcudnn.so.9")
    assert other.path == str(tmp_path / "cuda/libcudnn.so.9")
    assert other.real == str(tmp_path / "cuda/libcudnn.so.9.8.1")
    assert facts.examined == ("torch/lib/libtorch_global_deps.so",)


def test_the_part_that_torch_213_lacks_comes_from_the_system(
    site: Path, tmp_path: Path, shared_object: Make
) -> None:
    torch_with_cudnn(site, shared_object, rpath=True)
    name = "libcudnn_engines_tensor_ir.so.9"
    real = shared_object(tmp_path / f"sys/{name}.23.1", soname=name)
    (tmp_path / "sys" / name).symlink_to(real.name)
    root = cache(tmp_path / "root", tmp_path / "sys" / name)

    facts = look(site, root)

    graph, (stray,) = facts.find_chosen("libcudnn_graph"), facts.find_chosen(name)
    assert graph[0].version == "9.20.0.48"
    assert (stray.version, stray.found_by) == ("9.23.1", "cache")
    assert stray.wanted_by == "nvidia/cudnn/lib/libcudnn_graph.so.9"


def test_a_runpath_of_cusparse_lets_the_variable_in(
    site: Path, tmp_path: Path, shared_object: Make
) -> None:
    """As NVIDIA's wheels of CUDA 12 are: torch's DT_RPATH does not reach this far."""
    link = shared_object(site / "nvidia/nvjitlink/lib/libnvJitLink.so.12")
    sparse = shared_object(
        site / "nvidia/cusparse/lib/libcusparse.so.12",
        link,
        paths="$ORIGIN/../../nvjitlink/lib",
    )
    folders = "$ORIGIN/../../nvidia/cusparse/lib:$ORIGIN/../../nvidia/nvjitlink/lib"
    shared_object(site / "torch/lib/libtorch_global_deps.so", sparse, paths=folders, rpath=True)
    shared_object(tmp_path / "cuda/libnvJitLink.so.12")

    facts = look(site, LD_LIBRARY_PATH=f"{tmp_path}/cuda:")

    assert taken(facts, "libcusparse")[0][1] == "DT_RPATH"
    assert taken(facts, "libnvJitLink")[0][1] == "LD_LIBRARY_PATH"
    assert [e.bundled for e in facts.find_candidates("libnvJitLink")] == [False, True]


def test_torch_looks_into_nvidias_folders_itself(site: Path, shared_object: Make) -> None:
    own = shared_object(site / "nvidia/cublas/lib/libcublas.so.12")
    shared_object(site / "torch/lib/libtorch_global_deps.so", own)

    assert taken(look(site), "libcublas")[0][1] == "torch"


def test_what_is_nowhere_is_missing(site: Path, shared_object: Make) -> None:
    gone = shared_object(site / "gone/libGone-pd.so.1")
    shared_object(site / "cv2/cv2.abi3.so", gone)
    gone.unlink()

    facts = look(site)

    assert [(m.soname, m.path, m.wanted_by) for m in facts.missing] == [
        ("libGone-pd.so.1", "", "cv2/cv2.abi3.so")
    ]
    assert facts.examined == ("cv2/cv2.abi3.so",)


def test_a_preloaded_library_is_there_first(
    site: Path, tmp_path: Path, shared_object: Make
) -> None:
    own = shared_object(site / "pkg/libiomp5.so")
    shared_object(site / "PIL/_imaging.abi3.so", own, paths="$ORIGIN/../pkg")
    other = shared_object(tmp_path / "pre/libiomp5.so")

    assert taken(look(site), "libiomp5") != []
    assert taken(look(site, LD_PRELOAD=f"{other} libabsent.so"), "libiomp5") == []
    long = "/" + "x" * 5000  # no name of a file may be that long
    alike = look(site, LD_PRELOAD=f"{other} {long}", LD_LIBRARY_PATH=long, PYTHONPATH=long)
    assert taken(alike, "libiomp5") == []


def test_versions_that_the_library_lacks(site: Path, tmp_path: Path, shared_object: Make) -> None:
    new = shared_object(
        tmp_path / "new/libstdc++.so.6",
        source="int a(void) { return 1; } int b(void) { return 2; }",
        script="GLIBCXX_3.4.9 { global: a; local: *; };"
        " GLIBCXX_3.4.30 { global: b; } GLIBCXX_3.4.9;",
    )
    user = "int a(void); int b(void); int use(void) { return a() + b(); }"
    shared_object(site / "PIL/_imaging.abi3.so", new, source=user)
    old = shared_object(
        tmp_path / "old/libstdc++.so.6",
        source="int a(void) { return 1; }",
        script="GLIBCXX_3.4.9 { global: a; local: *; };",
    )

    assert look(site, LD_LIBRARY_PATH=str(new.parent)).unmet == ()
    (unmet,) = look(site, LD_LIBRARY_PATH=str(old.parent)).unmet

    assert unmet.wanted_by == "PIL/_imaging.abi3.so"
    assert unmet.library == "libstdc++.so.6"
    assert unmet.versions == ("GLIBCXX_3.4.30",)
    assert unmet.newest == "GLIBCXX_3.4.9"
    assert (unmet.path, unmet.found_by) == (str(old), "LD_LIBRARY_PATH")


def test_the_first_folder_that_has_the_package(
    site: Path, tmp_path: Path, shared_object: Make
) -> None:
    shared_object(site / "PIL/_imaging.abi3.so")
    shared_object(tmp_path / "first/PIL/_imaging.abi3.so")

    facts = look(site, PYTHONPATH=str(tmp_path / "first"))

    assert facts.examined == ("PIL/_imaging.abi3.so",)


def test_what_lies_in_the_environment_is_bundled(
    site: Path, tmp_path: Path, shared_object: Make
) -> None:
    own = shared_object(site.parents[1] / "libiomp5.so")
    other = shared_object(tmp_path / "other/libomp.so")
    folders = f"{own.parent}:{other.parent}"
    shared_object(site / "PIL/_imaging.abi3.so", own, other, paths=folders)

    facts = look(site)

    assert [e.bundled for e in facts.find_candidates("libiomp5")] == [True]
    assert [e.bundled for e in facts.find_candidates("libomp")] == [False]


def test_one_file_under_two_names_is_opened_once(site: Path, shared_object: Make) -> None:
    shared_object(site / "torchvision/_C.so")
    (site / "torchvision/image.so").symlink_to("_C.so")

    assert look(site).examined == ("torchvision/_C.so",)


def test_elsewhere_another_linker_does_it(site: Path) -> None:
    chosen = EnvironmentChoice(env=str(site.parents[2]))

    with pytest.raises(UnreadableError, match="only available on Linux"):
        libraries(Machine(system="darwin"), chosen, quiet)


def test_a_script_in_pythons_place_is_no_program(site: Path) -> None:
    python = site.parents[2] / "bin/python"
    python.unlink()
    python.write_text("#!/bin/sh\n")

    with pytest.raises(UnreadableError, match="is not an ELF program"):
        look(site)


def test_this_environment() -> None:
    facts = libraries(Machine(), EnvironmentChoice(python=sys.executable), quiet)

    assert facts.unmet == ()
    assert all(entry.path for entry in facts.entries)
