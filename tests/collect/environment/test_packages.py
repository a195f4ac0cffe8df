"""Distributions are listed in the order of the path, with what they share."""

import json
from pathlib import Path

import pytest

from pipedoctor.collect.environment.packages import normalize_name, packages
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.environment.requirements import requirements
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Bound, Missing, Packages, Shared


def quiet(_doing: str) -> None:
    """Nobody watches."""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").touch()
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.7\n")
    folder = tmp_path / "lib/python3.11/site-packages"
    folder.mkdir(parents=True)
    return folder


def chosen(site: Path) -> EnvironmentChoice:
    return EnvironmentChoice(env=str(site.parents[2]))


def read(site: Path, **environ: str) -> Packages:
    return packages(Machine(environ=environ), chosen(site), quiet)


def install(site: Path, folder: str, record: str = "", requires: tuple[str, ...] = ()) -> Path:
    metadata = site / folder
    metadata.mkdir(parents=True)
    (metadata / "RECORD").write_text(record)
    lines = "".join(f"Requires-Dist: {line}\n" for line in requires)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.4\n{lines}\nText\n")
    return metadata


@pytest.mark.parametrize(
    ("name", "plain"),
    [("Pillow-SIMD", "pillow-simd"), ("ruamel.yaml", "ruamel-yaml"), ("a__b", "a-b")],
)
def test_normal_names(name: str, plain: str) -> None:
    assert normalize_name(name) == plain


def test_first_copy_on_the_path_wins(site: Path, tmp_path: Path) -> None:
    install(site, "torch-2.13.0+cpu.dist-info")
    install(tmp_path / "extra", "torch-2.6.0.dist-info")

    seen = read(site, PYTHONPATH=str(tmp_path / "extra"))

    assert [entry.version for entry in seen.find_all("torch")] == [
        "2.6.0",
        "2.13.0+cpu",
    ]
    assert seen.find("torch") == seen.entries[0]
    assert seen.find("numpy") is None


def test_installer_origin_and_tags(site: Path) -> None:
    metadata = install(site, "torch-2.13.0.dist-info")
    (metadata / "INSTALLER").write_text("uv\n")
    (metadata / "WHEEL").write_text("Tag: cp311-cp311-manylinux_2_28_x86_64\n")
    other = install(site, "click-8.2.dist-info")
    (other / "WHEEL").write_text("Tag: py3-none-any\n")

    click, torch = read(site).entries

    assert (torch.installer, torch.tags) == (
        "uv",
        ("cp311-cp311-manylinux_2_28_x86_64",),
    )
    assert (click.installer, click.tags) == ("", ())


@pytest.mark.parametrize(
    ("record", "origin"),
    [
        ({"url": "file:///x", "dir_info": {"editable": True}}, "editable"),
        ({"url": "file:///x", "dir_info": {}}, "directory"),
        ({"url": "https://user:secret@x", "vcs_info": {"vcs": "git"}}, "vcs"),
        ({"url": "https://x/y.whl", "archive_info": {}}, "url"),
        (["nonsense"], "url"),
    ],
)
def test_origin_without_its_address(site: Path, record: object, origin: str) -> None:
    metadata = install(site, "mine-1.0.dist-info")
    (metadata / "direct_url.json").write_text(json.dumps(record))

    (entry,) = read(site).entries

    assert entry.origin == origin
    assert "secret" not in repr(entry)


def test_old_layouts(site: Path) -> None:
    (site / "legacy-1.2-py3.11.egg-info").touch()
    (site / "plain.egg-info").mkdir()
    (site / "plain.egg-info/PKG-INFO").write_text("Name: Plain\nVersion: 3.4\n\n")
    (site / "empty.dist-info").mkdir()

    seen = read(site)

    assert [(entry.name, entry.version) for entry in seen.entries] == [
        ("legacy", "1.2"),
        ("plain", "3.4"),
    ]
    assert seen.unreadable == (
        f"{site / 'empty.dist-info'}: no version in its name or its metadata",
    )


def test_files_that_two_own(site: Path) -> None:
    cv2 = "cv2/__init__.py,sha256=x,1\ncv2/cv2.abi3.so,,\ncv2/__pycache__/a.pyc,,\n"
    install(site, "opencv_python-5.0.dist-info", cv2 + "../../bin/cv,,\n")
    install(site, "opencv_python_headless-5.0.dist-info", cv2 + "../../bin/cv,,\n")
    install(site, "nvidia_cublas-1.dist-info", "nvidia/cublas/lib/a.so,,\n")
    install(site, "nvidia_cudnn-1.dist-info", 'nvidia/cudnn/lib/b.so,,\n"cv2, x/y.py",,\n')

    assert read(site).shared == (
        Shared(
            owners=("opencv-python", "opencv-python-headless"),
            files=2,
            example="cv2/cv2.abi3.so",
            code_files=1,
        ),
    )


