"""The driver's Xid messages that mean broken hardware."""

from pipedoctor.check import Confidence, Finding, Findings, Severity
from pipedoctor.facts import Xid
from pipedoctor.remedy import Lasts, Remedy

FATAL = {
    48: "double-bit memory error",
    62: "internal micro-controller halt",
    64: "a memory row or page could not be replaced",
    79: "the GPU has fallen off the bus",
    95: "uncontained memory error",
}
SERIOUS = {
    74: "NVLink error",
    94: "contained memory error",
    119: "the GPU's system processor does not answer",
    120: "the GPU's system processor failed",
}

SERVICE = Remedy(
    title="Take this GPU out of use, reset or reboot; if it comes back, have it "
    "replaced (power, heat and the slot are the other suspects)",
    argv=("nvidia-smi", "-q", "-d", "ECC,ROW_REMAPPER,PERFORMANCE"),
    lasts=Lasts.ALWAYS,
    advice=True,
)


def judge_xid(xid: Xid) -> Findings:
    """Speak of those that mean hardware; most others are a program's own fault."""
    meaning = FATAL.get(xid.code) or SERIOUS.get(xid.code)
    if meaning:
        times = f", {xid.count} times" if xid.count > 1 else ""
        yield Finding(
            severity=Severity.BREAKS if xid.code in FATAL else Severity.RISKS,
            summary=f"The kernel logged Xid {xid.code} ({meaning}){times}",
            evidence={"xid": xid.code, "count": xid.count, "last": xid.last},
            confidence=Confidence.LIKELY,
            remedies=(SERVICE,),
        )
