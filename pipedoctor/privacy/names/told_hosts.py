"""
Hosts of sentences: a table with its sources.

Words of the language and of the trade stand in the same places, so what is found here is
judged once more, by `named_values.may_be_told`.
"""

from pipedoctor.privacy.names.name_form import MAN, NameForm, make_form

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
_MODELS = (
    r"(?!(?:cifar|resnet|vgg|vit|bert|roberta|gpt|llama|float|uint|conv|linear|layer|block|cuda|imagenet"
    r"|coco|mnist|svhn|base|python|densenet|inception|mobilenet|convnext|yolov?|swin|efficientnet"
    r"|whisper|glove|stage|level|version|port|fold|exp|chunk|phase|top|gemma|qwen|mistral|word|ext"
    r"|series|split|part|shard|batch|iter|trial|seed|slot|lane|core|rank|gpu|worker|thread|port"
    r"|channel|device|line|page|step|epoch|item|row|col|dim|axis|node)[a-z-]*\d)"
)
"""What has a number in sentences and is no host."""

TOLD_HOSTS: tuple[NameForm, ...] = (
    make_form(
        "told host",
        f"{MAN}/man8/ping.8.html",
        rf"((?<![\w./:@-])){_HOST}(?=:? [\[(](?:\d{{1,3}}\.){{3}}\d{{1,3}}(?::\d+)?[\])])",
        *(" (1", " [1", " (2", " [2", " (3", " (4", " (5", " (6", " (7", " (8", " (9"),
    ),
    make_form(
        "told host",
        f"{MAN}/man1/ssh.1.html",
        rf"(\b(?:for|to|as|from|of|by) <user-\d+>@){_HOST}(?=[:,;)'\"]|\s|$)",
        "<user-",
    ),
    make_form(
        "told host",
        "https://slurm.schedmd.com/srun.html#OPT_nodelist",
        r"(\b(?:srun|sinfo|sbatch|salloc|squeue|scontrol)\b[^\n|;&]{0,200}?\s-[wnx]\s?)"
        r"([A-Za-z][\w-]*(?:\[[\d,-]+\])?)",
        *(" -w", " -n ", " -x"),
    ),
    make_form(
        "told host",
        f"{MAN}/man1/who.1.html",
        rf"(?m)(\b(?:pts/\d+|tty\d)\s[^\n()]{{0,60}}\(){_HOST}(?=\)\s*$)",
        *("pts/", "tty"),
    ),
    make_form(
        "told host",
        "https://man.openbsd.org/ssh_config",
        rf"(\b(?:HostName|Hostname) ){_HOST}(?=[,;)]|\s*$)",
        "ostName ",
        "ostname ",
    ),
    make_form(
        "told host",
        "https://www.rfc-editor.org/rfc/rfc3986#section-3.2",
        rf"([: /]<secret>@){_HOST}",
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
        r"(?=['\"]?(?::[\d/ ]|\s\(|:?\s*$| (?:port|after|failed|timed|from|on|via|refused"
        r"|lost|closed|reset|dropped|broken)\b|, ))",
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
