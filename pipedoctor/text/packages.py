"""Lines of pip and conda -> distributions."""

import re
from collections.abc import Iterator

from pipedoctor.facts import Distribution, Packages
from pipedoctor.text import values
from pipedoctor.text.block import EnvironmentBlock

_PIP_LINE = re.compile(r"([A-Za-z0-9][\w.\-]{0,99})\s*(?:===?|\(|\s)\s*v?([0-9][\w.+!\-]{0,99})")
_CHANNELS = re.compile(
    r"pytorch(-\w+)*|conda-forge|defaults|nvidia|anaconda|intel|fastai|pypi|<pip>|<develop>"
    r"|pkgs/\w+|https?://\S+|\S+/\S+"
)
_PIP_CHANNELS = ("<pip>", "<develop>", "pypi")
_MIN_WORDS = 2


def read_packages(block: EnvironmentBlock) -> Packages | None:
    """All that are listed, an excerpt by nature; None: the text has no list."""
    entries = tuple(dict.fromkeys(filter(None, _read_entries(block))))
    if not entries and not block.packages:
        return None
    return Packages(entries=entries, complete=False)


def _read_entries(block: EnvironmentBlock) -> Iterator[Distribution | None]:
    yield from (_parse_line(tool, line) for tool, line in block.packages)
    for key, (value, *_) in block.fields.items():
        kind, _, name = key.partition(":")
        if kind == "package" and "torch" in block.fields:
            yield _parse_named(name, value)
    beside = re.search(r"\(torchvision:? ([^)]{1,80})\)", block.get_value("torch") or "")
    if beside:
        yield _parse_named("torchvision", beside[1])


def _parse_named(name: str, value: str) -> Distribution | None:
    number, local = values.split_local_version(value)
    full = f"{number}+{local}" if local else number
    return Distribution(name=name, version=full) if number else None


def _parse_line(tool: str, line: str) -> Distribution | None:
    if values.is_absent(line):
        return None
    if tool == "conda":
        return _parse_conda(line.split())
    match = _PIP_LINE.match(line)
    if match is None:
        return None
    installer = "uv" if tool == "uv" else "pip"
    return Distribution(
        name=_normalize_name(match[1]), version=match[2].strip("-"), installer=installer
    )


def _parse_conda(words: list[str]) -> Distribution | None:
    """``name version build channel``, where the last two may be missing."""
    if len(words) < _MIN_WORDS or not words[1][:1].isdigit():
        return None
    name, version, *rest = (word[:100] for word in words)
    rest = [word for word in rest if not word.startswith("[")]
    channel = rest.pop() if rest and _CHANNELS.fullmatch(rest[-1]) else ""
    build = rest[0] if rest else ""
    if channel in _PIP_CHANNELS or build.startswith("pypi_"):
        channel, build = "pypi", ""
    return Distribution(
        name=_normalize_name(name),
        version=version,
        installer="conda",
        build=build,
        channel=channel,
    )


def _normalize_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
