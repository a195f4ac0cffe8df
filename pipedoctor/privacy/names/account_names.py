"""
Users and hosts of accounts, sessions and jobs: a table with its sources.

What sentences tell is judged once more, by `named_values.may_be_told`.
"""

from pipedoctor.privacy.names.name_form import HOST, MAN, NAME, USER, NameForm, make_form

_PERSON = r"([A-Z][\w'\u2019-]+(?: [A-Z][\w.'\u2019-]*){1,3})"
_NO_TEAM = (
    r"(?!(?:The|Please|Contact|Ask|Mail|Email|E-Mail|Send|Write)\b|[^<\n]{0,60}\b(?:Team"
    r"|Contributors|Authors"
    r"|Developers|Maintainers|Inc|Foundation|Community|Project|Support|List|Helpdesk)\b)"
)
_REFS = (
    r"(?!(?:latest|next|stable|nightly|main|master|dev|beta|alpha|canary|edge|release|origin|head"
    r"|sha\d+|v?\d[\w.-]*)\b)"
)
"""What stands behind ``@`` where a version is named, not a host."""
_BEFORE_USER = (
    r"(?:\b(?:for|to|as|from|of|by|on|via|into|with|user|context|context:|got|through)[ ]['\"]?"
    r"|(?<!\S)\*?[ ]{2,40}|(?:(?m:^)|(?<=: ))(?=\S{1,100}@\S{1,200}: )|(?<=[\w\s]=)[ ]?['\"]?)"
)
_BEHIND_HOST = r"(?=['\",;:)]*(?:\s|$)|\.\(none\))"
_DAYS = (
    r"(?!(?:Mon|Tues?|Wed|Wednes|Thu|Thurs|Fri|Sat|Satur|Sun)(?:day)?\b"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))"
)
_NO_STATE = r"(?!\w+(?:ed|ing|able|ible|ful|less|ous)\b|[A-Z][a-z]+[A-Z])"
"""What a thing is, not whose: *the owner is responsible*."""
_NO_GROUP = r"(?!(?:Everyone|Users|Administrators|SYSTEM|Authenticated|Guests|CREATOR)\b)"
_PROMPTED = r"(?m)(^[^\n]{0,120}?[$#%>][ ]?"
_GIT = "https://git-scm.com/docs/git-shortlog"
_ICACLS = "https://learn.microsoft.com/windows-server/administration/windows-commands/icacls"
_WHOAMI = f"{MAN}/man1/whoami.1.html"
_HOSTNAME = f"{MAN}/man1/hostname.1.html"
_KUBECONFIG = (
    "https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/"
)
_ASKS_USER = (
    r"(?:whoami|id -un|logname|echo (?:\$USER|\$LOGNAME|%USERNAME%|\$env:USERNAME)|\$env:USERNAME)"
)
_ASKS_HOST = (
    r"(?:hostname(?: -\w)?|uname -n|hostnamectl hostname|echo (?:\$HOSTNAME|\$HOST|%COMPUTERNAME%)"
    r"|\$env:COMPUTERNAME)"
)

