#!/bin/sh
# The entry point for developers and CI. `sh dev.sh help` lists the commands.
#
# Needs nothing but a POSIX shell and a Python >= 3.10: makes its own environment
# in .venv (elsewhere when the checkout cannot be written) and reuses it.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
oldest=10 # Python 3.oldest
newest=14

# What the tests call, and the Debian package that brings it.
tools='unshare:util-linux setpriv:util-linux prlimit:util-linux mount:mount
mkfs.ext4:e2fsprogs gcc:gcc,libc6-dev chromium:chromium git:git
xmllint:libxml2-utils shellcheck:shellcheck'

usage() {
    cat <<'END'
sh dev.sh check [ARGS]   install into .venv and run `pipedoctor check ARGS`
sh dev.sh test [ARGS]    everything CI runs; with ARGS: only `pytest ARGS`
sh dev.sh docs           regenerate the pages of checks, schemas, help texts and the vocabulary
sh dev.sh sweep          run the tests on every installed Python from 3.10 to 3.14
sh dev.sh coverage       run the tests with branch coverage: 100 % of checks, 95 % of the rest
sh dev.sh registry       run the tests that install packages from the package index
sh dev.sh slow           run the tests that start Ray, Slurm and Ansible, judge 10,000 reports,
                         watch every labelled training loop, and check types with pyright
sh dev.sh bench          measure and update the tables in docs/benchmarks; test bottleneck causes
sh dev.sh gpu [ARGS]     see what is said of GPUs on a real one: offline, at most 8 minutes;
                         --pack: the wheels it needs; --dry-run: with stubs, without a GPU
sh dev.sh fuzz           run the property tests with many more examples; fuzz every reader with atheris
END
}

say() { printf 'dev.sh: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 2
}

# --- a Python --------------------------------------------------------------

fits() { # COMMAND [MINOR]: is it a CPython that we support (of this minor)?
    "$1" -c "import sys; v = sys.version_info
sys.exit(not (v >= (3, $oldest) and ('${2:-}' in ('', str(v.minor)))))" \
        >/dev/null 2>&1
}

pythons() { # candidates, best first: what the user calls Python, then the newest
    echo python3
    minor=$newest
    while [ "$minor" -ge "$oldest" ]; do
        echo "python3.$minor"
        ls -d "${PYENV_ROOT:-${HOME:-/nonexistent}/.pyenv}/versions/3.$minor".*/bin/python \
            2>/dev/null || :
        minor=$((minor - 1))
    done
    echo python
}

