#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# installed_files.sh COMPILER PREFIX: what is installed must not lean on our build: no liburcu in headers, none of our
# flags on the exported target, each public header complete in itself.
set -euo pipefail
compiler=$1 prefix=$2
failed=0

if grep -rnE '^[[:space:]]*#.*(_LGPL_SOURCE|[<"]urcu)' "$prefix/include"; then
  echo "an installed header leans on liburcu" >&2
  failed=1
fi
targets=$(find "$prefix" -name 'fibtrieTargets*.cmake')
[[ -n $targets ]] || { echo "no exported targets" >&2; exit 1; }
if grep -nE -e '-march|-fsanitize|"-W|fibtrie_flags|FIBTRIE_ASSERTS|INTERFACE_COMPILE_OPTIONS' $targets; then
  echo "the exported target carries flags of our own build" >&2
  failed=1
fi
for header in "$prefix"/include/fibtrie/*.h; do
  echo "#include \"fibtrie/${header##*/}\"" |
    "$compiler" -std=c++20 -fsyntax-only -x c++ -I"$prefix/include" -I"$prefix/include/fibtrie/detail" - || failed=1
done
exit $failed
