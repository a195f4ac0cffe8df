"""
Users and hosts that people tell, and commands and monitors name: a table with its sources.

What sentences tell is judged once more, by `named_values.may_be_told`.
"""

from pipedoctor.privacy.names.name_form import HOST, MAN, NAME, USER, NameForm, make_form

_CAPITAL = r"([A-Z][a-z\u00c0-\u024f'-]+(?: [A-Z][a-z\u00c0-\u024f'-]+)?)"
_ROLES = (
    r"(?:admin|sysadmin|administrator|boss|colleague|supervisor|advisor|professor|PI|labmate|postdoc"
    r"|co-?worker|teammate|student|friend|intern|collaborator)"
)
_REACHING = (
    r"(?:telnet|ncat|nc|showmount|rpcinfo|iperf3?|ibping|ibtracert|ping6?|fping|arping|traceroute6?"
    r"|tracepath|mtr|nslookup|nmap|ssh-keyscan|ssh-copy-id|qperf|ib_(?:write|read|send)_(?:bw|lat)"
    r"|smbclient|smbget)"
)
"""Commands whose argument is a host."""
_SPOKEN = "https://www.rfc-editor.org/rfc/rfc5322"
_GIT = "https://git-scm.com/docs/git-clone#_git_urls"
_GPUSTAT = "https://github.com/wookayin/gpustat"
_SLURM = "https://slurm.schedmd.com/scontrol.html"