find_python() { # [MINOR]
    for candidate in $(pythons); do
        if fits "$candidate" "${1:-}"; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

# --- packages of the system ------------------------------------------------

can_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

apt_install() { # PACKAGES: true when they are there afterwards
    say "apt-get install $*"
    {
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" ||
            { apt-get update && DEBIAN_FRONTEND=noninteractive \
                apt-get install -y --no-install-recommends "$@"; }
    } </dev/null >&2
}

system_tools() { # install what the tests call, or say what will be skipped
    wanted=''
    missing=''
    for pair in $tools; do
        command -v "${pair%%:*}" >/dev/null 2>&1 && continue
        missing="$missing ${pair%%:*}"
        wanted="$wanted $(echo "${pair#*:}" | tr , ' ')"
    done
    [ -n "$missing" ] || return 0
    # shellcheck disable=SC2086  # a list of words
    if can_apt && apt_install $wanted; then return 0; fi
    skips="$skips
  tests that call$missing (as root: apt-get install$wanted)"
}

# --- the environment -------------------------------------------------------

writable() { mkdir -p "$1" 2>/dev/null && [ -w "$1" ]; }

home() { # a folder of our own: in the checkout, in the user's cache, or a new one
    [ -z "${venv:-}" ] || return 0
    key=$(printf '%s' "$root" | cksum | cut -d ' ' -f 1)
    cache="${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/pipedoctor-dev/$key"
    if writable "$root/.venv"; then
        venv=$root/.venv
    elif writable "$cache"; then
        venv=$cache
    else
        venv=$(mktemp -d)/venv
        say "nothing else can be written, so this environment is not kept: $venv"
    fi
    bin=$venv/bin
    state=$venv/state
}

make_venv() { # PYTHON
    problem=$("$1" -m venv --clear "$venv" 2>&1) && return 0
    "$1" -m virtualenv --clear "$venv" >/dev/null 2>&1 && return 0
    printf '%s\n' "$problem" >&2
    return 1
}

environment() { # a working .venv, made at the first call
    home
    if [ ! -x "$bin/python" ] || ! fits "$bin/python" || [ ! -e "$state/made" ]; then
        python=$(find_python) || {
            can_apt && apt_install python3 python3-venv && python=$(find_python)
        } || die "needs Python 3.$oldest or newer: sudo apt-get install python3 python3-venv"
        package=$("$python" -c 'import sys; print("python3.%d-venv" % sys.version_info[1])')
        say "making $venv with $python"
        make_venv "$python" ||
            { can_apt && apt_install "$package" && make_venv "$python"; } ||
            die "$python cannot make environments: sudo apt-get install $package"
        mkdir -p "$state"
        pip install --upgrade 'pip>=25.1' # the first that reads dependency groups
        : >"$state/made"
    fi
}

pip() { "$bin/python" -m pip --disable-pip-version-check --no-input -qq "$@" >&2; }

# Run `COMMAND...` unless it was done for the same state of these FILES.
once() { # NAME FILES-OF-THE-CHECKOUT COMMAND...
    name=$1
    stamp=$(cd "$root" && find $2 -type f ! -name '*.pyc' -exec cksum {} + | sort | cksum)
    shift 2
    [ "$(cat "$state/$name" 2>/dev/null)" = "$stamp" ] && return 0
    "$@" || return 1
    printf '%s\n' "$stamp" >"$state/$name"
}

sources='pyproject.toml README.md LICENSE pipedoctor checks'

install_package() { # the wheel, as users get it
    say 'building and installing the wheel'
    rm -rf "$state/dist"
    pip wheel --no-deps --wheel-dir "$state/dist" "$root" &&
        pip install --force-reinstall --no-deps "$state"/dist/pipedoctor-*.whl &&
        pip install "$state"/dist/pipedoctor-*.whl # what it needs
}

install_tools() {
    say 'installing what the tests need'
    (cd "$root" && pip install --no-warn-conflicts --group tools)
    rm -f "$state/torch" "$state/no-torch"
}

pinned_torch() { sed -n 's/^ *"\(torch==[0-9.]*\)",*$/\1+cpu/p' "$root/pyproject.toml"; }

has_torch() { [ -e "$state/torch" ] || [ -e "$state/no-torch" ]; } # or will never have it

pip_torch() { # OPTIONS: a CPU build, never the gigabytes of CUDA
    pip install --only-binary :all: "$@" "$(pinned_torch)" 2>/dev/null ||
        pip --timeout 15 --retries 1 install --only-binary :all: "$@" \
            --extra-index-url https://download.pytorch.org/whl/cpu "$(pinned_torch)"
}

install_torch() {
    ! has_torch || return 0
    say "installing $(pinned_torch)"
    if pip_torch; then
        : >"$state/torch"
    else
        : >"$state/no-torch"
    fi
}

# --- the commands ----------------------------------------------------------

cmd_check() {
    environment
    once package "$sources" install_package || die 'could not install pipedoctor: see above'
    exec "$bin/pipedoctor" check "$@"
}

ready() { # everything that the tests need
    skips=''
    system_tools
    environment
    has_torch || pip_torch --no-deps 2>/dev/null & # it alone, beside the tools
    once tools pyproject.toml install_tools || die 'could not install the tools: see above'
    wait
    install_torch
    once package "$sources" install_package || die 'could not install pipedoctor: see above'
    [ ! -e "$state/no-torch" ] || skips="$skips
  tests that need torch, and the type checkers: no CPU build of torch for $("$bin/python" -V)"
    [ "$(id -u)" = 0 ] || skips="$skips
  tests that make the machine ill on purpose: they need root"
    export COVERAGE_FILE="$state/coverage/data" RUFF_CACHE_DIR="$state/ruff"
    export MYPY_CACHE_DIR="$state/mypy" HYPOTHESIS_STORAGE_DIRECTORY="$state/hypothesis"
    export PIPEDOCTOR_TESTS_BYTECODE="$state/bytecode"
    PATH=$bin:$PATH # programs that the tests call by name
    cd "$root"
}

failed=''
step() { # NAME COMMAND...: go on after a failure, remember it
    say "== $1"
    what=$1
    shift
    "$@" || failed="$failed $what"
}

static_check() { # NAME: becomes one of those below
    case $1 in
    ruff) exec nice -n 5 ruff check . ;;
    format) exec nice -n 5 ruff format --check . ;;
    imports) exec nice -n 5 lint-imports --cache-dir "$state/imports" ;;
    wheel) exec nice -n 5 check-wheel-contents "$state/dist" ;;
    mypy) exec nice -n 5 mypy ;;
    pyright) # of what is shipped; mypy reads the tests too, and `slow` lets both read all
        exec nice -n 5 pyright --pythonpath "$bin/python" pipedoctor checks
        ;;
    esac
}

