# SPDX-License-Identifier: MIT
# Common part of the scripts: packages, configure, build.  To be sourced by bash.
# Messages and the build's output go to stderr, so that a script's stdout is that of the program it runs.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${FIBTRIE_PRESET:-release}

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

# Runs apt-get as root, without questions.
apt() {
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "not root and no sudo: please run as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null >&2
}

# need_packages PACKAGE[:COMMAND]...  Installs the Debian packages that are missing.  One given with a command counts as
# there when the command is, wherever it comes from.
need_packages() {
  local wanted package missing=()
  for wanted in "$@"; do
    package=${wanted%%:*}
    if [[ $wanted == *:* ]] && command -v "${wanted##*:}" >/dev/null; then continue; fi
    [[ $(dpkg-query -W -f ' ${db:Status-Status} ' "$package" 2>/dev/null) == *" installed "* ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "not a Debian-like system, nothing is installed; what Debian calls ${missing[*]} must be there"
    return 0
  fi

  say "installing ${missing[*]}"
  compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || apt update
  # Old lists name packages that the mirror no longer has: once more with new ones.
  apt install -y --no-install-recommends "${missing[@]}" ||
    { apt update && apt install -y --no-install-recommends "${missing[@]}"; } ||
    die "could not install ${missing[*]}"
}

need_build_packages() {
  need_packages cmake:cmake ninja-build:ninja g++:g++ pkg-config:pkg-config python3:python3 \
    liburcu-dev libgtest-dev libmnl-dev zlib1g-dev libcli11-dev libfmt-dev nlohmann-json3-dev
}

# Puts into the array `run` what sanitized programs must be started with.  The build starts them, too: it asks the tests
# for their names.
sanitizer_environment() {
  run=()
  export ASAN_OPTIONS="strict_string_checks=1:detect_stack_use_after_return=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
  export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
  if [[ -e $top/scripts/tsan.supp ]]; then
    # By default each program sleeps a second at its end, for threads that are left; ours are joined.
    export TSAN_OPTIONS="atexit_sleep_ms=0:suppressions=$top/scripts/tsan.supp${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
  fi
  # g++ 12's thread sanitizer does not start where addresses are more random than this.
  local random_bits=0
  [[ -r /proc/sys/vm/mmap_rnd_bits ]] && random_bits=$(</proc/sys/vm/mmap_rnd_bits)
  if [[ $preset == tsan ]] && ((random_bits > 28)); then run=(setarch -R); fi
}

# build [TARGET]...  Configures the preset and builds the targets, or everything.
build() {
  local targets=()
  (($#)) && targets=(--target "$@")
  (
    cd "$top" && cmake --preset "$preset" &&
      "${run[@]}" cmake --build --preset "$preset" --parallel "$(nproc)" "${targets[@]}"
  ) >&2 || die "the $preset build failed"
}
