"""The commands that a log shows: what launched the job that failed."""

import shlex
from collections.abc import Sequence

from pipedoctor.lazy_pattern import compile_lazily

COMMAND_WORDS = frozenset(
    {
        *("docker", "podman", "torchrun", "sbatch", "python", "accelerate", "apptainer"),
        *("singularity", "slurm", "cat", "head", "tail", "grep", "sed", "scontrol", "command"),
        *("yolo", "deepspeed", "litgpt", "composer", "llamafactory", "fairseq", "nnunetv2"),
    }
)
"""Words of lines that are read for this alone."""
_VARIABLES = r"(?:[A-Z_][A-Z0-9_]{0,40}=[\w./:,-]{0,60} ){0,6}"
_WRAPPER = (
    r"(?:(?:uv|poetry|pipenv|pdm) run |nohup |time "
    r"|srun (?:-\S{1,60} (?:\w[\w.,:=-]{0,40} )??){0,8})?"
)
_FOLDERS = r"(?:[\w.+@~-]{0,60}/){0,12}"
_PYTHON = r"python(?:3(?:\.\d\d?)?)?"
_TRAINERS = (
    *("yolo", "deepspeed", "litgpt", "composer", "llamafactory-cli", "fairseq-train"),
    "nnUNetv2_train",
)
"""Programs of libraries that train by themselves."""
_TRAINER = f"(?:{'|'.join(_TRAINERS)})"
_PROMPT = compile_lazily(
    r"^(?:(?:\([\w.-]{1,40}\) ?){0,2}(?:[\w.@:~/\\\[\] -]{0,80}(?:[$#%] {1,3}|> {0,3}))|\+ "
    r"| {0,5}\d{1,5} {2}"
    r"|(?:[Rr]unning|[Ee]xecuting|[Cc]ommand|CMD|cmd)(?: command)?: {1,3}|! ?)?"
    r"(?:sudo (?:-E )?)?"
    rf"(?:{_VARIABLES}(?P<tool>(?:docker|podman) (?:(?:container )?run|(?:buildx )?build) |sbatch )"
    rf"|(?P<line>{_VARIABLES}{_WRAPPER}{_FOLDERS}"
    rf"(?:torchrun |accelerate launch |(?:apptainer|singularity) (?:exec|run) |{_TRAINER} "
    rf"|{_PYTHON} (?:-m )?[\w./~-])))"
)
_MARK = compile_lazily(
    r"(?:docker|podman)\b.{0,12} (?:run|build) |torchrun |sbatch |accelerate launch |"
    rf"(?:apptainer|singularity) (?:exec|run) |{_TRAINER} |python[\d.]{{0,5}} (?:-m )?[\w./~-]"
)
_SAFE_LINE = compile_lazily(r"[\w./@%+:=,{}\[\]\"'$()~ -]+")
"""No operator of a shell but a variable, or one of the commands below."""
_SAFE_EXPANSIONS = compile_lazily(
    r"\$\((?:pwd|id -[ug])\)|\$\{?(?:PWD|HOME|USER|UID|MASTER_(?:ADDR|PORT))\}?(?!\w)"
    r"|\$\((?:whoami|nproc)\)"
)
_KINDS = {"singularity": "apptainer", **dict.fromkeys(_TRAINERS, "trainer")}
_TOOLS = frozenset({"pip", "torch", "venv", "http", "json", "ensurepip", "pipx", "accelerate"})
"""Modules that are run, and train nothing."""
_TORCHRUN_MODULES = frozenset({"torch.distributed.run", "torch.distributed.launch"})
"""Modules that take the options of torchrun: it is the first, and the second calls that."""
_PROGRAM = compile_lazily(rf"torchrun|accelerate|sbatch|apptainer|singularity|{_TRAINER}|{_PYTHON}")
_SHOWN_SCRIPT = compile_lazily(
    r"^(?:[\w.@:~/\\\[\] -]{0,80}[$#%>] {1,3})?(?:cat|head|tail|less|more|grep|sed|nl|bat)\b"
    r"[^|;&]{0,120}? (?P<script>[\w./~-]{1,200}\.(?:sbatch|slurm|sl|sh|bash|job))\s*(?:$|[|;&])"
    r"|^ {0,6}Command=(?P<submitted>/[\w./-]{1,200})\s*$"
)
"""A batch script that is shown, or what ``scontrol show job`` says was submitted."""
_OUTPUT = compile_lazily(
    r"(?: {1,3}(?:[12&]?>{1,2} {0,2}(?:&[12]|[\w./~+-]{1,200})"
    r"|\|&? {0,2}tee (?:-a )?[\w./~+-]{1,200}|< ?/dev/null)){0,4} {0,2}&?$"
)
"""Where a command's output goes, and that it runs in the background."""
_MAX_CHARS = 1000
_MAX_LINES = 12


