"""Where programs write the name of a host or a user in a line: a table with its sources."""

from typing import NamedTuple

from pipedoctor.privacy.patterns import MarkedPattern

_HOST = r"((?!<)(?=[\w.-]*[A-Za-z])(?!\d+\.\d)[A-Za-z0-9][\w.-]*[A-Za-z0-9])(?![\w<(])"
_USER = r"((?!<)[A-Za-z_][\w.-]*[\w$])(?![\w<(])"
_NUMBERED = (
    r"((?!(?:v|rank|gpu|cuda|numa|group|slot|port|py|python|ip|nvme|eth|ib|mlx|job|step|epoch)"
    r"\d)[A-Za-z][A-Za-z-]*\d[\w.-]*)(?![\w(])"
)
"""A name with a number, which no word of a sentence has."""
_AFTER_USER = (
    "code|requests?|inputs?|interrupt|actions?|errors?|settings?|space|defined|level|mode|data|ids?"
    "|namespaces?|process|processes|threads?|scripts?|functions?|models?|name|sessions?"
)
"""What *user* tells more about than about a person: *by user code*."""
_PROMPT = r"[: ][^\n@]{0,200}?[$#%](?:\s|$)"
_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"


class NameForm(NamedTuple):
    """The first group of a pattern stays, the second is the name."""

    kind: str
    pattern: MarkedPattern
    source: str


def _form(kind: str, source: str, pattern: str, *marks: str) -> NameForm:
    return NameForm(kind, MarkedPattern(pattern, *marks, least=8), source)


_TORCH_SOCKET = (
    "https://github.com/pytorch/pytorch/blob/main/torch/csrc/distributed/c10d/socket.cpp"
)
_MAN = "https://man7.org/linux/man-pages"

