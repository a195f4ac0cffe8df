"""Where tools of the system and schedulers print users and hosts: a table with its sources."""

from pipedoctor.privacy.names.name_form import MAN, USER, NameForm, make_form

_HOST = r"((?!<)(?=[\w.-]{0,200}[A-Za-z])[A-Za-z0-9][\w.-]*[A-Za-z0-9](?:\[[\d,-]+\])?)"
_STATES = r"(?:COMPLETED|FAILED|RUNNING|TIMEOUT|CANCELLED[^|\n]{0,20}|OUT_OF_MEMORY|NODE_FAIL)"
_LSF_STATES = r"(?:RUN|PEND|EXIT|DONE|[UP]?SSUSP|UNKWN)"
_LSF_MARKS = (" RUN", " PEND", " EXIT", " DONE", "SUSP", " UNKWN")
_ADDRESS = r"(?!127\.)(?:\d{1,3}\.){3}\d{1,3}"
_WINDOWS = "https://learn.microsoft.com/windows-server/administration/windows-commands/ipconfig"
_SLURM = "https://slurm.schedmd.com/slurm.conf.html"
_LSF = "https://www.ibm.com/docs/en/spectrum-lsf/10.1.0?topic=reference-bjobs"
_PBS = "https://openpbs.atlassian.net/wiki/spaces/PBSPro/overview"
_GIT = "https://git-scm.com/docs/git-blame#_the_default_format"

