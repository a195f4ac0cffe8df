"""What a log says of the project that wrote it: versions, installer, use of Docker."""

from collections.abc import Mapping

from pipedoctor.facts.log import DockerUse, PackageTool
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.log.distributions import DISTRIBUTION, DISTRIBUTION_WORDS
from pipedoctor.log.interpreters import find_interpreter, find_powershell
from pipedoctor.log.launch_place import BUILD_MARKS, COMPOSE_MARKS
from pipedoctor.log.manifests import ManifestReader
from pipedoctor.log.pod_names import POD_WORDS, iter_pod_names

PROJECT_WORDS = frozenset(
    {
        *("torch", "torchvision", "torchaudio", "pytorch", "version", "cu", "cpu"),
        *("uv", "poetry", "pipenv", "podman", "systemd", *POD_WORDS),
        *("ipython", "ipykernel"),
        *DISTRIBUTION_WORDS,
    }
)
"""Words of lines that are read for this alone."""
_NUMBER = r"(?P<version>\d{1,2}\.\d{1,2}\.\d{1,2}(?:\+(?:cu\d{2,3}|cpu)\b)?)(?![\w.])"
_NAME = r"(?P<name>torch|torchvision|torchaudio)"
_PACKAGE = compile_lazily(rf"^(?:\[(?:pip3?|conda|uv)\] |\+ )?{_NAME}(?:==|-| {{1,40}})" + _NUMBER)
_INSTALLED = compile_lazily(rf"\b{_NAME}-{_NUMBER}")
"""Each of what pip has just installed."""
_TITLED = compile_lazily(
    r"^\W{0,8}(?P<name>[Pp]y[Tt]orch|[Tt]orch(?:[Vv]ision|[Aa]udio)?)(?: [Vv]ersion)?"
    r"(?: \(GPU\?\))?[:= ]{1,30}v?" + _NUMBER + r"(?!.{0,30}\(you have)"
)
"""How tools print their environment at the start of a line: ``TorchVision: 0.16.0``."""
_SATISFIED = compile_lazily(
    rf"^Requirement already satisfied: {_NAME}(?:==\S{{1,30}})? in \S{{1,300}} ?"
    r"(?:\([^)]{0,100}\) )?\(" + _NUMBER
)
_CONDA_BUILD = compile_lazily(
    r"^pytorch {1,40}(?P<version>\d\.\d{1,2}\.\d{1,2}) {1,20}"
    r"py3\.\d{1,2}_cuda(?P<major>\d{2})\.(?P<minor>\d)_"
    r"|\bpytorch/pytorch:(?P<version1>\d\.\d{1,2}\.\d{1,2})-cuda(?P<major1>\d{2})\.(?P<minor1>\d)-"
)
"""A torch of conda's channel, or of its own image."""
_TORCH = compile_lazily(
    r"(?:^PyTorch version: |^\s*PyTorch \S.{1,40}\(you have |\byou(?:'ll)? have torch "
    r"|\btorch(?:\.__version__)?[\s='\":(,]{1,12}|\bPython-3\.\d{1,2}\.\d{1,2} torch-)" + _NUMBER
)
_BUILD = compile_lazily(
    r"^(?:Version: |[('\"]{1,2}|(?:True|False),? |torch:? |)"
    r"(?P<version>[12]\.\d{1,2}\.\d{1,2}\+(?:cu\d{2,3}|cpu))"
    r"['\"]?(?:,? (?:True|False|None|\d{1,2}\.\d))?(?:,? (?:True|False|None|\d{1,2}\.\d))?\)?\s*$"
)
"""What ``pip show torch``, or a line of an interpreter, prints of a build, and of its CUDA."""
_PYTHON = compile_lazily(
    r"python(?P<dotted>3\.\d{1,2})[/\\](?:site|dist)-packages"
    r"|\bPython3(?P<joined>\d{1,2})\\(?:[Ll]ib|Scripts)\\|^Python (?P<told>3\.\d{1,2})\.\d"
)
_MARKS = compile_lazily(
    r"\buv (?:run|sync|add|lock|pip)|poetry|pipenv|podman|docker|kubectl|pod/|[/\\]envs[/\\]"
    r"|^Controlled By|^Name(?:space)?: | \d{1,2}/\d{1,2} {2}|^FROM |  \| |ython ?3"
    r"|^#\d|^ > \[|^Step \d|\blow on resource: |^[!%]\w"
    r"|^(?:\([\w.-]{1,40}\) ?){0,2}\[?[\w.-]{1,40}@|/home/|/Users/"
    r"|srun: |CANCELLED|^Node: |assigned |ipython-input-|ipykernel_|systemd\[1\]: |\.service - "
    r"|conda\d?[/\\]|miniforge|mambaforge|^\(base\) "
    r"|\.el\d|Linux|Red Hat|RHEL|CentOS|Fedora|buntu|ebian|ubi\d|centos|(?:rocky|alma)linux"
    r"|exited with code|/bin/sh -c|non-zero code|^Attaching|\broot@|-\d{1,3} {2,12}\| "
)
"""Something that one of the patterns below may read; most lines have none of it."""
_TOOLS = compile_lazily(
    r"(?P<uv_project>\buv (?:run|sync|add|lock)\b)|(?P<uv>\buv pip\b)"
    r"|(?P<poetry>\bpoetry (?:run|install|add|show|lock|shell|update|env)\b"
    r"|[/\\]pypoetry[/\\](?:[Cc]ache[/\\])?virtualenvs[/\\])"
    r"|(?P<pipenv>\bpipenv (?:run|install|shell|sync|graph)\b)"
)
_TOOLS_BY_NAME: Mapping[str, PackageTool] = {
    "poetry": "poetry",
    "pipenv": "pipenv",
    "uv_project": "uv-project",
    "uv": "uv",
}
_CONDA_ENVIRONMENT = compile_lazily(
    r"[/\\]envs[/\\](?P<conda_environment>[\w.-]{1,60})[/\\](?:lib|Lib|bin|Scripts|python)\b"
)
_CONDA = compile_lazily(
    r"(?P<conda>[/\\](?:opt[/\\]conda|(?:ana|mini)conda\d?|(?:mini|mamba)forge\d?)[/\\]|^\(base\) )"
)
"""A folder that conda is installed in, or the prompt of its first environment."""
_PODMAN = compile_lazily(r"\bpodman (?:container )?(?:run|exec|start)\b")
_DESCRIBED = compile_lazily(r"^ {2}(?P<container>[a-z0-9-]{1,60}):\s*$")
"""The first container in what ``kubectl describe`` prints."""
_SERVICE = compile_lazily(r"^(?P<service>[A-Za-z][\w.-]{0,60}?)-\d{1,3} {2,12}\| ")
_COMPOSE_UP = compile_lazily(
    r"\bdocker[- ]compose (?:-\S{1,60} (?:[\w./-]{1,60}\.ya?ml )?){0,4}(?:up|run|restart)"
    r" (?:--?[\w=-]{1,30} ){0,4}(?P<service>[A-Za-z][\w.-]{0,60})\b"
    r"|^Attaching to (?P<service1>[A-Za-z][\w.-]{0,60}?)-\d{1,3}$"
)
_FAILED = compile_lazily(r"Error\b|ERROR\b|Traceback|Killed\b|\bfatal\b|No space left")
"""What only the service that fails writes, where there are several."""
_EXITED = compile_lazily(r"^(?P<service>[A-Za-z][\w.-]{0,60}?)-\d{1,3} exited with code [1-9]")
_COMPOSE_NAME = compile_lazily(r"^(?P<service>[A-Za-z][\w.-]{1,60}) {2,12}\| ")
_MIN_COMPOSE_LINES = 4
"""Lines that begin alike before they are those of Compose, and not of a table."""
_ENTERED = compile_lazily(
    r"\b(?:docker|podman) (?:container )?exec (?:-\S{1,20} |--\S{1,40} ){0,5}"
    r"(?P<entered>[\w][\w.-]{0,60}) "
    r"|^root@(?P<host>[0-9a-f]{12}):"  # a container has its own ID as its host name
)
_UNIT = compile_lazily(
    r"(?:\bsystemd\[1\]: (?=\S+: (?:Main process exited|Failed with result))"
    r"|^[\u25cf\u00d7*] (?=\S+ - ))"
    r"(?P<unit>[\w@:.-]{1,80}\.service)\b"
)
"""A service of the system that ended, or whose status is shown."""
_PROMPT = r"^(?:\([\w.-]{1,40}\) ?){0,2}\[?"
_ACCOUNT = compile_lazily(
    rf"{_PROMPT}(?P<root>root)@[\w.-]{{1,60}}[: ][^#$\n]{{0,80}}# "
    r"|(?P<guest>^.{0,40}\bjovyan@|/home/jovyan/)"
    r"|[\"' (:](?:/home/[\w.-]{1,40}/|/Users/[\w.-]{1,40}/)"
    rf"|{_PROMPT}(?!root)[\w.-]{{1,40}}@[\w.-]{{1,60}}[: ][^#$\n]{{0,80}}\$ "
)
"""A prompt, or a home folder: does root type there?"""
_NODE = compile_lazily(
    r"\bsrun: error: (?P<srun>[\w.,\[\]-]{1,80}): tasks? |\bON (?P<step>[\w.-]{1,60}) CANCELLED\b"
    r"|^Node: {2,40}(?P<described>[\w.-]{1,80})/\d"
    r"|Successfully assigned \S{1,200} to (?P<assigned>[\w.-]{1,80})"
)
_CELL = compile_lazily(
    r"(?P<notebook>ipython-input-\d+|[/\\]ipykernel_\d+"
    r"|^[!%](?:pip3?|python3?|cd|env|yolo|wget|nvidia-smi)\b)"
)
"""What a notebook calls the code of a cell, or how a cell calls a program."""
_DOCKER_USES = compile_lazily(
    rf"(?P<build>{BUILD_MARKS}|^#\d{{1,4}} ERROR\b|\bdocker image build\b"
    r"|^FROM [\w./-]{2,100}(?::[\w.-]{1,60})?(?: (?:AS|as) \w{1,40})?\s*$"
    r"|\breturned a non-zero code: \d|^ > \[[^\]]{0,40}\d/\d{1,3}\] RUN )"
    rf"|(?P<compose>{COMPOSE_MARKS}|^Attaching to \w)"
    r"|(?P<run>[$#>] (?:sudo )?(?:docker|podman) run\b)|(?P<inside>\broot@[0-9a-f]{12}:)"
)


