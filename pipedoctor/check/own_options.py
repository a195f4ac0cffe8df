"""Options of a user's own command: which of them a remedy takes the place of."""

import re
import shlex
from collections.abc import Mapping, Sequence

from pipedoctor.lazy_pattern import compile_lazily

_ALIASES: Mapping[str, Mapping[str, str]] = {
    "docker": {
        "-m": "--memory",
        "-e": "--env",
        "-v": "--volume",
        "-c": "--cpu-shares",
        "--net": "--network",
        "-u": "--user",
        "-w": "--workdir",
        "-h": "--hostname",
        "-p": "--publish",
        "-l": "--label",
        "-a": "--attach",
    },
    "docker_build": {
        "-m": "--memory",
        "-c": "--cpu-shares",
        "-t": "--tag",
        "-f": "--file",
        "-o": "--output",
    },
    "sbatch": {
        "-c": "--cpus-per-task",
        "-n": "--ntasks",
        "-N": "--nodes",
        "-G": "--gpus",
        "-t": "--time",
        "-p": "--partition",
        "-C": "--constraint",
        "-A": "--account",
        "-J": "--job-name",
        "-o": "--output",
        "-e": "--error",
        "-w": "--nodelist",
        "-x": "--exclude",
        "-q": "--qos",
        "-a": "--array",
        "-d": "--dependency",
    },
}
"""Short options with a value, and their long names."""
_FLAGS: Mapping[str, frozenset[str]] = {
    "docker": frozenset(
        {
            *("--rm", "--init", "--privileged", "--read-only", "--detach", "--interactive"),
            *("--tty", "--publish-all", "--quiet", "--no-healthcheck", "--oom-kill-disable"),
            *("--replace", "--rmi", "--disable-content-trust", "--sig-proxy", "--env-host"),
        }
    ),
    "docker_build": frozenset(
        {
            *("--compress", "--force-rm", "--no-cache", "--pull", "--quiet", "--rm", "--squash"),
            *("--load", "--push", "--debug", "--check"),
        }
    ),
    "sbatch": frozenset(
        {
            *("--hold", "--requeue", "--no-requeue", "--parsable", "--wait", "--test-only"),
            *("--contiguous", "--overcommit", "--spread-job", "--verbose", "--quiet"),
            *("--exclusive", "--oversubscribe", "--ignore-pbs", "--no-kill", "--get-user-env"),
        }
    ),
}
"""Long options without a value; of short ones those that have no long name above."""
_RIVALS: Mapping[str, tuple[str, ...]] = {
    "--memory": ("--memory-swap",),
    "--cpus": ("--cpu-quota", "--cpu-period", "--cpuset-cpus"),
    "--mem": ("--mem-per-cpu", "--mem-per-gpu"),
    "--mem-per-cpu": ("--mem", "--mem-per-gpu"),
}
"""Options that contradict one that the remedy sets."""
REPEATED = frozenset({"--env", "--ulimit", "--device", "--volume"})
"""Options of ``docker run`` of which each sets another thing."""
_SHORT = compile_lazily(r"-[A-Za-z]")


def replace_options(tool: str, ours: Sequence[str], own: Sequence[str]) -> list[str]:
    """
    The user's words behind ``docker run`` or ``sbatch``, without what `ours` sets anew.

    `tool` is ``docker``, ``docker_build`` or ``sbatch``. What stands behind the image or
    the script is that program's own, and stays.
    """
    ours_set = {setting for setting, _ in _read_options(tool, ours)[0]}
    dropped = {*ours_set, *(rival for name in ours_set for rival in _RIVALS.get(name, ()))}
    options, rest = _read_options(tool, own)
    kept = [word for setting, words in options if setting not in dropped for word in words]
    return [*kept, *rest]


def find_option(tool: str, words: Sequence[str], name: str) -> str:
    """The value of the option with this long name; empty: it is not set."""
    for setting, group in _read_options(tool, words)[0]:
        if setting == name:
            return group[1] if len(group) > 1 else group[0].partition("=")[2]
    return ""


def _read_options(tool: str, words: Sequence[str]) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """Each option with what it sets and its words; then the image or script, and its own."""
    options: list[tuple[str, list[str]]] = []
    at = 0
    while at < len(words) and words[at][:1] == "-" and words[at] != "--":
        name, value, used = _read_option(tool, words[at], words[at + 1 : at + 2])
        options.append((_name_setting(name, value), [*words[at : at + used]]))
        at += used
    return options, [*words[at:]]


def _read_option(tool: str, word: str, following: Sequence[str]) -> tuple[str, str, int]:
    """Its long name, its value, and the number of words of both."""
    aliases = _ALIASES[tool]
    name, sign, value = word.partition("=")
    if name[:2] != "--" and _SHORT.match(name):
        short = name[:2]
        if short not in aliases:
            return name, "", 1
        if len(word) > len(short):  # -m12g
            return aliases[short], word[len(short) :].removeprefix("="), 1
        return aliases[short], "".join(following), 1 + len(following)
    name = aliases.get(name, name)
    if sign or name in _FLAGS[tool]:
        return name, value, 1
    return name, "".join(following), 1 + len(following)


def _name_setting(name: str, value: str) -> str:
    """``--env A`` of ``-e A=1``, ``--volume /b`` of ``-v /a:/b:ro``; else the name alone."""
    if name == "--volume":  # what is mounted, and how, may change: where it is does not
        return f"{name} {':'.join(_unquote(value).split(':')[1:2])}"
    return f"{name} {_unquote(value).partition('=')[0]}" if name in REPEATED else name


def _unquote(word: str) -> str:
    try:
        return "".join(shlex.split(word))
    except ValueError:
        return re.sub("['\"]", "", word)
