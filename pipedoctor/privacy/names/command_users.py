"""Where commands and connection strings name a user: a table with its sources."""

from pipedoctor.privacy.names.name_form import MAN, NameForm, make_form

_USER = r"((?!<|__token__)[A-Za-z_][\w.-]*[\w$])(?![\w<(\\])"
_GAP = r"(?:[^\n|;&]{0,300}?\s)"
_CLIENTS = (
    r"curl|wget|https?|psql|pg_\w+|mysql\w*|mariadb\w*|mongo\w*|smbclient|lftp|svn|snowsql|sqlcmd"
    r"|cqlsh|etcdctl|ipmitool|clickhouse-client|squeue|sacct|sinfo|scancel|sshare|sprio|qstat|bjobs"
    r"|docker\slogin|podman\slogin|nerdctl\slogin|oc\slogin|az\slogin|twine|x?freerdp|rdesktop"
    r"|pkill"
    r"|top|htop|ps|lsof|crontab|ssh|kinit"
)
"""Programs whose ``-u``, ``-U`` or ``-l`` is a person."""

COMMAND_USERS: tuple[NameForm, ...] = (
    make_form(
        "account",
        f"{MAN}/man1/curl.1.html",
        r"((?<!\S)(?:-[uU]|--(?:proxy-)?user|--auth|-a)[ =]?[\"']?)"
        r"((?!<)[A-Za-z_][\w.+-]*)(?=:<secret>)",
        ":<secret>",
    ),
    make_form(
        "account",
        f"{MAN}/man1/curl.1.html",
        r"((?<!\S)(?:-[uUl]|--user(?:name)?)[ =][\"']?)((?!<)[A-Za-z_][\w.+-]*)"
        r"(?=[\"']?\s(?:-p|-P|--pass\w*)[ =]?[\"']?<secret>)",
        "<secret>",
    ),
    make_form(
        "account",
        "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html",
        r"(\blogin\s+)((?!<)[A-Za-z_][\w.+-]*)(?=\s+password\s+<secret>)",
        "<secret>",
    ),
    make_form(
        "user",
        f"{MAN}/man1/curl.1.html",
        rf"((?<![\w/.-])(?:{_CLIENTS})\s{_GAP}??(?:-[uUl]|--user|--login)[ =]?[\"']?(?:\w+\\)?)"
        rf"{_USER}",
        *(" -u", " -U", " -l", " --user", " --login"),
    ),
    make_form(
        "user",
        f"{MAN}/man1/curl.1.html",
        rf"((?<!\S)(?:-[uUl]|--user)[ =][\"']?){_USER}(?=[\"']?\s--?\w+[ =]?<secret>)",
        *(" -u ", " -U ", " -l ", " --user"),
    ),
    make_form(
        "user",
        "https://docs.docker.com/reference/cli/docker/login/",
        rf"(--(?:[a-z]+-)?username[ =][\"']?){_USER}",
        "username",
        in_word=True,
    ),
    make_form(
        "user",
        f"{MAN}/man8/useradd.8.html",
        rf"(\b(?:(?:user(?:add|mod|del)|adduser|deluser)\s(?:-[\w-]+\s)*"
        rf"|sacctmgr\s(?:-\w+\s)*(?:show|add|modify|delete|list)\suser\s(?:name=)?)){_USER}(?=\s"
        rf"|$)",
        *("user",),
    ),
    make_form(
        "user",
        "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html",
        rf"(\blogin\s+){_USER}(?=\s+password\s)",
        "login",
    ),
    make_form(
        "user",
        "https://python-poetry.org/docs/repositories/#configuring-credentials",
        rf"(\bhttp-basic\.(?:\S+|<host-\d+>)\s|\bconfig\s<host-\d+>\s){_USER}(?=\s<secret>)",
        *("http-basic", "config "),
    ),
    make_form(
        "told user",
        f"{MAN}/man8/pam_unix.8.html",
        rf"(?i:(\busers?(?:name)?:?\s[\"']?)){_USER}(?=[\"']?,?\s(?:and\s|/\s)?(?i:pass"
        rf"(?:word)?)\b)",
        *("user", "User"),
    ),
    make_form(
        "user",
        "https://learn.microsoft.com/sql/connect/odbc/dsn-connection-string-attribute",
        rf"((?<![\w-])(?i:user\s?id|uid)=){_USER}",
        *("ID=", "Id=", "id="),
        in_word=True,
    ),
    make_form(
        "user",
        "https://docs.oracle.com/en/database/oracle/oracle-database/19/jjdbc/data-sources-and-URLs.html",
        rf"(\bjdbc:oracle:\w+:){_USER}(?=/<secret>)",
        "jdbc:oracle:",
        in_word=True,
    ),
    make_form(
        "user",
        f"{MAN}/man8/chpasswd.8.html",
        rf"(\becho\s[\"']?){_USER}(?=:<secret>)",
        "echo ",
    ),
    make_form(
        "user",
        "https://lftp.yar.ru/lftp-man.html",
        rf"(\blftp\s{_GAP}??-u\s){_USER}(?=,<secret>)",
        "lftp ",
    ),
    make_form(
        "user",
        "https://hadoop.apache.org/docs/current/hadoop-project-dist/hadoop-hdfs/HdfsUserGuide.html",
        rf"((?:(?:hdfs|viewfs|webhdfs)://[^/\s]{{0,80}}|(?<![\w.)>/-]))/(?:u|user|udd)/){_USER}"
        rf"(?=/)",
        *("/u/", "/user/", "/udd/"),
        in_word=True,
    ),
    make_form(
        "user",
        "https://www.rfc-editor.org/rfc/rfc3966",
        r"((?i:\b(?:tele)?(?:phone|fax)(?:_?number)?|\b(?:tel|mobile))[\"']?\s?[:=]\s?[\"']?)"
        r"(\+?\d[\d ()/-]{6,18}\d)(?![\w.])",
        *("hone", "ax", "tel", "Tel", "obile"),
    ),
)
