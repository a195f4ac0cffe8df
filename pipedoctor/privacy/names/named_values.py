r"""
Users, hosts and groups beside their keys, however they are written: one reader for all.

``owner: x``, ``db_user = "x"``, ``"node": "x"``, ``--user-name x``, ``('host', 'x')``,
``/user:D\x``, ``Submitted-By : First Last``, *host 'x'*. What the key means and what the value
looks like decide: words of sentences, numbers, paths, files and code name nobody.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy import patterns
from pipedoctor.privacy.aliases import ALIAS_PATTERN
from pipedoctor.privacy.everyday_words import EVERYDAY_WORDS
from pipedoctor.privacy.public_hosts import is_public_host, is_public_index
from pipedoctor.privacy.secrets.secret_names import split_name
from pipedoctor.privacy.secrets.secret_values import is_harmless, is_number_or_version
from pipedoctor.privacy.vocabulary import COMMON_WORDS, NO_NAMES

_KINDS_BY_KEY = {
    "user": (
        "user ruser dbuser pguser sshuser username logname login owner operator submitter requester"
        " creator uploader assignee reviewer maintainer author principal employee runas reporter"
        " contact member student researcher supervisor fullname nickname"
    ),
    "host": (
        "host hostname dbhost pghost server fileserver dbserver node nodename nodelist machine"
        " address addr computer computername workstation master endpoint broker gateway bastion"
        " filer"
    ),
    "group": (
        "account project bucket team tenant organization organisation org workspace namespace"
        " entity company customer department institute workgroup realm cluster"
    ),
}
_KINDS = {key: kind for kind, keys in _KINDS_BY_KEY.items() for key in keys.split()} | {"id": "id"}
_SECOND_WORDS = {
    "name": (
        *("user", "owner", "login", "author", "host", "server", "node", "computer", "machine"),
        *("account", "project", "tenant", "team", "cluster", "workspace", "bucket"),
    ),
    "list": ("node",),
    "addr": ("master",),
    "id": ("user", "group", "tenant", "project", "org", "organization", "workspace"),
    "as": ("run",),
}
"""Last words of keys that mean something behind these alone."""
_ACTS_OF_NOBODY = frozenset(
    "caused divided sorted ordered grouped followed scaled multiplied backed keyed preceded"  # noqa: SIM905
    " replaced powered required indexed".split()
)
"""Before *by*: ``sorted_by``."""
_ENDS = (
    frozenset(f"{key}{plural}"[-3:] for key in _KINDS for plural in ("", "s"))
    | {"ame", "ist", "ddr", "_as", "-as", " as", "rid", "pid", "_id"}
    | {f"{sign}by" for sign in "_- d"}
)
_QUOTE = r"(?:\\{0,3}[\"'`])"
_MAX_KEY = 32
_ITEM = r"(?:\r?\n[ \t]*-[ \t]+)"
_SIGN = rf"(?P<sign>[:=]=?>?(?!/)|->)[ \t]{{0,24}}{_ITEM}?[\[({{]?"
_OTHER_SIGNS = (
    r"|(?P<pair>,\s{0,4})(?=[\"'])|(?P<space>[ ])(?=[\"'`])|(?P<tag>>)(?=[\w@])"
    r"|(?P<option>(?<!\S)--?[A-Za-z][\w-]{2,30}[ ])(?=[\w@<])|(?P<far>[ ]{2,40}|\t)(?=\w)"
)
_SIGN_ALONE = compile_lazily(_SIGN)
_ANY_SIGN = compile_lazily(_SIGN + _OTHER_SIGNS)
_MARKS_OF_OTHERS = (" '", ' "', "',", '",', " `", "--", " -", "  ", "\t", "</")
"""Without one of these in a text it is faster to look for signs alone."""
_VALUE = compile_lazily(
    rf"""(?P<quote>{_QUOTE}?)@?(?P<domain>[A-Za-z][\w.-]{{1,20}}\\{{1,2}}(?=[A-Za-z]))?
    (?P<name>[A-Za-z_0-9][\w.+-]*(?:\[[\d,-]+\])?\$?
    (?:/[A-Za-z][\w.-]*)?
    (?:[ ](?=[A-Z])[A-Z][\w.'-]*){{0,3}})""",
    re.VERBOSE,
)
_PERSON = compile_lazily(
    r"(?!(?:The|A)\s|.*\b(?:Team|Contributors|Authors|Developers|Inc|Foundation|Community)\b)"
    r"[A-Z][\w.'-]+(?: [A-Z][\w.'-]*){1,3}"
)
_BEHIND = compile_lazily(r"[ \t]*(?:$|[\n,;)\]}|\"'`<]|[ \t]{2}|\(|[\w.-]+[:=]|--?\w)|:\w|@|/")
_OWNER = compile_lazily(
    r"(?P<numbered>[A-Za-z_][\w.-]*)(?=\(\d+\))"
    r"|(?<=ser_id=)[\"'](?!(?:None|null|default)\b)(?P<quoted>[A-Za-z_][\w.-]*)(?=[\"'])"
)
"""As Slurm and MLflow name who owns a job: ``UserId=x(1001)``, ``user_id='x'``."""
_NEXT = compile_lazily(
    rf"(?::\d+)?(?:,(?=[\w])|[\"'](?::\d+)?,\s?[\"']|[ \t]*{_ITEM}[\"']?)"
    r"(?P<name>[A-Za-z_][\w.-]*(?:\[[\d,-]+\])?)(?![\w.=(/-]|:\D)"
)
"""Behind a value of a list: another."""
_MAX_LIST = 64
_CALLED = compile_lazily(r"\.?\w*\(|\.\w+|\[[a-z\"']|=|\\")
_KEY_OF_DICT = compile_lazily(r"\\{0,3}[\"'`]\s?:")
_FILE = compile_lazily(
    r"\.(?:py|ya?ml|json|toml|ini|cfg|conf|log|txt|sh|so|tar|gz|pt|pth|ckpt|csv|html?|md|c|cc|cpp"
    r"|cu)$"
)
_NUMBERED = compile_lazily(
    r"(?:gpu|cuda|cpu|rank|worker|device|group|slot|port|layer|step|epoch|socket|core|thread|job"
    r"|task|trial|fold|stage|model|xpu|numa|conv|linear|block|head|pool|relu|norm)[-_:]?\d+"
)
_ATTRIBUTE = compile_lazily(
    r"(?:x86_64|aarch64|i\d86)-[\w-]+|[a-z_]+\.(?:(?:\w+_)?name|user|owner|login|host(?:name)?|id"
    r"|addr(?:ess)?)"
)
_OTHER_VALUES = frozenset(
    "x86_64 aarch64 arm64 amd64 ppc64le i686 str int bool bytes float dict list tuple union type"  # noqa: SIM905
    " amazons3 cloudflare cloudfront envoy istio-envoy kestrel microsoft-iis jetty tornadoserver"
    " varnish caddy openresty gunicorn hypercorn werkzeug uploadserver simplehttp"
    " optional callable sequence self args kwargs cls config cfg request".split()
)


class NamedValue(NamedTuple):
    """Who is named, and where; `kind` is ``user``, ``host`` or ``group``."""

    kind: str
    begin: int
    end: int


def find_named_values(text: str) -> list[NamedValue]:
    """Every user, host and group that stands beside its key, in order."""
    found: list[NamedValue] = []
    others = any([mark in text for mark in _MARKS_OF_OTHERS])  # noqa: C419  (twice as fast)
    for sign in (_ANY_SIGN if others else _SIGN_ALONE).finditer(text):
        kind = _judge_key(text, sign)
        if kind == "id":
            owner = _OWNER.match(text, sign.end())
            found += (NamedValue("user", *owner.span(owner.lastgroup or 0)),) if owner else ()
        if kind in {"", "id"}:
            continue
        value = _VALUE.match(text, sign.end())
        if value is None:  # the first of a list may be hidden already
            alias = ALIAS_PATTERN.match(text, sign.end())
            found += _find_more(text, kind, alias.end()) if alias else ()
            continue
        name, end = _cut_name(value)
        if kind == "host" and is_public_index(name.lower(), text, end):
            continue
        if _is_name(text, kind, sign, value, name, end):
            if value["domain"]:
                found.append(NamedValue("host", value.start("domain"), value.end("domain")))
            found.append(NamedValue(kind, value.start("name"), end))
            found += _find_more(text, kind, end)
    return found


def _find_more(text: str, kind: str, end: int) -> Iterator[NamedValue]:
    """The rest of a list whose first value is a name."""
    for _ in range(_MAX_LIST):
        more = _NEXT.match(text, end)
        if more is None or not looks_like_name(kind, more["name"]):
            return
        end = more.end("name")
        yield NamedValue(kind, more.start("name"), end)


def _judge_key(text: str, sign: re.Match[str]) -> str:
    """Of whom the key before a sign tells; nothing: of nobody."""
    begin, way = sign.start(), sign.lastgroup
    key = sign["option"].rstrip() if way == "option" else text[max(0, begin - _MAX_KEY) : begin]
    if way not in {"space", "option"}:
        key = key.rstrip(" \t\"'`])\\")
    if key[-3:].lower() not in _ENDS:
        return ""
    inside = way == "far" and text[text.rfind("\n", 0, begin) + 1 : begin].strip() != key.strip()
    if inside or (way == "tag" and "<" not in key):
        return ""
    return _judge_words(split_name(key.rpartition("\n")[2]))


def _judge_words(words: list[str]) -> str:
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last == "by":
        return "user" if before.endswith("ed") and before not in _ACTS_OF_NOBODY else ""
    if last in _SECOND_WORDS:
        if before not in _SECOND_WORDS[last]:
            return ""
        numbered = last == "id" and before in {"user", "group"}
        last = "id" if numbered else "owner" if last == "as" else before
    if last == "account" and "slurm" in words:
        return "user"
    return _KINDS.get(last) or _KINDS.get(last.removesuffix("s"), "")


def _cut_name(value: re.Match[str]) -> tuple[str, int]:
    name = value["name"].rstrip(".-+")
    if " " in name and not _PERSON.fullmatch(name):
        name = name.partition(" ")[0]
    return name, value.start("name") + len(name)


def _is_name(
    text: str, kind: str, sign: re.Match[str], value: re.Match[str], name: str, end: int
) -> bool:
    """Does the value look like a name, and does it end where one ends?"""
    assigned = kind == "user" and sign[0] == "="  # a person, whatever the word
    if not looks_like_name(kind, name) and not (assigned and _may_be_anybody(name)):
        return False
    quoted = bool(value["quote"])
    if "/" in name and not (kind == "group" and (quoted or "=" in sign[0])):
        return False
    if quoted:
        next_key = sign.lastgroup == "pair" and _KEY_OF_DICT.match(text, end)
        module = sign.lastgroup == "space" and name.count(".") > 1  # operator `a.b.c`
        return (
            not (next_key or module)
            and text[end : end + 1] in "\"'`\\:@"
            and not text.startswith("://", end)
        )
    if is_code(name) or _CALLED.match(text, end):
        return False
    if sign.lastgroup == "far":
        return not name.isupper() and not text[end : text.find("\n", end) % (len(text) + 1)].strip()
    bound = sign.lastgroup != "sign" or "=" in sign["sign"] or value["domain"] is not None
    return bound or _BEHIND.match(text, end) is not None


def looks_like_name(kind: str, name: str) -> bool:
    """Does it look like the name of a user or a host, not like a word, a number or a file?"""
    lower = name.lower()
    if (
        len(name) < 2  # noqa: PLR2004
        or is_ordinary(lower)
        or is_number_or_version(name)
        or is_harmless(name, quoted=True)
        or _FILE.search(lower)
    ):
        return False
    if kind == "user":
        return name[0].isalpha() or name[0] == "_"
    return kind != "host" or not (is_public_host(lower) or re.search("[a-z]", lower) is None)


def _may_be_anybody(name: str) -> bool:
    """Is it a word that some account is called, and neither a number nor code?"""
    return name[0].isalpha() and name.lower() not in NO_NAMES and not is_code(name)


def may_be_told(kind: str, name: str) -> bool:
    """Is what a sentence says in the place of a name one of a user or a host?"""
    return looks_like_name(kind, name) and not (
        is_code(name)
        or ("." in name and patterns.is_module_path(name))
        or (kind == "user" and name.isupper())
    )


def is_code(value: str) -> bool:
    """Is it an expression or a type: ``args.user``, ``Optional``?"""
    bare = value.partition("[")[0]  # of a list of nodes
    attribute = _ATTRIBUTE.fullmatch(bare) is not None
    return attribute or bare.lower() in _OTHER_VALUES or is_harmless(bare, quoted=False)


def is_ordinary(lower: str) -> bool:
    """Is it a word of the trade or of a sentence, or one of many things of a kind?"""
    return (
        lower in EVERYDAY_WORDS
        or lower in COMMON_WORDS
        or lower in NO_NAMES
        or lower in _OTHER_VALUES
        or _NUMBERED.fullmatch(lower) is not None
    )
