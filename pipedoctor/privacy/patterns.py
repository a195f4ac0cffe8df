"""What private values look like: homes, servers, addresses, identifiers."""

import re
from collections.abc import Iterator

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy.marked_lines import LONG_TEXT, MatchReplacer, replace_near_marks
from pipedoctor.privacy.public_hosts import is_of_every_network


class MarkedPattern:
    """
    A pattern that is looked for only where one of its marks stands.

    It is compiled when it is first needed: most machines show few of these, and
    compiling them all would take as long as many a check. A probe is a pattern that is
    much faster to look for, and stands in every match.
    """

    def __init__(self, pattern: str, *marks: str, least: int = 0, probe: str = "") -> None:
        self._pattern = pattern
        self._probe = probe
        self.marks = marks
        self._least = least
        self._compiled: re.Pattern[str] | None = None

    def replace_matches(self, replacer: MatchReplacer, text: str) -> str:
        """Put something in place of each match."""
        return self.replace_near_marks(replacer, text) if self._has_mark(text) else text

    def replace_near_marks(self, replacer: MatchReplacer, text: str) -> str:
        """The same in a text that has one of the marks."""
        if len(text) < LONG_TEXT:
            if self._compiled is None:
                self._compiled = re.compile(self._pattern)
            return self._compiled.sub(replacer, text)
        return replace_near_marks(self._pattern, self.marks, replacer, text)

    def find_matches(self, text: str) -> Iterator[re.Match[str]]:
        """Every match."""
        return re.finditer(self._pattern, text) if self._has_mark(text) else iter(())

    def _has_mark(self, text: str) -> bool:
        if len(text) < self._least:
            return False
        for mark in self.marks:
            if mark in text:
                return not self._probe or re.search(self._probe, text) is not None
        return False


_DOCUMENTED = (
    r"192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|22[4-9]\.0\.|(?:169\.254\.169\.254"
    r"|8\.8\.8\.8|8\.8\.4\.4|1\.1\.1\.1|1\.0\.0\.1|9\.9\.9\.9)(?!\d|\.\d)"
)
"""Of examples (RFC 5737), groups, resolvers of everybody, and where clouds keep metadata."""
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
_NAME = r"""(?!\.|\$[\w{(]|%\w+%|<[\w-]+>|(?:Public|Default|All\ Users)(?:[/\\]|$))[^/\\\s:'",;]+"""
"""Nobody's begins with a dot: that is a folder; ``$USER`` and ``Public`` are nobody's either."""

_GROUP_FOLDERS = (
    "j?users|staff|students?|people|faculty|grads?|guests?|ldap|hpc|kit|[0-9][0-9A-F]|[0-9A-F][0-9]"
)
"""Of universities and clusters: between the folder of all homes and that of one (not Windows)."""

