"""
Forms of tokens that show by themselves what they are: a table with its sources.

Prefixes, lengths and alphabets are facts of whoever gives the tokens out. Lengths are
lower bounds: a token that a log has cut is a token still.
"""

from typing import NamedTuple

GITLEAKS = "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml"
DETECT_SECRETS = "https://github.com/Yelp/detect-secrets/tree/master/detect_secrets/plugins"
TRUFFLEHOG = "https://github.com/trufflesecurity/trufflehog/tree/main/pkg/detectors"
_GITHUB = "https://github.blog/engineering/behind-githubs-new-authentication-token-formats/"
_GITLAB = "https://docs.gitlab.com/security/tokens/#token-prefixes"
_AWS = "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html"
_VAULT = "https://developer.hashicorp.com/vault/docs/concepts/tokens#token-prefixes"
_SLACK = "https://api.slack.com/concepts/token-types"


class TokenForm(NamedTuple):
    """A kind of token, which begins with one of `marks`."""

    kind: str
    marks: tuple[str, ...]
    pattern: str
    source: str
    probe: str = ""
    """Where tokens do not begin with a mark: what is looked for first, from a mark on."""


_HF_WORDS = (
    "(?!(?:transfer|transformers|datasets|dataset|tokenizers?|pipelines?|accelerate|models?"
    "|modelname|checkpoints?|processor|trainer|configs?|homepage|download|cachedir|endpoint)"
    "(?![A-Za-z0-9]))"
)
"""Names of software that begin as a token does: ``hf_transfer``."""

