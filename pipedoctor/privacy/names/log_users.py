"""Where programs write the name of a user in a line: a table with its sources."""

from pipedoctor.privacy.names.name_form import (
    MAN,
    PROMPT,
    QUEUE_ROW,
    TIMES,
    USER,
    NameForm,
    make_form,
)

_AFTER_USER = (
    "code|requests?|inputs?|interrupt|actions?|errors?|settings?|space|defined|level|mode|data|ids?"
    "|namespaces?|process|processes|threads?|scripts?|functions?|models?|name|sessions?"
)
"""What *user* tells more about than about a person: *by user code*."""

USER_FORMS: tuple[NameForm, ...] = (
    make_form(
        "user",
        "https://git-scm.com/docs/git-config#Documentation/git-config.txt-username",
        r"(\b(?:user|author|committer)\.name[ =]{1,3}[\"']?)"
        r"([A-Z\u00c0-\u017f][\w'-]+(?: [A-Z\u00c0-\u017f][\w.'-]*){1,3})",
        *("user.name", "author.name", "committer.name"),
    ),
    make_form(
        "told user",
        "https://www.rfc-editor.org/rfc/rfc5322",
        r"(\b(?:(?:Prof|Dr|Mr|Mrs|Ms|Herr|Frau)\.? ){1,2}(?:-?Ing\. )?)"
        r"([A-Z\u00c0-\u017f][\w'-]+(?: [A-Z\u00c0-\u017f][\w.'-]*){0,2})",
        *("Prof. ", "Prof ", "Dr. ", "Dr ", "Mr. ", "Mr ", "Mrs", "Ms. ", "Ms ", "Herr ", "Frau "),
    ),
    make_form(
        "user",
        f"{MAN}/man1/whoami.1.html",
        rf"(\bwhoami(?::\s|\s?\n)){USER}(?=\s*(?:\n|$))",
        "whoami",
    ),
    make_form(
        "user",
        "https://www.sudo.ws/docs/man/sudoers.man/#Logging",
        rf"(\bsudo(?:\[\d+\])?:\s{{1,8}}){USER}(?=\s:\s)",
        "sudo",
    ),
    make_form(
        "user",
        "https://slurm.schedmd.com/squeue.html",
        rf"{QUEUE_ROW}){USER}(?=\s+[A-Z]{{1,2}}\s+[\d:-]+\s+\d+\s)",
        *TIMES,
    ),
    make_form(
        "user",
        "https://docs.pytorch.org/docs/stable/torch.compiler_troubleshooting.html",
        rf"(/tmp/(?:torchinductor_|hsperfdata_|ray_|triton_|vscode-|dask-|screens/S-|pytest-of-)){USER}",
        "/tmp/",
        in_word=True,
    ),
    make_form(
        "user",
        "https://refspecs.linuxfoundation.org/FHS_3.0/fhs/ch05s11.html",
        rf"(/var/(?:spool/)?(?:mail|cron/(?:crontabs|tabs)|cron)/){USER}",
        "/var/",
        in_word=True,
    ),
    make_form(
        "user",
        f"{MAN}/man1/chown.1.html",
        rf"(\bchown\s(?:-\w+\s)*){USER}(?=[: ])",
        "chown ",
    ),
    make_form(
        "user",
        f"{MAN}/man1/chown.1.html",
        rf"(\bchown\s(?:-\w+\s)*(?:<user-\d+>|root):){USER}(?=\s)",
        "chown ",
    ),
    make_form(
        "user",
        f"{MAN}/man8/pam_unix.8.html",
        rf"(\buser ){USER}(?=\slogged\s(?:in|out))",
        "user ",
    ),
    make_form(
        "user",
        "https://slurm.schedmd.com/slurmctld.html",
        r"(\buser )([A-Za-z_][\w.-]*)(?=\((?:uid=)?\d+\))",
        "user ",
    ),
    make_form(
        "user",
        f"{MAN}/man1/bash.1.html#PROMPTING",
        rf"(?m)(^(?:\([\w.-]+\)\s)?\[?){USER}(?=@[\w.-]+{PROMPT})",
        "@",
    ),
    make_form(
        "user",
        f"{MAN}/man1/ssh.1.html",
        rf"(\b(?:ssh|scp|rsync|sftp|sshfs|mosh)\s(?:[^\n]{{0,300}}?\s)?){USER}(?=@[\w.-]+)",
        "@",
    ),
    make_form(
        "user",
        "https://docs.github.com/get-started/git-basics/about-remote-repositories",
        r"(\bgit@[\w.-]+:)(?!(?i:pytorch|huggingface|nvidia|facebookresearch|google[\w-]*|microsoft"
        r"|openai|open-mmlab|lightning-ai|eleutherai|mosaicml|apache|conda-forge)/)"
        r"((?!<)[A-Za-z0-9][\w.-]*)(?=/)",
        "git@",
        in_word=True,
    ),
    make_form(
        "user",
        f"{MAN}/man1/id.1.html",
        rf"(\b(?:[ug]id|groups)=\d+\(|(?<=\)),\d+\(){USER}(?=\))",
        "id=",
        "groups=",
        in_word=True,
    ),
    make_form(
        "user",
        f"{MAN}/man1/ls.1.html",
        rf"(?m)(^[bcdlps-][rwxsStT-]{{9}}[.+@]?\s+\d+\s+){USER}",
        "rw",
        "r-",
    ),
    make_form(
        "user",
        f"{MAN}/man1/ls.1.html",
        rf"(?m)(^[bcdlps-][rwxsStT-]{{9}}[.+@]?\s+\d+\s+\S+\s+){USER}(?=\s+(?:\d|\w+_u:))",
        "rw",
        "r-",
    ),
    make_form(
        "user",
        f"{MAN}/man1/ps.1.html",
        rf"(?m)(^){USER}(?=\s+\d+\s+\d+(?:\.\d)?\s+\d+\.\d\s+[\d.]+[kmgt]?\s+[\d.]+[kmgt]?\s)",
        *(f".{digit} " for digit in range(10)),
    ),
    make_form(
        "user",
        f"{MAN}/man1/top.1.html",
        rf"(?m)(^\s*\d+\s){USER}(?=\s+(?:\d\d|rt|-?\d)\s+-?\d+\s+[\d.]+[mgt]?\s)",
        *("  ", " 0 "),
    ),
    make_form(
        "user",
        "https://www.sudo.ws/docs/man/sudo.man/",
        rf"(\bsudo\s(?:-[A-Z]\s)*-u\s|\bsu\s(?:-l?\s)|\brunuser\s-u\s){USER}",
        "su ",
        "runuser",
        "sudo ",
    ),
    make_form(
        "user",
        "https://docs.wandb.ai/models/ref/cli/wandb-login",
        rf"(\b[Ll]ogged in as:?\s){USER}",
        "ogged in as",
    ),
    make_form(
        "user",
        "https://docs.wandb.ai/models/ref/cli/wandb-login",
        rf"(\b[Ll]ogged in as:?\s\S+\s\(){USER}(?=\))",
        "ogged in as",
    ),
    make_form(
        "user",
        "https://www.comet.com/docs/v2/guides/comet-ui/workspaces/",
        r"(//(?:(?:www\.)?(?:wandb\.ai|comet\.(?:com|ml)|dagshub\.com)/|app\.neptune\.ai/(?:o/)?)"
        rf"(?!(?:site|home|authorize|settings|login|signup|docs|api|pricing|workspaces)\b)){USER}",
        *("wandb.ai/", "comet.", "dagshub.com/", "neptune.ai/"),
        in_word=True,
    ),
    make_form(
        "user",
        f"{MAN}/man8/sshd.8.html",
        rf"(\b(?:Accepted|Failed) [\w/-]+ for (?:invalid user )?){USER}(?=\sfrom\s)",
        *("Accepted ", "Failed "),
    ),
    make_form(
        "user",
        "https://man.openbsd.org/sshd#AUTHORIZED_KEYS_FILE_FORMAT",
        rf"(\b(?:ssh-\w{{1,40}}|ecdsa-sha2-\S{{1,80}}|sk-\S{{1,80}})\s(?:<secret>|AAAA\S+)\s){USER}(?=@)",
        *("ssh-", "ecdsa-", "sk-"),
    ),
    make_form(
        "user",
        "https://slurm.schedmd.com/scontrol.html",
        rf"(\b(?:submitted|created|owned|launched|started|modified)[_ ]by[\"']?\s?[:=]\s?[\"']?"
        rf"|\buser\.name[ =][\"']?){USER}",
        "by",
        "user.name",
    ),
    make_form(
        "told user",
        f"{MAN}/man8/pam_unix.8.html",
        rf"(\b(?:by|for|as|of) user [\"']?)(?!(?:{_AFTER_USER})\b){USER}"
        r"(?=['\".,;:)]|\s*$|\s(?:\(|(?:from|on|by|at|is|was|has|in|failed)\b))",
        " user ",
    ),
    make_form(
        "user",
        "https://git-scm.com/docs/git-log#_pretty_formats",
        r"(?m)(^\s*(?:Author|Commit|Committer|[A-Z][a-z]+(?:-[a-z]+)?-by|From|Cc|To):\s+)"
        r"([^<\n]{2,60}?)(?=\s<[^\n]*@)",
        " <",
    ),
)