SPOKEN_USERS: tuple[NameForm, ...] = (
    make_form(
        "user",
        "https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation",
        rf"(\b(?:kubectl|oc) [^\n|;&]{{0,120}}?--as[ =]){USER}",
        "--as",
    ),
    make_form(
        "told user",
        "https://git-scm.com/docs/gitcredentials",
        r"(\bPassword for ['\"])([A-Za-z][\w.-]*\w)(?=['\"])",
        "assword for",
    ),
    make_form(
        "user",
        f"{MAN}/man1/ftp.1.html",
        rf"(ftp> (?:open|user) ){USER}(?=[: ]<secret>)",
        "ftp> ",
    ),
    make_form(
        "told user",
        _SPOKEN,
        rf"(\b(?i:our|the|my|your|an?) {_ROLES},? (?:called |named )?){_CAPITAL}",
        *("dmin", "inistrator", " boss", " colleague", "visor", " professor", " PI", "mate"),
        *(" postdoc", "worker", " student", " friend", " intern", " collaborator"),
    ),
    make_form(
        "told user",
        _SPOKEN,
        r"(\b(?:I am|I'm|[Mm]y name is|[Tt]his is) )([A-Z][a-z]+ [A-Z][a-z]+)"
        r"(?=[,.;!]|\s*$| (?:from|at|and|in|of)\b)",
        *(" am ", "I'm ", "name is ", "his is "),
    ),
    make_form(
        "told user",
        _SPOKEN,
        r"(?m)(\b(?:[Tt]hanks|[Tt]hank you|[Cc]heers|[Rr]egards|[Bb]est|[Bb]est wishes),?[ \n])"
        r"([A-Z][a-z]+(?: [A-Z][a-z]+)?)(?=[.!]?[ \t]*$)",
        *("hanks", "hank you", "heers", "egards", "est, ", "est,\n", "wishes"),
    ),
    make_form(
        "told user",
        _SPOKEN,
        r"(\b(?:cc|CC|[Pp]ing|[Tt]hanks|[Hh]ey|[Hh]i|[Aa]sk)[:,]? @)"
        r"([A-Za-z][\w-]{2,38})(?=[\s,.;:!?)]|$)",
        " @",
    ),
    make_form(
        "told user",
        _SPOKEN,
        rf"(\b(?:[Mm]y|[Hh]is|[Hh]er) (?:user ?name|login|account|user|user id) is ['\"]?){NAME}"
        r"(?=['\"]?(?:[.,;)]|\s|$))",
        *(f"{word} is " for word in ("name", "login", "account", "user", "id")),
    ),
    make_form(
        "told user",
        _SPOKEN,
        rf"(\b[Aa]sk ){NAME}(?= (?:about|before|first)\b)",
        "sk ",
    ),
    make_form(
        "user",
        "https://git-scm.com/docs/git-log#_pretty_formats",
        r"(\bby )([A-Z][\w'-]+(?: [A-Z][\w.'-]*){1,2})"
        r"(?= \d+ (?:second|minute|hour|day|week|month|year)s? ago)",
        " ago",
    ),
    make_form(
        "told user",
        "https://docs.github.com/en/authentication",
        r"(\b(?:denied to|access denied for) )([A-Za-z][\w.-]*\w)(?![\w(=<]|\.\w)",
        "denied ",
    ),
    make_form(
        "told user",
        _GIT,
        rf"((?<!\S)['\"]?){NAME}(?=@(?!(?:host(?:name)?|server|domain|remote|tcp\d*|o2ib\d*|lnet)\b)"
        r"[A-Za-z][A-Za-z0-9-]+(?:\.[\w-]+)*:[\w./~-])",
        "@",
        in_word=True,
    ),
    make_form(
        "user",
        "https://docs.docker.com/reference/cli/docker/container/exec/",
        rf"(\b(?:docker|podman|nerdctl|compose|crictl) (?:exec|run) [^\n|;&]{{0,200}}?"
        rf"(?:-u|--user)[ =]){USER}",
        *(" -u", " --user"),
    ),
    make_form("user", "https://learn.microsoft.com/windows", rf"(\bnet user ){USER}", "net user "),
    make_form(
        "told user",
        _SLURM,
        rf"(\b(?:job|task|reservation|process|pid|execution|session)(?: \d+)? owner ){NAME}",
        " owner ",
    ),
    make_form(
        "told user",
        "https://www.ibm.com/docs/en/spectrum-lsf/10.1.0?topic=reference-bhist",
        rf"(\bby ){NAME}(?= (?:on|from) host\b)",
        "by ",
    ),
    make_form("user", _SLURM, rf"(\[){USER}(?=@\d{{4}}-\d\d-\d\dT)", "@20", in_word=True),
    make_form(
        "user",
        _GPUSTAT,
        r"((?:\|[ ]|\)[ ]|gpustat: ))"
        r"((?!<)[A-Za-z_][\w.-]*[\w$])(?=(?::[\w.+-]+(?:/\d+)?)?\(\d+M\))",
        "M)",
    ),
    make_form("user", f"{MAN}/man8/iotop.8.html", rf"(\b(?:be|rt|id)/\d[ ]){USER}", "be/", "rt/"),
    make_form(
        "user",
        f"{MAN}/man1/loginctl.1.html",
        rf"(?m)(^[ ]*\w+[ ]+\d{{3,}}[ ]+){USER}(?=[ ]+seat\d)",
        " seat",
    ),
)

