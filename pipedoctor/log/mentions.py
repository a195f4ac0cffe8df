"""Is a line the report of a failure, or does it only mention one?"""

from functools import lru_cache

from pipedoctor.lazy_pattern import compile_lazily

_HASH = r"(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,12} (?:\([^)]{1,120}\) )?"
_SUBJECT = (
    r"(?i:fix(?:e[ds])?|avoid|handle|improve|support|prevent|document|report|add|remove|revert"
    r"|retry|raise|catch|kill|stop|drop|bump|use|work|do|don't|make|allow|merge|update|test"
    r"|chore|feat|docs|perf|refactor|ci|build|style)"
)
_METAVAR = r"(?:\{[^}\n]{1,80}\}|<[\w-]{1,40}>|[A-Z][A-Z_0-9]*)"
_QUOTED = compile_lazily(
    rf"^[*|/\\ ]{{0,8}}{_HASH}[A-Z\"\[]|^[*|/\\ ]{{0,8}}{_HASH}{_SUBJECT}[ds]?\b"
    r"|^ {0,4}[-*] (?i:fix(?:e[ds])?|avoid|handle|improve|support|prevent|document|report)[ds]?[: ]"
    r"|^ {0,4}(?:[-*] )?(?:fix|feat|chore|docs|perf|refactor|revert|test|ci)"
    r"(?:\([\w ,./-]{1,40}\))?!?: (?=[a-z])"
    r"|^ {0,4}[-*] \[[xX]\] |^ {0,4}\[[ xX]\] |\S {3,}\d{1,3} %$"
    r"|^# (?:good|bad|first bad commit): \["
    r"|^ {2,8}-{1,2}\w[\w-]*(?:[ ,=]{1,2}[\w-]{1,30}){0,4} {2,}\S"
    rf"|^ {{1,8}}-{{1,2}}\w[\w-]*[ =]{_METAVAR} +[a-z]"
    r"|^ {4,12}E[A-Z]{2,14} +[A-Z]"
    r"|^[\w./-]{1,80}\.\w{1,4}:\d{1,6}: {2,}\S|\brefs/(?:heads|remotes|tags)/"
    r"|^[\w./-]{1,80}\.\w{1,4}:\d{1,6}:(?:\d{1,5}:)? (?:[A-Z]{1,4}\d{2,4} "
    r"|(?:error|note): .{1,200}\[[a-z-]{3,40}\]$)"
    r"|^[>+-]? {0,40}raise \w{1,60}\(|^msg(?:id|str) \""
    r"|^\d{1,8}[,;\t](?:closed|done|fixed|resolved)[,;\t]|\bexpr: "
    r"|[|,;\t] *(?:closed|done|fixed|resolved|inactive) *\|?$"
    r"|^\s{0,20}- .{1,80}: \S{1,200}\.(?:md|rst|html)$|^\S{1,100}\.(?:py|go|rs|ts) {2,}\d+ +\d+ "
    r"|^# (?:HELP|TYPE) [a-z_:]+ |^\s*(?:[a-z%/]+(?:_[a-z]+)*\s{2,}){3,20}[a-z%/]+(?:_[a-z]+)*\s*$"
    r"|^\s{0,20}(?:- )?(?:summary|description|help|title|comment|doc|tooltip|match|pattern|regex"
    r"|contains|advice|remedy): [\"'A-Z]"
    r"|^\s{0,20}(?!err|msg|message\b|reason|log|out)[a-z_]\w{1,40} = "
    r"[\[({]?['\"].{0,300}['\"][\])}]?,?$"
    r"|^\s{0,20}(?:author|(?:book)?title|journal|abstract) {0,12}= {0,4}[{\"]"
    r"|^[│ ]{0,60}[├└]─"
    r"|\bsystemd\[\d{1,7}\]: (?:Start(?:ed|ing)|Finished|Stopped|Reached|Mounted) "
    r"|^\+{1,3} (?:[a-z./][\w./-]{0,80}(?: |$)|[A-Za-z_]\w{0,60}=)|^[\w./-]{4,120}\|\S"
    r"|^(?:TASK|PLAY|RUNNING HANDLER) \[.{1,200}\] \*{3}"
)
"""
Lines of histories, release notes, lists of tasks, `--help`, manual pages, `grep -n`, linters,
`set -x` and lists of transcripts, which speak of failures.
"""
_STAGED = compile_lazily(
    r"(?i)\((?:as |was |were )?(?:simulated|planned|intended|intentional|injected|ignored|expected"
    r"|on purpose|deliberate|requested"
    r"|(?:closed|resolved|fixed)(?: [^)]{1,40})?|dry[- ]run|mock(?:ed)?)\)"
    r"|(?:^|[-:,(>] ?)as expected\b|\bfault[- ]?injection\b"
)
"""What was meant to happen, or does not matter, as its line says."""
_PASSED = compile_lazily(
    r"(?:::|\btest)\S{0,300}(?: \S{1,200}){0,12} (?:PASSED|SKIPPED|XFAIL|XPASS)\b"
    r"|^\s{0,12}--- (?:PASS|SKIP): "
    r"|^\s{0,12}(?:✓|✔|√) "
    r"|^\[ ?OK ?\] |^\[[\w ]{1,10}\] SKIP\b"
    r"|: (?:OK|PASS(?:ED)?)$"
    r"|^test \S{1,200} \.\.\. ok$|^ok \d{1,5} |^(?:OK|PASS(?:ED)?) ?[-:] "
)
"""The row of a test that passed, whatever its name is about."""
_FAILURE_NOUNS = (
    r"kill(?:ed|s)?|stuck|hung|hangs?|dead|died|deaths?|errors?|fail(?:ed|ures?)|crash(?:ed|es)?"
    r"|time-?outs?|dead ?locks?(?:ed)?|zombies?|leak(?:s|ed)?|stall(?:s|ed)?|restarts?"
    r"|froz?en|freezes?"
    r"|oom(?:[-_ ]?(?:kills?|events?|killed))?"
)
_ENDED = (
    r"(?:hang|deadlock|crash|die|happen|occur|fail|leak|freeze|stall|raise|block|break|run out"
    r"|get (?:killed|stuck)|grow|trigger|appear|lead|cause|exhaust)(?:s|es|ing)?"
)
_UNTRUE = compile_lazily(
    rf"(?i)(?:^|[,;:(|\[]\s{{0,4}}|\b(?:with|and|had|found|saw|got|total)\s)"
    rf"(?:0|no|zero)(?: \w{{1,20}})? (?:{_FAILURE_NOUNS})\b(?! or\b)(?: by [^;.,:]*)?"
    r"|(?:0|no|zero) processes in [DZ] state|\bno \"[^\"]{1,200}\""
    r"|^\s{0,20}[A-Z](?=[^:]{0,60}(?:Error|ECC|Page|Pending|Fail|Slowdown|Correctable|Warning|Fault))"
    r"[^:]{2,60}: {1,20}(?:N/A|No|None|0|0x0+|Not Active)\s*$"
    rf"|\bno (?:{_FAILURE_NOUNS})(?: \w{{1,20}})?(?=\s{{0,4}}(?:[,;|)]|$))"
    rf"|\b(?:{_FAILURE_NOUNS}) 0(?=\s{{0,4}}(?:[,;|)]|$))"
    rf"|\b(?:nothing|nobody|none)(?: (?:was|were|has|have|got))? (?:{_FAILURE_NOUNS})\b"
    rf"|\b\w{{0,30}}(?:{_FAILURE_NOUNS}"
    r"|(?:corrupt|broken|truncated|damaged|missing) \w{2,20})\w{0,40}"
    r"[\"']?(?: ?= ?0\b(?![.x])|(?: ?= ?|: ?)(?:0|none|no|false)(?=\s{0,4}(?:[,;|)}\]]|$))"
    r"|: ?(?:none|no)\b(?=\.| in \d))"
    r"|^[a-z_:]{3,100}(?:\{.{0,300}\})? 0(?:\.0)?$"
    r"|\b\w{0,60}(?:kill|oom|error|restart|timeout|failure|xid)\w{0,40}(?:[,;\t]0(?:\.0)?)+$"
    rf"|\b(?:no longer|never again|not longer) (?:be )?{_ENDED}\b[^;.]*"
    r"|^.{0,300}\b(?:do|does|did|is|are|was|were|will|has|have)(?: not|n't)\b"
    r".{0,60} any ?more\b[^;.]*"
    r"|^.{0,300}\b(?:hang|deadlock|crash|kill|error|leak|freeze|stall)\w{0,4}\b.{0,40}"
    r"\b(?:no longer (?:happens?|occurs?|appears?)|(?:is|are|was|were|has been|have been) (?:now )?"
    r"(?:gone|fixed|closed|solved|cured|eliminated))\b(?! by\b)[^;.]*"
    r"|「[^」]{1,80}」.{0,60}(?:出ていない|出なくなった|起きていない|なくなった|解決)"
    r"|\b(?:kill|stop)_?signal ?[=:] ?\w{1,10}|<!--.{0,400}?-->"
    r"|\bno (?:\w{1,20} ){1,4}any ?more\b|\bno more (?:\w{1,20} ){1,4}since\b"
    r"|\bno more (?:\w{1,20} ){0,3}(?:errors?|crashes|hangs|deadlocks?|kills|leaks|\")[^;.]*"
)
"""Failures that did not happen, or happen no longer."""
_NAMES = compile_lazily(r"\b(?:test_\w{2,200}|Test[A-Z]\w{2,100})(?:\[[^\]\n]{1,200}\])?")
"""Names of tests."""
_COMMENT = compile_lazily(
    r"^\s{0,40}(?:[+~-] {1,40})?"
    r"(?:[\w.\"'-]{1,60} ?[:=](?!=)|(?:except|if|elif|else|for|while|with|def|return|try"
    r"|import|from|raise)\b|[\w.]{1,60}\()[^#\n]{0,200}\s(?P<trailing>#\s.*)"
    r"|^\s{1,40}(?P<alone>#\s.*)|^(?P<typed>(?:>>>|\.\.\.|In \[\d{1,5}\]:) .*"
    r"|\$ .{0,200}\b(?:e?grep|echo) .{0,40}[\"'].*)"
)
"""Comments of code and of settings, and what somebody types."""
_UNHELPFUL = compile_lazily(
    r"(?i)\b(?:did|does|do)(?: not|n't) (?:really )?(?:help|work|change|solve|fix)\b"
    r"|\bno (?:effect|luck|success|difference|change)\b|\bwithout (?:success|effect|luck)\b"
    r"|\b(?:the )?same (?:\w{1,12} ){1,2}with\b|\bin vain\b|\bto no avail\b"
)
"""Sentences of somebody who has tried a setting that is not the cure."""
_SETTING = compile_lazily(
    r"\b[A-Z][A-Z0-9]{1,20}(?:_[A-Z0-9]{1,20}){1,6}=[^\s`'\"]{1,80}"
    r"|\b[a-z]\w{1,30}\.(?:\w{1,30}\.)?set\w{1,30}\([^()\n]{0,40}\)"
)
"""A variable that is set, and a call that sets something."""
_BLANK_OUT = (_UNTRUE, _NAMES)


@lru_cache(maxsize=64)
def is_quotation(line: str) -> bool:
    """Is it a line of a history, release notes, a help text, code found, or a passed test?"""
    return bool(_QUOTED.search(line) or _STAGED.search(line) or _PASSED.search(line))


@lru_cache(maxsize=64)
def hide_mentions(line: str, *, comments: bool) -> str:
    """Blank what did not happen or help, names of tests, and `comments`."""
    unhelpful = (_SETTING,) if _UNHELPFUL.search(line) else ()
    for pattern in (*_BLANK_OUT, *unhelpful):
        line = pattern.sub(lambda found: " " * len(found[0]), line)
    found = _COMMENT.match(line) if comments else None
    if found is None:
        return line
    return line[: found.start(found.lastgroup or 0)]
