"""Versions as plain numbers: drivers, CUDA, torch; no PEP 440 where none is needed."""

import re

_RELEASE = r"\s*v?(\d+(?:\.\d+)*)"


def parse_version(version: str) -> tuple[int, ...]:
    """
    Read the leading release number: ``2.13.0a0+git`` is (2, 13, 0).

    Text that does not start with a number is (): it compares below everything.
    """
    match = re.match(_RELEASE, version)
    return tuple(map(int, match.group(1).split("."))) if match else ()


def is_at_least(version: str, minimum: str) -> bool:
    """Is it at least this? ``12`` reaches ``12.0``: missing parts count as zero."""
    mine, least = parse_version(version), parse_version(minimum)
    length = max(len(mine), len(least))
    return _pad(mine, length) >= _pad(least, length)


def get_series(version: str) -> str:
    """Say the first two parts: ``2.13`` of ``2.13.0+cu126``."""
    return ".".join(map(str, parse_version(version)[:2]))


def get_major(version: str) -> int | None:
    """Give the first part, or None where there is none."""
    return next(iter(parse_version(version)), None)


def is_prerelease(version: str) -> bool:
    """Is it a nightly, an alpha or a source build rather than a published release?"""
    return bool(re.search(r"\d(?:a|b|rc)\d|dev|\+git|\+[0-9a-f]{7,}", version))


def _pad(parts: tuple[int, ...], length: int) -> tuple[int, ...]:
    return parts + (0,) * (length - len(parts))