STRUCTURE = compile_lazily(r"[/\\:=@~|\s]")
"""A sign that stands in every match of the patterns of homes, users, servers and volumes."""
HOME = MarkedPattern(
    r"([/\\](?:[a-z]{0,4}homes?[0-9]*|global[/\\]u[0-9]|[Uu]sers"
    r"|afs[/\\][\w.-]+[/\\]user)[/\\]{1,4}"
    rf"(?:(?:{_GROUP_FOLDERS})/{{1,4}}(?=[^/\\\s]))?"
    r"(?:(?P<first>[a-z])[/\\](?:(?P<two>(?P=first)[a-z])[/\\](?=(?P=two))|(?=(?P=first))))?"
    r"|(?<!\S)~(?=[a-z_][\w.-]*(?:[/\\\s:]|$)|[A-Z]))"
    rf"(?P<name>{_NAME}(?:\ {_NAME})*(?=[/\\])|{_NAME})",
    *("home", "sers", "afs/", "~", "global/u"),
)
SCRATCH = MarkedPattern(
    r"([/\\]spool[/\\]slurm[a-z]{0,4}[/\\](?=[a-z][a-z0-9-]*[/\\])"
    r"|[/\\](?:gpfs|lustre|beegfs|fsx)[0-9]*[/\\](?:work|users?)[0-9]*[/\\]"
    r"|[/\\](?:[a-z]{0,9}scratch[0-9]*|nobackup)[/\\](?:(?:slurm|local|users?|tmp|home)[/\\])?)"
    r"(?!\.)([^/\\\s:'\",;<>)]+)",
    *("scratch", "nobackup", "spool", "/work", "/user"),
)
"""A folder of somebody's own where jobs write."""
MOUNT_SOURCE = MarkedPattern(
    r"^(?:([\w.-]+)@(?!tcp|o2ib)(?=[^:/]*:))?(?!\d+\.\d)([A-Za-z0-9][\w.-]+)"
    r"(?=:/(?!/)|:$|@tcp|@o2ib)",
    *(":", "@"),
)
"""The server of a mount: ``nas:/export``, ``user@nas:``, ``mds@tcp:/scratch``."""
NETWORK_SHARE = MarkedPattern(r"^(//)(?!\d+\.\d)([^/\s]+)(?=/|$)", "//")
URL = MarkedPattern(r"(://)(?:([^/\s:@]*)(:[^/\s@]*)?@)?(?!\d+\.\d)([\w.-]+)", "://")
EMAIL = MarkedPattern(r"(?<![\w.+/-])([\w.+-]+)@((?:[\w-]+\.)+[A-Za-z]{2,})(?![\w@])", "@")
NCCL_HOST = MarkedPattern(r"(?m)^((?:\[[^\]\n]{0,40}\]:?\s?)?)([\w.-]+)(?=:\d+:\d+ \[)", "[")
"""Who writes a line of NCCL's log: ``node17:4521:4530 [0] NCCL INFO``."""
JOB_HOST = MarkedPattern(
    r"((?:\bJOB \d+(?:\.\S+)?|\bSTEP \d+\.\S+) ON |\bsrun: error: )"
    r"([A-Za-z][\w-]*\d[\w.-]*|[\w-]+(?= CANCELLED))",
    *(" ON ", "srun: "),
)
"""Where Slurm says that a job has died."""
INTERNAL_HOST = MarkedPattern(
    r"(?<![\w@/.<>-])(?:[A-Za-z0-9][\w-]*\.)+(?:internal|corp|lan|intra(?:net)?|localdomain|local"
    r"|home\.arpa|fritz\.box)"
    r"(?![\w(-]|\.\w|::)",
    *(".internal", ".corp", ".lan", ".intra", ".local", ".home.arpa", ".fritz.box"),
)
"""A name of a domain that only its own network knows."""
UUID = MarkedPattern(
    r"(?<![0-9a-zA-Z])(?:[0-9a-fA-F]{8}(?:[-_][0-9a-fA-F]{4}){3}[-_][0-9a-fA-F]{12}"
    r"|[0-9a-fA-F]{64}|[0-9a-fA-F]{32})(?![0-9a-zA-Z])"
    r"|(?<=-pod)[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}",
    "",
    least=32,
    probe=r"[0-9a-fA-F]{12}",
)
_HASH_WORD = (
    r"(?:sha-?\d{0,3}(?:sum)?|md5(?:sum)?|hash(?:es)?|digest|checksum|e-?tag|integrity|fingerprint"
    r"|blobs?|commit|revision|(?:trace|span)[_-]?id|traceparent|blake\d?[a-z]{0,2}(?:-?\d{3})?"
    r"|crc-?\d{0,3}c?|xxh(?:ash|\d)?\d{0,3}|murmur\d?|oid|(?:build|image|object|layer|tree)[ _-]?id"
    r"|snapshot|cache[ _-]?key|manifest)"
)
_RUN_ID = (
    r"(?:run|task|experiment|artifact|request|job|study|trial|sweep|rdzv|rendezvous|dataset|pipeline"
    r"|workflow|correlation|operation|batch|message|invocation|restart)[ _-]?(?:id|key|uuid)"
    r"|mlruns/\d{1,20}"
)
"""Of what ran, not of the machine that it ran on."""
_HASH_NAME = compile_lazily(
    rf"(?i)(?:^|[^a-z])(?:{_HASH_WORD}|{_RUN_ID})[\"']?(?:(?:\sof)?\s\S{{1,120}}:\s"
    r"|\s?[:=]\s?|[\s/]|\s(?:is|was)\s)[\"']?$"
)
_HASH_LINE = compile_lazily(
    rf"(?i)(?:^|[^a-z]){_HASH_WORD}(?![a-z])|(?:^|[ _/-])s?c?cache[ds]?(?![a-z])"
)
_FILE_BEFORE = compile_lazily(
    r"\.(?:conda|whl|zip|t?gz|tar\.\w{2,3})#$|[/\\](?:overlay2|diff|layers?|imagedb|layerdb)[/\\]$"
)
_OTHER_NAME = compile_lazily(r"[\w-]{2,}[\"']?\s?[:=]\s?[\"']?$")
_FILE_BEHIND = compile_lazily(r" [ *][^\s:=]+[ \t]*(?:\n|$)")
_PATH_BEFORE = compile_lazily(r"[^\s\"'`=,;(<>]*[/\\]$")
_REST_OF_FOLDER = compile_lazily(r"(?:-[a-z0-9-]{1,40})?[/\\]")
_FOLDER_OF_MACHINE = compile_lazily(
    r"containers?|docker|podman|libpod|crio?\b|cri-|kubepods|kubelet|pods?[/\\-]|sandbox|journal"
    r"|boot|efi"
    r"|loader|entries|machine|volumes|moby|netns|cgroup|slice"
)
VOLUME = MarkedPattern(
    r"(by-(?:part)?uuid/|UUID=[\"']?)((?=[\w-]*\d)[0-9A-Fa-f-]{8,})", "uuid/", "UUID="
)
SERIAL = MarkedPattern(
    r"(?i)((?:\b|_)serial(?:[ _]?(?:number|no\.?|short)(?:\s\(system\))?)?"
    r"(?:[\"']?\s{0,48}[:=]\s{0,4}[\"']?|\s)|\bs/n[:=]\s?|by-id/)"
    r"((?=[\w.:+-]*\d)[\w.:+-]{6,})",
    *("erial", "ERIAL", "by-id/", "S/N", "s/n"),
)
MAC = MarkedPattern(
    r"(?<![0-9a-fA-F:-])(?!(?:00[:-]){5}00(?![:-])|(?i:ff[:-]){5})[0-9a-fA-F]{2}(?:"
    r"([:-])[0-9a-fA-F]{2})"
    r"(?:(?:\1[0-9a-fA-F]{2}){18}|(?:\1[0-9a-fA-F]{2}){6}|(?:\1[0-9a-fA-F]{2}){4})"
    r"(?![0-9a-fA-F:-])",
    *(":", "-"),
    least=17,
    probe=r"[:-][0-9a-fA-F]{2}[:-][0-9a-fA-F]{2}[:-][0-9a-fA-F]{2}[:-]",
)
DOTTED_MAC = MarkedPattern(
    r"(?<![\w.])(?=[0-9.]*[a-fA-F])(?=[a-fA-F.]*[0-9])[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){2}"
    r"(?!\w|\.\w)",
    ".",
    least=14,
    probe=r"\.[0-9a-fA-F]{4}\.",
)
"""As switches of Cisco write it: ``001b.4411.3ab7``."""
NAMED_MAC = MarkedPattern(
    r"(?i)\b((?:enx|wlx)(?=[0-9a-f]{12}(?!\w))|(?:mac(?:_?addr(?:ess)?)?|hwaddr|ether"
    r"|(?:node|port|sys(?:tem)?(?:[_ ]image)?)[_ ]?guid)"
    r"[\"']?[\s:=]{1,3}[\"']?(?:0x)?)([0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{4}(?::[0-9a-f]{4}){3})"
    r"(?!\w)",
    *("mac", "MAC", "HWaddr", "hwaddr", "ether", "guid", "GUID", "enx", "wlx"),
    least=16,
    probe=r"[0-9a-fA-F]{12}|:[0-9a-fA-F]{4}:[0-9a-fA-F]{4}:",
)
"""Without separators only where its name says what it is; and those of InfiniBand."""
IPV4 = MarkedPattern(
    rf"(?<![\w.-])(?!127\.|0\.0\.0\.0|255\.|{_DOCUMENTED})(?:{_OCTET}\.){{3}}{_OCTET}"
    r"(?![\w+]|\.(?:[0-9]|dev|post|el)|-(?:py|cp|cu\d|microsoft|generic|aws|azure|gcp|\d{1,2}(?:ubuntu|\.el|\+|~)))",
    ".",
    least=7,
    probe=r"\.\d{1,3}\.\d",
)
IPV6 = MarkedPattern(
    r"(?<![\w:.])(?=[^:\s]*:[^:\s]*:)[0-9a-fA-F:]{3,39}(?![\w:]|\.[0-9])",
    ":",
    least=3,
    probe=":[0-9a-fA-F]{0,4}:",
)


