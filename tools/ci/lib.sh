# Functions that several steps use. This file is sourced, never run.

# Packages keep their bytecode, also where the machine asks for none: without it, each run compiles what it imports. Not beside the sources.
PYTHONPYCACHEPREFIX="$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")/bytecode"
export PYTHONPYCACHEPREFIX PYTHONDONTWRITEBYTECODE=

# check_usage LEAST MOST WORD…: prints the comment at the head of the script if the first word is --help, and ends. Ends with 2 at any other
# option, and at fewer or more words. Each script calls it before it does anything.
check_usage() {
    local least="$1" most="$2" word
    shift 2
    for word in "$@"; do
        case "$word" in
        --help | -h)
            sed -n '2,${/^#/!q; s/^# \{0,1\}//p}' "$(dirname "${BASH_SOURCE[0]}")/${0##*/}"
            exit 0
            ;;
        -*)
            echo "${0##*/}: there is no option $word; ${0##*/} --help says more" >&2
            exit 2
            ;;
        esac
    done
    if [ $# -lt "$least" ] || [ $# -gt "$most" ]; then
        echo "${0##*/}: $# words are too few or too many; ${0##*/} --help says more" >&2
        exit 2
    fi
}

# deny_warnings [clippy-driver]: from here on, a warning in our crates is an error. With clippy-driver, cargo checks clippy's lints, too, while it
# compiles them; `cargo clippy` would compile all crates a second time.
deny_warnings() {
    local target="${CARGO_TARGET_DIR:-target}" name="deny-warnings${1:+-of-$1}"
    mkdir -p "$target"
    # Not sh: dash drops variables such as CARGO_BIN_EXE_presence-local.
    printf '#!/usr/bin/env bash\nexec %s "$@" --deny warnings\n' "${1:-}" >"$target/$name"
    chmod +x "$target/$name"
    RUSTC_WORKSPACE_WRAPPER="$(realpath "$target/$name")"
    export RUSTC_WORKSPACE_WRAPPER
}

# An installation that takes so long hangs.
readonly INSTALL_SECONDS=600

# have_cargo_tool NAME VERSION: installs the cargo subcommand where none is on the PATH. Fails if it cannot be installed.
# Tools are built apart from the workspace and share a folder, because they share crates. Without optimisation: with the
# shipped profile, the build takes ten minutes on two cores.
have_cargo_tool() {
    local name="$1" version="$2" target="${CARGO_TARGET_DIR:-target}"
    cargo "$name" --version 2>/dev/null && return
    env -u RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_DIR="$target/cargo-deny" CARGO_PROFILE_RELEASE_LTO=off \
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=0 cargo install "cargo-$name" --locked --version "$version" --quiet
}

readonly CARGO_DENY_VERSION=0.20.2
# The download of the advisory database takes some seconds where the network allows it at all.
readonly FETCH_SECONDS=120

# check_supply_chain OPTION…: checks dependencies with cargo-deny, which gets the options. Prints what was not checked.
check_supply_chain() {
    if ! have_cargo_tool deny "$CARGO_DENY_VERSION"; then
        echo "cargo-deny is not here and could not be installed: the supply chain was NOT checked"
        return
    fi
    if timeout "$FETCH_SECONDS" cargo deny "$@" fetch db; then
        cargo deny "$@" check
    else
        echo "the advisory database cannot be reached: advisories were NOT checked"
        cargo deny "$@" check bans licenses sources
    fi
}

# Installs Python packages in a tenth of pip's time.
readonly UV=uv==0.13.9

# install_uv LOG: installs uv below target/, and sets `uv` to the program. Fails without Python or without venv and pip.
# Debian's Python has no `venv` until python3-venv is installed; pip alone is enough then.
install_uv() {
    local target="${CARGO_TARGET_DIR:-target}" new pip=(-m pip install --quiet --disable-pip-version-check --no-compile "$UV")
    uv="$target/uv/$UV/bin/uv"
    if [ -x "$uv" ]; then return; fi
    mkdir -p "$target/uv"
    new="$(mktemp -d "$target/uv/new.XXXXXX")"
    if ! python3 "${pip[@]}" --target "$new" >"$1" 2>&1; then
        python3 -m venv "$new" >>"$1" 2>&1 && "$new/bin/python" "${pip[@]}" >>"$1" 2>&1 || return 1
    fi
    # Steps run beside each other: the first one wins.
    mv --no-target-directory "$new" "$target/uv/$UV" 2>/dev/null || rm -rf "$new"
}

