"""Secrets in records and addresses of connections that begin with no scheme."""

from pipedoctor.privacy.secrets.command_form import CommandForm

CONNECTION_FORMS: tuple[CommandForm, ...] = (
    CommandForm(
        ("5432:", "5433:", "6432:", "*:"),
        r"((?<![\w.*:/-])[\w.*-]+:(?:\d{4,5}|\*):(?:[A-Za-z_][\w-]*|\*):(?:[A-Za-z_][\w-]*|\*):)"
        r"(?!<secret>)(?:\\.|[^\s:\"',;\\)]){4,}",
        "https://www.postgresql.org/docs/current/libpq-pgpass.html",
        has_option=False,
    ),
    CommandForm(
        ("asic", "serpass", "user_pass"),
        r"(\b(?i:basic(?:_?auth)?|user_?pass)[\"']?\s?[=:]\s?[\"']?[\w.@-]{1,60}:)"
        r"(?!<secret>)(?=\S{0,200}\d)(?=\S{0,200}[A-Za-z])[^\s\"':/]{6,}",
        "https://www.rfc-editor.org/rfc/rfc7617",
        has_option=False,
    ),
    CommandForm(
        ("jdbc:oracle",),
        r"(\bjdbc:oracle:\w+:[\w.$-]+/)(?!<secret>)[^\s@]+(?=@)",
        "https://docs.oracle.com/en/database/oracle/oracle-database/19/jjdbc/data-sources-and-URLs.html",
        has_option=False,
    ),
    CommandForm(
        ("@",),
        r"((?<![\w/@.:%-])[A-Za-z_][\w.+-]{0,40}:)(?!<secret>)(?:[^\s@\"'/:]{4,200}(?=@(?:tcp|unix)\()"
        r"|(?=[^\s@\"']{0,200}[A-Za-z])[^\s@\"'/:]{6,200}(?=@[\w.-]+:\d{2,5}(?![\w.]))"
        r"|(?=[^\s@]{0,200}\d)(?=[^\s@]{0,200}[a-z])(?=[^\s@]{0,200}[A-Z])[^\s@\"'/:.]{8,200}(?=@[A-Za-z0-9][\w.-]{2,}))",
        "https://github.com/go-sql-driver/mysql#dsn-data-source-name",
        has_option=False,
    ),
    CommandForm(
        ("@",),
        r"((?<![\w/@.:-])[A-Za-z_][\w$]{0,30}/)(?!<secret>)[^\s@/\"']{6,200}(?=@(?://)?[\w.-]+:\d{2,5}/\w)",
        "https://docs.oracle.com/en/database/oracle/oracle-database/19/netag/configuring-naming-methods.html",
        has_option=False,
    ),
)