CLOUD_HOST = MarkedPattern(r"(?<![\w-])ip-\d{1,3}(?:-\d{1,3}){3}(?:\.[\w.-]+)?", "ip-", least=10)
"""How clouds name their machines."""
_SOFTWARE = (
    "cuda|cudnn|nccl|cublas|cufft|cufile|curand|cusolver|cusparse|npp|nvjpeg|nvjitlink|nvtx|cupti"
    "|nvrtc"
    "|tensorrt|trt|cutlass|opencv|openvino|onednn|mkl|ofed|ucx|hpcx|bios|firmware|driver|version"
    "|release|ver|revision|runtime|toolkit|rocm|miopen|rccl|smi|torch|numpy|pillow|python|ffmpeg"
    "|dali"
    "|ninja|cmake|gcc|clang|glibc|pip|conda|mamba|docker|podman|slurm|arrow|lmdb|numba|llvmlite"
    "|scipy|pandas|jax|tensorflow|keras|xformers|deepspeed|transformers|openmpi|pmix|libfabric"
    "|hwloc|protobuf|grpc|onnx|vllm|triton|library|lib|wheel|agent|plugin|gdrcopy|fabricmanager|imex"
)
"""Names that a version of four numbers stands behind."""
_BEFORE_VERSION = (
    rf"(?i)(?:(?<![a-z])(?:\w{{1,12}}[-_])?(?:{_SOFTWARE})[\w-]{{0,24}}(?:\s(?:version|is|v))?"
    r"[\"']?[\s:=]{0,16}[\"'(v]{0,2}|(?:[=<>~!]=|(?<![0-9])(?<!<secret)[<>])\s?)$"
)
_TABLE_ROW = compile_lazily(r"(?:^|\n)\s*[A-Za-z][\w.-]*[ \t=]+$")
_LEAST_NETWORK = 10
"""First number of the least address that a private network has."""
_LONG_GROUP = 3
_CODE_ROOTS = frozenset(
    "torch torchvision jax tensorflow tf numpy scipy pandas google com org net java scala sun self"  # noqa: SIM905
    " threading asyncio os sys triton transformers lightning ray dask np pl nn module app settings"
    " config this werkzeug flask django pip setuptools".split()
)