def test_single_module_that_two_own(site: Path) -> None:
    install(site, "nvidia_ml_py-13.0.dist-info", "pynvml.py,,\nexample.py,,\n")
    install(site, "pynvml-11.5.3.dist-info", "pynvml.py,,\nhelp_query.txt,,\n")

    (shared,) = read(site).shared

    assert shared.owners == ("nvidia-ml-py", "pynvml")
    assert shared.example == "pynvml.py"


def test_same_file_in_two_folders_is_shadowing_not_sharing(site: Path, tmp_path: Path) -> None:
    install(site, "six-1.16.dist-info", "six.py,,\n")
    install(tmp_path / "extra", "six-1.17.dist-info", "six.py,,\n")

    assert read(site, PYTHONPATH=str(tmp_path / "extra")).shared == ()


@pytest.mark.parametrize(
    "record",
    [
        "a/x.py,,\nb/y.py,,\na/z.py,,\n",
        "b/y.py,,\na/x.py,,\n",
        "../../bin/a,,\na/z.py,,\nmod.py,,\n",
        "mod.py,,\n" + "".join(f"top{n}/x.py,,\n" for n in range(40)) + "a/x.py,,",
        "a/x.py,,\r\n",
    ],
    ids=["mixed", "sorted-otherwise", "scripts-first", "many-tops", "crlf"],
)
def test_a_folder_is_found_wherever_it_stands_in_a_record(site: Path, record: str) -> None:
    install(site, "one-1.dist-info", record)
    install(site, "two-1.dist-info", "a/x.py,,\na/z.py,,\n")

    (shared,) = read(site).shared

    assert shared.owners == ("one", "two")
    assert shared.example in {"a/x.py", "a/z.py"}


def test_names_of_folders(site: Path) -> None:
    for folder in ("A__b.c-1.0.dist-info", "x-y-2.0.dist-info", "v-abc.dist-info"):
        install(site, folder)

    seen = read(site)

    assert [(entry.name, entry.version) for entry in seen.entries] == [
        ("a-b-c", "1.0"),
        ("x-y", "2.0"),
    ]
    assert len(seen.unreadable) == 1


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("lines", [1, 2000])
def test_requirements_end_at_the_first_blank_line(site: Path, end: str, lines: int) -> None:
    head = ["Name: a", *["Classifier: x"] * lines, "Requires-Dist: absent", ""]
    text = end.join([*head, "Requires-Dist: prose", ""])
    install(site, "a-1.dist-info").joinpath("METADATA").write_bytes(text.encode())

    seen = requirements(Machine(environ={}), chosen(site), quiet)

    assert seen.unmet == (Missing(owner="a", requirement="absent"),)


def test_requirements_that_are_met_or_do_not_apply(site: Path) -> None:
    install(
        site,
        "a-1.0.dist-info",
        requires=(
            "b>=2",
            "C.c",
            'x; extra == "dev"',
            'x; extra == "a" or extra == "b"',
            'x; (sys_platform == "linux" or os_name == "nt") and extra == "dev"',
            'y; python_version < "3.9"',
            "z ==!! nonsense",
            "odd>1",
        ),
    )
    for folder in ("b-2.1rc1.dist-info", "c_c-0.dist-info", "odd-1dev!x.dist-info"):
        install(site, folder)

    seen = requirements(Machine(environ={}), chosen(site), quiet)

    assert seen.unmet == ()
    assert seen.judged == 3


def test_requirements_that_are_not_met(site: Path) -> None:
    install(
        site,
        "torchvision-0.20.dist-info",
        requires=("torch==2.5.0", 'numpy; python_version >= "3.10"'),
    )
    install(site, "torch-2.13.0+cpu.dist-info")

    seen = requirements(Machine(environ={}), chosen(site), quiet)

    assert seen.unmet == (
        Missing(owner="torchvision", requirement="torch==2.5.0", found="2.13.0+cpu"),
        Missing(owner="torchvision", requirement="numpy"),
    )
    assert seen.bounds == (Bound(owner="torchvision", name="torch", specifier="==2.5.0"),)


def test_who_requires_wheels_of_nvidia_besides_torch(site: Path) -> None:
    wanted = "nvidia-cublas-cu12"
    install(site, "torch-2.6.0.dist-info", requires=(wanted,))
    install(site, "nvidia_cublas_cu12-12.4.dist-info")
    install(site, "nvidia_cudnn_cu12-9.1.dist-info", requires=(wanted,))
    install(site, "jax_cuda12_plugin-0.4.dist-info", requires=(f'{wanted}; extra == "x"',))

    seen = requirements(Machine(environ={}), chosen(site), quiet)

    assert seen.judged == 2
    assert seen.bounds == (Bound(owner="jax-cuda12-plugin", name=wanted, specifier=">=0"),)


def test_a_binary_that_two_own_outweighs_a_namespace_that_sorts_before_it(site: Path) -> None:
    files = "aa/__init__.py,,\ndocs/a.md,,\nzz/native.so,,\n"
    install(site, "one-1.dist-info", files)
    install(site, "two-1.dist-info", files)

    (shared,) = read(site).shared

    assert (shared.example, shared.files, shared.code_files) == ("zz/native.so", 3, 1)
    assert not shared.is_harmless
