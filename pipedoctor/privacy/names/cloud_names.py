"""Where clouds name a customer: account numbers, buckets, tenants, projects, machines."""

from pipedoctor.privacy.names.name_form import NameForm, make_form

_CUSTOMER_DOMAINS = (
    r"s3[.-][\w.-]{0,40}amazonaws\.com|storage\.googleapis\.com|r2\.cloudflarestorage\.com"
    r"|(?:blob|dfs|file|queue|table)\.core\.windows\.net|azurecr\.io|onmicrosoft\.com"
    r"|(?:database|vault|servicebus|search|openai)\.(?:azure\.(?:net|com)|windows\.net)"
    r"|snowflakecomputing\.com|cloud\.databricks\.com|azuredatabricks\.net|sharepoint\.com"
)
_ARN = "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html"

CLOUD_NAMES: tuple[NameForm, ...] = (
    make_form(
        "serial",
        _ARN,
        r"(\barn:aws[\w-]{0,8}:[\w-]*:[\w-]*:)(\d{12})(?!\d)",
        "arn:aws",
        in_word=True,
    ),
    make_form(
        "serial",
        "https://docs.aws.amazon.com/AmazonECR/latest/userguide/Registries.html",
        r"((?<![\w.]))(\d{12})(?=\.dkr\.ecr)",
        ".dkr.ecr",
        in_word=True,
    ),
    make_form(
        "serial",
        _ARN,
        r"((?i:\b(?:aws_?)?account(?:_?(?:id|number))?)[\"']?\s?[:=]\s?[\"']?)(\d{12})(?!\d)",
        "ccount",
        "CCOUNT",
        in_word=True,
    ),
    make_form(
        "host",
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html",
        r"((?<![\w-]))(i-(?:[0-9a-f]{17}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8}))(?![\w-])",
        "i-",
        in_word=True,
    ),
    make_form(
        "host",
        "https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html",
        rf"((?<![\w.-]))([a-z0-9][a-z0-9.-]*)(?=\.(?:{_CUSTOMER_DOMAINS})(?![\w-]))",
        *(".amazonaws.com", ".googleapis.com", ".cloudflarestorage.com", ".windows.net", ".azure"),
        *(".onmicrosoft.com", ".snowflakecomputing.com", ".databricks.com", ".sharepoint.com"),
        in_word=True,
    ),
    make_form(
        "host",
        "https://cloud.google.com/storage/docs/request-endpoints",
        r"(//(?:storage\.(?:googleapis|cloud\.google)\.com|s3[\w.-]{0,30}\.amazonaws\.com)/)"
        r"([a-z0-9][\w.-]+)(?=/)",
        *("googleapis.com/", "google.com/", "amazonaws.com/"),
        in_word=True,
    ),
    make_form(
        "host",
        "https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string",
        r"((?i:\baccount_?name)[\"']?\s?[:=]\s?[\"']?)((?!none\b|null\b)[a-z][a-z0-9]{2,23})(?![\w.(\[-])",
        *("ccountName", "ccountname", "ccount_name"),
        in_word=True,
    ),
    make_form(
        "host",
        "https://cloud.google.com/iam/docs/keys-create-delete",
        r"(\bproject_id[\"']?\s?[:=]\s?[\"']?)([a-z][a-z0-9-]{4,28}[a-z0-9])(?![\w.(\[-])",
        "project_id",
        in_word=True,
    ),
    make_form(
        "serial",
        "https://cloud.google.com/iam/docs/keys-create-delete",
        r"(\bclient_id[\"']?\s?[:=]\s?[\"']?)(\d{15,21})(?!\d)",
        "client_id",
        in_word=True,
    ),
    make_form(
        "serial",
        "https://docs.oracle.com/iaas/Content/API/Concepts/apisigningkey.htm",
        r"(\b[Ff]ingerprint[\"']?\s?[:=]\s?[\"']?)((?:[0-9a-f]{2}:){15}[0-9a-f]{2})(?![\w:])",
        "ingerprint",
        in_word=True,
    ),
    make_form(
        "host",
        "https://learn.microsoft.com/dotnet/standard/io/file-path-formats#unc-paths",
        r"((?<![\w\\:])(?:\\\\|\\\\\\\\))(?!x[0-9a-f]{2}\\)([A-Za-z][\w.-]{2,})(?=\\{1,2}[\w$]{2})",
        "\\\\",
        in_word=True,
    ),
)
