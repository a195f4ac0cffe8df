"""The user's own command line, with what a remedy changes of it."""

import re
import shlex
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pipedoctor.check.own_options import find_option, replace_options
from pipedoctor.check.remedy import Remedy
from pipedoctor.log.launch_commands import find_options, find_program, is_plain_command

_ENGINES = frozenset({"docker", "podman"})
_RANKS = ("--nproc-per-node", "--nproc_per_node")
_RENDEZVOUS = ("--master-port", "--master_port", "--master-addr", "--master_addr", "--rdzv")
_VALUED = (*_RANKS, *_RENDEZVOUS, "--nnodes", "--node-rank", "--node_rank")
_EXAMPLE = ("python", "train.py")


def put_launch(remedy: Remedy, names: Mapping[str, str]) -> Remedy:
    """
    The same remedy in the command that the log shows.

    `names` may have the lines ``docker_run``, ``apptainer``, ``torchrun``, ``sbatch`` and
    ``python``.
    """
    words = _rewrite(remedy.argv, names)
    if words is None:
        return _write_directives(remedy) if remedy.argv[:1] == ("sbatch",) else remedy
    if old := _find_container(words):
        lines = f"{words[0]} rename {old} {old}-old\n{' '.join(words)}"
        return replace(remedy, argv=(), snippet=lines)
    if any("$" in word for word in words):  # a shell reads it, and argv is read by none
        return replace(remedy, argv=(), snippet=" ".join(words))
    return replace(remedy, argv=tuple(shlex.split(" ".join(words))))


def _write_directives(remedy: Remedy) -> Remedy:
    """For the head of a script that is not known: without one, sbatch waits for it on stdin."""
    if not remedy.argv[-1].startswith("-"):
        return remedy
    lines = "\n".join(f"#SBATCH {option}" for option in remedy.argv[1:])
    title = f"{remedy.title}, at the head of the batch script"
    return replace(remedy, title=title, argv=(), snippet=lines)


def _rewrite(argv: Sequence[str], names: Mapping[str, str]) -> list[str] | None:
    """The words as they are typed; None: the log shows no such command."""
    own = {kind: _split_words(line) for kind, line in names.items() if kind in _KINDS}
    if argv[1:2] in _CONTAINER_FLAGS and argv[0] in _ENGINES and f"docker_{argv[1]}" in own:
        flags = argv[2 : _CONTAINER_FLAGS[argv[1:2]]]
        return _add_to_container(argv[1], flags, own[f"docker_{argv[1]}"])
    if argv[:1] == ("apptainer",) and "apptainer" in own:
        return _add_to_apptainer(argv, own["apptainer"])
    if argv[:1] == ("sbatch",) and "sbatch" in own:
        return ["sbatch", *argv[1:], *replace_options("sbatch", argv[1:], own["sbatch"][1:])]
    if argv[:1] == ("torchrun",) and argv[-1] == _EXAMPLE[-1]:
        return _rewrite_torchrun(argv, own)
    if tuple(argv[-2:]) == _EXAMPLE and (launch := own.get("torchrun") or own.get("python")):
        ours = {word.partition("=")[0] for word in argv[:-2]}  # set, or unset by `env -u`
        at = find_program(launch)
        kept = [word for word in launch[:at] if word.partition("=")[0] not in ours]
        return [*argv[:-2], *kept, *launch[at:]]
    return None


_CONTAINER_FLAGS: Mapping[Sequence[str], int | None] = {("run",): None, ("build",): -1}
"""Where the flags of a remedy end: behind those of ``docker build`` is the folder."""
_KINDS = frozenset({"apptainer", "docker_run", "docker_build", "torchrun", "sbatch", "python"})


def _add_to_container(command: str, flags: Sequence[str], own: list[str]) -> list[str]:
    """Flags of the remedy in place of those that set the same."""
    at = own.index(command) + 1
    words = [_quote_word(word) for word in flags]
    tool = "docker_build" if command == "build" else "docker"
    return [*own[:at], *words, *replace_options(tool, flags, own[at:])]


def _quote_word(word: str) -> str:
    """Quoted, unless a shell has to read it: ``$(id -u)``."""
    if "$PWD" in word:
        return f'"{word}"'
    return word if "$" in word and is_plain_command(f"x {word}") else shlex.quote(word)


def _find_container(words: Sequence[str]) -> str:
    """The name that a container of this command keeps when it has ended, and blocks."""
    if words[1:2] != ["run"] or "--rm" in words or "--replace" in words:
        return ""
    return find_option("docker", words[2:], "--name")


def _add_to_apptainer(argv: Sequence[str], own: list[str]) -> list[str]:
    """Options of the remedy behind the user's own ``apptainer exec``."""
    at = find_program(own) + 2
    options = [word for word in argv if word.startswith("--")]
    return [*own[:at], *options, *own[at:]]


def _name_option(word: str) -> str:
    return re.split(r"[= ]", word)[0]


def _drop_options(words: Sequence[str], names: set[str]) -> list[str]:
    """Without these options and their values, in either form."""
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in names:
            skip = True
        elif _name_option(word) not in names:
            kept.append(word)
    return kept


def _drop_alike(words: Sequence[str], names: set[str]) -> list[str]:
    """Options of torchrun without these, which are written with ``-`` or ``_``."""
    taken = [word for word in words if word[:1] == "-" and _name_alike(word) in names]
    return _drop_options(words, {_name_option(word) for word in taken})


def _name_alike(word: str) -> str:
    return _name_option(word).replace("_", "-")


def _rewrite_torchrun(argv: Sequence[str], own: Mapping[str, list[str]]) -> list[str] | None:
    """Options of the remedy first; its script is the user's."""
    options = [word for word in argv[1:] if word.startswith("-")]
    if "torchrun" in own:
        at = find_options(own["torchrun"])
        launch = own["torchrun"][:at]
        before, script = _split_script(own["torchrun"][at:])
        if "--standalone" in argv:  # the number of ranks is not what is wrong
            ranks = _keep_options(before, _RANKS)
            options = ["--standalone", *(ranks or options[1:])]
        else:
            options += _drop_alike(before, {_name_alike(word) for word in options})
        return [*launch, *options, *script] if script else None
    if "python" in own:
        at = find_program(own["python"])
        wrapper, program, script = own["python"][:at], own["python"][at], own["python"][at + 1 :]
        return [*wrapper, f"{program[: program.rfind('/') + 1]}torchrun", *options, *script]
    return None


def _keep_options(words: Sequence[str], names: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for word, value in zip(words, [*words[1:], ""], strict=True):
        if word in names:
            kept += [f"{word}={value}"]
        elif _name_option(word) in names:
            kept.append(word)
    return kept


def _split_script(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Torchrun's own options, and the script (or ``-m`` and the module) with its own."""
    skip = False
    for at, word in enumerate(words):
        if skip:
            skip = False
        elif word == "-m" or not word.startswith("-"):
            return [*words[:at]], [*words[at:]]
        else:
            skip = "=" not in word and word.startswith(_VALUED)
    return [*words], []


def _split_words(line: str) -> list[str]:
    """Its words as they stand, with their quotes."""
    lexer = shlex.shlex(line, posix=False, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    return [*lexer]
