"""Passwords that commands read from their input, store, or show where somebody asks for one."""

from pipedoctor.privacy.secrets.command_form import CommandForm

_MAN = "https://man7.org/linux/man-pages/man1"
_READERS = (
    r"(?:cryptsetup|veracrypt|zfs\sload-key|zfs\screate|ecryptfs-[\w-]+|encfs|gocryptfs|securefs|cryfs)\b"
    r"|(?:kinit|smbpasswd|pdbedit|vncpasswd|ipmitool|mount\.(?:cifs|davfs)|mount\s-t\s(?:cifs|davfs)|ssh-add"
    r"|sshpass|secret-tool\sstore|keyctl\sp(?:add|update)|pass\sinsert|borg|restic|rclone\sobscure"
    r"|mysql_config_editor|wpa_passphrase|grub-mkpasswd\w*|mkpasswd|age|keyring\sset|systemd-creds"
    r"|gh\sauth|(?:huggingface-cli|hf|wandb)\s(?:auth\s)?login)(?![\w.])|su\s(?:-|[a-z])"
    r"|[^\n|;&]{0,120}(?:\s-S\b|\s--?(?:\w+-)?stdin\b|\bpass\w*[=\s_:]stdin\b|--passphrase-fd|--with-token\b"
    r"|\bsecrets?\s(?:create|set)\b)"
)
"""Commands, or their options, that read a password from their standard input."""
_PRINTED = (
    r"(?!<secret>|-|\$|%|[\"']?your[-_ ]|(?i:y|yes|n|no)\b)"
    r"(?:\"[^\"\n$]+\"|'[^'\n$]+'|(?![\"'])[^\s\"'|]+)"
)
_RUN = r"(?:(?:/\S+/)?(?:sudo\s(?:-\w\s)*|env\s|nohup\s)?)"
_STORES = (
    r"secretsmanager\s[\w-]+|keyvault\ssecret\sset|(?:gh|glab)\ssecret\sset|secret-manager\s[\w-]+"
    r"|ssm\sput-parameter\s(?=[^\n]{0,200}SecureString)|add-(?:generic|internet)-password|(?:secret|secrets|credential)"
    r"\s(?:create|set|put|add)"
)
_NAMED = (
    r"[\w./\[\]\"'-]*(?i:passw(?:or)?d|passphrase|(?<![a-z])pass|secret|api_?key|credential"
    r"|(?<![a-z])token(?![a-z_]))(?![a-z]{2})[\w.-]*[\"'\])]*"
)
"""The name of a variable or a file that holds a secret: of it the next line is the value."""
_SHOWS = (
    rf"(?:printenv|config:get|git config --get|(?:variables|config|secrets) get) {_NAMED}"
    rf"|echo [\"']?(?:\$\{{?|%){_NAMED}[}}%]?|\$env:{_NAMED}|(?:cat|type)"
    rf" (?:/run/secrets/\S+|{_NAMED})"
    r"|secret-tool lookup [^\n]{1,80}|security find-\w+-password [^\n]{1,80}|keyring get \S+ \S+"
    r"|az keyvault secret show [^\n]{1,160}|gcloud secrets versions access [^\n]{1,120}"
    r"|aws (?:ssm get-parameter|secretsmanager get-secret-value) [^\n]{1,200}--output text"
)
_SHOWING_MARKS = (
    *("printenv", "onfig", "echo ", "env:", "cat ", "type ", "secret", "find-", "keyring"),
    *(" get ", "get-parameter"),
)
_CONSOLE = r"(?:>>>|In \[\d+\]:|\((?:Pdb|gdb|lldb)\)|ipdb>)"

