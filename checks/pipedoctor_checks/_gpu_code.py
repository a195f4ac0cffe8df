"""Which cards the machine code in a build of torch runs on."""

from pipedoctor.versions import numbers


def covers(arch: str, capability: str) -> bool:
    """
    Can code for this architecture run on a card of this capability?

    Machine code (``sm_86``, ``8.6``) runs on the same major version with an equal
    or higher minor one; PTX (``compute_86``, ``8.6+PTX``) on everything newer.
    ``sm_90a`` is for exactly 9.0.
    """
    code, card = _architecture(arch), numbers(capability)
    if arch.startswith("compute_") or arch.endswith("+PTX"):
        return code <= card
    if arch[-1].isalpha() and arch.startswith("sm_"):
        return code == card
    return code[:1] == card[:1] and code <= card


def _architecture(arch: str) -> tuple[int, ...]:
    """Read ``sm_120a``, ``compute_90`` or ``12.0+PTX``; a last digit is the minor."""
    name = arch.removesuffix("+PTX")
    if "." in name:
        return numbers(name)
    digits = "".join(filter(str.isdigit, name))
    return (int(digits[:-1]), int(digits[-1:])) if len(digits) > 1 else ()
