"""Users and hosts in configurations and in the columns of tools: a table with its sources."""

from pipedoctor.privacy.names.name_form import HOST, MAN, NameForm, make_form

_USER = r"((?!<|None\b|True\b|False\b|null\b|self\b|os\b|getpass\b)[A-Za-z_][\w.-]*[\w$])(?![\w<(])"
_SSH = "https://man.openbsd.org/ssh_config"
_KUBECTL = "https://kubernetes.io/docs/reference/kubectl/"
_WINDOWS = "https://learn.microsoft.com/windows-server/administration/windows-commands/"
_SYSTEMINFO = f"{_WINDOWS}systeminfo"
_DOCKER = "https://docs.docker.com/reference/cli/docker/login/"
_NETRC = "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html"

PLACE_USERS: tuple[NameForm, ...] = (
    make_form(
        "user",
        _SSH,
        rf"(?m)(^Host[ \t]+\S[^\n]*\n(?:[ \t]+\w+[ \t]+\S[^\n]*\n){{0,8}}?[ \t]+User[ \t]+){_USER}",
        "User ",
    ),
    make_form("user", _SSH, rf"(\bAuthenticating to \S+ as '){_USER}", "uthenticating to"),
    make_form(
        "user",
        _SSH,
        rf"(?m)(^|(?<=\s)){_USER}(?=@(?:[\w.-]+|<host-\d+>)'s password)",
        "'s password",
    ),
    make_form(
        "user",
        "https://docs.python.org/3/library/configparser.html",
        rf"(?m)(^[ \t;#]*(?:[\w.]{{1,30}}\.)?user(?:_?name)?[ \t]=[ \t][\"']?){_USER}"
        r"(?=[\"']?[ \t]*$)",
        *("user =", "user_name =", "username ="),
    ),
    make_form("user", _KUBECTL, rf"(?m)(^users:\s*\n\s*- name:\s){_USER}", "users:"),
    make_form("user", _KUBECTL, rf"(\bset-credentials\s){_USER}", "set-credentials"),
    make_form(
        "user",
        "https://www.rfc-editor.org/rfc/rfc4514",
        rf"(\b(?:cn|uid|CN|UID)=){_USER}(?=,\s?(?i:ou|dc|cn|o)=)",
        *("cn=", "uid=", "CN=", "UID="),
        in_word=True,
    ),
    make_form(
        "user",
        "https://www.sudo.ws/docs/man/sudo.man/",
        r"(\bpassword for )(?!(?:key|user|the|your|this|an?|my|all|root|sudo|login|access|it)\b)"
        rf"{_USER}",
        "password for ",
    ),
    make_form(
        "user",
        "https://docs.nextcloud.com/server/latest/user_manual/en/files/access_webdav.html",
        rf"(/remote\.php/(?:dav/files|webdav)/){_USER}",
        "/remote.php/",
        in_word=True,
    ),
    make_form(
        "user",
        "https://refspecs.linuxfoundation.org/FHS_3.0/fhs/ch03s08.html",
        r"((?:^|(?<=[\s/\"'=]))-(?:home|Users)-)([a-z_][\w.]*)(?=-)",
        *("-home-", "-Users-"),
        in_word=True,
    ),
    make_form(
        "user",
        "https://www.rfc-editor.org/rfc/rfc3986#section-2.1",
        r"(%(?:5C|5c|2F|2f)(?:[Uu]sers|home)%(?:5C|5c|2F|2f))([A-Za-z_][\w.-]*)",
        *("%5C", "%5c", "%2F", "%2f"),
        in_word=True,
    ),
    make_form(
        "user",
        f"{_WINDOWS}net-use",
        r"((?<!\S)/(?:user:|u:|U\s|ru\s)(?:[\w.-]+\\)?)([A-Za-z_][\w.$-]*)",
        *("/user:", "/u:", "/U ", "/ru "),
    ),
    make_form(
        "user",
        "https://slurm.schedmd.com/sbatch.html",
        r"(/tmp/slurm[_-](?:tmp[_-])?)([a-z_][\w.]*)(?=[/\s\"'-]|$)",
        "/tmp/slurm",
        in_word=True,
    ),
    make_form(
        "user",
        f"{MAN}/man1/ps.1.html",
        r"(?m)(^\s*)([a-z_][\w.-]{1,31})(?=\s+\d{1,7}\s+\d{1,4}\.\d\s+\d{1,3}\.\d\s)",
        "python",
    ),
    make_form(
        "user",
        f"{_WINDOWS}whoami",
        r"(\bwhoami\s?(?:->|=>|:)\s?[\w.-]{1,20}\\{1,2})([A-Za-z_][\w.$-]*)",
        "whoami",
    ),
    make_form(
        "user", f"{MAN}/man1/whoami.1.html", rf"(\bwhoami\s?(?:->|=>|:)\s?){_USER}", "whoami"
    ),
    make_form(
        "user",
        "https://owasp.org/www-project-web-security-testing-guide/",
        rf"(?m)((?:^|(?<=\s))u(?:ser)?:\s?){_USER}(?=,?\s+p(?:w|ass)?:\s?<secret>)",
        "u: ",
        "user: ",
    ),
    make_form(
        "user",
        "https://owasp.org/www-project-web-security-testing-guide/",
        rf"(?im)(^[ \t]*(?:user(?:[ _]?name)?|login|account)(?:[ \t]{{2,}}|\t)){_USER}"
        r"(?=[ \t]*\n[ \t]*pass\w*[ \t]+<secret>)",
        *("ser", "ogin", "ccount"),
    ),
    make_form(
        "user",
        "https://www.postgresql.org/docs/current/sql-createuser.html",
        rf"(?i:(\b(?:create|alter|drop)\s(?:user|role|login)\s(?:if\s"
        rf"(?:not\s)?exists\s)?[\"'`\[]?))"
        rf"{_USER}",
        *("USER ", "user ", "ROLE ", "role ", "LOGIN "),
    ),
    make_form(
        "user",
        "https://dev.mysql.com/doc/refman/8.4/en/account-names.html",
        r"((?<=\s)['`])([A-Za-z_][\w.-]*)(?=['`]@['`])",
        *("'@'", "`@`"),
    ),
    make_form(
        "user",
        "https://httpd.apache.org/docs/2.4/logs.html#common",
        rf"(?m)(^(?:[\w.:-]+|<(?:ip|host)-\d+>)\s\S+\s){_USER}"
        rf"(?=\s\[\d\d/[A-Z][a-z]{{2}}/\d{{4}}:)",
        " [",
    ),
    make_form(
        "user",
        "https://doc.lustre.org/lustre_manual.xhtml#quota_administration",
        rf"(\b(?:lfs\s(?:set)?quota|repquota|xfs_quota|setquota"
        rf"|quota)\s[^\n|;&]{{0,60}}?-u\s){_USER}",
        "quota",
    ),
    make_form(
        "user",
        "https://jupyterhub.readthedocs.io/en/stable/reference/urls.html",
        rf"(/user/){_USER}(?=/(?:lab|tree|notebooks|api|oauth_callback|terminals)\b)",
        "/user/",
        in_word=True,
    ),
    make_form(
        "user",
        "https://jupyterhub.readthedocs.io/en/stable/reference/urls.html",
        rf"(\bUser logged (?:in|out): ){_USER}",
        "User logged",
    ),
    make_form(
        "user",
        "https://www.rfc-editor.org/rfc/rfc6238",
        rf"(\botpauth://(?:\w+|<host-\d+>)/(?:[\w.%-]+:(?:%20)?)?){_USER}(?=\?)",
        "otpauth://",
        in_word=True,
    ),
    make_form(
        "user",
        "https://docs.docker.com/compose/how-tos/environment-variables/",
        rf"(?m)(^[ \t-]*[A-Z]{{2,20}}(?:_[A-Z]{{2,20}}){{0,3}}_USER(?:NAME)?:[ \t]+[\"']?){_USER}"
        r"(?=[\"']?[ \t]*$)",
        *("_USER:", "_USERNAME:"),
    ),
    make_form(
        "user",
        "https://httpd.apache.org/docs/2.4/programs/htpasswd.html",
        rf"(\bhtpasswd\s(?:-\w+\s)*\S+\s){_USER}(?=\s<secret>)",
        "htpasswd",
    ),
    make_form(
        "user",
        f"{MAN}/man8/cron.8.html",
        rf"(\bCRON\[\d+\]:\s\(){_USER}(?=\)\sCMD\b)",
        "CRON[",
    ),
    make_form(
        "user",
        "https://slurm.schedmd.com/sacct.html",
        rf"(\|){_USER}(?=\|(?:COMPLETED|FAILED|RUNNING|TIMEOUT|OUT_OF_MEMORY|NODE_FAIL"
        rf"|CANCELLED)\b)",
        *("|COMPLETED", "|FAILED", "|RUNNING", "|TIMEOUT", "|OUT_OF", "|NODE_F", "|CANC"),
        in_word=True,
    ),
    make_form("user", _DOCKER, rf"(\bLogin Succeeded: ){_USER}", "Login Succeeded"),
    make_form(
        "user",
        _SYSTEMINFO,
        r"(?m)(^Registered (?:Owner|Organization):[ \t]+)(\S[^\n]{1,60}?)(?=[ \t]*$)",
        "Registered ",
    ),
    make_form(
        "user",
        "https://www.rfc-editor.org/rfc/rfc3966",
        r"((?i:\b(?:sms|call|phone|mobile)\b[^\n+]{0,20}))(\+\d[\d ()/-]{6,18}\d)(?!\w)",
        *("SMS", "sms", "all", "hone", "obile"),
    ),
    make_form(
        "user",
        "https://www.postgresql.org/docs/current/libpq-pgpass.html",
        rf"(?m)(^(?:[\w.*-]+|<host-\d+>):(?:\d{{2,5}}|\*):[^:\s]+:){_USER}(?=:<secret>)",
        ":<secret>",
        in_word=True,
    ),
)
PLACE_HOSTS: tuple[NameForm, ...] = (
    make_form(
        "host",
        _SSH,
        rf"(?m)(^Host[ \t]+\S[^\n]*\n(?:[ \t]+\w+[ \t]+\S[^\n]*\n){{0,8}}?[ \t]+HostName[ \t]+)"
        rf"{HOST}",
        "HostName ",
    ),
    make_form("host", _SSH, rf"(\bAuthenticating to ){HOST}(?=:\d)", "uthenticating to"),
    make_form(
        "host",
        _SSH,
        rf"(?m)((?:^|(?<=\s))(?:[\w.-]+|<user-\d+>)@){HOST}(?='s password)",
        "'s password",
    ),
    make_form("host", _NETRC, rf"(\bmachine\s){HOST}(?=\s+login\s)", "machine "),
    make_form("host", _DOCKER, rf"(\"auths\"\s?:\s?\{{\s*\"){HOST}", '"auths"'),
    make_form("host", _DOCKER, rf"(\bLogin Succeeded: \S+ @ ){HOST}", "Login Succeeded"),
    make_form(
        "host",
        "https://wiki.gnome.org/Projects/gvfs",
        rf"(\bserver=){HOST}(?=,share=)",
        "server=",
        in_word=True,
    ),
    make_form(
        "host",
        "https://www.postgresql.org/docs/current/libpq-pgpass.html",
        rf"(?m)(^){HOST}(?=:\d{{2,5}}:[^:\s]+:[^:\s]+:<secret>)",
        ":<secret>",
        in_word=True,
    ),
    make_form(
        "host",
        "https://docs.ansible.com/ansible/latest/playbook_guide/playbooks_error_handling.html",
        rf"(\b(?:fatal|failed|ok|changed|unreachable|skipping): \[){HOST}(?=\](?::| ))",
        *("fatal: [", "failed: [", "ok: [", "changed: [", "unreachable: [", "skipping: ["),
    ),
    make_form(
        "host",
        "https://docs.ansible.com/ansible/latest/inventory_guide/intro_inventory.html",
        rf"(?m)(^){HOST}(?=\s+(?:ansible_\w+=\S+\s+)*ansible_(?:ssh_)?(?:host|user|port"
        rf"|connection)=)",
        "ansible_",
    ),
    make_form(
        "host",
        f"{MAN}/man1/last.1.html",
        rf"(\bLast login: [^\n]{{10,40}} from ){HOST}",
        "ast login",
    ),
    make_form(
        "host",
        "https://docs.github.com/en/actions/how-tos/manage-runners/self-hosted-runners",
        rf"(\b(?:Runner|Machine) name:\s+['\"]?){HOST}",
        *("Runner name", "Machine name", "runner name", "machine name"),
    ),
    make_form("host", _WINDOWS, rf"(\bon computer ){HOST}", "on computer "),
    make_form("host", _SYSTEMINFO, rf"(?m)(^Host Name:[ \t]+){HOST}", "Host Name:"),
    make_form("host", _KUBECTL, rf"(?m)(^){HOST}(?=\s+(?:Not)?Ready(?:,\S+)?\s)", "Ready"),
    make_form("host", _KUBECTL, rf"(\bNode:\s+){HOST}(?=/)", "Node:"),
)