SPOKEN_HOSTS: tuple[NameForm, ...] = (
    make_form(
        "told host",
        f"{MAN}/man1/bash.1.html#PROMPTING",
        rf"(?m)(^){HOST}(?=:(?:~|/)[^\s:]* [#$>] | kernel: )",
        *(" # ", " $ ", " > ", " kernel: "),
    ),
    make_form(
        "told host",
        "https://www.x.org/releases/current/doc/man/man7/X.7.xhtml",
        rf"(\bdisplay ){HOST}(?=:\d+\.\d)",
        "display ",
    ),
    make_form(
        "told host",
        "https://clustershell.readthedocs.io/en/latest/tools/clush.html",
        r"(\b(?:clush|pdsh|nodeset|qhost|qstat|bhosts|pbsnodes|salt|ansible) (?:-[wxhf] ?)?)"
        r"([A-Za-z][\w-]*\d(?:\[[\d,-]+\])?|[A-Za-z][\w-]*\[[\d,-]+\])(?=\s|$)",
        *("clush ", "pdsh ", "nodeset ", "qhost ", "qstat ", "bhosts ", "pbsnodes ", "salt "),
        "ansible ",
    ),
    make_form(
        "told host",
        _GIT,
        r"((?<!\S)['\"]?<user-\d+>@)([A-Za-z][A-Za-z0-9-]+(?:\.[\w-]+)*)(?=:[\w./~-])",
        "<user-",
        in_word=True,
    ),
    make_form(
        "told host",
        _GIT,
        r"(\bbranch \S+ of )([A-Za-z][A-Za-z0-9.-]+)(?=:[\w./~-])",
        "branch ",
    ),
    make_form(
        "told host",
        f"{MAN}/man8/mount.8.html",
        r"(\b(?:u?mount|sshfs|scp|rsync)\s[^\n|;&]{0,120}?(?<=\s))"
        r"([A-Za-z][A-Za-z0-9.-]+)(?=:/(?!/))",
        ":/",
    ),
    make_form(
        "told host",
        f"{MAN}/man8/ping.8.html",
        rf"(?m)((?:^|(?<=[\s>#;|&]))(?:sudo )?{_REACHING}\s"
        rf"(?:-{{1,2}}\w[\w-]*(?:\s\d+)?\s+)"
        rf"{{0,4}}){HOST}"
        r"(?=[ \t]*(?:$|[;|&)])|[ \t]+\d+)",
        *("telnet", "nc ", "ncat", "showmount", "rpcinfo", "iperf", "ibping", "ibtracert", "ping"),
        *("traceroute", "tracepath", "mtr ", "nslookup", "nmap", "ssh-", "qperf", "ib_", "smb"),
    ),
    make_form(
        "told host",
        f"{MAN}/man8/showmount.8.html",
        rf"(\b[Ee]xport list for ){HOST}",
        "xport list",
    ),
    make_form(
        "told host",
        f"{MAN}/man8/ping.8.html",
        rf"((?:\d{{1,3}}\.){{3}}\d{{1,3}}(?::\d+)? [\[(]){HOST}(?=[\])])",
        *(f"{digit} {sign}" for digit in range(10) for sign in "(["),
    ),
    make_form(
        "told host",
        "https://learn.microsoft.com/windows/win32/sysinfo/computer-names",
        r"((?<![\w/\\.@-]))([a-z][a-z0-9]*(?:-[a-z0-9]+)*-"
        r"(?:laptop|pc|mbp|macbook(?:-(?:pro|air))?|workstation)\d*)(?![\w/-])",
        *("-laptop", "-pc", "-mbp", "-macbook", "-workstation"),
        in_word=True,
    ),
    make_form(
        "told host",
        f"{MAN}/man1/ssh.1.html",
        rf"(\bssh(?:ing|ed)? (?:in)?to ){HOST}",
        "ssh",
    ),
    make_form(
        "told host",
        _SPOKEN,
        rf"(\b(?:hostname is|(?:server|machine|box|node|workstation|cluster|host|filer|computer|NAS"
        rf"|nas) (?:is )?(?:called|named)) ['\"]?){HOST}",
        *("hostname is", " called ", " named "),
    ),
    make_form(
        "told host",
        "https://lftp.yar.ru/lftp-man.html",
        rf"(\bopen -u \S+,<secret> |/<secret>@){HOST}",
        "<secret>",
    ),
    make_form(
        "told host",
        _SLURM,
        r"(=\s?<user-\d+>@)([A-Za-z][A-Za-z0-9-]+(?:\.[\w-]+)*)(?=[\s,;]|$)",
        "<user-",
    ),
    make_form(
        "told host",
        _GPUSTAT,
        rf"(?m)(^){HOST}(?=\s+(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{{3}} +\d+ [\d:]{{8}} \d{{4}})",
        *(" Mon ", " Tue ", " Wed ", " Thu ", " Fri ", " Sat ", " Sun "),
    ),
    make_form(
        "host",
        f"{MAN}/man8/mount.cifs.8.html",
        rf"(?m)((?:password|pass)=<secret>\s+domain=){HOST}",
        "<secret>",
    ),
)