class ProjectDetector:
    """Collects these marks from the lines of a log, the first of each kind."""

    def __init__(self) -> None:
        self.versions: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._failed: dict[str, str] = {}
        self._manifest = ManifestReader()
        self._tools: set[str] = set()
        self._uses: set[str] = set()
        self._services: dict[str, int] = {}
        self._in_containers = False

    def read_line(self, text: str) -> None:
        """Take the next line, as it stands in the log."""
        self._manifest.read_line(text)
        self._name(interpreter=find_interpreter(text), powershell=find_powershell(text))
        if self._in_containers and (first := _DESCRIBED.match(text)):
            self._name(**first.groupdict())
        self._in_containers = text.rstrip() == "Containers:"
        if not _MARKS.search(text):
            return
        if tool := _TOOLS.search(text):
            self._tools.add(f"{tool.lastgroup}")
        if use := _DOCKER_USES.search(text):
            self._uses.add(f"{use.lastgroup}")
            self._name(inside=use["inside"])
        if python := _PYTHON.search(text):
            joined = python["joined"]
            self._keep("python", f"3.{joined}" if joined else python["dotted"] or python["told"])
        if _PODMAN.search(text):
            self._name(engine="podman")
        self._read_containers(text)
        for pattern in (_UNIT, _CELL, _CONDA_ENVIRONMENT, _CONDA, DISTRIBUTION):
            if found := pattern.search(text):
                self._name(**found.groupdict())

    def _read_containers(self, text: str) -> None:
        if account := _ACCOUNT.search(text):
            self._name(account=account.lastgroup or "user")
        if node := _NODE.search(text):
            self._name(node=next(filter(None, node.groups())))
        for names in iter_pod_names(text, self._names):
            self._name(**names)
        if entered := _ENTERED.search(text):
            self._name(entered=entered["entered"] or entered["host"])
        self._read_services(text)

    def _read_services(self, text: str) -> None:
        """Of Compose: the first of all, and the first that fails."""
        if exited := _EXITED.match(text):
            self._failed.setdefault("service", exited["service"])
        if started := _COMPOSE_UP.search(text):
            self._name(service=started["service"] or started["service1"])
        if service := _SERVICE.match(text):
            self._name(**service.groupdict())
            if _FAILED.search(text):
                self._failed.setdefault("service", service["service"])
        elif service := _COMPOSE_NAME.match(text):
            count = self._services[service[1]] = self._services.get(service[1], 0) + 1
            if count == _MIN_COMPOSE_LINES:
                self._uses.add("compose")
                self._name(**service.groupdict())

    def read_message(self, text: str) -> None:
        """Take the same line without its prefixes."""
        if "orch" not in text and "+c" not in text:
            return
        if text.startswith("Successfully installed "):
            for one in _INSTALLED.finditer(text):
                self.versions[one["name"]] = one["version"]
        elif built := _CONDA_BUILD.search(text):
            version, major, minor = filter(None, built.groups())
            self._keep("torch", f"{version}+cu{major}{minor}")
        elif package := _PACKAGE.match(text) or _SATISFIED.match(text) or _TITLED.match(text):
            name = package["name"].lower().removeprefix("py")
            self._keep(name, package["version"])
        elif torch := _TORCH.search(text) or _BUILD.match(text):
            self._keep("torch", torch["version"])

    @property
    def names(self) -> dict[str, str]:
        """As `Log.names` has them, without commands; what failed, or a manifest, knows more."""
        return self._names | self._failed | self._manifest.get_names()

    def find_tool(self) -> PackageTool:
        """What installs packages there; empty: no other than pip is named."""
        found: list[PackageTool] = [
            tool for name, tool in _TOOLS_BY_NAME.items() if name in self._tools
        ]
        return found[0] if found else ""

    def find_docker_use(self) -> DockerUse:
        """How Docker was used; empty: neither is named."""
        if "build" in self._uses:
            return "build"
        if "compose" in self._uses:
            return "compose"
        return "run" if "run" in self._uses and "inside" not in self._uses else ""

    def _name(self, **names: str | None) -> None:
        for name, value in names.items():
            if value:
                self._names.setdefault(name, value)

    def _keep(self, name: str, version: str) -> None:
        self.versions.setdefault(name, version)
