"""How a name, a sign and a value are written: the expressions of `assignments`."""

import re

from pipedoctor.lazy_pattern import compile_lazily

MAX_NAME = 80
MAX_JUDGED = 200
"""Characters of a value that are looked at; if it is a secret, its rest goes with it."""
NAME_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

_QUOTE = r"(?:\\{0,3}[\"'`]|%2[27]|&quot;|&\#3[49];|\\{1,2}(?:u00|x)2[27])"
_ENCODED_SIGN = r"%3[AaDd]|&\#(?:58|61);|\\{1,2}(?:u00|x)3[AaDd]"
ENCODED_END = r"%2[0267cC]|%7[dD]|%0[aA]|&|\\{1,2}(?:u00|x)2[0267cC]"
"""Signs as addresses, pages and JSON write them: ``password%3Dx%26``, ``token&#61;x``."""
_TYPE = r"(?:[A-Za-z_][\w.]{0,30}(?:\[[\w., |]{1,30}\])?(?:\s\|\sNone)?)"
"""Of a variable: ``token: str | None = "x"``, ``var token string = "x"``."""
SEPARATOR = compile_lazily(
    rf"""(?=(?P<tail>(?:pass\ (?=phrase|word|code)|(?:session|secret)\ (?=id\b))?
    \w*(?:[.-]\w+)*))(?P=tail)  # never given back
    (?:{_QUOTE}|[\])»”]){{0,4}}
    (?:\ (?:is|was|has\ been)\ [a-z]{{2,12}}(?=\ (?:for|to|as|on)\ ))?
    (?:\ (?i:for|of|on|to|as|at|in)(?:\ [\w@.'-]{{1,30}}){{1,4}}?
    (?=\s?(?:[:=]\s|->|=>|→)|\s{{1,3}}(?:is|was)\s))?
    (?:\s?\([a-z0-9,\ ]{{2,20}}\)(?=\s?[:=]))?
    (?:
        (?P<value> (?:,\s{{0,40}}|\s{{1,40}}|\s?:\s{{0,40}}\{{\s{{0,40}}|\s?/?>\s{{0,40}}<) (?:-\s)?
        (?:[a-z_]{{1,12}}=[^,\n()=]{{1,40}},\s{{1,40}}){{0,3}}
        (?:{_QUOTE})? (?:val(?:ue)?|default) (?:{_QUOTE})? \s?[:=]\s?
        | </\w{{1,12}}>\s{{0,40}}<val(?:ue)?>\s{{0,40}}  # of XML
        | (?:[ ](?:--?|/)[a-z-]{{1,20}}[ ](?![/-])[\w.-]{{1,40}}){{0,3}}
        [ ](?:--(?:value|body|data)|-b|/d)[ =] )  # of a command
      | (?P<tag> (?:\s[\w:-]{{1,30}}=["'][^"'<>\n]{{0,200}}["']){{0,6}} >\s{{0,40}} )
        (?=[^<\s]|<secret>)
      | (?P<items> [ \t]?:[ \t]{{0,20}}\r?\n[ \t]{{0,40}}-[ \t]{{1,4}}
        (?=[^\s:]+[ \t]*(?:\r?\n|$)) )  # of YAML
      | (?:\s?:?\s{{0,2}}{_TYPE}(?=\s?=\s?(?:{_QUOTE}|<secret>)))?
        (?P<sign> (?:[ \t]{{4,40}}|\s{{0,3}})
        (?: => | -> | :{{1,3}}= | == | != | [+.?|]{{1,2}}= | = | : | → | {_ENCODED_SIGN} )
        (?:\s{{1,40}}(?={_QUOTE}\S)|(?:[ \t]|\\t|%20){{0,20}})
        (?:!!?[a-z]{{1,12}}\ | \s{{0,20}}string\(\d{{1,4}}\)\ )?  # a tag of YAML, a type of PHP
        (?:[|>][+-]?[ \t]?\r?\n[ \t]{{1,20}})? )  # its block
      | (?P<prose> \s{{1,3}} (?:is|was|will\ be|set\ to|reads):?\s{{1,3}}:?\s? )
      | (?P<pair> , \s{{0,3}} (?={_QUOTE}) )
      | (?P<row> , (?=[^\s,"'()\[\]]{{6,200}},?(?:\s|$)) )
      | (?P<space> [ \t]{{1,3}} (?:\|[ \t]{{1,3}})? | \|[ \t]{{0,3}} )  # a table
      | (?P<line> \r?\n [ \t]{{0,12}} (?:-\ )? )
    )""",
    re.VERBOSE,
)
VALUE = compile_lazily(
    rf"""(?P<open>(?:(?:Secret(?:Str|Bytes)?|Password)\(|(?:str|bytes|quote(?:_plus)?)\((?=\s?["']))?[\[(«“„]?)
    (?:[bBrRuUfF]{{1,2}}(?=["']))?
    (?:
        (?P<quote>\"{{3}}|'{{3}}|{_QUOTE})
        (?P<quoted>(?:(?!(?P=quote))[^\n\\]|(?!(?P=quote))\\.){{0,{MAX_JUDGED}}})
        (?P=quote)?
      | (?P<bare>[^\s"']{{1,{MAX_JUDGED}}})
    )""",
    re.VERBOSE,
)
ORDINARY_WORD = compile_lazily(
    r"[^A-Za-z0-9\"'`\\\[(]|[\[(][a-z]*[\s:\])]|[A-Za-z]?[a-z]*[\s,.:;)]|[0-9.]+[\s,]"
)
OPENING_OF_TAG = compile_lazily(r"<((?:[\w.-]{1,30}:)?)\Z")
REST_OF_LIST = compile_lazily(r"(?:,\s?(?:\"[^\"\n]*\"|'[^'\n]*'|[\w+/=-]+)){1,40}")
LIST_OF_WORDS = compile_lazily(r"\[(?:(['\"])[a-z]+\1, ?){2,}(['\"])[a-z]+\2")
REST_OF_BLOCK = compile_lazily(r"(?:\r?\n[ \t]+[\w+/=.-]{8,}(?=\r?\n|$))*")
REST_OF_ITEMS = compile_lazily(r"(?:[ \t]*\r?\n[ \t]*-[ \t]{1,4}[^\s:]+(?=[ \t]*(?:\r?\n|$)))*")
REST_OF_BARE = compile_lazily(r"[^\s\"']*")
REST_OF_HEADER = compile_lazily(rf"[^=\"'\n\r]{{1,{MAX_JUDGED}}}=[^\"'\n\r]*")
MORE_WORDS = compile_lazily(r"(?:[ ][a-z]{2,12}(?![\w:=])){2,30}")
ASSIGNED_NEXT = compile_lazily(r"[A-Z][A-Z0-9]*_[A-Z0-9_]*=(?![=\s]|$)")
SENTENCE = compile_lazily(r"[a-z]{2,15} [a-z]{2,15}(?![\w=:])")
STATE = compile_lazily(
    r"[a-z]+(?:ed|ing|able|ible|ful|less)|[a-z]{1,3}|stolen|lost|forgotten|sent|kept|hidden|chosen"
    r"|broken|given|taken|written|shown|found|made|left|read|weak|strong|short|long|empty|visible"
    r"|public|mine|yours|safe|secure|random|unique|free|same|different|ready|valid|what|where|only"
    r"|never|always|already|still|just|very|then|also|here|there"
)
"""What is said of a password: *was stolen*, *is deprecated*."""
STATEMENT = compile_lazily(r"(?:raise|return|continue|break|yield|assert|await|del|pass)(?=\s|$)")
CONDITION = compile_lazily(r"(?:^|[\s(])(?:if|elif|while|and|or|not|in|is|for|with)\s$")
"""Before and behind a name that code asks about: ``if not token: return``."""
INSTRUCTION = compile_lazily(
    r"(?:see|ask|contact|leave|use|check|go|follow|refer|look|please|consult|visit|run|type|enter"
    r"|read|get|try|pick|choose|make|keep|store|put|let|same|as|your|this|that|these|those|our|my"
    r"|we|you|they|who|how|why|what|where|both|all|every|each|some|several|many|more|at|between"
    r"|below|above|within|before|after|during|until|via|per|whatever|nothing|nobody|set|create"
    r"|generate|copy|paste|press|click|open|sign|do|note|longer|shorter|minimum|maximum)"
    r" [a-z]{2,15}(?![\w=:])"
)
"""How a sentence begins that tells where a password comes from, or what it must be."""
HEADERS = ("cookie", "set-cookie")
_SET_BY_COMMAND = compile_lazily(
    r"(?:^|[\s>$%#;&|/])(?:(?:setx|setenv|set\s-[a-zA-Z]{1,3})(?:\s(?:/[mM]|-{1,2}[\w-]+))*"
    r"|(?:config(?:ure)?|secrets?|user-secrets|variables?|env|kv|snap)\s(?:--)?(?:set|add|put|write)(?:\s-{1,2}[\w-]+)*"
    r"|(?i:config\sset)|rclone\sconfig\s(?:create|update)(?:\s\S+){1,8}?|nmcli\s[^\n|;&]{1,70}|git\sconfig(?:\s-{1,2}[\w-]+)*|etcdctl\sput"
    r"|(?:defaults\swrite|remote\smodify(?:\s--\w+)*|snap\sset|crudini\s--set\s\S+)\s\S+|set(?=\s[A-Z0-9_]*$))"
    r"\s[\"']?[\w./:-]*$"
)
"""What stands before a name to which a command gives the value behind it: ``setx NAME x``."""
_END_OF_COMMAND = compile_lazily(
    r"(?:\"[^\"\n]*\"|'[^'\n]*'|\S+)[ \t]*(?:\r?\n|$|[;&|#>)`]|-{1,2}\w)"
)
SETTING_WORDS = frozenset(("setenv", "env", "add", "set", "modify", "gx", "authtoken", "login"))
"""Before a name and a value with nothing but a space between them."""
PHRASES = ("passphrase", "mnemonic", "phrase")
BARE_ENDS = ")]},;.:»”“"
SIGNS = (*"=: >,|\t\n", "%3", "&#", "\\u003", "\\x3")
_BEFORE_SET = frozenset((" ", "/", "'", '"', ":"))


def is_set_by_command(text: str, begin: int, end: int) -> bool:
    """Does a command give this name the value behind it, and end there: ``setx NAME x``?"""
    if text[begin - 1 : begin] not in _BEFORE_SET:
        return False
    line = text[max(0, begin - MAX_NAME, text.rfind("\n", 0, begin) + 1) : begin]
    named = text[begin:end].rstrip(" \t\"'")  # for `set`, which sentences have as well
    found = _SET_BY_COMMAND.search(line + named if named.isupper() else line)
    return found is not None and _END_OF_COMMAND.match(text, end) is not None
