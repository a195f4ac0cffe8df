"""
Users and hosts of prompts, cut paths and clusters: a table with its sources.

What may be a word as well is judged once more, by `named_values.may_be_told`.
"""

from pipedoctor.privacy.names.name_form import HOST, MAN, NAME, USER, NameForm, make_form

_BASH = f"{MAN}/man1/bash.1.html#PROMPTING"
_SMI = "https://docs.nvidia.com/deploy/nvidia-smi/index.html#processes"
_LOGON = "https://learn.microsoft.com/windows/win32/secauthn/user-name-formats"
_KUBECTL = "https://kubernetes.io/docs/reference/kubectl/"
_SPAWNER = "https://jupyterhub-kubespawner.readthedocs.io/en/latest/templates.html"
_ENVIRONMENTS = (
    r"(?:\.?venvs?|\.?env|(?:mini|ana)conda\d?|mini(?:forge|conda)\d?|mambaforge|micromamba|\.local"
    r"|\.conda|\.pyenv|\.virtualenvs|\.cache|\.vscode-server|\.cursor-server)"
)
_ENVIRONMENT_PROMPT = r"(?:\([\w./-]+\)[ ]){0,3}"
_JOBS = (
    r"(?:train(?:ing|er)?|job|exp(?:eriment)?|ft|finetune|debug|dev|sweep|notebook|nb|ray|eval"
    r"|infer)"
)
_CUT_HOMES = r"(?:(?:(?:h?o)?m)?e|h?o?mes|(?:U?s)?ers|rs)"
"""Last letters of ``home`` and ``Users``, as far as a table has left them."""

SHELL_USERS: tuple[NameForm, ...] = (
    make_form(
        "user",
        "https://github.com/dylanaraps/neofetch",
        rf"(?m)(^){USER}(?=@(?:[\w.-]+|<host-\d+>)[ ]*\n-{{5,}}[ ]*$)",
        "@",
    ),
    make_form(
        "user",
        _BASH,
        rf"((?:[\u2500-\u257f]|[\u2500-\u257f] ?)[\[(]){USER}(?=[@\u327f][\w.-]+[\])])",
        *("\u2500[", "\u2500(", "\u2500 [", "\u2500 (", "\u2557[", "\u250c["),
        in_word=True,
    ),
    make_form(
        "user",
        _BASH,
        rf"(?m)(^{_ENVIRONMENT_PROMPT}[A-Za-z][\w.-]*:[^\s:$]{{1,60}}[ ]){USER}(?=[$%][ ])",
        *("$ ", "% "),
    ),
    make_form(
        "user",
        _SMI,
        rf"(\.\.\.(?<![\w.]\.\.\.){_CUT_HOMES}?[/\\])(?!<|\.){USER}(?=[/\\]{_ENVIRONMENTS}[/\\])",
        "...",
        in_word=True,
    ),
    make_form(
        "told user",
        _SMI,
        r"((?<![\w.])\.\.\.(?:home|ome|me|Users|sers)[/\\])([A-Za-z_][\w.-]*\w)(?=[/\\])",
        "...",
        in_word=True,
    ),
    make_form(
        "told user",
        _SMI,
        r"(\.\.\.(?<![\w.]\.\.\.))(?!(?:[a-z]*(?:onda|orge|amba|nvs?|ome|ers|ata|ace|rk|opt|pt|usr|sr"
        r"|cache|che|ocal"
        rf"|cal|oot|ot|min|ser)\d?)/)([a-z][a-z0-9_.-]{{2,}})(?=/{_ENVIRONMENTS}/)",
        "...",
        in_word=True,
    ),
    make_form(
        "told user",
        _LOGON,
        r"(?m)(^[ \t]*(?:[A-Z][A-Z0-9-]{1,14}|(?=[a-z0-9]*[\d-])[a-z][a-z0-9-]{2,14})\\)"
        r"([A-Za-z][\w.-]+\w)(?=[ \t]*$)",
        "\\",
        in_word=True,
    ),
    make_form(
        "told user",
        f"{MAN}/man1/chown.1.html",
        rf"(\b(?:invalid|no such|unknown) user(?:name)?:? ['\"]?){USER}",
        *("invalid user", "such user", "nknown user"),
    ),
    make_form(
        "told user",
        f"{MAN}/man1/chown.1.html",
        rf"(\b(?:invalid|no such|unknown) (?:user: ['\"]?<user-\d+>:|group:? ['\"]?)){USER}",
        *("nvalid user", "such user", "nknown user", "invalid group", "such group", "nknown group"),
    ),
    make_form(
        "told user",
        f"{MAN}/man1/su.1.html",
        rf"(?m)(^(?:su|runuser|doas|sudo): user ){NAME}(?= )",
        ": user ",
    ),
    make_form(
        "user", "https://slurm.schedmd.com/seff.html", rf"(\bUser/Group: ){USER}", "User/Group:"
    ),
    make_form(
        "user",
        "https://slurm.schedmd.com/seff.html",
        rf"(\bUser/Group: <user-\d+>/){USER}",
        "<user-",
    ),
    make_form(
        "told user",
        f"{MAN}/man1/chown.1.html",
        rf"(\b(?:owner|owned by|uid) (?:is )?(?:<user-\d+>|[\w.-]+),? (?:but )?(?:wanted|expected"
        rf"|not|instead of"
        rf"|should be|required) (?:owner |user )?['\"]?){NAME}",
        *("owner ", "owned by ", "uid "),
    ),
    make_form(
        "told user",
        f"{MAN}/man1/crontab.1.html",
        rf"((?:^|(?<=\s))){NAME}(?= is not (?:allowed|permitted|authorized|authorised) to \w+)",
        " is not ",
    ),
    make_form(
        "told user",
        _SPAWNER,
        r"((?<![\w-])(?:jupyter|claim)-)([a-z][a-z0-9]{2,})(?=(?:-\d+|--[0-9a-f]{8}|--\w+)?"
        r"(?:[\s,;:)'\"]|$))",
        *("jupyter-", "claim-"),
        in_word=True,
    ),
    make_form(
        "told user",
        _KUBECTL,
        rf"(\b(?:pods?|jobs?(?:\.batch)?|pytorchjobs?[\w.]*|rayclusters?)/{_JOBS}-)([a-z]{{4,}})"
        r"(?=-(?:\d+|(?:worker|master|head)-\d+|[0-9a-z]{5})(?![\w-]))",
        *("pod/", "pods/", "job/", "jobs/", "batch/", "raycluster"),
        in_word=True,
    ),
)

