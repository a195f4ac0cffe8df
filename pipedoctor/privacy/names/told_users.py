"""
Users of sentences: a table with its sources.

Words of the language and of the trade stand in the same places, so what is found here is
judged once more, by `named_values.may_be_told`.
"""

from pipedoctor.privacy.names.name_form import MAN, NameForm, make_form

_NAME = r"([A-Za-z][\w.-]*[\w])(?![\w(=/<]|\.\w|:/|:\w*:)"
_LOGON = "https://learn.microsoft.com/windows/win32/secauthn/user-name-formats"
_ACTS = (
    r"killed|cancelled|canceled|submitted|owned|locked|requested|approved|reserved|started|preempted"
    r"|uploaded|reported|held|taken|occupied|blocked"
)

TOLD_USERS: tuple[NameForm, ...] = (
    make_form(
        "told user",
        f"{MAN}/man1/whoami.1.html",
        rf"(\b(?:[Rr]unning|[Ll]ogged (?:in|on)|[Ss]igned in|[Cc]onnect(?:ed|ing)|[Ss]tarted"
        rf"|executed) as (?:user )?['\"]?){_NAME}"
        r"(?=['\"]?(?:[.,;:)]|\s*$| (?:on|at|in|from|to|with|since)\b))",
        *("ing as ", " in as ", " on as ", "ed as "),
    ),
    make_form(
        "told user",
        "https://git-scm.com/docs/git-log#_pretty_formats",
        r"(\b(?:[Cc]reated|[Ww]ritten|[Mm]odified|[Aa]uthored|[Cc]ommitted|[Ss]ubmitted"
        r"|[Rr]eported) by:? )"
        r"([A-Z][a-z]+ [A-Z][a-z]+)(?= on| at|[.,;(]|\s*$)",
        "ed by",
        "en by",
    ),
    make_form(
        "told user",
        "https://man.openbsd.org/ssh_config",
        rf"(\b(?:User|Login) ){_NAME}(?=[,;)]|\s*$)",
        *("User ", "Login "),
    ),
    make_form(
        "told user",
        "https://www.rfc-editor.org/rfc/rfc3986#section-3.2",
        r"((?<![\w/.@-]))([A-Za-z_][\w.-]*)(?=:<secret>@)",
        ":<secret>@",
        in_word=True,
    ),
    make_form(
        "told user",
        "https://slurm.schedmd.com/scancel.html",
        rf"(\b(?i:{_ACTS}) by (?:user )?['\"]?){_NAME}",
        *("ed by ", "held by ", "taken by "),
    ),
    make_form(
        "told user",
        f"{MAN}/man1/crontab.1.html",
        rf"((?:\b(?:files|jobs?(?: \d+)?|process(?:es)?|crontab|home|quota|session|account)"
        rf" of|\bbelongs? to|\(owner|\bownership to) (?:user )?['\"]?){_NAME}",
        *(
            "iles of ",
            "obs of ",
            "ob of ",
            "job ",
            "jobs ",
            "rocess of ",
            "rocesses of ",
            "rontab of ",
        ),
        *("ome of ", "uota of ", "ession of ", "ccount of ", "elong", "owner"),
    ),
    make_form(
        "told user",
        f"{MAN}/man8/pam_unix.8.html",
        rf"(\buser ['\"]?){_NAME}"
        r"(?=['\"]? (?:does|has|is|was|cannot|can|may|not|from|on|logged|failed|exceeded|owns"
        r"|added|removed|deleted|belongs|ran|runs|holds|uses)\b)",
        "user ",
    ),
    make_form(
        "told user",
        "https://www.rfc-editor.org/rfc/rfc7617",
        rf"(\b(?i:basic auth|login|credentials?|creds)\b[^\n/]{{0,20}} ){_NAME}(?= / <secret>)",
        " / <secret>",
    ),
    make_form(
        "told user",
        f"{MAN}/man1/fuser.1.html",
        rf"((?:^|(?<=\s))){_NAME}(?=\s+\d+\s[F.][Ffcre.]{{3}}[m.]?\s)",
        *(" F.", " .."),
    ),
    make_form(
        "told user",
        "https://www.rfc-editor.org/rfc/rfc5322",
        r"(\b(?:Hi|Hello|Dear|Welcome(?: back)?,?|Good \w+|Thanks|Regards),? )"
        r"([A-Z][a-z]+(?: [A-Z][a-z]+)?)"
        r"(?=[,!.]|\s*$)",
        *("Hi ", "Hello ", "Dear ", "Welcome ", "Hi, ", "Good ", "Thanks", "Regards"),
    ),
    make_form(
        "told user",
        "https://www.rfc-editor.org/rfc/rfc9110#section-15.5",
        rf"(\b(?:40[13]|[Dd]enied|[Ff]orbidden|[Uu]nauthorized|failed|exceeded)"
        rf" for (?:user |account )?['\"]?){_NAME}"
        r"(?=['\"]?(?:[.,;:)]|\s*$| (?:on|at|from|in|after)\b))",
        " for ",
    ),
    make_form(
        "told user",
        "https://learn.microsoft.com/dotnet/api/system.net.networkcredential",
        rf"(\b\w*(?:Credentials?|Auth|Login)\(['\"]){_NAME}(?=['\"], ?[^)\n]{{0,80}}<secret>)",
        *("Credential", "Auth(", "Login("),
    ),
    make_form(
        "user",
        "https://httpd.apache.org/docs/2.4/misc/password_encryptions.html",
        r"((?:^|(?<=[\s=,\"'(])))((?!<)[A-Za-z_][\w.-]*)(?=:\${1,2}(?:2[abxy]|apr1|[156y])\$)",
        *(":$",),
        in_word=True,
    ),
    make_form(
        "user",
        "https://kubernetes.io/docs/reference/access-authn-authz/authentication/#service-account-tokens",
        r"(\bsystem:serviceaccount:[\w-]+:)([a-z0-9][\w.-]*)",
        "system:serviceaccount:",
        in_word=True,
    ),
    make_form(
        "user",
        "https://www.itu.int/rec/T-REC-E.123",
        r"((?<![\w+.=-]))(?=(?:\D?\d){9,15}(?!\D?\d))"
        r"(\+[1-9]\d{0,2}[ -]?\(?\d{2,5}\)?(?:[ -]\d{2,6}){1,4})"
        r"(?![\w.])",
        *(f"+{digit}" for digit in range(1, 10)),
    ),
    make_form(
        "told user",
        _LOGON,
        r"(?<![\w\\:./-])([A-Z][A-Z0-9-]{1,14}\\)(?![ntrux]\b|[nrt][A-Z])([A-Za-z][\w.-]+\w)"
        r"(?=['\"\],;)]|\s*$|\s(?:failed|logged|has|is|was|cannot|on|from|with|to)\b)",
        "\\",
        in_word=True,
    ),
)
