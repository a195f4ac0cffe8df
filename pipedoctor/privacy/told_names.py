"""
Users and hosts of sentences: a table with its sources.

Words of the language and of the trade stand in the same places, so what is found here is
judged once more, by `named_values.may_be_told`.
"""

from pipedoctor.privacy.name_form import MAN, NameForm, make_form

_NAME = r"([A-Za-z][\w.-]*[\w])(?![\w(=/<]|\.\w|:/|:\w*:)"
_HOST = r"([A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*[A-Za-z0-9])"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_ADDRESS = rf"((?!127\.|0\.0)(?:{_OCTET}\.){{3}}{_OCTET})"
_DOMAINS = (
    "com|org|edu|gov|mil|io|ai|dev|cloud|science|labs?|tech|research|xyz|academy|systems|health|bio"
    "|company|digital|solutions|network|zone|uk|de|fr|ch|nl|be|se|fi|dk|cz|hu|gr|ie|eu|ca|br|mx|cl|au|nz|jp"
    "|kr|cn|tw|hk|sg|il|tr|ru|ua|za|pt"
)
"""Last parts of names of hosts that no attribute of code and no file ends with."""
_SERVICES = (
    r"(?:22|80|443|2049|2379|3000|3306|4222|5000|5432|5672|6006|6379|6443|8000|8080|8265|8443|8786"
    r"|8787|8888|9000|9090|9092|9200|10001|11434|12355|15672|27017|29[45]\d\d|50051)"
)
_IANA = "https://www.iana.org/assignments/service-names-port-numbers"
_LOGON = "https://learn.microsoft.com/windows/win32/secauthn/user-name-formats"
_ACTS = (
    r"killed|cancelled|canceled|submitted|owned|locked|requested|approved|reserved|started|preempted"
    r"|uploaded|reported|held|taken|occupied|blocked"
)
_MODELS = (
    r"(?!(?:cifar|resnet|vgg|vit|bert|roberta|gpt|llama|float|uint|conv|linear|layer|block|cuda|imagenet"
    r"|coco|mnist|svhn|base|python|densenet|inception|mobilenet|convnext|yolov?|swin|efficientnet"
    r"|whisper|glove|stage|level|version|port|fold|exp|chunk|phase|top|gemma|qwen|mistral|word|ext"
    r"|series|split|part|shard|batch|iter|trial|seed|slot|lane|core|rank|gpu|worker|thread|port"
    r"|channel|device|line|page|step|epoch|item|row|col|dim|axis|node)[a-z-]*\d)"
)
"""What has a number in sentences and is no host."""

