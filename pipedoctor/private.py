"""
Aliases in place of names, in one text after another.

Homes first, then names that are known, then what shows by its form.
"""

import re
from collections.abc import Iterable

from pipedoctor import folders, forms
from pipedoctor.aliases import ALIAS, Aliases
from pipedoctor.everyday import COMMON
from pipedoctor.who import Who, last

_PLACES = frozenset(("path", "real", "project"))
_SHORTEST = 3
"""Letters of a name that is looked for outside of paths."""


class Private:
    """Knows who is named in a record; `public`: folders of projects go as well."""

    def __init__(self, aliases: Aliases, who: Who, *, public: bool) -> None:
        self._aliases = aliases
        self._who = who
        self._public = public
        self._names: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None

    def meet(self, who: Who) -> None:
        """Learn who works here."""
        self._who = who

    def learn(self, texts: Iterable[tuple[str, str]]) -> None:
        """Find out who is named in these, and which aliases there are already."""
        self._names.clear()
        self._folders.clear()
        self._pattern = None  # it is that of the names of another record
        users: list[str] = []
        hosts: list[str] = []
        for key, text in texts:
            for kind, number in ALIAS.findall(text) if "<" in text else ():
                self._aliases.taken(kind, int(number))
            users += [match[2] for match in forms.HOME.find(text)]
            users += [match[2] for match in forms.USER.find(text)]
            if key == "source":
                hosts += [match[2] for match in forms.SOURCE.find(text)]
                hosts += [match[2] for match in forms.SHARE.find(text)]
        for user in (*self._who.named, *users):
            self._name("user", user)
        for host in (*self._who.hosts, *hosts):
            self._name("host", host.partition(".")[0])
        if self._names:
            longest_first = sorted(self._names, key=lambda name: (-len(name), name))
            names = "|".join(map(re.escape, longest_first))
            domain = r"((?:\.[A-Za-z0-9-]+){2,})?"
            pattern = rf"(?i)(?<![A-Za-z0-9<])({names})(?![A-Za-z0-9]){domain}"
            self._pattern = re.compile(pattern)

    def hide(self, text: str, key: str) -> str:
        """The text without names; `key` is the field that it stands in."""
        for home in self._who.homes:
            if text == home or text.startswith((f"{home}/", f"{home}\\")):
                parent, user = home[: -len(last(home))], last(home)
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
        if not self._public:
            return text
        text = folders.hide(text, self._path)
        if key in _PLACES and text in self._folders:
            return self._folders[text]
        return folders.hide_again(text, self._folders)

    def _name(self, kind: str, name: str) -> None:
        ordinary = name.lower() in COMMON or name.isdigit() or len(name) < _SHORTEST
        if not ordinary and not ALIAS.search(name):
            self._names.setdefault(name.lower(), self._alias(kind, name))

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
        return self._public and named and not forms.is_open(host)

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