class CommandReader:
    """Collects them from the lines of a log, the last of each kind."""

    def __init__(self) -> None:
        self._commands: dict[str, str] = {}
        self._open: list[str] = []
        self._next = 0
        self._script = ""
        """The script that the line before it shows."""
        self._batch_script = ""

    def read_line(self, text: str, number: int) -> None:
        """Take the next line; one that ends in a backslash goes on in the next."""
        self._read_script(text)
        if self._open and number == self._next:
            self._take(text, number)
            return
        self._open = []
        if not _MARK.search(text):
            return
        if match := _PROMPT.match(text):
            self._take(text[match.start(match.lastgroup or 0) :], number)

    def get_commands(self) -> dict[str, str]:
        """
        By their kinds; none is unsafe.

        ``docker_run``, ``docker_build``, ``apptainer``, ``torchrun``, ``sbatch``,
        ``accelerate``, ``python``, ``trainer`` (the program of a library).
        """
        submit = {"sbatch": f"sbatch {self._batch_script}"} if self._batch_script else {}
        commands = submit | self._commands
        return {kind: line for kind, line in commands.items() if is_plain_command(line)}

    def _read_script(self, text: str) -> None:
        """Keep the name of a script that is shown, and has options of Slurm."""
        if "#SBATCH" in text and self._script:
            self._batch_script = self._batch_script or self._script
        elif shown := _SHOWN_SCRIPT.match(text):
            self._script = shown["script"] or ""
            if shown["submitted"] or self._script.endswith((".sbatch", ".slurm")):
                self._batch_script = self._batch_script or shown["submitted"] or self._script

    def _take(self, text: str, number: int) -> None:
        text = text.strip()
        if text.endswith("\\") and len(self._open) < _MAX_LINES:
            self._open.append(text[:-1].strip())
            self._next = number + 1
            return
        line = _OUTPUT.sub("", " ".join([*self._open, text]), count=1)
        self._open = []
        kind = _find_kind(line)
        if kind and len(line) <= _MAX_CHARS:
            self._commands[kind] = line


def _find_kind(line: str) -> str:
    """Empty: it starts no training."""
    words = line.split()
    if words[0] in {"docker", "podman"}:
        return "docker_build" if "build" in words[1:3] else "docker_run"
    at = find_program(words)
    program, rest = words[at].rpartition("/")[2], words[at + 1 :]
    if not program.startswith("python"):
        return _KINDS.get(program, program)
    module = rest[1].split(".")[0] if rest[:1] == ["-m"] and len(rest) > 1 else ""
    if module and rest[1] in _TORCHRUN_MODULES:
        return "torchrun"
    starts = module not in _TOOLS if module else bool(rest) and rest[0].endswith(".py")
    return "python" if starts and "setup.py" not in rest[0] else ""


def find_program(words: Sequence[str]) -> int:
    """Where the launcher or the interpreter stands, behind ``uv run`` or ``srun -n 4``."""
    names = (word.rpartition("/")[2] for word in words)
    return next((at for at, name in enumerate(names) if _PROGRAM.fullmatch(name)), 0)


def find_options(words: Sequence[str]) -> int:
    """Where the launcher's own options begin, behind ``torchrun`` or the module that it is."""
    at = find_program(words) + 1
    return at + 2 if words[at : at + 1] == ["-m"] and words[at + 1] in _TORCHRUN_MODULES else at


def is_plain_command(line: str) -> bool:
    """Is it a single command, whose words a shell reads as they stand?"""
    rest = _SAFE_EXPANSIONS.sub("", line)
    if "$" in rest or not _SAFE_LINE.fullmatch(rest) or set(rest) & set("()"):
        return False
    try:
        return len(shlex.split(line)) > 1
    except ValueError:
        return False