INPUT_FORMS: tuple[CommandForm, ...] = (
    CommandForm(
        ("echo ", "printf ", "yes "),
        rf"(\b(?:echo|printf|yes)\s(?:-[neE]{{1,3}}\s|['\"]?%s(?:\\n)?['\"]?\s)?){_PRINTED}"
        rf"(?=\s*\|\s*{_RUN}(?:{_READERS}))",
        f"{_MAN}/echo.1.html",
        has_option=False,
    ),
    CommandForm(
        ("<<<",),
        rf"((?:^|(?<=[\s;&|])){_RUN}(?:{_READERS})[^\n|;&<]{{0,120}}<<<\s?){_PRINTED}",
        f"{_MAN}/bash.1.html#REDIRECTION",
        has_option=False,
    ),
    CommandForm(
        ("<<",),
        rf"((?:^|(?<=[\s;&|])){_RUN}(?:{_READERS})[^\n|;&<]{{0,120}}<<-?\s?['\"]?(?P<end>\w+)['\"]?\n)"
        r"(?!<secret>)[^\n]+(?=\n\s*(?P=end)\b)",
        f"{_MAN}/bash.1.html#REDIRECTION",
        has_option=False,
    ),
    CommandForm(
        ("secret", "SecureString", "-password", "credential"),
        rf"(\b(?:{_STORES})\b[^\n|;&]{{0,200}}?"
        r"\s(?:--(?:value|body|data|secret-string|string|secret)|-b|-w)[ =]?)"
        rf"(?!file:|@){_PRINTED}",
        "https://docs.aws.amazon.com/cli/latest/reference/secretsmanager/create-secret.html",
    ),
    CommandForm(
        _SHOWING_MARKS,
        rf"(?m)(^(?:[^\n]{{0,80}}?[$#>%]\s?)?(?:heroku )?(?:{_SHOWS})[ \t]*\n)(?!<secret>|\w+:$)"
        r"[^\s$#<>{\[(]\S{3,}(?=[ \t]*(?:\n|$))",
        f"{_MAN}/printenv.1.html",
        has_option=False,
    ),
    CommandForm(
        (">>> ", "In [", "(Pdb)", "(gdb)", "(lldb)", "ipdb>"),
        rf"(?m)(^{_CONSOLE}[ ](?:p(?:rint|p|o)?[ (]|repr\(|str\()?(?:{_NAMED}"
        rf"|os\.(?:environ\[|getenv\()[\"']{_NAMED}|getpass(?:\.getpass)?\([^)\n]{{0,60}}\))"
        rf"[)\] \t]*\n(?:Out\[\d+\]:[ ]|\$\d+ = )?"
        r"b?[\"']?)(?!<secret>|None\b|True\b|False\b|Traceback\b)"
        r"[^\s\"'<>(]{4,}(?=[\"']?[ \t]*(?:\n|$))",
        "https://docs.python.org/3/tutorial/interpreter.html#interactive-mode",
        has_option=False,
    ),
    CommandForm(
        ("> AUTH ", "> auth "),
        r"(> (?:AUTH|auth) (?:\S+ )?)(?!<secret>)\S+(?=\s*(?:\n|$))",
        "https://redis.io/docs/latest/commands/auth/",
        has_option=False,
    ),
    CommandForm(
        ("ftp> ",),
        r"(ftp> (?:open|user) [\w.-]+[: ])(?!<secret>)[^\s@]{4,}",
        f"{_MAN}/ftp.1.html",
        has_option=False,
    ),
    CommandForm(
        ("PASS ",),
        r"(\bUSER \S+[^\n]*\n(?:[^\n]*\n){0,2}[^\n]{0,24}?\bPASS )(?!<secret>)\S+(?=\s*(?:\n|$))",
        "https://www.rfc-editor.org/rfc/rfc959",
        has_option=False,
    ),
    CommandForm(
        (" as ",),
        r"(\b(?:typed?|enter(?:ed)?|used?|tr(?:y|ied)|gave)\s[\"'`]?)(?!<secret>|it\b|that\b)[^\s\"'`]{4,}"
        r"(?=[\"'`]?\sas\s(?:the|my|a)\s(?:\w+\s)?(?:password|passphrase|passcode|token|pin)\b)",
        "https://owasp.org/www-project-web-security-testing-guide/",
        has_option=False,
    ),
    CommandForm(
        ("redentials are ", "redentials: ", "reds are ", "reds: ", "ogin is ", "ogin: "),
        r"(?m)(\b(?i:credentials?|creds|login)(?:\s(?:is|are)|:)\s[\w-]+/)(?!<secret>)[^\s/.,;]{5,}"
        r"(?=[.,;]?\s*$)",
        "https://owasp.org/www-project-web-security-testing-guide/",
        has_option=False,
    ),
    CommandForm(
        ("password ",),
        r"(\bpassword )(?!<secret>|(?:authentication|auth|login|was|is|has|hash|file|change|check"
        r"|prompt)\b)\S{4,}"
        r"(?= (?:rejected|refused|is wrong|is invalid)\b)",
        "https://owasp.org/www-project-web-security-testing-guide/",
        has_option=False,
    ),
)
