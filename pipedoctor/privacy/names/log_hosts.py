"""Where programs write the name of a host in a line: a table with its sources."""

from pipedoctor.privacy.names.name_form import MAN, PROMPT, QUEUE_ROW, TIMES, NameForm, make_form

_HOST = r"((?!<)(?=[\w.-]{0,200}[A-Za-z])(?!\d+\.\d)[A-Za-z0-9][\w.-]*[A-Za-z0-9])(?![\w<(])"
_NUMBERED = (
    r"((?!(?:v|rank|gpu|cuda|numa|group|slot|port|default|py|python|ip|nvme|eth|ib|mlx|job|step|epoch"
    r"|worker|process|proc|thread|trial|fold|stage|layer|conv|block|actor|replica|loader)"
    r"\d|[a-z]\d[a-z]{0,2}-[a-z]+-\d|(?:ml\.)?[a-z]{1,3}\d[a-z]{0,4}\.(?:\d*x?large|metal)"
    r"|Standard_)[A-Za-z][A-Za-z-]*\d[\w.-]*)(?![\w(])"
)
"""A name with a number, which no word of a sentence has; no type of a cloud's machine."""
_REGISTRY = r"((?!\d+\.\d)[A-Za-z0-9][\w-]*(?:\.[\w-]+)+)(?=(?::\d+)?/[a-z0-9][\w./-]*(?::|@|\s|$))"
"""The host of a registry, before the name of an image."""
_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_TORCH_SOCKET = (
    "https://github.com/pytorch/pytorch/blob/main/torch/csrc/distributed/c10d/socket.cpp"
)