TOLD_USERS: tuple[NameForm, ...] = (
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
        rf"(\b(?:{_ACTS}) by (?:user )?['\"]?){_NAME}",
        *("ed by ", "held by ", "taken by "),
    ),
    make_form(
        "told user",
        f"{MAN}/man1/crontab.1.html",
        rf"((?:\b(?:files|jobs?(?: \d+)?|process(?:es)?|crontab|home|quota|session|account)"
        rf" of|\bbelongs? to|\(owner|\bownership to) (?:user )?['\"]?){_NAME}",
        *(" of ", "elong", "owner"),
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
        rf"((?:^|(?<=\s))){_NAME}(?=\s+\d+\s[F.][Ffcre.]{{3}}m?\s)",
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
TOLD_HOSTS: tuple[NameForm, ...] = (
    make_form(
        "told host",
        "https://www.rfc-editor.org/rfc/rfc3986#section-3.2",
        rf"(:<secret>@){_HOST}",
        ":<secret>@",
        in_word=True,
    ),
    make_form(
        "told host",
        "https://www.postgresql.org/docs/current/libpq-connect.html",
        rf"(\b(?:server|host|node|machine|database) (?:at|on|named|called) [\"']){_HOST}(?=[\"'])",
        *(' "', " '"),
    ),
    make_form(
        "told host",
        f"{MAN}/man1/last.1.html",
        rf"(\b(?:pts/\d+|tty\d) +){_HOST}(?= +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b)",
        *("pts/", "tty"),
    ),
    make_form(
        "told host",
        f"{MAN}/man3/errno.3.html",
        r"(?m)((?:^|(?<=\s)))([a-z][a-z-]*-?\d[\w-]*)(?=: (?:Connection (?:refused|reset|timed"
        r"|closed)|No route|Permission denied|Host is down|Name or service|Network is))",
        *(": Conn", ": No route", ": Perm", ": Host is", ": Name or", ": Network is"),
    ),
    make_form(
        "told host",
        "https://slurm.schedmd.com/slurm.conf.html#OPT_NodeName",
        rf"(\b(?:on|from|for|at) ){_MODELS}([a-z]{{3,}}(?:-[a-z]+)*-?\d{{1,4}})"
        r"(?=[\s,.;)]|$)(?!\.\w)",
        *("on ", "from ", "for ", "at "),
    ),
    make_form(
        "project",
        "https://kubernetes.io/docs/reference/access-authn-authz/authentication/#service-account-tokens",
        r"(\bsystem:serviceaccount:)([a-z0-9][\w-]*)(?=:)",
        "system:serviceaccount:",
        in_word=True,
    ),
    make_form(
        "project",
        "https://git-scm.com/docs/git-clone#_git_urls",
        r"(<host-\d+>[:/](?:\d{2,5}/)?)([A-Za-z][\w.-]*(?:/[\w.-]+){1,4})(?=\.git\b)",
        "<host",
    ),
    make_form(
        "project",
        "https://docs.wandb.ai/models/track/project-page",
        r"(//(?:wandb\.ai|(?:www\.)?comet\.com)/(?:<user-\d+>|[\w-]+)/)([\w.-]+)(?=/|\s|$)",
        *("wandb.ai/", "comet.com/"),
        in_word=True,
    ),
    make_form(
        "told host",
        "https://docs.python.org/3/library/ftplib.html#ftplib.FTP",
        rf"(\b[\w.]+\(['\"]){_HOST}(?=['\"], ?(?:port|user|username|login)\s?=)",
        *("('", '("'),
        in_word=True,
    ),
    make_form(
        "told host",
        "https://learn.microsoft.com/windows-server/administration/windows-commands/cmdkey",
        rf"((?<!\S)/(?:add|server|node|s|v):){_HOST}(?=\s|$)",
        *("/add:", "/server:", "/node:", "/s:", "/v:"),
    ),
    make_form(
        "told host",
        "https://www.rfc-editor.org/rfc/rfc1034#section-3.5",
        rf"((?<![\w@/.<:%\\-]))((?:[a-z0-9](?:[a-z0-9-]{{0,61}}[a-z0-9])?\.){{1,6}}"
        rf"(?:[a-z0-9-]{{3,}}|co|ac|com|org|edu|gov|or|ne)\.(?:{_DOMAINS}))(?![\w(=-]|\.\w)",
        *(f".{domain}" for domain in _DOMAINS.replace("labs?", "lab").split("|")),
        in_word=True,
    ),
    make_form(
        "told host",
        _IANA,
        rf"(\b(?:connect(?:ed|ing|ion)? (?:to|with|from)|reach(?:ing)?|dial(?:ing)?(?: tcp)?|ping"
        rf"|connection (?:to|with|from)|mounting|resolv(?:e|ing)(?: host:?)?) ['\"]?){_HOST}"
        r"(?=['\"]?(?::[\d/ ]|\s\(|:?\s*$| (?:port|after|failed|timed|from|on|via|refused)\b|, ))",
        *("onnect", "reach", "dial", "ping ", "mounting", "resolv"),
    ),
    make_form(
        "told host",
        _IANA,
        rf"((?<![\w./:@-])){_HOST}(?=:{_SERVICES}(?![\w.:]))",
        *(":22", ":2049", ":2379", ":27017", ":29", ":3", ":4", ":50", ":54", ":56", ":6", ":80"),
        *(":82", ":84", ":87", ":88", ":9", ":10001", ":11434", ":12355", ":15672"),
        in_word=True,
    ),
    make_form(
        "told host",
        "https://docs.python.org/3/library/socket.html#socket-families",
        rf"(\(['\"]){_HOST}(?=['\"], ?\d{{2,5}}\))",
        *("('", '("'),
        in_word=True,
    ),
    make_form(
        "told host",
        "https://slurm.schedmd.com/slurm.conf.html#OPT_NodeName",
        r"((?:\b(?:on|from|at|via|to|node|host) |@ ?))([a-z]+(?:-[a-z0-9]+)*-?0\d{1,3}"
        r"|[a-z]{2,}-?(?:gpu|node|login|nas|dgx|hgx|rack|srv|compute)[a-z]?-?\d{1,4})(?![\w(=/-]|\.\w)",
        *("on ", "from ", "at ", "via ", "to ", "@", "node ", "host "),
    ),
    make_form(
        "host",
        _LOGON,
        r"((?<=user:)|(?<![\w\\:./-]))([A-Z][A-Z0-9-]{1,14})(?=\\<user-\d+>)",
        "\\<user",
        in_word=True,
    ),
    make_form(
        "ip",
        "https://www.tcpdump.org/manpages/tcpdump.1.html",
        rf"((?<![\w.-])){_ADDRESS}(?=\.\d{{2,5}} > )",
        " > ",
    ),
    make_form(
        "ip",
        "https://www.tcpdump.org/manpages/tcpdump.1.html",
        rf"((?<= > )){_ADDRESS}(?=\.\d{{2,5}}(?:[: ]|$))",
        " > ",
    ),
    make_form(
        "told host",
        "https://www.postgresql.org/docs/current/app-psql.html",
        r"(\b(?:psql|pg_\w+|createdb|mysql\w*|mariadb\w*|redis-cli|mongo\w*|clickhouse-client|snmp\w+)"
        rf"\s(?:[^\n|;&]{{0,200}}?\s)?-h\s?){_HOST}",
        " -h",
    ),
)