def is_before_version(preceding: str) -> bool:
    """Do four numbers that stand after this name a version, not an address?"""
    return re.search(_BEFORE_VERSION, preceding) is not None


def is_low_version(preceding: str, address: str) -> bool:
    """In a table of packages four numbers that begin with a small one are a version."""
    return (
        int(address.partition(".")[0]) < _LEAST_NETWORK and _TABLE_ROW.search(preceding) is not None
    )


def is_hash(text: str, begin: int, end: int) -> bool:
    """
    Do these hexadecimal digits say what a file holds, not which machine or container it is?

    The name beside them decides; without one, the words of the line, or the form of what
    ``sha256sum`` prints.
    """
    line = text[max(0, begin - 160, text.rfind("\n", 0, begin) + 1) : begin]
    if "-" in text[begin:end] or "_" in text[begin:end]:
        return _HASH_NAME.search(line) is not None
    if _is_folder_of_hash(line, text, end):
        return True
    if (
        _HASH_NAME.search(line)
        or _FILE_BEFORE.search(line)
        or (not line and _FILE_BEHIND.match(text, end))
    ):
        return True
    return not _OTHER_NAME.search(line) and _HASH_LINE.search(line) is not None


def _is_folder_of_hash(line: str, text: str, end: int) -> bool:
    """Is it a folder of builds or of a cache, not that of a container or a machine?"""
    path = _PATH_BEFORE.search(line)
    if path is None or _REST_OF_FOLDER.match(text, end) is None:
        return False
    return _FOLDER_OF_MACHINE.search(path[0]) is None


def is_module_path(host: str) -> bool:
    """Is it a module of code, or a server of everybody, though it ends as a host does?"""
    first, *_, last = host.lower().split(".")
    if is_of_every_network(host):
        return True
    if last == "local":
        return not ("svc.cluster.local" in host or re.search(r"[\d-]", host))
    return first in _CODE_ROOTS or "_" in host


def is_written_address(text: str, preceding: str) -> bool:
    """Is it written as an address of IPv6, not as a slice ``[::2]`` or ``c10::add``?"""
    groups = [group for group in text.split(":") if group]
    if len(groups) < 2 or max(map(len, groups)) < _LONG_GROUP:  # noqa: PLR2004
        return False
    return not (
        preceding.endswith(("[", ", ")) and all(map(str.isdecimal, groups)) and len(groups) < 4  # noqa: PLR2004
    )


def is_in_packages(preceding: str) -> bool:
    """Is what stands after this a library, whoever is called so?"""
    folders = r"(?:site|dist)-packages[/\\]\S*$|/lib/python[0-9.]+/\S*$"
    return re.search(folders, preceding) is not None
