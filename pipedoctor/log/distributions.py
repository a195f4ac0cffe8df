"""Which distribution of Linux a text names, as far as installing packages differs by it."""

from pipedoctor.lazy_pattern import compile_lazily

_OF_RPM = (
    r"\.el\d{1,2}(?:_\d{1,2})?\b|\b(?:CentOS|Red Hat(?! \d)|RHEL|Rocky Linux|AlmaLinux|Fedora"
    r"|Amazon Linux|Oracle Linux)\b(?: Linux| Stream)?(?:(?: release)? \d{1,2})?"
    r"|\b(?:rockylinux|almalinux|centos|ubi)[:/]?\d{1,2}\b"
)
"""Systems with packages in RPM; GCC calls itself ``Red Hat 11.2``, and is no system."""
_RPM = compile_lazily(_OF_RPM)
DISTRIBUTION = compile_lazily(rf"(?P<distribution>{_OF_RPM}|\b(?:[Uu]buntu|[Dd]ebian)\b)")
DISTRIBUTION_WORDS = frozenset(
    {
        *("el", "centos", "hat", "rhel", "rocky", "rockylinux", "almalinux", "fedora", "ubi"),
        *("amazon", "oracle", "ubuntu", "debian"),
    }
)
"""Words of which a line that names one has at least one."""
_ONLY_YUM = compile_lazily(
    r"el7|CentOS(?: Linux| Stream)?(?: release)? 7|centos:?7|Amazon Linux 2$"
)


def find_rpm_installer(system: str) -> str:
    """``dnf``, or ``yum`` where there is no other; empty: this is another system, or none."""
    if not _RPM.search(system):
        return ""
    return "yum" if _ONLY_YUM.search(system) else "dnf"