ACCOUNT_USERS: tuple[NameForm, ...] = (
    make_form(
        "user",
        f"{MAN}/man5/passwd.5.html",
        rf"(?m)(^){USER}(?=:[x*!]{{0,2}}:[1-9]\d{{3,}}:\d+:[^:\n]*:/)",
        *(":x:", ":*:", ":!", "::"),
    ),
    make_form(
        "user",
        f"{MAN}/man5/passwd.5.html",
        r"(?m)(^(?:<user-\d+>|[\w.-]+):[x*!]{0,2}:[1-9]\d{3,}:\d+:)([^:,<\n]{2,60})(?=[,:])",
        *(":x:", ":*:", ":!", "::"),
    ),
    make_form("user", _GIT, rf"(?m)(^ {{2,6}}\d{{1,4}}\t){_PERSON}(?=\s*$| <)", "\t"),
    make_form(
        "user",
        "https://git-scm.com/docs/git-interpret-trailers",
        rf"(?m)(^[ \t#*]*(?:[A-Z][a-z]+(?:-[a-z]+){{0,2}}-by:|[Mm]aintained by:?|[Mm]aintainer:"
        rf"|[Cc]ontact:) ){_PERSON}",
        *("-by: ", "aintain", "ontact: "),
    ),
    make_form(
        "user", _GIT, rf"((?:^|(?<=[\s:]))){_NO_TEAM}{_PERSON}(?= [<(]<?[\w.+-]+>?@)", " <", " ("
    ),
    make_form("user", _GIT, rf"((?<=<)){USER}(?=@[\w.-]+>)", "@"),
    make_form(
        "user",
        "https://www.rfc-editor.org/rfc/rfc1288",
        r"(\bLogin: \S+[ \t]+Name: )([^\n]{2,60}?)(?=[ \t]*(?:\n|$))",
        "Name: ",
    ),
    make_form(
        "told user",
        f"{MAN}/man1/ssh.1.html",
        rf"({_BEFORE_USER}){NAME}(?=@{_REFS}[A-Za-z][A-Za-z0-9-]*(?:\.[\w-]+)*{_BEHIND_HOST})",
        "@",
    ),
    make_form("user", _WHOAMI, rf"{_PROMPTED}{_ASKS_USER}\s*\n){USER}(?=\s*(?:\n|$))", "\n"),
    make_form(
        "user",
        _WHOAMI,
        rf"{_PROMPTED}{_ASKS_USER}\s*\n(?:<host-\d+>|[\w.-]+)\\){USER}(?=\s*(?:\n|$))",
        "\\",
    ),
    make_form(
        "user",
        _ICACLS,
        r"((?:<host-\d+>|(?<![\w\\:./-])[A-Za-z][\w.-]{1,20})\\)"
        rf"{_NO_GROUP}([A-Za-z][\w.-]*\w)(?=:\(|:[FRWMX]\b)",
        *(":(", ":F", ":R", ":W", ":M", ":X"),
    ),
    make_form(
        "user",
        _ICACLS,
        rf"((?<!\S)/(?:grant|deny|remove|setowner)(?::\w)? [\"']?){_NO_GROUP}{USER}(?=[:\"'\s]|$)",
        *("/grant", "/deny", "/remove", "/setowner"),
    ),
    make_form("user", f"{MAN}/man8/sshd.8.html", rf"(\buser ){USER}(?= \S+ port \d)", " port "),
    make_form(
        "user",
        "https://www.sudo.ws/docs/man/sudoers.man/",
        rf"((?:^|(?<=\s))){USER}(?= is not in the sudoers)",
        "sudoers",
    ),
    make_form(
        "user",
        f"{MAN}/man8/cron.8.html",
        rf"((?:^|(?<=\s))\(){USER}"
        r"(?=\) (?:CMD|CMDOUT|CMDEND|RELOAD|LIST|REPLACE|EDIT|BEGIN|END|MAIL)\b)",
        *(") CMD", ") REL", ") LIST", ") REPL", ") EDIT", ") BEG", ") END", ") MAIL"),
    ),
    make_form(
        "user",
        f"{MAN}/man5/crontab.5.html",
        rf"(?m)(^(?:\S+?:)?(?:(?=\S{{0,200}}[*\d])[\d*,/-]+[ \t]+){{5}}){USER}(?=[ \t]+[/.~])",
        *("* ", "*\t"),
    ),
    make_form(
        "user",
        f"{MAN}/man1/at.1p.html",
        rf"(?m)(^(?:\d+|job \d+ at)[ \t]+\w{{3}} \w{{3}} +\d+ [\d:]+ \d{{4}} [a-zA-Z=] )"
        rf"{USER}(?=\s*$)",
        *("Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "),
    ),
    make_form(
        "told user",
        f"{MAN}/man1/getent.1.html",
        rf"(\b(?:[Nn]o crontab for|credentials for|[Ll]ogin incorrect for"
        rf"|getent (?:passwd|shadow|initgroups)|chage -l"
        rf"|passwd (?:-\w |--\w+ )|kinit|smbpasswd(?: -\w)+|loginctl (?:show|enable|kill)-user"
        rf"|loginctl enable-linger|newgrp -|sacctmgr \w+ user) ?){USER}(?=\s*(?:\n|$|[;|&)]))",
        *(
            "crontab for",
            "credentials for",
            "incorrect for",
            "getent ",
            "chage ",
            "passwd ",
            "kinit ",
            "loginctl ",
        ),
        "sacctmgr ",
    ),
    make_form(
        "user",
        f"{MAN}/man8/repquota.8.html",
        rf"(?m)(^){USER}(?=\s+(?:--|\+-|-\+|\+\+)\s+\d)",
        *(" -- ", " +- ", " -+ ", " ++ "),
    ),
    make_form(
        "told user",
        "https://doc.lustre.org/lustre_manual.xhtml#quota_administration",
        rf"(\b(?:usr|grp|prj) ){USER}(?= (?:exceed(?:s|ed)|is over|has|over)\b)",
        *("usr ", "grp ", "prj "),
    ),
    make_form(
        "told user",
        f"{MAN}/man1/getfacl.1.html",
        rf"(?m)(^# group:[ \t]+){USER}(?=[ \t]*$)",
        "# group:",
    ),
    make_form(
        "told user",
        f"{MAN}/man1/getfacl.1.html",
        rf"(?m)(^(?:default:)?group:){USER}(?=:[r-][w-][x-])",
        "group:",
    ),
    make_form(
        "told user",
        f"{MAN}/man1/quota.1.html",
        rf"(\b(?:[Qq]uotas? (?:for|of) (?:usr|user) "
        rf"|[Uu]ser (?=\S+ (?:is over|exceeds|exceeded)))){USER}",
        *("uota", "ser "),
    ),
    make_form(
        "told user",
        f"{MAN}/man1/groups.1.html",
        r"(?m)(^)([a-z_][\w.-]+)(?= : \2(?:\s|$))",
        " : ",
    ),
    make_form(
        "told user",
        "https://slurm.schedmd.com/scancel.html",
        rf"(\b(?:[Oo]wner (?:is|was|of it is) |belong(?:s|ing|ed) to |[Oo]wned by )"
        rf"(?:user |account )?['\"]?){_NO_STATE}{NAME}"
        r"(?=['\"]?(?:[.,;:)]|\s*(?:\n|$)|\s(?:\(|and|has|is|was|not)))",
        *("wner ", "elong", "wned by"),
    ),
    make_form(
        "told user",
        "https://slurm.schedmd.com/scontrol.html",
        rf"(\b(?:in use|held|locked|taken|claimed|blocked|drained|reserved|opened|edited) by"
        rf" (?:user |admin |account |process of )?['\"]?){NAME}"
        r"(?=['\"]?(?:[.,;)]|\s*(?:\n|$)| \((?:pid|uid|since|on)| (?:on|since|until)\b))",
        " by ",
    ),
    make_form(
        "told user",
        "https://slurm.schedmd.com/scontrol.html",
        rf"(\b(?:contact|notify|cc) @?){NAME}"
        r"(?= (?:before|if|about|first)\b|[.,;]?\s*(?:\n|$))",
        *("contact ", "notify ", "cc "),
    ),
    make_form(
        "told user",
        "https://slurm.schedmd.com/scontrol.html",
        rf"(\b(?:(?:re)?assigned to|(?:written|saved|created|deleted|removed|modified|changed"
        rf"|launched|stopped|paused|mounted|copied|shared|synced|pushed|queued|drained) by) @?)"
        rf"{NAME}(?= (?:on|at) \S)",
        *("signed to", "ed by ", "en by "),
    ),
    make_form(
        "told user",
        "https://slurm.schedmd.com/scontrol.html",
        rf"((?:^|\b(?:[Jj]ob|issue|ticket|task|node|reservation|gpu|GPU)s?\b[^\n]{{0,20}} )"
        rf"(?:re)?assigned to @?){NAME}(?=[.,;]?\s*(?:\n|$))",
        "signed to",
    ),
    make_form(
        "told user",
        "https://docs.wandb.ai/models/ref/cli/wandb-login",
        rf"(\b(?:[Ss]yncing|[Uu]ploading|[Ll]ogging|[Ss]ubmitt(?:ed|ing)|[Pp]ush(?:ed|ing)"
        rf"|[Pp]ublish(?:ed|ing)|[Pp]osting)\b[^\n]{{0,30}}? as )(?!a\b|an\b){NAME}"
        r"(?= (?:to|on|in|at|from)\b|\s*(?:\n|$))",
        " as ",
    ),
)

