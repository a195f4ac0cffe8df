"""What private values look like: homes, servers, addresses, identifiers."""

import re
from collections.abc import Callable, Iterator

Put = Callable[[re.Match[str]], str]


class Form:
    """
    A pattern that is looked for only where one of its marks stands.

    It is compiled when it is first needed: most machines show few of these, and
    compiling them all would take as long as many a check.
    """

    def __init__(self, pattern: str, *marks: str, least: int = 0) -> None:
        self._pattern = pattern
        self._marks = marks
        self._least = least

    def sub(self, put: Put, text: str) -> str:
        """Put something in place of each match."""
        return re.sub(self._pattern, put, text) if self._may(text) else text

    def find(self, text: str) -> Iterator[re.Match[str]]:
        """Every match."""
        return re.finditer(self._pattern, text) if self._may(text) else iter(())

    def _may(self, text: str) -> bool:
        if len(text) < self._least:
            return False
        for mark in self._marks:  # noqa: SIM110  (a generator takes four times as long)
            if mark in text:
                return True
        return False


_OCTET = "(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
_NAME = r"""(?!\.)[^/\\\s:'",;]+"""
"""Nobody's begins with a dot: that is a folder."""

HOME = Form(
    r"([/\\](?:home[0-9]*|[Uu]sers)[/\\]|(?<!\S)~)"
    rf"({_NAME}(?:\ {_NAME})*(?=[/\\])|{_NAME})",
    *("home", "sers", "~"),
)
USER = Form(r"(?i)\b((?:user(?:name)?|logname|owner|login)=)([^\s,;'\"]+)", "=")
SOURCE = Form(
    r"^(?:([\w.-]+)@(?!tcp|o2ib)(?=[^:/]*:))?(?!\d+\.\d)([A-Za-z0-9][\w.-]+)"
    r"(?=:/(?!/)|:$|@tcp|@o2ib)",
    *(":", "@"),
)
"""The server of a mount: ``nas:/export``, ``user@nas:``, ``mds@tcp:/scratch``."""
SHARE = Form(r"^(//)(?!\d+\.\d)([^/\s]+)(?=/|$)", "//")
URL = Form(r"(://)(?:([^/\s:@]+)(:[^/\s@]*)?@)?(?!\d+\.\d)([\w.-]+)", "://")
EMAIL = Form(r"(?<![\w.+/-])([\w.+-]+)@((?:[\w-]+\.)+[A-Za-z]{2,})(?![\w@])", "@")
LABEL = Form(
    r"(?i)\b((?:host(?:name)?|master_addr|rdzv_endpoint)=)(?![\d.]+(?:[^\w.]|$))([\w.-]+)",
    *("host", "HOST", "addr", "ADDR", "endpoint"),
)
"""A server in a setting: ``MASTER_ADDR=node17``."""
LOGGED = Form(r"(?m)^((?:\[[^\]\n]{0,40}\]:?\s?)?)([\w.-]+)(?=:\d+:\d+ \[)", "[")
"""Who writes a line of NCCL's log: ``node17:4521:4530 [0] NCCL INFO``."""
UUID = Form(
    r"(?<![0-9a-zA-Z])(?:[0-9a-fA-F]{8}(?:[-_][0-9a-fA-F]{4}){3}[-_][0-9a-fA-F]{12}"
    r"|(?<!sha256:)(?<!sha256=)[0-9a-fA-F]{64}|[0-9a-fA-F]{32})(?![0-9a-zA-Z])"
    r"|(?<=-pod)[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}",
    *"0123456789abcdefABCDEF",
    least=32,
)
VOLUME = Form(
    r"(by-(?:part)?uuid/|UUID=)((?=[\w-]*\d)[0-9A-Fa-f-]{8,})", "uuid/", "UUID="
)
SERIAL = Form(
    r"(?i)(\bserial(?:[ _]?(?:number|no\.?))?(?:\s?[:=]\s?|\s)|by-id/)"
    r"((?=[\w.:+-]*\d)[\w.:+-]{6,})",
    *("erial", "ERIAL", "by-id/"),
)
MAC = Form(
    r"(?<![0-9a-fA-F:-])[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2})"
    r"(?:(?:\1[0-9a-fA-F]{2}){18}|(?:\1[0-9a-fA-F]{2}){6}|(?:\1[0-9a-fA-F]{2}){4})"
    r"(?![0-9a-fA-F:-])",
    *(":", "-"),
    least=17,
)
IPV4 = Form(
    rf"(?<![\w.-])(?!127\.|0\.0\.0\.0|255\.)(?:{_OCTET}\.){{3}}{_OCTET}(?!\w|\.[0-9])",
    ".",
    least=7,
)
IPV6 = Form(
    r"(?<![\w:.])(?=[^:\s]*:[^:\s]*:)[0-9a-fA-F:]{3,39}(?![\w:]|\.[0-9])", ":", least=3
)


DASHED = Form(r"(?<![\w-])ip-\d{1,3}(?:-\d{1,3}){3}(?:\.[\w.-]+)?", "ip-", least=10)
"""How clouds name their machines."""
OPEN = (
    "github.com githubusercontent.com gitlab.com huggingface.co pytorch.org nvidia.com"  # noqa: SIM905
    " python.org anaconda.org anaconda.com conda-forge.org readthedocs.io kernel.org"
    " docker.com docker.io kubernetes.io ghcr.io nvcr.io quay.io example.com"
    " googleapis.com amazonaws.com kaggle.com".split()
)
"""Servers of everybody, with all below them."""


def is_open(host: str) -> bool:
    """Does this server tell nothing about who uses it?"""
    return any(host == name or host.endswith(f".{name}") for name in OPEN)


def inside(host: str) -> bool:
    """Is it a name that only some network knows: ``proxy``, ``nas.corp``?"""
    private = r"[\w-]+|[\w.-]+\.(?:local|internal|corp|lan|intranet)"
    return re.fullmatch(private, host) is not None


def is_version(before: str) -> bool:
    """Do four numbers that stand after this name a version, not an address?"""
    words = r"(?i)(?:version|release|driver|[=<>~]=|(?<![0-9])[<>])[ :]{0,2}$"
    return re.search(words, before) is not None


def in_packages(before: str) -> bool:
    """Is what stands after this a library, whoever is called so?"""
    folders = r"(?:site|dist)-packages[/\\]\S*$|/lib/python[0-9.]+/\S*$"
    return re.search(folders, before) is not None
