# shellcheck shell=bash
# Sourced by every command that is written in Python: sets $python to a Python 3.8 or newer, $root to the
# checkout, from which all modules are imported, and defines run_python. Where Python is missing: one line and
# status 3; with --install among the command's words it is installed first, where apt-get may be used at once.

root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
export PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH}
# So that ccache, where it is, keeps what was compiled with precompiled headers.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}

python=

# -S: without a search for packages, which would take longer than the answer.
find_python() {
    local candidate
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" -S -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null; then
            python=$candidate
            return 0
        fi
    done
    return 1
}

install_python() {
    local as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo -n)
    command -v apt-get >/dev/null 2>&1 && "${as_root[@]}" true 2>/dev/null || return 1
    echo "installing: python3"
    "${as_root[@]}" apt-get update -qq >/dev/null 2>&1
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends python3 >/dev/null 2>&1
    hash -r
}

if ! find_python && ! { [[ " $* " == *" --install "* ]] && install_python && find_python; }; then
    echo "Python 3.8 or newer is missing: install it (Debian, Ubuntu: sudo apt-get install python3)" \
        "and run this again" >&2
    exit 3
fi

# Becomes the program at this path from the root, a file or a package with a __main__.py.
run_python() {
    exec "$python" -B "$root/$1" "${@:2}"
}
