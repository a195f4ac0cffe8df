"""Passwords that commands read from their input, and those of commands that store secrets."""

from pipedoctor.privacy.command_form import CommandForm

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
_PRINTED = r"""(?!<secret>|-|\$|%|(?i:y|yes|n|no)\b)(?:"[^"\n$]+"|'[^'\n$]+'|(?!["'])[^\s"'|]+)"""
_RUN = r"(?:(?:/\S+/)?(?:sudo\s(?:-\w\s)*|env\s|nohup\s)?)"
_STORES = (
    r"secretsmanager\s[\w-]+|keyvault\ssecret\sset|(?:gh|glab)\ssecret\sset|secret-manager\s[\w-]+"
    r"|ssm\sput-parameter\s(?=[^\n]*SecureString)|add-(?:generic|internet)-password|(?:secret|secrets|credential)"
    r"\s(?:create|set|put|add)"
)

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
)
