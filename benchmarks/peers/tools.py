"""The tools that are compared: what to install, what to run, which lines are alarms."""

import re
from dataclasses import dataclass

ALARM = re.compile(
    r"⚠|✗|❌|\[(WARNING|NO|FAIL)\]|\bFAIL(ED)?\b|\bBLOCKER\b|^WARNING|^ERROR|TOR\d{3}"
)
"""A line of a tool that says that something is wrong, for all tools alike."""

NOT_ALARM = re.compile(
    r"BLOCKERS +·|\b0 fatal|\[(OKAY)\].*\[NO\]$"  # sums, and a table's heading
    r"|\[NO\].*\[OKAY\]"  # ds_report: not built in advance, but can be
    r"|^ERROR: ld\.so|^WARNING: You are using pip"
)


@dataclass(frozen=True)
class PeerTool:
    """A command line tool; `{job}` is a file with a DataLoader."""

    name: str
    requirements: tuple[str, ...]
    argv: tuple[str, ...]
    json: tuple[str, ...] = ()
    """The same, asked for JSON; empty: it has none."""
    from_source: bool = False
    """Only a source distribution is on the index; packed without compiling."""

    @property
    def plain_argv(self) -> tuple[str, ...]:
        """The command without options, as a new user runs it."""
        return ("pipedoctor", "check", "--no-config") if self.is_ours else self.argv

    @property
    def is_ours(self) -> bool:
        """Is it the one that the others are compared with?"""
        return self.name.startswith("pipedoctor")


CHECK = ("pipedoctor", "check", "--no-config", "--fail-on", "never")

PIPEDOCTOR = PeerTool(
    name="pipedoctor check",
    requirements=("pipedoctor",),
    argv=(*CHECK, "--format", "json"),
    json=("pipedoctor", "check", "--no-config", "--format", "json"),
)

PEERS = (
    PeerTool(
        name="collect_env",
        requirements=(),
        argv=("python", "-m", "torch.utils.collect_env"),
    ),
    PeerTool(name="pip check", requirements=(), argv=("pip", "check")),
    PeerTool(
        name="env-doctor",
        requirements=("env-doctor",),
        argv=("env-doctor", "check"),
        json=("env-doctor", "check", "--json"),
    ),
    PeerTool(
        name="cuda-doctor",
        requirements=("cuda-doctor",),
        argv=("cuda-doctor", "diagnose", "--verbose"),
        json=("cuda-doctor", "diagnose", "--format", "json"),
    ),
    PeerTool(
        name="ai-infradr",
        requirements=("ai-infradr",),
        argv=("ai-infradr",),
        json=("ai-infradr", "--json"),
    ),
    PeerTool(
        name="compatibillabuddy",
        requirements=("compatibillabuddy",),
        argv=("compatibuddy", "doctor"),
        json=("compatibuddy", "doctor", "--format", "json"),
    ),
    PeerTool(
        name="computefence",
        requirements=("computefence",),
        argv=("computefence", "doctor"),
    ),
    PeerTool(
        name="rapids doctor",
        requirements=("rapids-cli",),
        argv=("rapids", "doctor", "--verbose"),
    ),
    PeerTool(
        name="preflight-ml",
        requirements=("preflight-ml",),
        argv=("preflight", "run", "--dataloader", "{job}"),
        json=("preflight", "run", "--dataloader", "{job}", "--format", "json"),
    ),
    PeerTool(
        name="ds_report",
        requirements=("deepspeed", "ninja"),
        argv=("ds_report",),
        from_source=True,
    ),
    PeerTool(
        name="accelerate env",
        requirements=("accelerate",),
        argv=("accelerate", "env"),
    ),
    PeerTool(
        name="TorchFix",
        requirements=("torchfix",),
        argv=("torchfix", "--select", "ALL", "{job}"),
    ),
)

TOOLS = (PIPEDOCTOR, *PEERS)
