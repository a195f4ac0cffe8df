"""Aliases in place of names: homes first, then known names, then what shows by its form."""

import re
from collections.abc import Iterable, Sequence

from pipedoctor.privacy import patterns
from pipedoctor.privacy.aliases import ALIAS_PATTERN, AliasTable
from pipedoctor.privacy.identity import UserIdentity, get_last_part
from pipedoctor.privacy.marked_lines import MatchReplacer
from pipedoctor.privacy.names import paths
from pipedoctor.privacy.names.home_folders import find_listed_homes
from pipedoctor.privacy.names.known_names import KnownNames, is_distinctive
from pipedoctor.privacy.names.name_tables import replace_names
from pipedoctor.privacy.names.named_cells import find_named_cells
from pipedoctor.privacy.names.named_values import (
    NamedValue,
    find_named_values,
    is_code,
    may_be_told,
)
from pipedoctor.privacy.names.project_folders import is_file_name, is_project_folder
from pipedoctor.privacy.public_hosts import (
    is_example_user,
    is_internal_host,
    is_of_every_network,
    is_public_host,
    is_public_index,
    keeps_url_host,
)
from pipedoctor.privacy.vocabulary import (
    COMMON_WORDS,
    EXAMPLE_ACCOUNTS,
    NO_NAMES,
    PUBLIC_ACCOUNTS,
    PUBLIC_BUCKETS,
    ROLES,
)

_EXAMPLE_HOSTS = COMMON_WORDS | {"hostname"}
_EXAMPLE_PASSWORDS = frozenset(("password", "passwd", "pass", "pwd"))
"""Documentation writes ``user:password@host``."""
_NO_DOMAINS = (".so", ".py", ".dll", ".service", ".slice", ".scope", ".socket", ".timer", ".mount")
"""Ends of files and of units of systemd: ``user@0.service``."""
_JOB_FOLDERS = frozenset(("", "job", "slurm", "slurm-job", "d", "ctld", "hash", "state", "cred"))
_PATH_FIELDS = frozenset(("path", "real", "project"))


