"""Secrets that commands print on the next line, and that prompts and tools ask for."""

from pipedoctor.privacy.secrets.command_form import CommandForm

_PRINTING = (
    r"vault kv get -field=\S+ \S+|op read \S+|(?:go)?pass show \S+|gh auth token"
    r"|bw get password \S+|security find-generic-password [^\n]{0,200}-w"
    r"|gcloud auth print-(?:access|identity)-token"
    r"|kubectl get secret [^\n]{0,200}base64 (?:-d|--decode)|aws ecr get-login-password[^\n]{0,200}"
)
_PRINTED = (
    rf"(?m)(^[^\n]{{0,80}}?\b(?:{_PRINTING})[ \t]*\n)"
    r"(?!<secret>)[^\s$#<]\S{3,}(?=[ \t]*(?:\n|$))"
)
_NO_VALUE = r"(?!<secret>|(?:permission|incorrect|bad|wrong|denied)\b)"

PRINTED_FORMS: tuple[CommandForm, ...] = (
    CommandForm(
        ("hrase for ",),
        rf"(?i)(\bpass ?phrase for (?:key )?[\"'][^\"'\n]{{1,300}}[\"']:[ \t]+){_NO_VALUE}\S[^\n]*",
        "https://man.openbsd.org/ssh-add",
        has_option=False,
    ),
    CommandForm(
        ("nter ", "nlock", "ssword for ", "hrase for ", "PIN for "),
        r"(?im)((?:^|\b(?:enter|type|please)[ ](?:the[ ]|your[ ]|existing[ ]|new[ ]|old[ ]"
        r"|luks[ ])?)"
        r"(?:any[ ]remaining[ ])?(?:luks[ ])?(?:pass ?phrase|password|passcode|pin)[ ](?:for|to"
        r"|of|on)[ ]"
        rf"(?:[^\s:]{{1,60}}[ ]){{0,5}}[^\s]{{1,200}}:[ \t]+){_NO_VALUE}"
        r"(?![a-z]+(?:ed|ing|able|ible)\b|(?:no|not|must|is|was|cannot|invalid|expired)\b)"
        r"\S+(?:[ ]\S+){0,5}(?=[ \t]*(?:\n|$))",
        "https://man7.org/linux/man-pages/man8/cryptsetup.8.html",
        has_option=False,
    ),
    CommandForm(
        ("erify", "gain", "etype", "epeat", "onfirm", "enter"),
        r"(?im)(^[^\n]{0,60}pass(?:word|phrase|code)[^\n:]{0,60}:[ \t]*\S[^\n]{0,100}\n[^\n:]{0,20}"
        r"\b(?:verify|again|retype|repeat|confirm|re-?enter)\b[^\n:]{0,40}:[ \t]*)"
        rf"{_NO_VALUE}\S[^\n]{{2,60}}",
        "https://man7.org/linux/man-pages/man1/vncpasswd.1.html",
        has_option=False,
    ),
    CommandForm(
        ("kv get", "op read", "pass show", "auth token", "print-", "get password"),
        _PRINTED,
        "https://developer.hashicorp.com/vault/docs/commands/kv/get",
        has_option=False,
    ),
    CommandForm(
        ("get secret ", "find-generic", "get-login"),
        _PRINTED,
        "https://kubernetes.io/docs/tasks/configmap-secret/managing-secret-using-kubectl/",
        has_option=False,
    ),
    CommandForm(
        (" p: ", " pw: ", " pass: "),
        r"(?m)((?:^|(?<=\s))u(?:ser)?:\s?\S{2,40},?\s+p(?:w|ass)?:\s?)(?!<secret>)\S{4,}",
        "https://owasp.org/www-project-web-security-testing-guide/",
        has_option=False,
    ),
    CommandForm(
        (" to ",),
        r"((?i:\b(?:changed?|set|reset|rotated?|updated?)\s(?:[\w-]{1,16}\s){0,4}"
        r"(?:password|passphrase|passwd)\sto:?\s)[\"']?)(?!<secret>)"
        r"(?=[^\s\"',;]{0,200}[A-Z\d!@#$%^&*_+])[^\s\"',;]{5,}",
        "https://owasp.org/www-project-web-security-testing-guide/",
        has_option=False,
    ),
    CommandForm(
        (" password ",),
        r"((?i:\busers?(?:name)?:?\s[\"']?\S{1,40}\s(?:and|with)\s(?:the\s)?password\s)[\"']?)"
        r"(?!<secret>|(?:is|was|to|for|in|from|are|must|should|not|in|has|are|protected)\b)"
        r"[^\s\"',;.][^\n\"',;.]{3,60}",
        "https://owasp.org/www-project-web-security-testing-guide/",
        has_option=False,
    ),
    CommandForm(
        (" password ",),
        r"((?i:\b(?:log(?:ged)?[ -]?in|logon|connect(?:ed|ing)?"
        r"|authenticat(?:ed|ing|ion)|sign(?:ed)?[ -]in)"
        r"\s(?:to\s\S{1,60}\s)?(?:as\s)?\S{1,40}\s(?:and|with|using)\s(?:the\s)?password\s)[\"']?)"
        r"(?!<secret>|(?:is|was|to|for|in|from|are|must|should|not|has|protected|auth\w*|and|or|file"
        r"|prompt|manager|only|based|authentication|login|instead|hash\w*|policy|failed|on|at)\b)"
        r"[^\s\"',;.]{4,60}",
        "https://owasp.org/www-project-web-security-testing-guide/",
        has_option=False,
    ),
    CommandForm(
        ("pass",),
        r"((?i:\busers?(?:name)?:?\s[\"']?\S{1,40}\s?[/|,]\s?pass(?:word|wd|phrase)?:?\s)[\"']?)"
        r"(?!<secret>)[^\s\"',;/|]{3,}",
        "https://owasp.org/www-project-web-security-testing-guide/",
        has_option=False,
    ),
    CommandForm(
        ("password",),
        r"((?i:\bpassword\s(?:(?:was|is|has\sbeen|got)\s)?(?:now\s)?(?:changed|set|reset|updated"
        r"|rotated)"
        r"\sto:?\s)[\"']?)(?!<secret>)(?=[^\s\"',;]{0,200}[A-Z\d!@#$%^&*_+])[^\s\"',;]{5,}",
        "https://owasp.org/www-project-web-security-testing-guide/",
        has_option=False,
    ),
    CommandForm(
        ("password's",),
        r"(?im)(\b(?:the|my|our|your)\s(?:\w+\s)?password's\s[\"']?)"
        r"(?!<secret>|(?:not|too|in|on|the|a|been|length|hash|wrong|expired"
        r"|strength)\b)[\w!@#$%^&*.+-]{4,}"
        r"(?=[\"']?[.,;!]?(?:\s*$|\s(?:and|but|for|until|now)\b))",
        "https://owasp.org/www-project-web-security-testing-guide/",
        has_option=False,
    ),
    CommandForm(
        ("SecureString",),
        r"(\bConvertTo-SecureString\s(?:-String\s)?[\"'])(?!<secret>)[^\"'\n$]{3,}",
        "https://learn.microsoft.com/powershell/module/microsoft.powershell.security/convertto-securestring",
        has_option=False,
    ),
    CommandForm(
        ("assword ", "assphrase ", "asswd "),
        r"(?im)(\b(?:invalid|wrong|bad|incorrect|unknown|weak)[ ](?:password|passphrase"
        r"|passwd)[ ][\"'`]?)"
        r"(?!<secret>|\$|%|\{|(?:hash(?:es)?|formats?|length|attempts?|entered|supplied|given"
        r"|provided|or|and|for|in|on"
        r"|from|error|type|policy|count|file|used|detected|received|encoding|prompts?|field|value"
        r"|reset"
        r"|change|combination|specified|exception|is|was|to|of|at|by|with|too|not|may|must|when"
        r"|if|try|please"
        r"|characters?|strength|digest|method|response|auth\w*|login|access|option|argument"
        r"|configuration"
        r"|errors|limit|rejected|again|tries|history)\b)[^\s\"'`,;:]{4,200}(?=[\"'`]?[.,;:!]?"
        r"(?:[ \t]*$|[ ](?:for|from|by|at|on)\b))",
        "https://redis.io/docs/latest/commands/auth/",
        has_option=False,
    ),
    CommandForm(
        ("<<<",),
        r"(\b(?:kinit|sudo -S|su|passwd|cryptsetup|gpg|ssh-add|openssl|smbclient)\b[^\n|;&]{0,200}?"
        r"<<<\s?"
        r"[\"']?)(?!<secret>|\$)[^\s\"']{3,}",
        "https://www.gnu.org/software/bash/manual/html_node/Redirections.html#Here-Strings",
        has_option=False,
    ),
    CommandForm(
        ("G-",),
        r"(\b(?i:codes?|sms|otp)\b[^\n]{0,30}?\b)G-\d{6}\b",
        "https://support.google.com/accounts/answer/1187538",
        has_option=False,
    ),
    CommandForm(
        (" codes", " Codes"),
        r"(?i)(\b(?:recovery|backup|scratch|2fa|mfa|one-time)[\s-]codes(?:\sare)?\s?[:=]?\s{1,4})"
        r"(?=\S{0,200}\d)[\w-]{6,}(?:[ ,;]{1,3}(?=\S{0,200}\d)[\w-]{6,})*",
        "https://docs.github.com/en/authentication/securing-your-account-with-two-factor-authentication-2fa/configuring-two-factor-authentication-recovery-methods",
        has_option=False,
    ),
)
"""Where a person or a program has just been asked for one, or is about to be told one."""
