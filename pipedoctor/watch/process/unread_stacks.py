"""Why stacks are not read, in words."""

NOT_WANTED = "not read, as --no-stacks demands"
PTRACE_DENIED = (
    "ptrace access is denied: needs the same user and kernel.yama.ptrace_scope=0, a job"
    " started by `pipedoctor run --`, `setpriv --ptracer any`, or SYS_PTRACE"
)