SYSTEM_USERS: tuple[NameForm, ...] = (
    make_form(
        "user",
        f"{MAN}/man5/shadow.5.html",
        rf"(?m)(^){USER}(?=:\$\w{{1,8}}\$)",
        ":$",
        in_word=True,
    ),
    make_form(
        "user",
        f"{MAN}/man1/who.1.html",
        rf"(?m)(^){USER}(?=\s+(?:pts/\d+|tty\w{{1,4}}|:\d)\s)",
        *("pts/", "tty", " :"),
    ),
    make_form(
        "user",
        f"{MAN}/man1/ps.1.html",
        rf"(?m)(^){USER}(?=\s+\d+\s+\d+\s+\d{{1,3}}\s+\S+\s+\S+\s+[\d:-]+\s)",
        *(" pts/", " ? ", " tty"),
    ),
    make_form(
        "user",
        f"{MAN}/man8/lsof.8.html",
        rf"(?m)(^\S+\s+\d+\s+(?:\d+\s+)?){USER}(?=\s+(?:\d+[rwuW]|mem|cwd|txt|DEL|rtd)\s)",
        *("  mem ", "  cwd ", "  txt ", "  DEL ", " REG "),
    ),
    make_form("user", f"{MAN}/man1/loginctl.1.html", rf"(\b[Oo]f User ){USER}", "f User "),
    make_form(
        "user",
        "https://cloudinit.readthedocs.io/en/latest/reference/examples.html",
        rf"(-\sname:\s){USER}(?=\n\s+(?:passwd|gecos|sudo|ssh_\w+|shell|groups|uid):)",
        "- name:",
    ),
    make_form(
        "user",
        "https://slurm.schedmd.com/sacct.html",
        rf"(?m)(^\d+(?:\.\w+|_\d+)?\|[^|\n]*\|){USER}(?=\|)",
        "|",
        in_word=True,
    ),
    make_form("user", _LSF, rf"(\bUser <(?!user-\d+>)){USER}(?=>)", "User <"),
    make_form("user", _LSF, rf"(?m)(^\d+\s+){USER}(?=\s+{_LSF_STATES}\s)", *_LSF_MARKS),
    make_form(
        "user",
        _PBS,
        rf"(?m)(^\d+(?:\[\d*\])?\.\S+\s+\S+\s+){USER}(?=\s+[\d:]+\s+[RQHECS]\s)",
        *(f" {state} " for state in "RQHECS"),
    ),
    make_form(
        "user",
        _GIT,
        r"(?m)(^\^?[0-9a-f]{7,40}\s(?:\S+\s+)?\()([^\d()\n]{2,40}?)(?=\s+\d{4}-\d\d-\d\d\s)",
        " (",
    ),
    make_form(
        "user",
        "https://packaging.python.org/en/latest/specifications/pyproject-toml/#authors-maintainers",
        r"(\b(?:name|author|maintainer|user)[\"']?\s?[:=]\s?[\"'])([^\"'\n]{2,60})"
        r"(?=[\"'],\s{0,20}[\"']?e?mail\b)",
        "mail",
    ),
    make_form(
        "user", f"{MAN}/man8/pam_unix.8.html", rf"(\bpassword <secret> for ){USER}", "<secret> for"
    ),
)
SYSTEM_HOSTS: tuple[NameForm, ...] = (
    make_form(
        "host",
        _WINDOWS,
        rf"((?i:\b(?:host|computer)\s?name(?:[ .]{{0,40}}:\s|=)|\buserdomain=)){_HOST}"
        r"(?=\s*(?:\n|$))",
        *("ost Name", "omputer Name", "COMPUTERNAME", "USERDOMAIN"),
        in_word=True,
    ),
    make_form(
        "host",
        "https://support.apple.com/guide/mac-help/mchlp1177",
        r"(\b(?:Computer|LocalHost)\s?Name:\s)((?:[\w'\u2019-]+\s){1,4}[\w'\u2019-]+)(?=\s*(?:\n|$))",
        *("Computer Name:", "LocalHost"),
    ),
    make_form(
        "host",
        f"{MAN}/man5/resolv.conf.5.html",
        r"(?m)(^(?:search|domain)\s+)(?!<)((?:[\w-]+\.)+[a-z]{2,})"
        r"(?=\s|$)",
        *("search ", "domain "),
    ),
    make_form(
        "host",
        f"{MAN}/man5/resolv.conf.5.html",
        r"(?m)(^(?:search|domain)\s+<host-\d+>\s+)(?!<)((?:[\w-]+\.)+[a-z]{2,})(?=\s|$)",
        *("search <", "domain <"),
    ),
    make_form(
        "host",
        f"{MAN}/man5/hosts.5.html",
        rf"(?m)(^{_ADDRESS}\s+){_HOST}(?=\s|$)",
        *(f".{digit}" for digit in range(10)),
        in_word=True,
    ),
    make_form(
        "host",
        f"{MAN}/man5/hosts.5.html",
        rf"(?m)(^{_ADDRESS}\s+<host-\d+>\s+){_HOST}(?=\s|$)",
        "<host-",
    ),
    make_form(
        "host",
        _SLURM,
        r"(\b(?:Node(?:Addr|HostName|List|s)|Slurmctld(?:Host|Addr)|ControlMachine|BackupController"
        rf"|AccountingStorageHost|DbdHost|(?:Req|Exc)NodeList)=)(?!\(){_HOST}",
        *("Node", "Slurmctld", "ControlMachine", "BackupController", "Host="),
        in_word=True,
    ),
    make_form(
        "host",
        "https://slurm.schedmd.com/sacct.html",
        rf"(\|{_STATES}(?:\|\d+:\d+)?\|){_HOST}(?=\||\s|$)",
        *("D|", "G|", "T|", "Y|", "L|"),
        in_word=True,
    ),
    make_form(
        "host", _LSF, rf"(?m)(^\d+\s+\S+\s+{_LSF_STATES}\s+\S+\s+){_HOST}(?=\s)", *_LSF_MARKS
    ),
    make_form(
        "host",
        _LSF,
        rf"(?m)(^\d+\s+\S+\s+{_LSF_STATES}\s+\S+\s+<host-\d+>\s+(?:\d+\*)?){_HOST}(?=\s)",
        "<host-",
    ),
    make_form(
        "host",
        _PBS,
        rf"(?m)(^\d+(?:\[\d*\])?\.){_HOST}(?=\s+\S+\s+\S+\s+[\d:]+\s+[RQHECS]\s)",
        *(f" {state} " for state in "RQHECS"),
    ),
    make_form(
        "host",
        "https://slurm.schedmd.com/salloc.html",
        r"(\b[Nn]odes?\s)([A-Za-z][\w-]*\[[\d,-]+\])",
        *("ode ", "odes "),
    ),
    make_form(
        "host",
        "https://github.com/chaos/pdsh/blob/master/doc/pdsh.1.in",
        rf"(\bpdsh@){_HOST}(?=:\s)",
        "pdsh@",
    ),
    make_form(
        "host",
        "https://github.com/chaos/pdsh/blob/master/doc/pdsh.1.in",
        r"(\b(?:pdsh@(?:\S+|<host-\d+>)|deepspeed|ssh|clush|srun|mpirun|error):\s)"
        r"([A-Za-z][A-Za-z-]{1,20}\d[\w.-]*)(?=:\s(?:ssh|slurmd|tasks?|[A-Z]))",
        *("pdsh@", "deepspeed: ", "ssh: ", "clush: ", "srun: ", "mpirun: ", "error: "),
    ),
    make_form(
        "host",
        "https://docs.open-mpi.org/en/main/tuning-apps/networking/tcp.html",
        rf"(?m)(^\[){_HOST}(?=\]\[\[\d)",
        "][[",
        in_word=True,
    ),
    make_form(
        "host",
        "https://www.deepspeed.ai/getting-started/#resource-configuration-multi-node",
        rf"(?m)(^){_HOST}(?=\s+(?:slots|max_slots)=\d)",
        "slots=",
    ),
    make_form(
        "host",
        "https://slurm.schedmd.com/slurm.conf.html#OPT_NodeName",
        r"((?<![\w./@-]))([a-z]{0,8}-?(?:(?:dgx|nid|gpunode|gpuhost|cnode)[a-z]{0,3}-?\d"
        r"|(?:node|compute|srv|login|host)-?\d\d)[\w-]{0,12})(?![\w/=(]|\.\w)",
        *("node", "nid", "dgx", "gpuhost", "compute", "srv", "login", "host"),
    ),
    make_form(
        "host",
        "https://cloud.google.com/kubernetes-engine/docs/concepts/node-pools",
        r"((?<![\w-]))(gke-[a-z0-9-]{4,60}-[0-9a-f]{8}-\w{4}|aks-\w{1,12}-\d{8}-vmss\w{6})(?![\w-])",
        *("gke-", "aks-"),
        in_word=True,
    ),
    make_form(
        "serial",
        f"{MAN}/man8/lsblk.8.html",
        r"(?m)(^(?:nvme\d+n\d+|sd[a-z]{1,2})\s+)((?=[A-Z]*\d)[A-Z0-9_]{10,24})(?=\s)",
        *("nvme", "sd"),
    ),
)