ACCOUNT_HOSTS: tuple[NameForm, ...] = (
    make_form(
        "told host",
        "https://dev.mysql.com/doc/refman/8.4/en/account-names.html",
        r"(<user-\d+>['`]@['`])([A-Za-z][\w.-]*\w)(?=['`])",
        "<user-",
    ),
    make_form("host", _HOSTNAME, rf"{_PROMPTED}{_ASKS_HOST}\s*\n){HOST}(?=\s*(?:\n|$))", "\n"),
    make_form(
        "host",
        _WHOAMI,
        rf"{_PROMPTED}{_ASKS_USER}\s*\n)([A-Za-z][\w.-]+)(?=\\<user-\d+>\s*(?:\n|$))",
        "\\<user-",
    ),
    make_form(
        "told host",
        f"{MAN}/man1/ssh.1.html",
        rf"({_BEFORE_USER}<user-\d+>@){_REFS}([A-Za-z][A-Za-z0-9-]+(?:\.[\w-]+)*){_BEHIND_HOST}",
        "<user-",
    ),
    make_form("told host", _GIT, r"(<<user-\d+>@)([A-Za-z][\w.-]*\w)(?=>)", "<user-"),
    make_form(
        "told host",
        _KUBECONFIG,
        r"(?m)(^\*?[ ]{2,40}<user-\d+>@(?:<host-\d+>|[\w.-]+)[ ]+)([A-Za-z][\w.-]*\w)(?=[ ]+\S)",
        "<user-",
    ),
    make_form(
        "told host",
        f"{MAN}/man1/who.1.html",
        rf"(<user-\d+> (?:on|at|from) ){_DAYS}([A-Za-z][\w.-]*\w)(?=[,.;)'\"]?(?:\s|$))",
        "<user-",
    ),
    make_form(
        "told host",
        "https://learn.microsoft.com/windows/win32/sysinfo/computer-names",
        r"((?<![\w/\\.-]))((?:DESKTOP|LAPTOP|WIN)-(?=[A-Z0-9]*\d)[A-Z0-9]{5,11}"
        r"|(?:WS|PC|LAB|SRV|NB|NUC|WKS)-(?=[A-Z0-9-]*\d)[A-Z0-9-]{3,12}"
        r"|[A-Z][A-Z0-9]{1,10}-(?:PC|WS|WKS|LT|NB)-?\d*)(?![\w-])",
        *("DESKTOP-", "LAPTOP-", "WIN-", "WS-", "PC-", "LAB-", "SRV-", "NB-", "NUC-", "WKS-"),
        *("-PC", "-WS", "-WKS", "-LT", "-NB"),
        in_word=True,
    ),
    make_form(
        "told host",
        f"{MAN}/man1/w.1.html",
        rf"(\b(?:pts/\d+|tty\d)[ ]+){HOST}(?=[ ]+\d\d:\d\d)",
        *("pts/", "tty"),
    ),
    make_form(
        "told host",
        "https://docs.kernel.org/admin-guide/cifs/usage.html",
        rf"((?:\b(?:to|from|mounting|of|at|cifs|smbclient|smbget|mount|mount\.cifs|umount)\s"
        rf"(?:-{{1,2}}\S+\s)*['\"]?//)){HOST}(?=/)",
        "//",
    ),
    make_form(
        "told host",
        "https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/",
        rf"(\b(?:[Ss]uccessfully assigned \S+ to|[Pp]reempted by \S+ on node"
        rf"|[Bb]ound to node) ){HOST}",
        *("assigned ", "reempted", "ound to"),
    ),
)