class NameRedactor:
    """
    Replaces the names of people and places in a record.

    `public`: project folders as well.
    """

    def __init__(self, aliases: AliasTable, identity: UserIdentity, *, public: bool) -> None:
        self.known = KnownNames()
        self._aliases = aliases
        self._identity = identity
        self._public = public
        self._folders: dict[str, str] = {}
        self._users: set[str] = set()
        """Whom some text names as a user, in small letters."""
        self._context: Sequence[str] = ()
        self._replacers = {
            "host": self._replace_server,
            "user": self._replace_user,
            "account": self._replace_account,
            "serial": self._make_group_replacer("serial"),
            "ip": self._make_group_replacer("ip"),
            "mac": self._make_group_replacer("mac"),
            "uuid": self._make_group_replacer("uuid"),
            "project": self._replace_project,
            "told host": self._make_told_replacer("host"),
            "told user": self._make_told_replacer("user"),
        }

    def set_identity(self, identity: UserIdentity) -> None:
        """Learn who works here."""
        self._identity = identity

    def set_context(self, lines: Sequence[str]) -> None:
        """Learn whom lines name that stand around all other texts."""
        self._context = lines
        self._learn_context()

    def _learn_context(self) -> None:
        for line in self._context:
            for match in patterns.HOME.find_matches(line):
                self._add_name("user", match["name"])
            self._redact_structures(line, "")

    def learn_names(self, texts: Iterable[tuple[str, str]], nodes: Sequence[str] = ()) -> None:
        """Find out who is named in these, and which aliases there are already."""
        self.known.clear()
        self._folders.clear()
        users: list[str] = []
        hosts: list[str] = []
        for key, text in texts:
            for kind, number in ALIAS_PATTERN.findall(text) if "<" in text else ():
                self._aliases.mark_taken(kind, int(number))
            if not patterns.STRUCTURE.search(text):
                continue
            users += [match["name"] for match in patterns.HOME.find_matches(text)]
            if key == "source":
                hosts += [match[2] for match in patterns.MOUNT_SOURCE.find_matches(text)]
                hosts += [match[2] for match in patterns.NETWORK_SHARE.find_matches(text)]
        for user in (*self._identity.user_names, *users):
            self._add_name("user", user)
        for host in (*self._identity.hosts, *hosts, *nodes):
            self._add_name("host", host.partition(".")[0])
        self._users.update(map(str.lower, users))
        self._learn_context()

    def redact_text(self, text: str, key: str) -> str:
        """The text without names; `key` is the field that it stands in."""
        if patterns.STRUCTURE.search(text):
            text = self._redact_structures(text, key)
        text = self.known.hide(self._redact_addresses(text))
        if not self._public:
            return text
        text = paths.redact_paths(text, self._add_folder)
        if key in _PATH_FIELDS and text in self._folders:
            return self._folders[text]
        return paths.redact_relative_paths(text, self._folders)

    def _redact_structures(self, text: str, key: str) -> str:
        """What shows by the signs around it: homes, users, servers."""
        for home in self._identity.homes:
            if text == home or text.startswith((f"{home}/", f"{home}\\")):
                parent, user = home[: -len(get_last_part(home))], get_last_part(home)
                text = parent + self._get_alias("user", user) + text[len(home) :]
        text = patterns.HOME.replace_matches(self._replace_home_folder, text)
        text = patterns.SCRATCH.replace_matches(self._replace_scratch, text)
        text = patterns.URL.replace_matches(self._replace_url, text)
        text = patterns.EMAIL.replace_matches(self._replace_email, text)
        if key == "source":
            text = patterns.MOUNT_SOURCE.replace_matches(self._replace_mount, text)
            text = patterns.NETWORK_SHARE.replace_matches(self._make_group_replacer("host"), text)
        text = self._redact_named_values(replace_names(text, self._replacers))
        return patterns.IPV6.replace_matches(self._replace_ipv6, text)

    def _redact_named_values(self, text: str) -> str:
        """What stands beside the key of a user, a host or, for the public, a project."""
        for find_values in (find_listed_homes, find_named_cells, find_named_values):
            text = self._replace_values(text, find_values(text))
        return text

    def _replace_values(self, text: str, values: Sequence[NamedValue]) -> str:
        parts: list[str] = []
        done = 0
        for value in values:
            if value.begin < done or (value.kind == "group" and not self._public):
                continue
            name = text[value.begin : value.end].rstrip("\\")
            kind = "path" if value.kind == "group" else value.kind
            parts += [text[done : value.begin], self._get_alias(kind, name)]
            done = value.begin + len(name)
        return "".join([*parts, text[done:]]) if parts else text

    def _add_name(self, kind: str, name: str) -> None:
        account = kind == "user" and name.lower() in PUBLIC_ACCOUNTS
        if is_distinctive(name) and not account:
            self.known.add(name, self._aliases.get_alias(kind, name))

    def _add_folder(self, name: str) -> str:
        alias = self._folders[name] = self._get_alias("path", name)
        return alias

    def _redact_addresses(self, text: str) -> str:
        text = patterns.UUID.replace_matches(self._replace_identifier, text)
        text = patterns.CLOUD_HOST.replace_matches(self._make_match_replacer("host"), text)
        text = patterns.MAC.replace_matches(self._make_match_replacer("mac"), text)
        text = patterns.DOTTED_MAC.replace_matches(self._make_match_replacer("mac"), text)
        text = patterns.INTERNAL_HOST.replace_matches(self._replace_internal, text)
        return patterns.IPV4.replace_matches(self._replace_ipv4, text)

    def _get_alias(self, kind: str, value: str) -> str:
        if kind == "user" and value.lower() in PUBLIC_ACCOUNTS:
            return value
        if kind == "user":
            self._users.add(value.lower())
        alias = self._aliases.get_alias(kind, value)
        if kind in {"user", "host"} and alias != value:
            self.known.add_met(value, alias)
        return alias

    def _replace_home_folder(self, match: re.Match[str]) -> str:
        return match[1] + self._get_alias("user", match["name"])

    def _replace_home(self, match: re.Match[str]) -> str:
        return match[1] + self._get_alias("user", match[2])

    def _replace_scratch(self, match: re.Match[str]) -> str:
        name = match[2]
        common = paths.is_common_folder(name) or name.lower() in COMMON_WORDS
        numbered = name.strip("0123456789.-_") in _JOB_FOLDERS
        user = name.lower() in self._users
        project = not user and is_project_folder(name, users_known=bool(self._users))
        file = is_file_name(name) and match.string[match.end() : match.end() + 1] != "/"
        return match[0] if common or numbered or project or file else self._replace_home(match)

    def _replace_user(self, match: re.Match[str]) -> str:
        lower = match[2].lower()
        role = lower in ROLES and match.string[match.end() :][:1] == "@"
        common = role or lower in COMMON_WORDS or lower in NO_NAMES
        return match[0] if common else self._replace_home(match)

    def _replace_account(self, match: re.Match[str]) -> str:
        """Who a password belongs to: words of the trade name somebody here."""
        plain = is_example_user(match[2]) or match[2].lower() in EXAMPLE_ACCOUNTS
        return match[0] if plain else self._replace_home(match)

    def _replace_internal(self, match: re.Match[str]) -> str:
        behind = match.string[match.end() : match.end() + 2]
        image = match[0].count(".") > 1 and re.match(r"/\w|:\d", behind) is not None
        code = (not image or is_of_every_network(match[0])) and patterns.is_module_path(match[0])
        return match[0] if code else self._get_alias("host", match[0])

    def _make_group_replacer(self, kind: str) -> MatchReplacer:
        return lambda match: match[1] + self._get_alias(kind, match[2])

    def _replace_project(self, match: re.Match[str]) -> str:
        return match[1] + self._get_alias("path", match[2]) if self._public else match[0]

    def _make_told_replacer(self, kind: str) -> MatchReplacer:
        replace = self._make_group_replacer(kind)

        def replace_told(match: re.Match[str]) -> str:
            name = match[2]
            public = kind == "host" and is_public_index(name, match.string, match.end())
            return match[0] if public or not may_be_told(kind, name) else replace(match)

        return replace_told

    def _make_match_replacer(self, kind: str) -> MatchReplacer:
        return lambda match: self._get_alias(kind, match[0])

    def _replace_identifier(self, match: re.Match[str]) -> str:
        public = patterns.is_hash(match.string, match.start(), match.end())
        return match[0] if public else self._get_alias("uuid", match[0])

    def _replace_mount(self, match: re.Match[str]) -> str:
        user = self._get_alias("user", match[1]) + "@" if match[1] else ""
        host = match[2].partition(".")[0]
        known = host.lower() in COMMON_WORDS
        return user + (match[2] if known else self._get_alias("host", host))

    def _replace_url(self, match: re.Match[str]) -> str:
        named = match[2] and not (match[2].startswith("<") or is_example_user(match[2]))
        user = self._get_alias("user", match[2]) if named else match[2] or ""
        at = f"{user}{match[3] or ''}@" if match[2] or match[3] else ""
        if keeps_url_host(match, public=self._public or bool(named)):
            return match[0]
        inside = is_internal_host(match[4]) and match[4].lower() not in _EXAMPLE_HOSTS
        hidden = named or inside or self._is_private_host(match[4].lower())
        return match[1] + at + (self._get_alias("host", match[4]) if hidden else match[4])

    def _replace_server(self, match: re.Match[str]) -> str:
        name = match[2].lower()
        known = name in COMMON_WORDS or name in NO_NAMES or name in PUBLIC_BUCKETS
        if known or is_public_host(name) or is_code(match[2]):
            return match[0]
        return match[1] + self._get_alias("host", match[2])

    def _is_private_host(self, host: str) -> bool:
        """Is it, for the public, the name of somebody's own server?"""
        named = "." in host and not host.replace(".", "").isdigit()
        return self._public and named and not is_public_host(host)

    def _replace_email(self, match: re.Match[str]) -> str:
        user, host = match[1], match[2].lower()
        behind_colon = match.string[match.start() - 1 : match.start()] == ":"
        if host.endswith(_NO_DOMAINS) or (behind_colon and user in _EXAMPLE_PASSWORDS):
            return match[0]
        nobody = user.lower() in COMMON_WORDS or user.lower() in ROLES
        person = user if nobody else self._get_alias("user", user)
        place = match[2] if is_public_host(host) else self._get_alias("host", host)
        return f"{person}@{place}"

    def _replace_ipv4(self, match: re.Match[str]) -> str:
        if re.match(r":\d{2,5}(?![\d.])", match.string[match.end() : match.end() + 7]):
            return self._get_alias("ip", match[0])
        before = match.string[max(0, match.start() - 60) : match.start()]
        version = patterns.is_before_version(before) or patterns.is_low_version(before, match[0])
        return match[0] if version else self._get_alias("ip", match[0])

    def _replace_ipv6(self, match: re.Match[str]) -> str:
        if not patterns.is_written_address(
            match[0], match.string[max(0, match.start() - 2) : match.start()]
        ):
            return match[0]
        import ipaddress  # noqa: PLC0415  (2 ms, and most machines name none)

        try:
            address = ipaddress.IPv6Address(match[0])
        except ValueError:
            return match[0]
        plain = address.is_loopback or address.is_unspecified
        return match[0] if plain else self._get_alias("ip", address.compressed)
