"""Secrets in records whose name stands a level above, or behind the value."""

from pipedoctor.privacy.secrets.command_form import CommandForm

_TERRAFORM = "https://developer.hashicorp.com/terraform/language"
_Q = r"\\{0,3}[\"']"
_NAMED = (
    r"[\w.-]*(?i:passw(?:or)?d|passphrase|secret|credential|api_?key|access_?key|private_?key"
    r"|(?<![a-z])token)(?![a-z]{2})[\w.-]*"
)
"""The name of a variable that holds a secret."""
_SCALAR = rf"(?:true|false|null|\d+|{_Q}[^\"'\n{{}}]{{0,60}}{_Q}|\[[^\]\n]{{0,80}}\])"
_NO_VALUE = r"(?!<secret>|\$|\{\{|None\b|null\b|true\b|false\b)"

_VALUE_MARKS = ('alue":', "alue':", 'alue" ', "alue' ", "alue\\", "alue =", "alue  ", 'alue="')

RECORD_FORMS: tuple[CommandForm, ...] = (
    CommandForm(
        _VALUE_MARKS,
        rf"((?<!\w){_Q}?{_NAMED}{_Q}?\s?[:=]\s?\{{\s{{0,40}}(?:{_Q}?(?!value\b)\w{{1,24}}{_Q}?\s{{0,8}}[:=]\s?{_SCALAR}"
        rf",?\s{{1,40}}){{0,6}}{_Q}?value{_Q}?\s{{0,8}}[:=]\s?{_Q}){_NO_VALUE}[^\"'\n]{{3,}}",
        f"{_TERRAFORM}/values/outputs",
        has_option=False,
    ),
    CommandForm(
        _VALUE_MARKS,
        rf"({_Q}?sensitive{_Q}?\s{{0,8}}[:=]\s?true,?\s{{1,40}}(?:{_Q}?"
        rf"(?!value\b)\w{{1,24}}{_Q}?\s{{0,8}}[:=]\s?{_SCALAR}"
        rf",?\s{{1,40}}){{0,6}}{_Q}?value{_Q}?\s{{0,8}}[:=]\s?{_Q}){_NO_VALUE}[^\"'\n]{{3,}}",
        f"{_TERRAFORM}/values/outputs",
        has_option=False,
    ),
    CommandForm(
        _VALUE_MARKS,
        rf"({_Q}?value{_Q}?\s{{0,8}}[:=]\s?{_Q}){_NO_VALUE}[^\"'\n]{{3,200}}"
        rf"(?={_Q},?\s{{1,40}}(?:{_Q}?"
        rf"(?!value\b)\w{{1,24}}{_Q}?\s{{0,8}}[:=]\s?{_SCALAR},?\s{{1,40}}){{0,4}}"
        rf"(?:{_Q}?sensitive{_Q}?\s{{0,8}}[:=]\s?true\b|{_Q}?(?:name|key"
        rf"|variable){_Q}?\s{{0,8}}[:=]\s?{_Q}{_NAMED}{_Q}))",
        f"{_TERRAFORM}/state/sensitive-data",
        has_option=False,
    ),
    CommandForm(
        ("alue:",),
        rf"(?m)(^[ \t]*(?:-[ \t]*)?value:[ \t]+){_NO_VALUE}[^\s#][^\n]*(?=\n[ \t]+(?:name"
        rf"|key):[ \t]+[\"']?{_NAMED}"
        r"[\"']?[ \t]*(?:\n|$))",
        "https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/",
        has_option=False,
    ),
    CommandForm(
        ("output ", "variable ", "random_pass"),
        rf"(\b(?:output|variable)\s+\"{_NAMED}\"\s*\{{[^}}]{{0,400}}?\b(?:value|default)\s*=\s*\""
        r"|\bresource\s+\"random_password\"\s+(?:\"\w+\"|<secret>)\s*\{[^}]{0,400}?\b(?:result"
        r"|bcrypt_hash)\s*=\s*\")"
        rf"{_NO_VALUE}[^\"\n]{{3,}}",
        f"{_TERRAFORM}/values/variables",
        has_option=False,
    ),
    CommandForm(
        ("-> ",),
        rf"((?<!\w){_NAMED}\"?\s{{0,40}}=\s(?:<secret>|\"[^\"\n]*\")\s->\s\"?){_NO_VALUE}"
        rf"(?!\()[^\"\s][^\"\n]{{2,}}",
        f"{_TERRAFORM}/state/sensitive-data",
        has_option=False,
    ),
)
