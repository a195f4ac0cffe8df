"""
Secrets in command lines that no name stands beside: ``curl -u bob:x``, ``-px``.

A table: which command, where its secret stands, and the manual that says so.
"""

import re
from typing import NamedTuple

_MAN = "https://man7.org/linux/man-pages/man1"
_GAP = r"(?:[^\n|;&]{0,300}?\s)"
"""Other arguments of the same command."""
_WORD = r"""(?:"[^"\n]*"?|'[^'\n]*'?|(?![-<$])[^\s"']+)"""


class CommandForm(NamedTuple):
    """A command with a secret in it; the first group of its pattern stays."""

    marks: tuple[str, ...]
    pattern: str
    source: str


COMMAND_FORMS = (
    CommandForm(
        ("curl",),
        rf"(\bcurl\s{_GAP}??(?:-u|-U|--user|--proxy-user)[\s=]?[\"']?[^\s:\"'<]{{0,80}}:)(?!<secret>)[^\s\"']+",
        f"{_MAN}/curl.1.html",
    ),
    CommandForm(
        ("curl", "wget", "http"),
        rf"(\b(?:curl|https?)\s{_GAP}??(?:-b|--cookie|-a|--auth)[\s=]?)(?=\S*[=:]){_WORD}",
        f"{_MAN}/curl.1.html",
    ),
    CommandForm(
        ("curl",),
        rf"(\bcurl\s{_GAP}??(?:-u|--user)[\s=]?[\"']?)(?!<secret>)[^\s:\"'<]{{8,}}(?=:[\"']?(?:\s|$))",
        f"{_MAN}/curl.1.html",
    ),
    CommandForm(
        ("chpasswd",),
        r"(\bchpasswd\s*<<<\s*[\"']?[\w-]{1,32}:|\becho\s+[\"']?[\w-]{1,32}:(?=[^\n|]{1,80}\|\s*(?:sudo\s+)?chpasswd))"
        r"(?!<secret>)[^\s\"'|]+",
        "https://man7.org/linux/man-pages/man8/chpasswd.8.html",
    ),
    CommandForm(
        ("net use",),
        rf"(\bnet use\s{_GAP}??/user:\S+\s+)(?![/<]){_WORD}",
        "https://learn.microsoft.com/windows-server/administration/windows-commands/net-use",
    ),
    CommandForm(
        ("http-basic.",),
        rf"(\bhttp-basic\.\S+\s+\S+\s+){_WORD}",
        "https://python-poetry.org/docs/repositories/#configuring-credentials",
    ),
    CommandForm(
        ("mysql", "mariadb"),
        rf"(\b(?:mysql|mariadb)[\w-]*\s{_GAP}??-p)(?!\s|<secret>){_WORD}",
        "https://dev.mysql.com/doc/refman/8.4/en/connecting.html",
    ),
    CommandForm(
        ("-p",),
        rf"((?<!\S)(?:-u\s?|--user[\s=])[\w.@-]{{1,60}}\s+-p\s?)(?!<secret>){_WORD}",
        "https://docs.docker.com/reference/cli/docker/login/",
    ),
    CommandForm(
        ("-p",),
        r"((?<![\w-])-p)(?=\S*[A-Z])(?=\S*[a-z])(?=\S*\d)(?![\d.:]+(?:\s|$)|\S*[/=\\])[^\s\"',;]{6,}",
        "https://dev.mysql.com/doc/refman/8.4/en/connecting.html",
    ),
    CommandForm(
        ("sshpass",), rf"(\bsshpass\s{_GAP}??-p\s?){_WORD}", "https://linux.die.net/man/1/sshpass"
    ),
    CommandForm(
        ("login",),
        rf"(\blogin\s{_GAP}??(?:-p|--password|--token|--api-key|--key)[\s=]){_WORD}",
        "https://docs.docker.com/reference/cli/docker/login/",
    ),
    CommandForm(
        ("login", "authtoken"),
        r"(\b(?:wandb|vault|comet|hf|huggingface-cli|clearml|oc|netlify|railway|ngrok)"
        r"(?:\s(?:auth|config|add-authtoken|authtoken|login|add)){1,3}"
        r"(?:\s--?[\w-]+(?:=\S+)?){0,4}\s[\"']?)(?=[\w.-]*[\d])(?!-)[\w.-]{8,}(?![\w./-])",
        "https://docs.wandb.ai/models/ref/cli/wandb-login",
    ),
    CommandForm(
        ("redis-cli", "ipmitool", "ldap", "mongo", "sqlcmd", "zip", "7z", "rar", "smbclient"),
        rf"(\b(?:redis-cli\s{_GAP}??-a|ipmitool\s{_GAP}??-P|ldap\w+\s{_GAP}??-w"
        rf"|mongo\w*\s{_GAP}??-p|sqlcmd\s{_GAP}??-P|(?:un)?zip\s{_GAP}??-P)\s?)"
        rf"(?!<secret>){_WORD}",
        "https://redis.io/docs/latest/develop/tools/cli/",
    ),
    CommandForm(
        ("7z", "rar "),
        rf"(\b(?:7z[ar]?|rar)\s{_GAP}??-h?p)(?!\s|<secret>){_WORD}",
        "https://7-zip.org",
    ),
    CommandForm(
        ("pass:",),
        r"((?<![\w-])pass:)(?=\S*[\d!-/]|\S{9,})[^\s\"',;]{4,}",
        "https://docs.openssl.org/master/man1/openssl-passphrase-options/",
    ),
    CommandForm(
        ("%",),
        r"((?<!\S)(?:-U|--user)[\s=][\"']?[\w.\\/-]{1,60}%)[^\s\"']+",
        "https://www.samba.org/samba/docs/current/man-html/smbclient.1.html",
    ),
    CommandForm(
        ("sudo -S", "-stdin"),
        rf"(\becho\s(?:-n\s)?)(?!\S*\$){_WORD}(?=\s*\|[^\n|]{{0,80}}(?:sudo\s+-S|-stdin\b))",
        f"{_MAN}/echo.1.html",
    ),
    CommandForm(
        ("dentified by", "DENTIFIED BY"),
        rf"(?i)(\bidentified\s+by\s+){_WORD}",
        "https://dev.mysql.com/doc/refman/8.4/en/create-user.html",
    ),
    CommandForm(
        ("login ",),
        r"(login\s+\S+\s+password\s+)\S+",
        "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html",
    ),
)


_MARKS_WITHOUT_OPTION = (
    *("login", "authtoken", "pass:", "dentified by", "DENTIFIED BY", "chpasswd", "net use"),
    "'-p",
    "http-basic.",
)


def mask_commands(text: str, mask: str) -> str:
    """Put `mask` in place of secrets that stand where a command takes them."""
    if " -" not in text and text[:1] != "-" and not _has_mark(text, _MARKS_WITHOUT_OPTION):
        return text
    for marks, pattern, _ in COMMAND_FORMS:
        if _has_mark(text, marks):
            text = re.sub(pattern, rf"\g<1>{mask}", text)
    return text


def _has_mark(text: str, marks: tuple[str, ...]) -> bool:
    for mark in marks:  # noqa: SIM110  (a generator takes four times as long)
        if mark in text:
            return True
    return False
