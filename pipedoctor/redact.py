"""
Take names of people and places, and secrets, out of facts before they are judged.

Values are replaced by what they are, never keys and never blind substrings: a user
called *root* must not turn `canonical_root` into `canonical_<user>`, and one called
*torch* must not turn `site-packages/torch` into a folder that nobody has. Equal
values get equal aliases, so paths of one user still compare.
"""

import enum
import re
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from pipedoctor import folders, forms
from pipedoctor.aliases import ALIAS, Aliases, Memory
from pipedoctor.facts import Facts
from pipedoctor.legible import legible
from pipedoctor.masking import MASK, mask, names_secret


class Level(enum.Enum):
    """How much to take out."""

    NOTHING = "as it is"
    SECRETS = "tokens and passwords"
    ALL = "users, homes, hosts, addresses, tokens and passwords"
    PUBLIC = "these, and where projects lie"


class Who(msgspec.Struct, frozen=True, kw_only=True):
    """Names that are private wherever they stand; `homes` are home directories."""

    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()


_NOBODY = Who()

COMMON = frozenset(
    "root nobody "  # noqa: SIM905  (a list of words reads best as words)
    "daemon admin administrator user users guest test tester default "
    "shared public system service localhost localdomain local host torch pytorch "
    "python numpy pillow opencv nvidia cuda cudnn conda mamba jupyter jovyan notebook "
    "linux ubuntu debian fedora centos rocky alpine docker podman kubernetes slurm "
    "ray spark git build builder runner ci app web data dataset datasets home work "
    "workspace scratch tmp temp cache shm dev proc sys mnt opt usr var lib lib64 bin "
    "etc src project projects train trainer training model models gpu cpu node worker "
    "workers server client main master overlay tmpfs ext4 xfs nfs nvme virtio".split()
)
"""Words of the trade: nobody is known by such a name, outside of /home."""

VOCABULARY = frozenset(
    "system "  # noqa: SIM905  (as above)
    "release distribution machine container virtual notebook role fstype "
    "transport model scheduler name version kind manager implementation governor "
    "scaling_driver driver cuda device vendor capability build channel installer "
    "tags flags glibc conda_version pip_version requirement".split()
)
"""Fields that hold terms and versions: only secrets are taken out of them."""

_PLACES = frozenset(("path", "real", "project"))
_SILENT = frozenset((bool, int, float, type(None)))
"""Types of values that name nobody: most of a large record."""
_SHORTEST = 3
"""Letters of a name that is looked for outside of paths."""