# install_python FOLDER LOG --requirements FILE
# install_python FOLDER LOG PACKAGE==VERSION
# Installs Python packages into FOLDER; Python and their programs are then in FOLDER/bin. Fails where uv cannot be installed.
install_python() {
    local folder="$1" log="$2" uv
    shift 2
    # FOLDER/installed holds the list that was installed: another list is installed again.
    if [ -e "$folder/installed" ] && python_list "$@" | cmp --silent - "$folder/installed"; then return; fi
    rm -rf "$folder"
    install_uv "$log" || return 1
    "$uv" venv --quiet --no-project --no-python-downloads --python "$(command -v python3)" "$folder" >"$log" 2>&1 &&
        "$uv" pip install --quiet --system-certs --python "$folder/bin/python" "$@" >>"$log" 2>&1 || return 1
    python_list "$@" >"$folder/installed"
}

# install_node FOLDER LOG: installs the packages that FOLDER/package-lock.json names. Fails without Node.js.
install_node() {
    local list="$1/package-lock.json" installed="$1/node_modules/.installed-list"
    # Another list is installed anew.
    if cmp --silent "$list" "$installed"; then return; fi
    (cd "$1" && npm ci --no-audit --no-fund --loglevel error) >"$2" 2>&1 || return 1
    cp "$list" "$installed"
}

# install_debian LOG PACKAGE…: installs packages of Debian, in the version that it has. Fails unless it may: as root, or with sudo in CI.
install_debian() {
    local log="$1" sudo=()
    shift
    if ! command -v apt-get >/dev/null; then return 1; fi
    if [ "$(id -u)" -ne 0 ]; then
        if [ -z "${CI:-}" ] || ! command -v sudo >/dev/null; then return 1; fi
        sudo=(sudo --non-interactive)
    fi
    # shellcheck disable=SC2016 # The variable is the inner shell's.
    timeout "$INSTALL_SECONDS" ${sudo[@]+"${sudo[@]}"} env DEBIAN_FRONTEND=noninteractive sh -c \
        'apt-get update -qq && apt-get install -qq --yes --no-install-recommends "$@"' sh "$@" >"$log" 2>&1
}

# The programs that build and deploy the functions. Steps that use one of them take it from here.
readonly SAM=aws-sam-cli==1.170.0
# Installs zig, too: it links for the glibc of Lambda.
readonly CARGO_LAMBDA=cargo-lambda==1.9.2

# install_build_tools: installs SAM, cargo-lambda and zig below target/, and puts them on the PATH. Fails without Python and pip.
install_build_tools() {
    local target="${CARGO_TARGET_DIR:-target}" log zig
    mkdir -p "$target"
    target="$(cd "$target" && pwd)"
    sam_home="$target/template-tools/$SAM"
    lambda_home="$target/lambda-tools/$CARGO_LAMBDA"
    log="$(mktemp)"
    install_python "$sam_home" "$log" "$SAM" && install_python "$lambda_home" "$log" "$CARGO_LAMBDA" || {
        tail -n 5 "$log" >&2
        rm -f "$log"
        return 1
    }
    rm -f "$log"
    # cargo-lambda finds zig on the PATH. The program is in the folder of its package.
    zig="$(dirname "$(find "$lambda_home" -name zig -type f -path '*/ziglang/*' | head -n 1)")"
    export PATH="$sam_home/bin:$lambda_home/bin:$zig:$PATH" SAM_CLI_TELEMETRY=0
}

