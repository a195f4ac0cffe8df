"""The driver's Xid messages that indicate broken hardware."""

from pipedoctor.check import Confidence, Finding, Findings, Severity
from pipedoctor.facts import Xid
from pipedoctor_checks._shared.advice import advise_user

FATAL_XIDS = {
    48: "double-bit memory error",
    62: "internal microcontroller halt",
    64: "a memory row or page could not be replaced",
    79: "the GPU has fallen off the bus",
    95: "uncontained memory error",
}
SERIOUS_XIDS = {
    74: "NVLink error",
    94: "contained memory error",
    119: "the GPU's system processor does not answer",
    120: "the GPU's system processor failed",
}

SERVICE_REMEDY = advise_user(
    (
        "Take this GPU out of use; reset it or reboot; if it recurs, replace it (other"
        " possible causes: power, heat and the slot)"
    ),
    argv=("nvidia-smi", "-q", "-d", "ECC,ROW_REMAPPER,PERFORMANCE"),
)


def judge_xid(xid: Xid) -> Findings:
    """Report Xids that indicate hardware; most others are caused by programs."""
    meaning = FATAL_XIDS.get(xid.code) or SERIOUS_XIDS.get(xid.code)
    if meaning:
        times = f", {xid.count} times" if xid.count > 1 else ""
        yield Finding(
            severity=Severity.BREAKS if xid.code in FATAL_XIDS else Severity.RISKS,
            summary=f"The kernel logged Xid {xid.code} ({meaning}){times}",
            evidence={"xid": xid.code, "count": xid.count, "last": xid.last},
            confidence=Confidence.LIKELY,
            remedies=(SERVICE_REMEDY,),
        )