HOST_FORMS: tuple[NameForm, ...] = (
    make_form(
        "host",
        "https://slurm.schedmd.com/slurmstepd.html",
        rf"(\bslurmstepd: [^\n]{{0,120}}?\bon ){_NUMBERED}",
        "slurmstepd: ",
    ),
    make_form(
        "host",
        _TORCH_SOCKET,
        rf"((?:\b(?:to|from|on|of)\s)[\[(]){_HOST}(?=\]:\d|,\s\d+\)|\.\w+\]:\d)",
        *(" [", " ("),
    ),
    make_form(
        "host",
        "https://docs.open-mpi.org/en/main/tuning-apps/signals.html",
        rf"(?m)(^\[)(?![0-9a-f]{{4}}:){_HOST}(?=:\d{{2,7}}\]\s)",
        "[",
    ),
    make_form(
        "host",
        "https://slurm.schedmd.com/squeue.html",
        rf"{QUEUE_ROW}\S+\s+[A-Z]{{1,2}}\s+[\d:-]+\s+\d+\s+)([A-Za-z][\w.,\[\]-]*)",
        *TIMES,
    ),
    make_form(
        "host",
        "https://docs.pytorch.org/docs/stable/distributed.html#tcp-initialization",
        rf"(\bTCPStore\(\s?[\"']){_HOST}",
        "TCPStore",
    ),
    make_form(
        "host",
        "https://docs.pytorch.org/docs/stable/elastic/run.html",
        r"((?:^|(?<=[\s=\"'(])))(?!(?:rank|gpu|cuda|step|epoch|worker|frame|localhost)\d)"
        r"([a-z][a-z0-9.-]*\d)(?=:(?:29\d{3}|[1-6]\d{4})(?!\d))",
        *(":1", ":2", ":3", ":4", ":5", ":6"),
        in_word=True,
    ),
    make_form(
        "host",
        "https://slurm.schedmd.com/scontrol.html",
        rf"((?i:\b(?:batch|exec|alloc|node|login|head|worker)_?(?:host|name))[\"']?\s?[=:]\s?[\"']?)"
        rf"{_HOST}",
        *("ost", "OST", "ame", "AME"),
        in_word=True,
    ),
    make_form(
        "host",
        "https://docs.pytorch.org/docs/stable/elastic/run.html",
        rf"((?i:\b(?:node|server|master_addr|endpoint))[\"']?\s?[=:]\s?[\"']?){_NUMBERED}",
        *("ode", "ODE", "erver", "addr", "ADDR", "oint"),
        in_word=True,
    ),
    make_form(
        "host",
        "https://docs.oracle.com/javase/8/docs/api/java/net/InetAddress.html#toString--",
        rf"((?:^|(?<=[\s(@]))){_NUMBERED}(?=/\d+\.\d+\.\d+\.\d+)",
        *(f"/{digit}" for digit in range(1, 10)),
    ),
    make_form(
        "host",
        "https://docs.pytorch.org/docs/stable/elastic/run.html",
        rf"(?m)(^\[){_NUMBERED}(?=:\d\]:)",
        "[",
    ),
    make_form("host", f"{MAN}/man1/ssh.1.html", rf"(\bto host\s){_HOST}(?=\sport\s)", "to host "),
    make_form(
        "host",
        "https://github.com/torvalds/linux/blob/master/net/sunrpc/clnt.c",
        rf"(\bserver\s){_HOST}(?=\s(?:not responding|OK\b|timed out))",
        "server ",
    ),
    make_form(
        "host",
        "https://www.rfc-editor.org/rfc/rfc3164#section-4.1.2",
        rf"(?m)(^(?:(?:{_MONTHS})\s[\s\d]\d\s\d\d:\d\d:\d\d|\d{{4}}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+))\s)"
        rf"{_HOST}(?=\s[\w./()-]+(?:\[\d+\])?:\s)",
        *TIMES,
    ),
    make_form(
        "host",
        "https://www.rfc-editor.org/rfc/rfc3164#section-4.1.2",
        rf"(?m)(^\w{{3}} (?:{_MONTHS})\s[\s\d]\d\s\d\d:\d\d:\d\d\s\d{{4}}\s){_HOST}"
        r"(?=\s(?:kernel|[\w./()-]+\[\d+\]):\s)",
        *TIMES,
    ),
    make_form(
        "host",
        f"{MAN}/man1/uname.1.html",
        rf"(\bLinux\s){_HOST}(?=\s\d+\.\d+\.\d\S*\s#)",
        "Linux ",
    ),
    make_form(
        "host",
        "https://docs.pytorch.org/docs/stable/elastic/errors.html",
        rf"(?m)(^\s*host\s{{1,20}}:\s){_HOST}(?=\s*$)",
        "host ",
    ),
    make_form(
        "host",
        f"{MAN}/man3/getaddrinfo.3.html",
        rf"(\bresolve (?:host(?:name)?:?\s)?['\"]?|getaddrinfo failed for\s"
        rf"|Name or service not known: ['\"]|^\w+:\s"
        rf"(?=\S+ Name or service)){_HOST}(?=['\"]?(?::|\s*$|\s\())",
        *("resolve ", "getaddrinfo", "Name or service"),
    ),
    make_form(
        "host",
        "https://slurm.schedmd.com/slurmd.html",
        rf"((?i:\b(?:node|host|machine|server))\s){_NUMBERED}",
        *("ode ", "ost ", "achine ", "erver "),
    ),
    make_form(
        "host",
        "https://docs.pytorch.org/docs/stable/elastic/run.html",
        rf"(--(?:master[_-]addr|rdzv[_-]endpoint|host(?:name|s)?|nodelist|local[_-]addr)[ =])"
        rf"{_HOST}",
        *("_addr", "-addr", "endpoint", "--host", "--nodelist"),
        in_word=True,
    ),
    make_form(
        "host",
        "https://docs.open-mpi.org/en/main/man-openmpi/man1/mpirun.1.html",
        rf"((?<!\S)-H\s|(?<=:\d),){_HOST}(?=:\d)",
        "-H ",
    ),
    make_form(
        "host",
        f"{MAN}/man5/fstab.5.html",
        rf"(?m)(^(?:mount:\s)?(?://)?){_HOST}"
        r"(?=:/[\w./-]*\s+(?:on\s)?(?:/|[\d.]+[KMGTP]?\s|nfs)|/[\w./$-]+\s+(?:on\s)?/\S*\s+(?:type\s)?cifs)",
        *(":/", "//"),
    ),
    make_form(
        "host",
        f"{MAN}/man1/bash.1.html#PROMPTING",
        rf"(?m)(^(?:\([\w.-]+\)\s)?\[?(?:[\w.-]+|<user-\d+>)@){_HOST}(?={PROMPT})",
        "@",
    ),
    make_form(
        "host",
        f"{MAN}/man1/ssh.1.html",
        rf"(\b(?:ssh|scp|rsync|sftp|sshfs|mosh)\s(?:[^\n]{{0,300}}?\s)?(?:[\w.-]+|<user-\d+>)@){_HOST}",
        "@",
    ),
    make_form(
        "host",
        f"{MAN}/man1/ssh.1.html",
        rf"((?m:^|[$#>'\"`]\s?)(?:ssh|mosh)\s(?:-[A-Za-z]{{1,6}}\s(?:[\w./:~-]+\s)?){{0,4}})"
        rf"(?=\S*[.\d]){_HOST}",
        *("ssh ", "mosh "),
    ),
    make_form(
        "host",
        "https://docs.docker.com/reference/cli/docker/image/tag/",
        r"(\b(?:docker|podman|nerdctl|crane|skopeo|apptainer|singularity)\s(?:[^\n]{0,300}?\s)?(?:docker://)?)"
        + _REGISTRY,
        *("docker ", "podman ", "nerdctl ", "crane ", "skopeo ", "apptainer ", "singularity "),
    ),
    make_form(
        "host",
        "https://kubernetes.io/docs/concepts/containers/images/",
        r"(\b(?:[Ii]mage|FROM|naming to)(?:[\"']?[:=]\s?|\s)[\"'`]?)" + _REGISTRY,
        *("mage", "FROM ", "naming to "),
    ),
    make_form(
        "host",
        "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-debug",
        rf"((?<=[\s|]))(?![\d:]+\s){_HOST}(?=:\d+:\d+ \[\d+\] (?:[a-z_]+\.cc:\d+ )?NCCL )",
        "] NCCL ",
    ),
    make_form(
        "ip",
        "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname",
        r"((?:^|(?<=[\s\]]))[a-z][\w.-]{1,15}:)"
        r"((?=[0-9a-f:]{0,39}:[0-9a-f]{0,4}:)[0-9a-f]{1,4}:[0-9a-f:]{2,35})(?=%[\w.-]{1,15}<|<\d)",
        "::",
        in_word=True,
    ),
    make_form(
        "host",
        "https://man.openbsd.org/sshd#AUTHORIZED_KEYS_FILE_FORMAT",
        rf"(\b(?:ssh-\w{{1,40}}|ecdsa-sha2-\S{{1,80}}|sk-\S{{1,80}})\s(?:<secret>|AAAA\S+)\s(?:[\w.-]+|<user-\d+>)@){_HOST}",
        *("ssh-", "ecdsa-", "sk-"),
    ),
    make_form(
        "host",
        "https://zsh.sourceforge.io/Doc/Release/Prompt-Expansion.html",
        rf"(?m)(^(?:\([\w.-]+\)\s)?){_NUMBERED}(?=[%#$]\s)",
        *("% ", "# ", "$ "),
    ),
    make_form(
        "host",
        "https://github.com/chaos/pdsh/blob/master/doc/pdsh.1.in",
        rf"(?m)(^){_NUMBERED}(?=:\s{{1,3}}(?:\[rank\d|Traceback \(|NCCL\s"
        r"|(?:INFO|WARNING|ERROR|DEBUG)\b|[A-Za-z.]{1,40}(?:Error|Warning|Exception):))",
        *(": Traceback", ": NCCL", ": [rank", ":  [rank", ": INFO", ": WARN", ": ERR", ": DEBUG"),
        *("Error:", "Warning:", "Exception:"),
    ),
    make_form(
        "host",
        f"{MAN}/man5/auto.master.5.html",
        rf"(/(?:net|nfs)/(?!(?:data|vol|disk|scratch|home|work|project|share|ssd|hdd|nvme|archive"
        rf"|store|storage|backup)[a-z-]?\d)){_NUMBERED}(?=/)",
        *("/net/", "/nfs/"),
        in_word=True,
    ),
)
"""Where programs write the name of a host, in the order in which they are looked for."""
