"""The files that say how many files logins and services may open."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from pipedoctor.fix.files import content_of

NAME = "90-pipedoctor.conf"
HARD = 524288
"""What systemd allows at most by default: we never lower that."""
HEAD = "# Written by pipedoctor fix; fix --undo takes it back.\n"


@dataclass(frozen=True, kw_only=True)
class Etc:
    """Where the limits of logins and of services are written."""

    root: Path = field(default_factory=lambda: Path("/etc"))

    def texts(self, soft: int, hard: int) -> dict[Path, str]:
        """Every file that this machine reads, with what it should say."""
        texts: dict[Path, str] = {}
        if (self.root / "security").is_dir():
            lines = (
                f"{who} {kind} nofile {value}\n"
                for who in ("*", "root")
                for kind, value in (("soft", soft), ("hard", hard))
            )
            texts[self.root / "security/limits.d" / NAME] = HEAD + "".join(lines)
        if (self.root / "systemd").is_dir():
            text = f"{HEAD}[Manager]\nDefaultLimitNOFILE={soft}:{hard}\n"
            for manager in ("system", "user"):
                texts[self.root / f"systemd/{manager}.conf.d" / NAME] = text
        return texts

    def overruled(self, soft: int) -> str:
        """Which later file takes our limit back; empty when ours counts."""
        for path, pattern in (
            ("security/limits.d", r"(?m)^\s*\*\s+(?:soft|-)\s+nofile\s+(\d+)"),
            ("systemd/system.conf.d", r"(?m)^\s*DefaultLimitNOFILE=(\d+)"),
            ("systemd/user.conf.d", r"(?m)^\s*DefaultLimitNOFILE=(\d+)"),
        ):
            later = sorted(f for f in (self.root / path).glob("*.conf"))
            for file in (f for f in later if f.name > NAME):
                text = (content_of(str(file)) or b"").decode("latin-1")
                found = re.findall(pattern, text)
                if found and int(found[-1]) < soft:
                    return f"{file} comes later and says {found[-1]}"
        return ""


def says(found: bytes | None, count: int) -> bool:
    """Does our file give at least this soft limit already?"""
    text = (found or b"").decode("latin-1")
    limits = re.findall(r"(?:\* soft nofile |DefaultLimitNOFILE=)(\d+)", text)
    return bool(limits) and int(limits[-1]) >= count
