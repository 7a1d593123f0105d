#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# pkg_config.sh COMPILER LIBDIR WORKDIR: builds main.cpp with what pkg-config tells, with and without --static; runs it.
set -euo pipefail
compiler=$1 libdir=$2 work=$3
here=$(cd "$(dirname "$0")" && pwd)
export PKG_CONFIG_PATH=$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

mkdir -p "$work"
for linkage in --shared --static; do
  # pkg-config quotes for a shell.
  eval "cflags=($(pkg-config --cflags "$linkage" fibtrie)) libs=($(pkg-config --libs "$linkage" fibtrie))"
  # No system headers here, unlike with find_package: a warning in one of ours is an error.
  "$compiler" -std=c++20 -O2 -Wall -Wextra -Wpedantic -Werror "${cflags[@]}" "$here/main.cpp" "${libs[@]}" \
    -o "$work/consumer$linkage"
  "$work/consumer$linkage"
done
