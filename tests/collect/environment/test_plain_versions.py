"""What is plain is answered without the library, and never otherwise than by it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from pipedoctor.collect.environment import plain_versions
from pipedoctor.collect.environment.requirements import build_marker_values
from pipedoctor.facts import Interpreter
from pipedoctor.versions import satisfies

VALUES = build_marker_values(Interpreter(version="3.11.7"))
PARTS = st.lists(st.integers(0, 12), min_size=1, max_size=4)
RELEASES = PARTS.map(lambda parts: ".".join(map(str, parts)))
VERSIONS = st.tuples(
    RELEASES,
    st.sampled_from(["", "", "+cpu", "+cu126", "rc1", ".dev3", ".post1", "a0"]),
).map("".join)
SIGNS = st.sampled_from(["==", "!=", ">=", "<=", ">", "<", "~=", "==="])
CLAUSES = st.tuples(SIGNS, st.sampled_from(["", " "]), VERSIONS).map("".join)
SPECIFIERS = st.lists(CLAUSES, max_size=3).map(",".join)
MARKERS = st.sampled_from(
    [
        "",
        '; python_version >= "3.9"',
        "; python_version<'3.9'",
        '; python_version == "3.11"',
        '; python_version != "3.11.0"',
        '; sys_platform == "win32"',
        '; platform_system != "Windows"',
        '; os_name == "nt"',
        '; python_full_version < "3.10.2"',
        '; platform_python_implementation != "PyPy"',
        '; python_version >= "3.9" and os_name == "nt"',
        '; implementation_name != "PyPy" and python_version >= "3.9"',
        '; (os_name == "nt")',
        '; os_name == "nt" or python_version >= "3.9"',
        '; extra == "dev"',
        '; sys_platform >= "a"',
        "; nonsense",
    ]
)
LINES = st.tuples(
    st.sampled_from(["torch", "ruamel.yaml", "a_b-c", "torch [x]", "x@y", "-bad"]),
    st.sampled_from(["", " ", " ("]),
    SPECIFIERS,
    st.sampled_from(["", ")", " ", ","]),
    MARKERS,
).map("".join)


@given(SPECIFIERS, VERSIONS)
def test_fits_as_the_library_says(specifier: str, there: str) -> None:
    plain = satisfies(specifier.replace(" ", ""), there)
    if plain is not None:
        try:
            wanted = SpecifierSet(specifier)
        except InvalidSpecifier:
            pytest.fail("answered what the library refuses")
        assert plain is wanted.contains(Version(there), prereleases=True)


@given(LINES)
def test_requirement_as_the_library_says(line: str) -> None:
    plain = plain_versions.parse_requirement(line, VALUES)
    if plain is None:
        return
    try:
        wanted = Requirement(line)
    except InvalidRequirement:
        assert plain == ()  # neither of them will ask for it
        return
    applies = wanted.marker is None or wanted.marker.evaluate({**VALUES})
    if not applies:
        assert plain == ()
    else:
        assert plain[0] == wanted.name
        assert SpecifierSet(plain[1]) == wanted.specifier


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("numpy", ("numpy", "")),
        ("numpy>=1.24,<3", ("numpy", ">=1.24,<3")),
        ("filelock (>=3.0 , !=3.1)", ("filelock", ">=3.0,!=3.1")),
        ('tomli>=2; python_version < "3.11"', ()),
        ("six ; os_name=='posix'", ("six", "")),
        ("numpy ~=1.24", ("numpy", "~=1.24")),
        ("torch[opt, x]>=1", ("torch", ">=1")),
        ("numpy ==1.*", None),
        ("numpy>=1,", None),
        ("numpy~=1", None),
        ("numpy (>=1", None),
        ("torch[opt>=1", None),
        ('x; extra == "dev" or python_version < "3"', None),
    ],
)
def test_what_counts_as_plain(line: str, plain: tuple[str, ...] | None) -> None:
    assert plain_versions.parse_requirement(line, VALUES) == plain


@pytest.mark.parametrize(
    ("specifier", "there", "plain"),
    [
        ("", "1.0", True),
        (">=2", "2.0", True),
        (">2", "2.0.0", False),
        ("==2.13.0", "2.13+cpu", None),
        ("<2.14", "2.13.0+cpu", True),
        ("<3,>=2.1", "2.9.0.post0", True),
        (">=2.9", "2.9.0.post0", None),
        (">=2", "3.0rc1", True),
        ("", "1dev!x", True),
        ("===2", "2", None),
        ("~=2", "2", None),
        ("~=2.2", "2.9.1", True),
        ("~=2.2", "3.0", False),
        ("~=2.2.0", "2.3", False),
        ("~=2.2", "2.1", False),
        (">=2", "2rc1", None),
        ("~=2.9", "2.9.post1", None),
        (">=2rc1", "2", None),
        (">=1.0rc1", "2", True),
        ("~=1.0rc1", "1.2", None),
    ],
)
def test_plain_comparison(specifier: str, there: str, plain: bool | None) -> None:
    assert satisfies(specifier, there) is plain


def test_versions_that_the_library_cannot_read_are_not_ours() -> None:
    with pytest.raises(InvalidVersion):
        Version("1dev!x")
    assert satisfies(">1", "1dev!x") is None