start_static_checks() { # beside the tests, on what these leave of the CPUs
    static='ruff format imports wheel'
    [ ! -e "$state/torch" ] || static="$static mypy pyright"
    started=''
    trap 'kill $started 2>/dev/null || :' EXIT # those that an interruption leaves
    trap 'exit 130' INT
    trap 'exit 143' TERM
    for name in $static; do
        static_check "$name" >"$state/$name.log" 2>&1 &
        eval "${name}_pid=$!"
        started="$started $!"
    done
}

compile_tests() { # once, not by each worker; beside the static checks
    [ -d "$PIPEDOCTOR_TESTS_BYTECODE" ] || # import them all, and look for no test in them
        pytest --collect-only -qq -p no:cacheprovider -p no:syrupy \
            -o python_functions=- -o python_classes=- >/dev/null 2>&1 || :
}

finish_static_checks() {
    for name in $static; do
        eval "step $name wait \$${name}_pid"
        cat "$state/$name.log"
    done
    trap - EXIT INT TERM
}

tests() { # pytest as a program: `python -m` would import from the checkout
    { "$@" 2>&1 || echo $? >"$state/failed"; } | tee "$state/pytest.log"
    [ ! -e "$state/failed" ]
}

covered() { # AT-LEAST INCLUDE OMIT
    coverage report --fail-under="$1" --include="$2" --omit="$3"
}