NAME_FORMS: tuple[NameForm, ...] = (
    _form(
        "host",
        _TORCH_SOCKET,
        rf"((?:\b(?:to|from|on|of)\s)[\[(]){_HOST}(?=\]:\d|,\s\d+\)|\.\w+\]:\d)",
        *(" [", " ("),
    ),
    _form("host", f"{_MAN}/man1/ssh.1.html", rf"(\bto host\s){_HOST}(?=\sport\s)", "to host "),
    _form(
        "host",
        "https://github.com/torvalds/linux/blob/master/net/sunrpc/clnt.c",
        rf"(\bserver\s){_HOST}(?=\s(?:not responding|OK\b|timed out))",
        "server ",
    ),
    _form(
        "host",
        "https://www.rfc-editor.org/rfc/rfc3164#section-4.1.2",
        rf"(?m)(^(?:(?:{_MONTHS})\s[\s\d]\d\s\d\d:\d\d:\d\d|\d{{4}}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+))\s)"
        rf"{_HOST}(?=\s[\w./()-]+(?:\[\d+\])?:\s)",
        ": ",
    ),
    _form(
        "host",
        f"{_MAN}/man1/uname.1.html",
        rf"(\bLinux\s){_HOST}(?=\s\d+\.\d+\.\d\S*\s#)",
        "Linux ",
    ),
    _form(
        "host",
        "https://docs.pytorch.org/docs/stable/elastic/errors.html",
        rf"(?m)(^\s*host\s{{1,20}}:\s){_HOST}(?=\s*$)",
        "host ",
    ),
    _form(
        "host",
        f"{_MAN}/man3/getaddrinfo.3.html",
        rf"(\bresolve (?:host(?:name)?:?\s)?['\"]?|getaddrinfo failed for\s|^\w+:\s"
        rf"(?=\S+ Name or service)){_HOST}(?=['\"]?(?::|\s*$|\s\())",
        *("resolve ", "getaddrinfo", "Name or service"),
    ),
    _form(
        "host",
        "https://slurm.schedmd.com/slurmd.html",
        rf"(\b(?:node|host|machine|server)\s){_NUMBERED}",
        *("node ", "host ", "machine ", "server "),
    ),
    _form(
        "host",
        "https://docs.pytorch.org/docs/stable/elastic/run.html",
        rf"(--(?:master[_-]addr|rdzv[_-]endpoint|host(?:name|s)?|nodelist|local[_-]addr)[ =])"
        rf"{_HOST}",
        *("_addr", "-addr", "endpoint", "--host", "--nodelist"),
    ),
    _form(
        "host",
        "https://docs.open-mpi.org/en/main/man-openmpi/man1/mpirun.1.html",
        rf"((?<!\S)-H\s|(?<=:\d),){_HOST}(?=:\d)",
        "-H ",
    ),
    _form(
        "host",
        f"{_MAN}/man5/fstab.5.html",
        rf"(?m)(^(?:mount:\s)?(?://)?){_HOST}"
        r"(?=:/[\w./-]*\s+(?:on\s)?(?:/|[\d.]+[KMGTP]?\s|nfs)|/[\w./$-]+\s+(?:on\s)?/\S*\s+(?:type\s)?cifs)",
        *(":/", "//"),
    ),
    _form(
        "user",
        f"{_MAN}/man1/bash.1.html#PROMPTING",
        rf"(?m)(^(?:\([\w.-]+\)\s)?\[?){_USER}(?=@[\w.-]+{_PROMPT})",
        "@",
    ),
    _form(
        "host",
        f"{_MAN}/man1/bash.1.html#PROMPTING",
        rf"(?m)(^(?:\([\w.-]+\)\s)?\[?(?:[\w.-]+|<user-\d+>)@){_HOST}(?={_PROMPT})",
        "@",
    ),
    _form(
        "user",
        f"{_MAN}/man1/ssh.1.html",
        rf"(\b(?:ssh|scp|rsync|sftp|mosh)\s(?:[^\n]{{0,300}}?\s)?){_USER}(?=@[\w.-]+)",
        "@",
    ),
    _form(
        "host",
        f"{_MAN}/man1/ssh.1.html",
        rf"(\b(?:ssh|scp|rsync|sftp|mosh)\s(?:[^\n]{{0,300}}?\s)?(?:[\w.-]+|<user-\d+>)@){_HOST}",
        "@",
    ),
    _form(
        "user",
        f"{_MAN}/man1/id.1.html",
        rf"(\b(?:[ug]id|groups)=\d+\(|(?<=\)),\d+\(){_USER}(?=\))",
        "id=",
        "groups=",
    ),
    _form(
        "user",
        f"{_MAN}/man1/ls.1.html",
        rf"(?m)(^[bcdlps-][rwxsStT-]{{9}}[.+@]?\s+\d+\s+){_USER}",
        "rw",
        "r-",
    ),
    _form(
        "user",
        f"{_MAN}/man1/ls.1.html",
        rf"(?m)(^[bcdlps-][rwxsStT-]{{9}}[.+@]?\s+\d+\s+\S+\s+){_USER}(?=\s+\d)",
        "rw",
        "r-",
    ),
    _form(
        "user",
        f"{_MAN}/man1/ps.1.html",
        rf"(?m)(^){_USER}(?=\s+\d+\s+\d+\.\d\s+\d+\.\d\s+\d+\s+\d+\s)",
        ".",
    ),
    _form(
        "user",
        f"{_MAN}/man1/top.1.html",
        rf"(?m)(^\s*\d+\s){_USER}(?=\s+(?:\d\d|rt|-?\d)\s+-?\d+\s+[\d.]+[mgt]?\s)",
        " ",
    ),
    _form(
        "user",
        "https://www.sudo.ws/docs/man/sudo.man/",
        rf"(\bsudo\s(?:-[A-Z]\s)*-u\s|\bsu\s(?:-l?\s)|\brunuser\s-u\s){_USER}",
        "su ",
        "runuser",
        "sudo ",
    ),
    _form(
        "user",
        "https://docs.wandb.ai/models/ref/cli/wandb-login",
        rf"(\b[Ll]ogged in as:?\s|//wandb\.ai/(?!site|home|authorize|settings|login|docs)){_USER}",
        "ogged in as",
        "wandb.ai/",
    ),
    _form(
        "user",
        "https://slurm.schedmd.com/scontrol.html",
        rf"(\b(?:submitted|created|owned|launched|started|modified)[_ ]by[\"']?\s?[:=]\s?[\"']?"
        rf"|\buser\.name[ =][\"']?){_USER}",
        "by",
        "user.name",
    ),
    _form(
        "user",
        f"{_MAN}/man8/pam_unix.8.html",
        rf"(\b(?:by|for|as|of) user '?)(?!(?:{_AFTER_USER})\b){_USER}"
        r"(?=['\".,;:)]|\s*$|\s(?:from|on|by|at|is|was|has|in|failed)\b)",
        " user ",
    ),
    _form(
        "user",
        "https://git-scm.com/docs/git-log#_pretty_formats",
        r"(?m)(^\s*(?:Author|Commit|Committer|Co-authored-by|Signed-off-by|Reviewed-by|From):\s+)"
        r"([^<\n]{2,60}?)(?=\s<[^\n]*@)",
        " <",
    ),
)
