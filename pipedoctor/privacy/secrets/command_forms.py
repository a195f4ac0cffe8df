"""Where commands take a secret that no name stands beside: a table with its sources."""

from pipedoctor.privacy.secrets.command_form import CommandForm

_MAN = "https://man7.org/linux/man-pages/man1"
_GAP = r"(?:[^\n|;&]{0,300}?\s)"
"""Other arguments of the same command."""
_SUBSTITUTED = r"""(?:"[^"\n]*"?|'[^'\n]*'?|(?![-<$])[^\s"')]+)"""
"""A word inside of parentheses."""
_WORD = r"""(?:"[^"\n]*"?|'[^'\n]*'?|(?![-<$])[^\s"']+)"""

COMMAND_FORMS: tuple[CommandForm, ...] = (
    CommandForm(
        ("curl",),
        rf"(\bcurl\s{_GAP}??(?:-[a-zA-Z]{{0,6}}u|-U|--user|--proxy-user)"
        r"[\s=]?[\"']?[^\s:\"'<]{0,80}:)(?!<secret>)[^\s\"']+",
        f"{_MAN}/curl.1.html",
    ),
    CommandForm(
        ("curl", "wget", "http"),
        rf"(\b(?:curl|https?)\s{_GAP}??(?:-b|--cookie|-a|--auth)[\s=]?)(?=\S{{0,200}}[=:]){_WORD}",
        f"{_MAN}/curl.1.html",
    ),
    CommandForm(
        ("curl",),
        rf"(\bcurl\s{_GAP}??(?:-u|--user)[\s=]?[\"']?)(?!<secret>)[^\s:\"'<]{{8,}}(?=:[\"']?(?:\s|$))",
        f"{_MAN}/curl.1.html",
    ),
    CommandForm(
        ("chpasswd",),
        r"(\bchpasswd\s*<<<\s*[\"']?[\w-]{1,32}:|\becho\s+[\"']?[\w-]{1,32}:(?=[^\n|]{1,80}\|\s*(?:sudo\s+)?chpasswd))"
        r"(?!<secret>)[^\s\"'|]+",
        "https://man7.org/linux/man-pages/man8/chpasswd.8.html",
        has_option=False,
    ),
    CommandForm(
        ("net use",),
        rf"(\bnet use\s{_GAP}??/user:\S+\s+)(?![/<]){_WORD}",
        "https://learn.microsoft.com/windows-server/administration/windows-commands/net-use",
        has_option=False,
    ),
    CommandForm(
        ("<<<", "<(echo ", "<(printf "),
        rf"((?i:passw(?:or)?d|token|secret|cred|key|login)[^\n|;<]{{0,80}}?"
        rf"(?:<<<\s?|<\((?:echo|printf)\s(?:-n\s)?)){_SUBSTITUTED}",
        f"{_MAN}/bash.1.html#REDIRECTION",
        has_option=False,
    ),
    CommandForm(
        ("http-basic.",),
        rf"(\bhttp-basic\.\S+\s+\S+\s+){_WORD}",
        "https://python-poetry.org/docs/repositories/#configuring-credentials",
        has_option=False,
    ),
    CommandForm(
        ("mysql", "mariadb"),
        rf"(\b(?:mysql|mariadb)[\w-]*\s{_GAP}??-p)(?!\s|<secret>){_WORD}",
        "https://dev.mysql.com/doc/refman/8.4/en/connecting.html",
    ),
    CommandForm(
        ("mysql", "mariadb"),
        r"([\"'](?:\S{0,200}/)?(?:mysql|mariadb)[\w-]*[\"'][^\n]{0,300}?[\"']-p)(?!<secret>)[^\"'\n]+",
        "https://dev.mysql.com/doc/refman/8.4/en/connecting.html",
    ),
    CommandForm(
        ("-p",),
        rf"((?<!\S)(?:-u\s?|--user[\s=])[\w.@-]{{1,60}}\s+-p\s?)(?!<secret>|\d{{1,5}}(?:\s|$)){_WORD}",
        "https://docs.docker.com/reference/cli/docker/login/",
    ),
    CommandForm(
        (" -p ", " -P ", " -w ", " -W ", " -A ", " -X ", " -k ", " -a "),
        r"((?<!\S)-[pPwWAXka]\s[\"']?)(?=\S{0,200}\d)(?=\S{0,200}[a-z])(?=\S{0,200}[A-Z])(?=\S{0,200}[!#%^&*~?@+])"
        r"(?!<secret>)[^\s\"'/\\=:]{8,}(?=[\"']?(?:\s|$))",
        "https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap12.html",
    ),
    CommandForm(
        ("echo ", "printf "),
        r"(\b(?:echo|printf)\s(?:-n\s)?[\"']?)(?=\S{0,200}\d)(?=\S{0,200}[a-z])(?=\S{0,200}[A-Z])(?=\S{0,200}[!#%^&*~?+])"
        r"(?!<secret>)[^\s\"'/\\=:$|<>()]{8,}(?=[\"']?\s*\|)",
        f"{_MAN}/echo.1.html",
        has_option=False,
    ),
    CommandForm(
        ("keyring set",),
        rf"(\bkeyring\sset\s\S+\s\S+\s)(?![-<]){_WORD}",
        "https://github.com/jaraco/keyring#command-line-utility",
        has_option=False,
    ),
    CommandForm(
        ("-p",),
        r"((?<![\w-])-p)(?=\S{0,200}[A-Z])(?=\S{0,200}[a-z])(?=\S{0,200}\d)(?![\d.:]+(?:\s|$)|\S{0,200}[/=\\])[^\s\"',;]{6,}",
        "https://dev.mysql.com/doc/refman/8.4/en/connecting.html",
    ),
    CommandForm(
        ("sshpass",), rf"(\bsshpass\s{_GAP}??-p\s?){_WORD}", "https://linux.die.net/man/1/sshpass"
    ),
    CommandForm(
        ("login",),
        rf"(\blogin\s{_GAP}??(?:-p|--password|--token|--api-key|--key)[\s=]){_WORD}",
        "https://docs.docker.com/reference/cli/docker/login/",
    ),
    CommandForm(
        ("login", "authtoken"),
        r"(\b(?:wandb|vault|comet|hf|huggingface-cli|clearml|oc|netlify|railway|ngrok)"
        r"(?:\s(?:auth|config|add-authtoken|authtoken|login|add)){1,3}"
        r"(?:\s--?[\w-]+(?:=\S+)?){0,4}\s[\"']?)(?=[\w.-]{0,200}[\d])(?!-)[\w.-]{8,}(?![\w./-])",
        "https://docs.wandb.ai/models/ref/cli/wandb-login",
        has_option=False,
    ),
    CommandForm(
        (
            "redis-cli",
            "ipmitool",
            "ldap",
            "mongo",
            "beeline",
            "sqlcmd",
            "zip",
            "7z",
            "rar",
            "smbclient",
        ),
        rf"(\b(?:redis-cli\s{_GAP}??-a|ipmitool\s{_GAP}??-P|ldap\w+\s{_GAP}??-w"
        rf"|mongo\w*\s{_GAP}??-p|beeline\s{_GAP}??-p|sqlcmd\s{_GAP}??-P|(?:un)?zip\s{_GAP}??-P)\s?)"
        rf"(?!<secret>){_WORD}",
        "https://redis.io/docs/latest/develop/tools/cli/",
    ),
    CommandForm(
        ("7z", "rar "),
        rf"(\b(?:7z[ar]?|rar)\s{_GAP}??-h?p)(?!\s|<secret>){_WORD}",
        "https://7-zip.org",
    ),
    CommandForm(
        ("pass:",),
        r"((?<![\w-])pass:)(?=\S{0,200}[\d!-/]|\S{9,})[^\s\"',;]{4,}",
        "https://docs.openssl.org/master/man1/openssl-passphrase-options/",
        has_option=False,
    ),
    CommandForm(
        ("%",),
        r"((?<!\S)(?:-U|--user)[\s=][\"']?[\w.\\/-]{1,60}%)[^\s\"']+",
        "https://www.samba.org/samba/docs/current/man-html/smbclient.1.html",
    ),
    CommandForm(
        ("dentified by", "DENTIFIED BY"),
        rf"(\b(?:IDENTIFIED\s+BY\s+|(?i:identified\s+by\s+(?:password\s+)?)(?=['\"]))(?i:password\s+)?)"
        rf"(?!(?i:password)\s){_WORD}",
        "https://dev.mysql.com/doc/refman/8.4/en/create-user.html",
        has_option=False,
    ),
    CommandForm(
        ("login ",),
        r"(login\s+[^\s|]+\s+password\s+)(?!\|)\S+",
        "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html",
        has_option=False,
    ),
    CommandForm(
        ("net use",),
        rf"(\bnet use\s(?:[A-Za-z]:|\*)\s\\\\\S+\s+)(?![/<*]){_WORD}",
        "https://learn.microsoft.com/windows-server/administration/windows-commands/net-use",
        has_option=False,
    ),
    CommandForm(
        ("ssh-keygen", "gpg-preset", "htpasswd", "openssl", "mosquitto", "snmp", "cqlsh", "lftp"),
        rf"(\b(?:ssh-keygen\s{_GAP}??-[NP]|gpg-preset-passphrase\s{_GAP}??-P|htpasswd\s{_GAP}??-\w*b\w*\s\S+\s\S+\s|cqlsh\s{_GAP}??-p"
        rf"|openssl\senc\s{_GAP}??-k|mosquitto_\w+\s{_GAP}??-P|snmp\w+\s{_GAP}??-[AXc]"
        rf"|lftp\s{_GAP}??-u\s?[\w.@-]+,)\s?)(?!<secret>){_WORD}",
        f"{_MAN}/ssh-keygen.1.html",
    ),
    CommandForm(
        ("etcdctl", "-literal"),
        rf"(\b(?:etcdctl\s{_GAP}??--user[\s=]\S+?:|kubectl\s{_GAP}??--from-literal[\s=][\w.-]+=))"
        rf"(?!<secret>)(?:[\"'][^\"'\n]*|[^\s\"'@]+)",
        "https://kubernetes.io/docs/reference/kubectl/generated/kubectl_create/kubectl_create_secret_generic/",
    ),
    CommandForm(
        ("rclone", "wpa_pass", "sqlplus", "freerdp"),
        r"(\b(?:rclone\sobscure\s|wpa_passphrase\s\S+\s|sqlplus\s(?:-\S+\s)*[\w.]+/"
        rf"|\w*freerdp\d?\s{_GAP}??/p:))(?!<secret>)(?:[\"'][^\"'\n]*|[^\s\"'@]+)",
        "https://rclone.org/commands/rclone_obscure/",
        has_option=False,
    ),
    CommandForm(
        ("<<<", "echo ", "printf "),
        r"((?:<<<\s?|\b(?:echo|printf)\s(?:-n\s)?)[\"']?)(?=[^\s|)]{0,200}\d)(?=[^\s|)]{0,200}[a-z])"
        r"(?=[^\s|)]{0,200}[A-Z])[^\s\"'|)$/=<>]{8,200}(?=[\"']?(?:\s*$|\)"
        r"|\s*>{1,2}\s?\S*(?i:token|secret|pass|cred|key|auth|netrc)|\s*\|(?!\s*(?:tee|cat|e?grep|wc|\w+sum|tr|sed|awk|xargs|base64|sort|head|tail|cut|bc|jq"
        r"|python\d?|sh|bash)\b)))",
        f"{_MAN}/bash.1.html#REDIRECTION",
        has_option=False,
    ),
    CommandForm(
        ("('", '("'),
        r"((?<![A-Za-z])(?:\w*_)?(?:auth\s?=\s?\[?|\w*(?:Basic|Digest)Auth|login|authenticate|(?:simple_)?bind(?:_s)?)\(\s?"
        r"[\"'][^\"'\n]{1,80}[\"'],\s?[\"'])"
        r"(?!<secret>|(?:pass|password|secret|token)[\"'])[^\"'\n]{4,200}(?=[\"'])",
        "https://requests.readthedocs.io/en/latest/user/authentication/",
        has_option=False,
    ),
    CommandForm(
        ("login(", "authenticate(", "_key(", "_token("),
        r"(\b(?:\w+\.)?(?:login|authenticate|set_(?:api_)?(?:key|token))\(\s?[\"'])(?=[^\"'\n]{0,200}\d)"
        r"(?!<)[^\"'\s]{16,200}(?=[\"'])",
        "https://docs.wandb.ai/models/ref/python/functions/login",
        has_option=False,
    ),
    CommandForm(
        ("send",),
        r"(\bsend\s(?:--\s)?[\"'])(?=[^\"'\n]{0,200}(?:\d|[a-z][A-Z]))[^\"'\s$]{6,60}(?=\\[rn][\"'])",
        f"{_MAN}/expect.1.html",
        has_option=False,
    ),
    CommandForm(
        ("user create", "add_user", "change_password", "net user ", "unlock "),
        r"(\b(?:samba-tool user (?:create|add)|rabbitmqctl\s(?:add_user|change_password)"
        rf"|net user)\s[\w.-]+\s|\bbw unlock\s)(?![/<-]){_WORD}",
        "https://www.rabbitmq.com/docs/man/rabbitmqctl.8",
        has_option=False,
    ),
    CommandForm(
        ("$",),
        r"((?<![\w$])\$(?:1|2[abxy]|5|6|7|y|apr1|argon2id?|scrypt)\$)[\w./,=+$-]{20,}",
        "https://man7.org/linux/man-pages/man5/crypt.5.html",
        has_option=False,
    ),
    CommandForm(
        ("pbkdf2",),
        r"(\bpbkdf2[\w:.-]{0,20}?[.:$]\d{3,7}[.:$])(?!<secret>)[\w./+=$:-]{20,}",
        "https://www.gnu.org/software/grub/manual/grub/html_node/Security.html",
        has_option=False,
    ),
    CommandForm(
        ("wandb",),
        r"(\bwandb\b(?![^\n]{0,160}(?i:commit|sha|git|hash))[^\n]{0,60}?(?<![0-9a-f]))"
        r"[0-9a-f]{40}(?![0-9a-f])",
        "https://docs.wandb.ai/models/ref/cli/wandb-login",
        has_option=False,
    ),
    CommandForm(
        ("-u ",),
        r"((?<!\S)-u\s[\"']?[\w.@-]{1,60}:)(?=\S{0,200}\d)(?=\S{0,200}[a-z])(?=\S{0,200}[A-Z])[^\s\"']{8,}",
        "https://www.elastic.co/docs/reference/elasticsearch/command-line-tools",
    ),
    CommandForm(
        ("add-mask::", "task.setsecret"),
        r"(::add-mask::|##vso\[task\.setsecret\])[^\n]+",
        "https://docs.github.com/actions/reference/workflow-commands-for-github-actions",
        has_option=False,
    ),
    CommandForm(
        ("/rp ", "Key Content"),
        rf"((?:\s/rp\s|\bKey Content\s+:\s)\s{{0,3}})(?=\S{{0,200}}\d|\S{{9}}){_WORD}",
        "https://learn.microsoft.com/windows-server/administration/windows-commands/schtasks-create",
        has_option=False,
    ),
    CommandForm(
        ("authorize-account", "account authorize"),
        r"(\bb2\s(?:authorize-account|account\sauthorize)\s)(?![-$<])\S+(?:\s[^\s$-]\S*)?",
        "https://b2-command-line-tool.readthedocs.io/en/master/subcommands/account_authorize.html",
        has_option=False,
    ),
    CommandForm(
        ("mc alias", "mc config"),
        r"(\bmc\s(?:alias\sset|config\shost\sadd)\s\S+\s\S+\s)[\"']?\S+\s\S+",
        "https://min.io/docs/minio/linux/reference/minio-mc/mc-alias-set.html",
        has_option=False,
    ),
    CommandForm(
        ("mc admin", "ftp "),
        r"(\bmc\sadmin\suser\s(?:svcacct\s)?add\s\S+\s\S+\s"
        r"|\bl?ftp\s[^\n|&]{0,80}?[\"';]\s?user\s[\w.@-]+[\s,])(?!<secret>)"
        r"[^\s\"';]+",
        "https://min.io/docs/minio/linux/reference/minio-mc-admin/mc-admin-user.html",
        has_option=False,
    ),
    CommandForm(
        ("FTP(", "FTP_TLS(", ".connect("),
        r"(\b(?:FTP(?:_TLS)?|(?:pymysql|MySQLdb|mysql\.connector|psycopg2?|oracledb|cx_Oracle"
        r"|pymssql)\.connect)\(\s?[\"'][^\"'\n]{1,80}[\"'],\s?[\"'][^\"'\n]{1,80}[\"'],\s?[\"'])"
        r"(?!<secret>)[^\"'\n]{3,200}(?=[\"'])",
        "https://peps.python.org/pep-0249/#connect",
        has_option=False,
    ),
    CommandForm(
        ("SecretStr(", "SecretBytes("),
        r"(\bSecret(?:Str|Bytes)\(b?[\"'])(?!\*+[\"'])[^\"'\n]+",
        "https://docs.pydantic.dev/latest/api/types/",
        has_option=False,
    ),
)
