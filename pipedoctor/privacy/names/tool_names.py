"""Users and hosts in what single tools print: a table with its sources."""

from pipedoctor.privacy.names.name_form import HOST, MAN, USER, NameForm, make_form

_LSF = "https://www.ibm.com/docs/en/spectrum-lsf/10.1.0?topic=reference-bjobs"
_BASH = f"{MAN}/man1/bash.1.html#PROMPTING"
_FISH = "https://fishshell.com/docs/current/cmds/fish_prompt.html"
_MSYS = r"(?: (?:MINGW(?:32|64)|MSYS|UCRT64|CLANG64|CLANGARM64)\s)"
_SHELLS = (" MINGW", " MSYS", " UCRT64", " CLANG")
_FISH_PROMPT = r"(?: [~/][^\s>]{0,100}(?: \([\w./-]{1,60}\))?> )"
_SPOKEN = "https://www.rfc-editor.org/rfc/rfc5322"
_KUBECTL = "https://kubernetes.io/docs/reference/kubectl/"
_SENT = ("essage", "ail", "icket", "uestion", "eply", "PR", "ssue")
_DASK = "https://distributed.dask.org/en/latest/worker.html"

TOOL_USERS: tuple[NameForm, ...] = (
    make_form(
        "told user",
        f"{MAN}/man1/id.1.html",
        rf"(\b(?:[Uu]ser(?: ID)? \d{{1,9}}|[UuGg]id \d{{1,9}}|(?:other|another|by) user) \()"
        rf"{USER}(?=\))",
        *("ser ID ", "ser ", "uid ", "UID ", "gid "),
    ),
    make_form(
        "user",
        "https://git-scm.com/docs/git-config#Documentation/git-config.txt-username",
        r"(?m)(^\[user\][ \t]*\n(?:[ \t]+\w+ = [^\n]*\n){0,4}?[ \t]+name = )"
        r"([^<\n]{2,60}?)(?=[ \t]*$)",
        "[user]",
    ),
    make_form(
        "told user",
        f"{MAN}/man1/setfacl.1.html",
        rf"((?<![\w:])(?:[ug]|user|group):){USER}(?=:[rwxX-]{{1,3}}(?![\w-]))",
        *(":r", ":-", ":X", ":x", ":w"),
    ),
    make_form(
        "told user",
        f"{MAN}/man1/ps.1.html",
        rf"(\((?:user|owner|login):? ){USER}(?=\))",
        *("(user", "(owner", "(login"),
    ),
    make_form(
        "told user",
        _SPOKEN,
        r"(\b(?:[a-z]+ed by|and|cc|thanks to) @)([A-Za-z][\w-]{2,38})(?=[\s,;:!?)]|\.?$|\.\s)",
        " @",
    ),
    make_form(
        "told user",
        _SPOKEN,
        r"(\b(?:message|mail|e-?mail|ticket|question|reply|PR|issue)"
        r" (?:from|by) )([A-Z\u00c0-\u017f][\w'-]+ [A-Z\u00c0-\u017f][\w'-]+)",
        *(f"{word} {way}" for word in _SENT for way in ("from ", "by ")),
    ),
    make_form(
        "told user",
        f"{MAN}/man1/chown.1.html",
        rf"(\((?:(?:created|owned|held|written|started|submitted) by|wanted|owner is) ){USER}"
        r"(?=[:)])",
        *(" by ", "(wanted ", "(owner is "),
    ),
    make_form(
        "told user",
        "https://helm.sh/docs/helm/helm_history/",
        r"(\b(?:deployed|released|merged|triggered|installed|maintained|annotated|labell?ed|reviewed"
        r"|approved|provisioned|created|wanted|requested|cancell?ed|rejected|claimed) by )"
        r"([a-z]{2,20}[._][a-z]{2,20}|[a-z]\.[a-z-]{3,20})(?![\w(/@.-])",
        "ed by ",
    ),
    make_form("user", _LSF, rf"(\b(?:by )user <(?!user-\d+>)){USER}(?=>)", "user <"),
    make_form(
        "user",
        f"{MAN}/man1/stat.1.html",
        rf"(\b[UG]id:\s{{1,4}}\(\s{{0,8}}\d{{1,9}}/\s{{0,12}}){USER}(?=\))",
        "id: (",
    ),
    make_form(
        "user",
        f"{MAN}/man8/cron.8.html",
        rf"((?:^|(?<=\s))\(){USER}(?=\) (?:FAILED|ORPHAN|WRONG|BAD|AUTH|PAM)\b)",
        *(") FAILED", ") ORPHAN", ") WRONG", ") BAD", ") AUTH", ") PAM"),
    ),
    make_form("user", _BASH, rf"(?m)(^){USER}(?=@[\w.-]+{_MSYS})", *_SHELLS),
    make_form("user", _FISH, rf"(?m)(^){USER}(?=@[\w.-]+{_FISH_PROMPT})", "@"),
    make_form(
        "user",
        "https://www.rfc-editor.org/rfc/rfc5322#section-3.4",
        r"((?<!\w)\")(?!(?:[^\"\n]*\b(?:Team|Support|List|Developers|Project|Helpdesk|Maintainers)\b))"
        r"([A-Z\u00c0-\u017f][^\"@<>=\n]{2,60})(?=\"\s<(?:<user-\d+>|[\w.+-]+)@)",
        '" <',
    ),
    make_form(
        "told user",
        "https://clear.ml/docs/latest/docs/webapp/settings/webapp_settings_overview",
        r"((?<![\w'-]))([A-Z\u00c0-\u017f][\w-]+(?: [A-Z\u00c0-\u017f][\w-]+){0,2})"
        r"(?='s (?:[Ww]orkspace|[Tt]eam|[Oo]rganization|laptop|[Mm]ac[Bb]ook|[Mm]ac\b|PC\b|i[MP]))",
        "'s ",
    ),
    make_form(
        "user",
        "https://www.samba.org/samba/docs/current/man-html/smbclient.1.html",
        rf"(\bNT_STATUS_\w+ (?:for|of|as) (?:user )?[A-Z][A-Z0-9-]{{1,14}}[/\\]){USER}",
        "NT_STATUS_",
    ),
)
TOOL_HOSTS: tuple[NameForm, ...] = (
    make_form(
        "host",
        "https://docs.docker.com/reference/cli/docker/system/info/",
        rf"(?m)(^ ?(?:Total Memory|CPUs|Architecture): [^\n]*\n"
        rf"(?: ?[A-Z][\w ]*: [^\n]*\n){{0,4}} ?Name: ){HOST}",
        " Memory: ",
        "CPUs: ",
    ),
    make_form(
        "host",
        _KUBECTL,
        rf"(?m)(^Name:[ ]+){HOST}(?=\s*\nRoles:)",
        "Roles:",
    ),
    make_form(
        "host",
        "https://ezix.org/project/wiki/HardwareLiSter",
        rf"(?m)(^){HOST}(?=[ ]*\n[ ]{{4}}description: )",
        "description: ",
    ),
    make_form(
        "told host",
        "https://docs.ceph.com/en/latest/man/8/ceph/",
        r"(\b(?:mon|mgr|mds|rgw)\.)([a-z][a-z0-9-]{2,30})(?= (?:at|is|on|down|calling|has|\())",
        *("mon.", "mgr.", "mds.", "rgw."),
    ),
    make_form(
        "host",
        "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-debug",
        r"(\[)([A-Za-z][\w-]*\d[\w.-]*)(?=\] NCCL )",
        "] NCCL ",
    ),
    make_form(
        "told host",
        _KUBECTL,
        rf"(\bcurrent-context:? (?:[\w.-]+|<user-\d+>)@){HOST}",
        "current-context",
    ),
    make_form(
        "told host",
        _KUBECTL,
        rf"(\b(?:Running|Pending|Completed|Error|CrashLoopBackOff|Terminating|Evicted)"
        rf" [^\n]{{1,60}}?"
        rf"\s(?:\d{{1,3}}\.){{3}}\d{{1,3}}\s{{1,20}}){HOST}(?=\s+<|\s*(?:\n|$))",
        *("Running ", "Pending ", "Completed ", "Error ", "CrashLoop", "Terminating ", "Evicted "),
    ),
    make_form(
        "host",
        _LSF,
        rf"(\b[Hh]osts?(?:\(s\))? <(?!host-\d+>)(?:\d+\*)?){HOST}(?=>)",
        *("ost <", "osts <", "(s) <"),
    ),
    make_form(
        "host",
        "https://slurm.schedmd.com/sinfo.html",
        r"(?m)(^\S+\s+(?:up|down|drain|inact)\s+(?:infinite|[\d:-]+)\s+\d+\s+[a-z]+[*~#!%$@^+-]?\s+)"
        r"([A-Za-z][\w.,\[\]-]*)(?=\s|$)",
        *(" up ", " down ", " drain "),
    ),
    make_form(
        "told host",
        f"{MAN}/man5/nfs.5.html",
        rf"((?:\bfrom |(?<=\s)\()['\"]?){HOST}(?=:/[\w])",
        ":/",
    ),
    make_form(
        "told host",
        "https://man.openbsd.org/ssh_config",
        r"(?m)(^[ \t]*Host[ \t]+(?:[^\n]{0,80}?[ \t])?[!*?]*\.?)"
        r"([A-Za-z][\w-]*(?:\.[\w-]+)+)(?=[ \t*]|$)",
        "Host ",
    ),
    make_form(
        "told host",
        f"{MAN}/man5/hosts.5.html",
        rf"(?m)(^127\.0\.1\.1\s+(?:\S+\s+){{0,3}}?){HOST}(?=\s|$)",
        "127.0.1.1",
        in_word=True,
    ),
    make_form(
        "told host",
        f"{MAN}/man5/hosts.5.html",
        rf"(?m)(^127\.0\.1\.1\s+<host-\d+>\s+){HOST}(?=\s|$)",
        "<host-",
    ),
    make_form("host", _BASH, rf"(?m)(^(?:[\w.-]+|<user-\d+>)@){HOST}(?={_MSYS})", *_SHELLS),
    make_form("host", _FISH, rf"(?m)(^(?:[\w.-]+|<user-\d+>)@){HOST}(?={_FISH_PROMPT})", "@"),
    make_form(
        "told host",
        "https://kubernetes.io/docs/reference/kubectl/generated/kubectl_describe/",
        rf"(\bkubelet,\s){HOST}",
        "kubelet, ",
    ),
    make_form(
        "told host",
        _DASK,
        r"(\b(?:[Rr]egister|[Rr]emove|[Rr]emoving|[Ss]tart(?:ing)?) (?:worker|nanny)\b[^\n]{0,120}?"
        r"\bname[:=] ?['\"]?)([A-Za-z][\w-]*\d)(?![\w.])",
        *("worker", "nanny"),
    ),
    make_form(
        "user",
        "https://git-scm.com/docs/git-merge",
        rf"(\bof <host-\d+>:){USER}(?=/[\w.-]+)",
        "<host-",
    ),
)
