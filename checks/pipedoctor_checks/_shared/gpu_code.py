"""The GPUs that the machine code in a build of torch runs on."""

from pipedoctor.versions import parse_version


def is_arch_compatible(arch: str, capability: str) -> bool:
    """
    Can code for this architecture run on a GPU of this capability?

    Machine code (``sm_86``, ``8.6``) runs on the same major version with an equal or
    higher minor one; PTX (``compute_86``, ``8.6+PTX``) on everything newer. ``sm_90a``
    is for exactly 9.0.
    """
    code, card = _parse_architecture(arch), parse_version(capability)
    if arch.startswith("compute_") or arch.endswith("+PTX"):
        return code <= card
    if arch[-1].isalpha() and arch.startswith("sm_"):
        return code == card
    return code[:1] == card[:1] and code <= card


def _parse_architecture(arch: str) -> tuple[int, ...]:
    """Read ``sm_120a``, ``compute_90`` or ``12.0+PTX``; a last digit is the minor."""
    name = arch.removesuffix("+PTX")
    if "." in name:
        return parse_version(name)
    digits = "".join(filter(str.isdigit, name))
    return (int(digits[:-1]), int(digits[-1:])) if len(digits) > 1 else ()