SHELL_HOSTS: tuple[NameForm, ...] = (
    make_form(
        "host",
        _BASH,
        rf"([\u2500-\u257f] ?[\[(](?:[\w.-]+|<user-\d+>)[@\u327f]){HOST}(?=[\])])",
        *("\u2500[", "\u2500(", "\u2500 [", "\u2500 (", "\u250c["),
        in_word=True,
    ),
    make_form(
        "told host",
        "https://man.openbsd.org/ssh_config",
        rf"(\bProxyJump[ \t=]+(?:(?:[\w.-]+|<user-\d+>)@)?){HOST}",
        "ProxyJump",
    ),
    make_form(
        "host",
        f"{MAN}/man5/exports.5.html",
        r"((?:^|(?<=\s)))([A-Za-z][\w*?-]*(?:\.[\w*?-]+)*)"
        r"(?=\((?:r[ow]|a?sync|sec=\w+|(?:no_)?root_squash|insecure)[,)])",
        *("(ro", "(rw", "(sync", "(async", "(sec=", "root_squash", "(insecure"),
    ),
    make_form(
        "told host",
        f"{MAN}/man1/ssh.1.html",
        rf"(\b(?:on|from|at|to|via|by) (?:the )?(?:host|machine|server|computer|workstation"
        rf"|(?:cluster |login |compute |head |gpu |GPU )?node) ['\"]?){HOST}",
        *(f"{end} {noun} " for noun in ("host", "machine", "server", "node") for end in "nmtoaye"),
        *(" computer ", " workstation ", "login node ", "GPU node ", "gpu node ", "head node "),
        *("compute node ", "cluster node "),
    ),
    make_form(
        "host",
        _BASH,
        rf"(?m)(^{_ENVIRONMENT_PROMPT}){HOST}(?=:[^\s:$]{{1,60}}[ ](?:<user-\d+>|root)[$%#][ ])",
        *("$ ", "% ", "# "),
    ),
    make_form(
        "host",
        "https://doc.lustre.org/lustre_manual.xhtml#lustreconfigmounts",
        rf"(?m)((?:^|(?<=[\s,:])))(?!\d+\.\d|(?:mds|mgs|oss)@){HOST}(?=@(?:tcp|o2ib|kfi|gni)\d*"
        rf"(?:[:,\s]|$))",
        *("@tcp", "@o2ib", "@kfi", "@gni"),
        in_word=True,
    ),
    make_form(
        "told host",
        f"{MAN}/man1/ssh.1.html",
        rf"(\b(?:[Pp]ermanently added|[Aa]uthenticity of host|[Oo]ffending \S+ key for)"
        rf" ['\"]?\[?){HOST}"
        r"(?=\]?(?::\d+)?[,'\" ])",
        *("ermanently added", "uthenticity of", "ffending "),
    ),
    make_form(
        "told host",
        "https://man.openbsd.org/ssh_config",
        rf"(?m)(^[ \t]*Host[ \t]+){HOST}(?=[ \t]*\n[ \t]+(?:HostName|User|Port|IdentityFile"
        rf"|Proxy\w+|Forward\w+)\b)",
        "Host ",
    ),
    make_form(
        "host",
        "https://openpbs.atlassian.net/wiki/spaces/PBSPro/overview",
        r"((?i:\bjob_?(?:id)?)[=: ]\s?\d{3,}(?:\[\d*\])?\.)(?!(?:batch|extern|interactive)\b)"
        r"([A-Za-z][\w.-]*\w)",
        *("job", "JOB", "Job"),
    ),
    make_form(
        "told host",
        f"{MAN}/man1/hostname.1.html",
        r"(\b[Hh]ost ?name )([A-Za-z](?=\S{0,200}[-\d])[\w.-]*\w)(?=[),;.]|\s*(?:\n|$))",
        "ostname ",
        "ost name ",
    ),
)
