"""Whether a measurement speaks of the machine that is judged."""

from pipedoctor.facts import Cpu, Host


def elsewhere(host: Host, cpu: Cpu | None) -> str:
    """Where it was measured, if that is another machine for certain; else empty."""
    if cpu is None or host.same(cpu.model, cpu.logical):
        return ""
    model = host.model or "an unnamed processor"
    return f"it was measured on another machine: {model}, {host.cpus} CPUs"
