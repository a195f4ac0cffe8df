"""Decoders are read from metadata, Pillow's two halves from its files."""

import platform
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.shared_libraries.image_stack import image_stack
from pipedoctor.facts import ImageStack

Make = Callable[..., Path]
TAG = f"cpython-{sys.version_info[0]}{sys.version_info[1]}"
TURBO = 'const char *v = "libjpeg-turbo version 3.1.3 (build 1)";'
PILLOW = 'const char *PILLOW_VERSION = "12.1.1";'


@pytest.fixture
def site(site_packages: Path) -> Path:
    return site_packages


def install(site: Path, name: str, version: str) -> None:
    (site / f"{name}-{version}.dist-info").mkdir()


def look(site: Path) -> ImageStack:
    chosen = EnvironmentChoice(env=str(site.parents[2]))
    return image_stack(Machine(environ={}), chosen, lambda _: None)


def pillow(site: Path, version: str = "12.1.1") -> Path:
    (site / "PIL").mkdir()
    (site / "PIL/_version.py").write_text(f'__version__ = "{version}"\n')
    (site / "PIL/_imaging.pyi").touch()
    return site / f"PIL/_imaging.{TAG}-x86_64-linux-gnu.so"


def test_nothing_decodes(site: Path) -> None:
    install(site, "numpy", "2.4.6")

    assert look(site) == ImageStack()


def test_whole_pillow_with_its_own_jpeg(site: Path, shared_object: Make) -> None:
    install(site, "pillow", "12.1.1")
    install(site, "opencv_python_headless", "5.0.0.93")
    name = "libjpeg-1a2b.so.62.4.0"
    library = shared_object(site / "pillow.libs" / name, source=TURBO)
    binary = shared_object(
        pillow(site), library, source=PILLOW, paths="$ORIGIN/../pillow.libs", rpath=True
    )

    seen = look(site)

    assert seen.pillow_broken == ""
    assert seen.pillow_version == "12.1.1"
    assert seen.pillow_binary == str(binary)
    decoder = seen.find("pillow")
    assert decoder is not None
    assert (decoder.libjpeg_kind, decoder.libjpeg_turbo) == ("turbo", "3.1.3")
    assert decoder.libjpeg == str(library)
    other = seen.find("opencv-python-headless")
    assert other is not None
    assert (other.version, other.libjpeg) == ("5.0.0.93", "")


def test_only_the_copy_that_was_written_last_has_the_files(site: Path, shared_object: Make) -> None:
    install(site, "pillow", "12.1.1")
    install(site, "pillow_simd", "9.5.0.post2")
    library = shared_object(site / "libjpeg.so.62", source=TURBO)
    shared_object(pillow(site, "9.5.0.post2"), library, source=PILLOW, paths="$ORIGIN/..")

    seen = look(site)

    plain, fork = seen.find("pillow"), seen.find("pillow-simd")
    assert plain is not None
    assert fork is not None
    assert (plain.libjpeg_kind, fork.libjpeg_kind) == ("", "turbo")
    assert seen.pillow_broken == (
        "its binary part is not of version 9.5.0.post2, as its Python part is"
    )


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the compiler knows no AVX2 elsewhere")
@pytest.mark.parametrize(
    ("name", "flag", "simd"),
    [
        ("pillow_simd", "-mavx2", "avx2"),
        ("pillow_simd", "-msse4", ""),
        ("pillow", "-mavx2", ""),
    ],
)
def test_what_a_fork_was_compiled_for(
    site: Path, shared_object: Make, name: str, flag: str, simd: str
) -> None:
    """Pillow itself is never asked: it has no code that was written for AVX2."""
    install(site, name, "12.1.1")
    loops = "".join(
        f"void add{n}(short *a, const signed char *b) "
        f"{{ for (int i = 0; i < 4096; i++) a[i] += b[i] * {n}; }}\n"
        for n in range(3, 63)
    )
    source = PILLOW + loops
    shared_object(pillow(site), source=source, flags=("-O3", flag))

    (decoder,) = look(site).decoders

    assert decoder.simd == simd


def test_a_jpeg_library_that_is_gone(site: Path, shared_object: Make) -> None:
    install(site, "pillow", "12.1.1")
    library = shared_object(site / "libjpeg-pd-gone.so.62")
    shared_object(pillow(site), library, source=PILLOW)
    library.unlink()

    decoder = look(site).find("pillow")

    assert decoder is not None
    assert (decoder.libjpeg, decoder.libjpeg_kind) == ("", "")


def test_pillow_without_jpeg(site: Path, shared_object: Make) -> None:
    install(site, "pillow", "12.1.1")
    shared_object(pillow(site), source=PILLOW)

    decoder = look(site).find("pillow")

    assert decoder is not None
    assert decoder.libjpeg == ""


def test_binary_for_another_python(site: Path) -> None:
    pillow(site)
    (site / "PIL/_imaging.cpython-35m-x86_64-linux-gnu.so").touch()
    (site / "PIL/_imaging.cpython-36-x86_64-linux-gnu.so").touch()

    assert look(site).pillow_broken == (
        "its binary part is for another Python: "
        "_imaging.cpython-35m-x86_64-linux-gnu.so, "
        "_imaging.cpython-36-x86_64-linux-gnu.so"
    )


def test_binary_that_is_not_there(site: Path) -> None:
    pillow(site)

    assert look(site).pillow_broken == "its binary part PIL/_imaging is not there"


def test_no_version_is_no_difference(site: Path, shared_object: Make) -> None:
    shared_object(pillow(site))
    (site / "PIL/_version.py").unlink()

    assert look(site).pillow_broken == ""


def test_an_interpreter_that_cannot_be_followed(site: Path, shared_object: Make) -> None:
    install(site, "pillow", "12.1.1")
    shared_object(pillow(site), source=PILLOW)
    python = site.parents[2] / "bin/python"
    python.unlink()
    python.write_text("#!/bin/sh\n")

    decoder = look(site).find("pillow")

    assert decoder is not None
    assert decoder.libjpeg == ""