cmd_test() {
    ready
    rm -f "$state/failed"
    cache="-o cache_dir=$state/pytest"
    if [ $# -gt 0 ]; then
        # shellcheck disable=SC2086  # two words
        exec pytest $cache "$@"
    fi
    start_static_checks
    compile_tests
    # shellcheck disable=SC2086
    step pytest tests "$bin/pytest" $cache --dist worksteal \
        -n 3 # more than CPUs: many wait for a process
    finish_static_checks
    [ -z "$skips" ] || say "skipped:$skips"
    [ -z "$failed" ] || say "FAILED:$failed"
    grep -E '^=+ .* in [0-9.]+s' "$state/pytest.log" | tail -n 1 # pytest's closing line
    [ -z "$failed" ]
}

cmd_coverage() { # measured apart: it takes half as long again
    ready
    rm -rf "$state/coverage" "$state/failed"
    mkdir -p "$state/coverage"
    step pytest tests coverage run "$bin/pytest" -o cache_dir="$state/pytest" -n 2
    coverage combine -q "$state/coverage" || :
    step coverage-of-checks covered 100 '*/site-packages/pipedoctor_checks/*' ''
    step coverage-of-engine covered 95 '*/site-packages/pipedoctor/*' ''
    [ -z "$failed" ] || die "FAILED:$failed"
}

cmd_sweep() {
    ready
    main_state=$state
    for minor in 10 11 12 13 14; do
        if ! python=$(find_python "$minor"); then
            say "skipped: no Python 3.$minor found"
            continue
        fi
        say "== $("$python" -V) ($python)"
        venv=$main_state/sweep/3.$minor
        bin=$venv/bin
        state=$venv/state
        [ -e "$state/made" ] || {
            make_venv "$python" && mkdir -p "$state" &&
                pip install --upgrade 'pip>=25.1' && : >"$state/made"
        } || die "$python cannot make environments"
        once tests pyproject.toml pip install --group tests
        install_torch 2>/dev/null
        [ -e "$state/torch" ] || say "without torch: no CPU build for 3.$minor"
        pip install "$main_state"/dist/pipedoctor-*.whl
        pip install --force-reinstall --no-deps "$main_state"/dist/pipedoctor-*.whl
        step "3.$minor" env PATH="$bin:$PATH" "$bin/pytest" -q -n 2 \
            -o cache_dir="$state/pytest"
    done
    [ -z "$failed" ] || die "FAILED on$failed"
}

cmd_docs() {
    ready
    python tools/make_vocabulary.py
    exec python tools/make_docs.py
}

cmd_registry() {
    ready
    exec pytest -m registry -n 2 -o cache_dir="$state/pytest" "$@"
}

cmd_slow() {
    ready
    programs=''
    for pair in slurmctld:slurmctld slurmd:slurmd srun:slurm-client mpirun:openmpi-bin \
        promtool:prometheus; do
        command -v "${pair%%:*}" >/dev/null 2>&1 || programs="$programs ${pair#*:}"
    done
    # shellcheck disable=SC2086  # words
    [ -z "$programs" ] || { can_apt && apt_install $programs; } ||
        say "skipped: tests that need$programs"
    (cd "$root" && pip install --only-binary :all: --group slow) ||
        say 'skipped: tests that need Ray, DuckDB or Ansible'
    [ $# -gt 0 ] || [ ! -e "$state/torch" ] || step pyright pyright --pythonpath "$bin/python"
    step pytest pytest -m 'cluster or loops or extended' -o cache_dir="$state/pytest" "$@"
    [ -z "$failed" ] || die "FAILED on$failed"
}

cmd_bench() {
    ready
    for script in benchmarks/*.py; do
        case $script in */_*) continue ;; esac
        step "$script" python "$script" "$@"
    done
    step causes pytest -m idle -o cache_dir="$state/pytest"
    [ -z "$failed" ] || die "FAILED:$failed"
}

cmd_gpu() { # on a machine without a network all it needs lies in wheels/: see --pack
    case " $* " in
    *' --pack '*)
        ready
        exec python -m benchmarks.gpu --own-wheel "$(echo "$state"/dist/pipedoctor-*.whl)" "$@"
        ;;
    *' --dry-run '*)
        ready
        exec python -m benchmarks.gpu --wheels "$state/dist" "$@"
        ;;
    esac
    python=$(find_python) || die "needs Python 3.$oldest or newer"
    cd "$root"
    exec "$python" -m benchmarks.gpu "$@"
}

cmd_fuzz() {
    ready
    step properties pytest -m hypothesis --hypothesis-profile=fuzz -n 2 \
        -o faulthandler_timeout=1800 -o cache_dir="$state/pytest" "$@"
    if pip install --only-binary :all: atheris 2>/dev/null; then
        for reader in log report zip environment-record conda-meta elf ld-so-cache \
            installed-list journal redaction code configuration; do
            step "$reader" python tools/fuzz_readers.py "$reader" -max_total_time=60
        done
    else
        say "skipped: no build of atheris for $("$bin/python" -V)"
    fi
    [ -z "$failed" ] || die "FAILED:$failed"
}

command=${1:-help}
[ $# -eq 0 ] || shift
case $command in
check | test | docs | coverage | sweep | registry | slow | bench | gpu | fuzz) "cmd_$command" "$@" ;;
help | -h | --help) usage ;;
*)
    usage >&2
    exit 2
    ;;
esac