class Redactor:
    """Gives the same alias to the same name, in everything that it is handed."""

    def __init__(
        self, level: Level, who: Who = _NOBODY, memory: Memory | None = None
    ) -> None:
        self.level = level
        self._who = who
        self._aliases = Aliases(memory)
        self._names: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        self._done: dict[tuple[str, str], str] = {}

    def meet(self, who: Who) -> None:
        """Learn who works here, before anything is redacted."""
        self._who = who

    def facts(self, facts: Facts) -> Facts:
        """The same facts without what is private; judged instead of the originals."""
        record = facts.to_record()
        done = self._record(record)
        if self._aliases.settle():  # another report gave these numbers away
            done = self._record(record)
        return Facts.from_record(done)

    def text(self, text: str) -> str:
        """Prose, such as the reason of a failure, by the same aliases."""
        done = self._value(text, "")
        return self._value(text, "") if self._aliases.settle() else done

    def _record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        self._done.clear()
        self._names.clear()
        self._folders.clear()
        self._pattern = None  # it is that of the names of another record
        if self.level in {Level.ALL, Level.PUBLIC}:
            self._learn(record)
        if self.level is Level.PUBLIC:  # meet all folders before any is named again
            self._walk(record["known"], "")
            self._done.clear()
        known = self._walk(record["known"], "")
        unknown = {k: self._value(why, "") for k, why in record["unknown"].items()}
        return {"known": known, "unknown": unknown}

    def _walk(self, value: Any, key: str) -> Any:
        if isinstance(value, str):
            done = self._done.get((key, value))
            if done is None:
                done = self._done[key, value] = self._value(value, key)
            return done
        if isinstance(value, dict):
            items = cast("dict[str, Any]", value).items()
            return {
                name: item
                if type(item) in _SILENT or item == ""
                else self._walk(item, name)
                for name, item in items
            }
        if isinstance(value, (list, tuple)):
            return [self._walk(item, key) for item in cast("list[Any]", value)]
        return value

    def _value(self, text: str, key: str) -> str:
        text = legible(text)
        if self.level is Level.NOTHING:
            return text
        text = MASK if key and text and names_secret(key) else mask(text)
        if self.level is Level.SECRETS:
            return text
        if key in VOCABULARY and not any(forms.HOME.find(text)):
            return text
        return self._private(text, key)

    def _private(self, text: str, key: str) -> str:
        """Homes first, then names that are known, then what shows by its form."""
        for home in self._who.homes:
            if text == home or text.startswith((f"{home}/", f"{home}\\")):
                parent, user = home[: -len(_last(home))], _last(home)
                text = parent + self._alias("user", user) + text[len(home) :]
        text = forms.HOME.sub(self._home, text)
        text = forms.USER.sub(self._second("user"), text)
        text = forms.URL.sub(self._url, text)
        text = forms.EMAIL.sub(self._mail, text)
        text = forms.LABEL.sub(self._server, text)
        text = forms.LOGGED.sub(self._server, text)
        if key == "source":
            text = forms.SOURCE.sub(self._mounted, text)
            text = forms.SHARE.sub(self._second("host"), text)
        if self._pattern is not None:
            text = self._pattern.sub(self._named, text)
        text = self._addresses(text)
        if self.level is not Level.PUBLIC:
            return text
        text = folders.hide(text, self._path)
        if key in _PLACES and text in self._folders:
            return self._folders[text]
        return folders.hide_again(text, self._folders)

    def _path(self, name: str) -> str:
        alias = self._folders[name] = self._alias("path", name)
        return alias

    def _addresses(self, text: str) -> str:
        text = forms.UUID.sub(self._whole("uuid"), text)
        text = forms.VOLUME.sub(self._second("uuid"), text)
        text = forms.SERIAL.sub(self._second("serial"), text)
        text = forms.DASHED.sub(self._whole("host"), text)
        text = forms.MAC.sub(self._whole("mac"), text)
        text = forms.IPV4.sub(self._ipv4, text)
        return forms.IPV6.sub(self._ipv6, text)

    def _alias(self, kind: str, value: str) -> str:
        root = kind == "user" and value == "root"
        return value if root else self._aliases.of(kind, value)

    def _learn(self, record: object) -> None:
        """Find out who is named anywhere, and which aliases there are already."""
        users: list[str] = []
        hosts: list[str] = []
        for key, text in _texts(record):
            for kind, number in ALIAS.findall(text) if "<" in text else ():
                self._aliases.taken(kind, int(number))
            users += [match[2] for match in forms.HOME.find(text)]
            users += [match[2] for match in forms.USER.find(text)]
            if key == "source":
                hosts += [match[2] for match in forms.SOURCE.find(text)]
                hosts += [match[2] for match in forms.SHARE.find(text)]
        for user in (*self._who.users, *map(_last, self._who.homes), *users):
            self._name("user", user)
        for host in (*self._who.hosts, *hosts):
            self._name("host", host.partition(".")[0])
        if self._names:
            longest_first = sorted(self._names, key=lambda name: (-len(name), name))
            names = "|".join(map(re.escape, longest_first))
            domain = r"((?:\.[A-Za-z0-9-]+){2,})?"
            pattern = rf"(?i)(?<![A-Za-z0-9<])({names})(?![A-Za-z0-9]){domain}"
            self._pattern = re.compile(pattern)

    def _name(self, kind: str, name: str) -> None:
        ordinary = name.lower() in COMMON or name.isdigit() or len(name) < _SHORTEST
        if not ordinary and not ALIAS.search(name):
            self._names.setdefault(name.lower(), self._alias(kind, name))

    def _home(self, match: re.Match[str]) -> str:
        return match[1] + self._alias("user", match[2])

    def _second(self, kind: str) -> forms.Put:
        return lambda match: match[1] + self._alias(kind, match[2])

    def _whole(self, kind: str) -> forms.Put:
        return lambda match: self._alias(kind, match[0])

    def _mounted(self, match: re.Match[str]) -> str:
        user = self._alias("user", match[1]) + "@" if match[1] else ""
        host = match[2].partition(".")[0]
        known = host.lower() in COMMON
        return user + (match[2] if known else self._alias("host", host))

    def _url(self, match: re.Match[str]) -> str:
        user = self._alias("user", match[2]) if match[2] else ""
        at = f"{user}{match[3] or ''}@" if match[2] else ""
        inside = forms.inside(match[4]) and match[4].lower() not in COMMON
        hidden = at or inside or self._closed(match[4].lower())
        return match[1] + at + (self._alias("host", match[4]) if hidden else match[4])

    def _server(self, match: re.Match[str]) -> str:
        known = match[2].lower() in COMMON
        return match[0] if known else match[1] + self._alias("host", match[2])

    def _closed(self, host: str) -> bool:
        """Is it, for the public, the name of somebody's own server?"""
        named = "." in host and not host.replace(".", "").isdigit()
        return self.level is Level.PUBLIC and named and not forms.is_open(host)

    def _mail(self, match: re.Match[str]) -> str:
        user, host = match[1], match[2].lower()
        if host.endswith((".so", ".py", ".dll")):
            return match[0]
        person = user if user.lower() in COMMON else self._alias("user", user)
        place = match[2] if forms.is_open(host) else self._alias("host", host)
        return f"{person}@{place}"

    def _named(self, match: re.Match[str]) -> str:
        before = match.string[: match.start()]
        return match[0] if forms.in_packages(before) else self._names[match[1].lower()]

    def _ipv4(self, match: re.Match[str]) -> str:
        before = match.string[max(0, match.start() - 12) : match.start()]
        return match[0] if forms.is_version(before) else self._alias("ip", match[0])

    def _ipv6(self, match: re.Match[str]) -> str:
        import ipaddress  # noqa: PLC0415  (2 ms, and most machines name none)

        try:
            address = ipaddress.IPv6Address(match[0])
        except ValueError:
            return match[0]
        plain = address.is_loopback or address.is_unspecified
        return match[0] if plain else self._alias("ip", address.compressed)