# build_functions STAGE: builds the functions of this stage of samconfig.toml with SAM, into .aws-sam/build.
# SAM builds one function after the other, and link-time optimisation, which takes most of the time, uses one core. So
# cargo-lambda builds the functions first, as SAM does, but as many at a time as there are cores. SAM then finds them built, and
# only copies them.
build_functions() {
    local stage="$1" is_arm=""
    if sed -n "/^\[$stage\.build\.parameters\]/,/^$/p" samconfig.toml | grep -q Architecture=arm64; then is_arm=yes; fi
    compile_functions users auditor categories mailer/lambda publisher reviews
    # Alone: what reads gzip turns on features of crates that the others have without them.
    compile_functions ingest
    # The same for what calls the receivers of webhooks.
    compile_functions feed deliverer
    sam build --config-env "$stage"
}

# compile_functions FOLDER…: compiles functions, by their folders below functions/, with the options that SAM takes. They have the
# same features of the same crates. build_functions sets `is_arm`.
compile_functions() {
    # In the folder of a function, as SAM: the settings have paths in them, and other settings compile everything again.
    local packages=("${@//\//-}")
    (cd "functions/$1" && cargo-lambda lambda build --release ${is_arm:+--arm64} --bins "${packages[@]/#/--package=presence-}")
}

# require_tests NAME…: fails if a name is part of no test's name. Without this check, a renamed test would be run, or left out,
# no longer, and nobody would notice.
require_tests() {
    local tests name
    tests="$(cargo test --locked --quiet --test acceptance -- --list)"
    for name in "$@"; do
        if ! grep -q -F "$name" <<<"$tests"; then
            echo "no test of the acceptance driver is called $name" >&2
            exit 1
        fi
    done
}

# python_list ARGUMENT…: the list that install_python installs for these arguments.
python_list() {
    echo "$UV"
    if [ "$1" = --requirements ]; then cat "$2"; else echo "$1"; fi
}

# fetch_openapi_3_0 PROGRAM FILE: writes the description in OpenAPI 3.0, as presence-local serves it.
fetch_openapi_3_0() {
    # shellcheck disable=SC2016 # The variable is the inner shell's.
    bash tools/ci/with-stack "$1" bash -c \
        'curl --silent --show-error --fail --output "$0" "$PRESENCE_URL/api/v2/openapi-3.0.json"' "$2"
}

# json_text NAME FILE: the text of a field of the line of JSON that the local stack prints. Names are unique in it.
json_text() {
    sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p' "$2"
}

# wait_for_line FILE PID TENTHS: waits until FILE has a whole line. Fails if the process ends before, or after TENTHS tenths
# of a second. Sets `waited` to the reason.
wait_for_line() {
    local file="$1" process="$2" tenths="$3"
    for _ in $(seq "$tenths"); do
        # The end of a line is written last.
        if [ "$(wc -l <"$file")" -ge 1 ]; then return; fi
        if ! kill -0 "$process" 2>/dev/null; then
            waited="the program ended before it was ready"
            return 1
        fi
        sleep 0.1
    done
    # shellcheck disable=SC2034 # The caller prints it.
    waited="not ready after $((tenths / 10)) seconds"
    return 1
}

# wait_for_url LOG PID TENTHS PATH: waits until the server that writes LOG answers at PATH, and sets `url` to its address.
# Any answer counts, also a refusal. Fails, with the reason in `waited`, if the process ends or the time is over.
wait_for_url() {
    local log="$1" process="$2" tenths="$3" path="$4"
    for _ in $(seq "$tenths"); do
        url="$(grep -o --max-count=1 'http://127\.0\.0\.1:[0-9]*' "$log" || true)"
        if [ -n "$url" ] && curl --silent --noproxy '*' --max-time 5 --output /dev/null "$url$path"; then return; fi
        if ! kill -0 "$process" 2>/dev/null; then
            waited="ended before it was ready"
            return 1
        fi
        sleep 0.1
    done
    # shellcheck disable=SC2034 # The caller prints it.
    waited="is not ready after $((tenths / 10)) seconds"
    return 1
}