TOKEN_FORMS = (
    TokenForm(
        "Hugging Face",
        ("hf_",),
        rf"hf_{_HF_WORDS}(?:(?=[a-z0-9]{{0,99}}[A-Z])[A-Za-z0-9]{{8,}}"
        r"|[a-z0-9]{20,}|[a-z]{8,19}(?![\w(=.\[]))",
        GITLEAKS,
    ),
    TokenForm("Hugging Face organization", ("api_org_",), r"api_org_[A-Za-z0-9]{16,}", GITLEAKS),
    TokenForm(
        "token as a normalized package name",
        ("hf-", "ghp-", "gho-", "ghu-", "ghs-", "ghr-"),
        r"(?:hf|gh[pousr])-[A-Za-z0-9]{30,}",
        "https://packaging.python.org/en/latest/specifications/name-normalization/",
    ),
    TokenForm(
        "GitHub", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{16,}", _GITHUB
    ),
    TokenForm("GitHub, fine-grained", ("github_pat_",), r"github_pat_\w{16,}", _GITHUB),
    TokenForm(
        "GitLab",
        (
            "glpat-",
            "gldt-",
            "glrt-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glimt-",
            "glagent-",
            "glsoat-",
            "gloas-",
            "glffct-",
            "glwt-",
            "GR1348941",
        ),
        r"(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas|ffct|wt)-|GR1348941)[\w.-]{16,}",
        _GITLAB,
    ),
    TokenForm("Bitbucket, Atlassian", ("ATATT3", "ATBB"), r"AT(?:ATT3|BB)[\w=-]{20,}", GITLEAKS),
    TokenForm(
        "AWS key id",
        ("AKIA", "ASIA", "A3T", "ABIA", "ACCA"),
        r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}",
        _AWS,
    ),
    TokenForm("AWS Bedrock", ("ABSK",), r"ABSK[A-Za-z0-9+/]{60,}={0,2}", GITLEAKS),
    TokenForm(
        "Slack",
        (*(f"xox{c}{s}" for c in "abceoprs" for s in "-."), "xapp-"),
        r"(?:xox[abceoprs](?:\.xox[bp])?|xapp)-[\w-]{8,}",
        _SLACK,
    ),
    TokenForm(
        "OpenAI, Anthropic and alike",
        ("sk-",),
        r"sk-(?=[\w-]{0,200}[A-Z0-9])[\w-]{16,}",
        "https://platform.openai.com/docs/api-reference/authentication",
    ),
    TokenForm("NVIDIA", ("nvapi-",), r"nvapi-[\w-]{16,}", TRUFFLEHOG),
    TokenForm(
        "PyPI",
        ("pypi-",),
        r"pypi-(?=[\w-]{0,200}[A-Z])[\w-]{16,}",
        "https://pypi.org/help/#apitoken",
    ),
    TokenForm("Google API key", ("AIza",), r"AIza[\w-]{30,}", GITLEAKS),
    TokenForm("Google OAuth", ("ya29.", "GOCSPX-"), r"(?:ya29\.|GOCSPX-)[\w-]{16,}", TRUFFLEHOG),
    TokenForm("Google refresh token", ("1//0",), r"1//0[\w-]{30,}", TRUFFLEHOG),
    TokenForm(
        "DigitalOcean", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[opr]_v1_[a-f0-9]{32,}", GITLEAKS
    ),
    TokenForm("npm", ("npm_",), r"npm_[A-Za-z0-9]{30,}", GITLEAKS),
    TokenForm("Stripe", ("sk_", "rk_"), r"[rs]k_(?:live|test|prod)_\w{10,}", GITLEAKS),
    TokenForm(
        "fal",
        (":",),
        r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f]{32}",
        TRUFFLEHOG,
        r"[0-9a-f]{12}:[0-9a-f]{32}",
    ),
    TokenForm(
        "Modal",
        ("ak-", "as-"),
        r"a[ks]-(?=[A-Za-z]{0,40}(?:\d|[a-z][A-Z]))[A-Za-z0-9]{22,}",
        TRUFFLEHOG,
    ),
    TokenForm("E2B", ("e2b_",), r"e2b_[0-9a-f]{40,}", TRUFFLEHOG),
    TokenForm("Cloudflare origin", ("v1.0-",), r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}", GITLEAKS),
    TokenForm("Shippo", ("shippo_",), r"shippo_(?:live|test)_[0-9a-f]{40}", GITLEAKS),
    TokenForm("ReadMe", ("rdme_",), r"rdme_[a-z0-9]{60,}", GITLEAKS),
    TokenForm("Clojars", ("CLOJARS_",), r"CLOJARS_[a-z0-9]{60}", GITLEAKS),
    TokenForm("EasyPost", ("EZAK", "EZTK"), r"EZ[AT]K[a-zA-Z0-9]{54}", GITLEAKS),
    TokenForm("Flutterwave", ("FLWSECK",), r"FLWSECK(?:_TEST)?-[a-hA-H0-9]{12,}(?:-X)?", GITLEAKS),
    TokenForm("ElevenLabs", ("sk_",), r"sk_[0-9a-f]{40,}", TRUFFLEHOG),
    TokenForm("Stripe webhook", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{24,}", TRUFFLEHOG),
    TokenForm("Replicate", ("r8_",), r"r8_[A-Za-z0-9]{30,}", TRUFFLEHOG),
    TokenForm("Groq, xAI", ("gsk_", "xai-"), r"(?:gsk_|xai-)[A-Za-z0-9]{40,}", TRUFFLEHOG),
    TokenForm("Perplexity", ("pplx-",), r"pplx-[A-Za-z0-9]{32,}", GITLEAKS),
    TokenForm("Fireworks", ("fw_",), r"fw_(?=[a-z]{0,30}[A-Z0-9])[A-Za-z0-9]{20,}", TRUFFLEHOG),
    TokenForm(
        "LangSmith", ("lsv2_",), r"lsv2_(?:pt|sk)_[a-f0-9]{32}(?:_[a-f0-9]{10})?", TRUFFLEHOG
    ),
    TokenForm("W&B", ("wandb_v1_",), r"wandb_v1_[\w-]{20,}", "https://docs.wandb.ai/models/ref"),
    TokenForm(
        "Databricks", ("dapi", "dose", "dkea"), r"(?:dapi|dose|dkea)[a-f0-9]{32}(?:-\d)?", GITLEAKS
    ),
    TokenForm("HashiCorp Vault", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[\w-]{20,}", _VAULT),
    TokenForm(
        "HashiCorp Vault, before 1.10",
        ("s.", "b.", "r."),
        r"[sbr]\.(?=[a-zA-Z]{0,23}\d)(?=[a-z0-9]{0,23}[A-Z])[A-Za-z0-9]{24}(?![A-Za-z0-9.])",
        _VAULT,
    ),
    TokenForm(
        "Terraform",
        (".atlasv1.",),
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}",
        GITLEAKS,
        r"\.atlasv1\.",
    ),
    TokenForm("Telegram", (":A",), r"(?<![0-9])[0-9]{5,16}:A[\w-]{30,}", GITLEAKS, r":A[\w-]{30}"),
    TokenForm(
        "Discord",
        (".",),
        r"(?<![A-Za-z0-9])(?:[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}|mfa\.[\w-]{80,})",
        DETECT_SECRETS,
        r"\.[\w-]{6}\.[\w-]{27}|mfa\.",
    ),
    TokenForm(
        "age",
        ("AGE-",),
        r"AGE-SECRET-KEY-1[0-9A-Z]{20,}",
        "https://github.com/C2SP/C2SP/blob/main/age.md",
    ),
    TokenForm("Twilio", ("SK", "AC"), r"(?:SK|AC)[0-9a-f]{32}", GITLEAKS),
    TokenForm("SendGrid", ("SG.",), r"SG\.[\w-]{16,}\.[\w-]{16,}", GITLEAKS),
    TokenForm("Mailgun", ("key-",), r"key-[0-9a-f]{32}", GITLEAKS),
    TokenForm(
        "Mailchimp",
        ("-us",),
        r"(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}",
        DETECT_SECRETS,
        r"-us\d",
    ),
    TokenForm("Brevo", ("xkeysib-",), r"xkeysib-[a-f0-9]{32,}(?:-\w{8,})?", GITLEAKS),
    TokenForm(
        "Azure AD client",
        ("Q~",),
        r"(?<![A-Za-z0-9])[\w~.]{3}\dQ~[\w~.-]{31,34}",
        GITLEAKS,
        r"Q~[\w~.-]{31}",
    ),
    TokenForm(
        "Shopify",
        ("shpat_", "shpca_", "shppa_", "shpss_"),
        r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
        GITLEAKS,
    ),
    TokenForm(
        "Square", ("sq0atp-", "sq0csp-", "EAAA"), r"(?:sq0(?:atp|csp)-|EAAA)[\w-]{22,}", GITLEAKS
    ),
    TokenForm("Facebook", ("EAAM", "EAAC"), r"EAA[MC][A-Za-z0-9]{60,}", GITLEAKS),
    TokenForm(
        "Artifactory",
        ("AKC", "cmVmd"),
        r"AKC[a-zA-Z0-9]{10,}|cmVmd[A-Za-z0-9]{40,}",
        DETECT_SECRETS,
    ),
    TokenForm("Alibaba", ("LTAI",), r"LTAI[A-Za-z0-9]{12,}", GITLEAKS),
    TokenForm("Tencent", ("AKID",), r"AKID[A-Za-z0-9]{13,}", TRUFFLEHOG),
    TokenForm("Yandex", ("AQVN", "y0_"), r"(?:AQVN|y0_)[\w-]{35,}", GITLEAKS),
    TokenForm("Doppler", ("dp.",), r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}", GITLEAKS),
    TokenForm("Dynatrace", ("dt0",), r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{40,}", GITLEAKS),
    TokenForm(
        "Fly.io", ("fo1_", "fm1r_", "fm1a_", "fm2_"), r"(?:fo1|fm1[ar]|fm2)_[\w+/=-]{40,}", GITLEAKS
    ),
    TokenForm(
        "Grafana",
        ("glc_", "glsa_"),
        r"gl(?:c_[A-Za-z0-9+/=]{32,}|sa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8})",
        GITLEAKS,
    ),
    TokenForm("New Relic", ("NRAK-", "NRII-", "NRJS-"), r"NR(?:AK|II|JS)-[\w-]{19,}", GITLEAKS),
    TokenForm("Heroku", ("HRKU-",), r"HRKU-[\w-]{30,}", GITLEAKS),
    TokenForm("Buildkite", ("bkua_",), r"bkua_[a-z0-9]{32,}", TRUFFLEHOG),
    TokenForm("Duffel", ("duffel_",), r"duffel_(?:test|live)_[\w-]{30,}", GITLEAKS),
    TokenForm("pganalyze", ("pgar_",), r"pgar_[A-Za-z0-9]{20,}", TRUFFLEHOG),
    TokenForm("Bannerbear", ("bb_",), r"bb_(?:ma|pr)_[0-9a-f]{24,}", TRUFFLEHOG),
    TokenForm("Linear", ("lin_",), r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}", TRUFFLEHOG),
    TokenForm("Notion", ("ntn_",), r"ntn_[A-Za-z0-9]{30,}", GITLEAKS),
    TokenForm("Postman", ("PMAK-",), r"PMAK-[a-f0-9]{24}-[a-f0-9]{30,}", GITLEAKS),
    TokenForm("Prefect", ("pnu_", "pnb_"), r"pn[ub]_[a-zA-Z0-9]{30,}", GITLEAKS),
    TokenForm("PlanetScale", ("pscale_",), r"pscale_(?:tkn|oauth|pw)_[\w=.-]{20,}", GITLEAKS),
    TokenForm("Pulumi", ("pul-",), r"pul-[a-f0-9]{32,}", GITLEAKS),
    TokenForm("RubyGems", ("rubygems_",), r"rubygems_[a-f0-9]{32,}", GITLEAKS),
    TokenForm("Sentry", ("sntrys_", "sntryu_"), r"sntry[su]_[\w+/=-]{40,}", GITLEAKS),
    TokenForm("SonarQube", ("sqp_", "squ_", "sqa_"), r"sq[pua]_[a-f0-9]{40}", GITLEAKS),
    TokenForm(
        "Sourcegraph", ("sgp_",), r"sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}", GITLEAKS
    ),
    TokenForm(
        "Supabase", ("sbp_", "sb_secret_"), r"sb(?:p_[a-f0-9]{40}|_secret_[\w-]{20,})", TRUFFLEHOG
    ),
    TokenForm("Tailscale", ("tskey-",), r"tskey-[\w-]{16,}", TRUFFLEHOG),
    TokenForm("ngrok", ("ak_", "cr_"), r"(?:ak|cr)_2[A-Za-z0-9]{26}", TRUFFLEHOG),
    TokenForm("Typeform", ("tfp_",), r"tfp_[\w.-]{40,}", GITLEAKS),
    TokenForm("Airtable", ("pat",), r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", GITLEAKS),
    TokenForm("Docker Hub", ("dckr_",), r"dckr_(?:pat|oat)_[\w-]{20,}", TRUFFLEHOG),
    TokenForm("Comet, Pinecone", ("pcsk_",), r"pcsk_\w{40,}", TRUFFLEHOG),
    TokenForm("RunPod", ("rpa_",), r"rpa_[A-Z0-9]{30,}", TRUFFLEHOG),
    TokenForm("OpenShift", ("sha256~",), r"sha256~[\w-]{40,}", GITLEAKS),
    TokenForm(
        "1Password",
        ("ops_eyJ", "A3-"),
        r"ops_eyJ[\w+/=-]{40,}|A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}",
        GITLEAKS,
    ),
    TokenForm(
        "JSON Web Token",
        ("eyJ",),
        r"eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*){0,3}",
        "https://www.rfc-editor.org/rfc/rfc7519",
    ),
    TokenForm(
        "key of SSH",
        ("AAAA",),
        r"AAAA[BCE][3L][NnA-Za-z][\w+/]{16,}={0,2}",
        "https://www.rfc-editor.org/rfc/rfc4253#section-6.6",
    ),
)