def whoami(environ: Mapping[str, str], hostname: str, passwd: str = "") -> Who:
    """The current user's names, from the environment and the lines of /etc/passwd."""
    home = environ.get("HOME", "").rstrip("/\\")
    named = [environ.get(key, "") for key in ("USER", "LOGNAME", "SUDO_USER")]
    hosts = (hostname, environ.get("HOSTNAME", ""))
    return Who(
        users=tuple(dict.fromkeys(user for user in (*named, passwd) if user)),
        hosts=tuple(dict.fromkeys(host for host in hosts if host)),
        homes=(home,) if "/" in home[1:] or "\\" in home else (),
    )


def _last(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def _texts(record: Any) -> Mapping[tuple[str, str], None]:
    """Every text once, in its order, with the key that it stands under."""
    found: dict[tuple[str, str], None] = {}

    def visit(key: str, item: Any) -> None:
        if isinstance(item, dict):
            for part in cast("dict[str, Any]", item).items():
                kind = type(part[1])  # pyright: ignore[reportUnknownVariableType]
                if kind is str:  # nearly all
                    found[part] = None
                elif kind not in _SILENT:
                    visit(*part)
        elif isinstance(item, (list, tuple)):
            for row in cast("list[Any]", item):
                visit(key, row)
        elif isinstance(item, str):
            found[key, item] = None

    visit("", record)
    return found
