#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tests/spin/run.sh: verifies the model of the publication order scenario by scenario, and that it finds planted faults.
set -euo pipefail

usage() {
  cat <<END
Usage: tests/spin/run.sh [--readers N] [--keep DIR] [PATTERN]
Verifies tests/spin/publication.pml with spin.  Prints a table; exits with 1 if a verdict is not the expected one, and
with 77 if spin or cc is missing.
  --readers N   1 to 3 readers in the scenarios (default: 2, and 1 in "sequence-match")
  --keep DIR    work in DIR, which must not exist, and leave everything there, to replay a trail: cd to the run's
                folder, then spin -t -p -g \$(cat defines) publication.pml
  PATTERN       only the runs whose name matches this extended regular expression
END
}

readers=
keep=
pattern=
while (($# > 0)); do
  case $1 in
    -h | --help)
      usage
      exit
      ;;
    --readers)
      [[ ${2-} == [123] ]] || { usage >&2; exit 2; }
      readers=$2
      shift
      ;;
    --keep)
      [[ -n ${2-} && ! -e $2 ]] || { usage >&2; exit 2; }
      keep=$2
      shift
      ;;
    -*)
      usage >&2
      exit 2
      ;;
    *) pattern=$1 ;;
  esac
  shift
done

for program in spin cc; do
  if ! command -v "$program" >/dev/null; then
    echo "skipped: no $program"
    exit 77
  fi
done

model=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/publication.pml
if [[ -n $keep ]]; then
  mkdir -p "$keep"
  work=$(cd "$keep" && pwd)
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi

wrong=0
runs=0

# run KIND NAME DEFINE...: KIND is
#   holds    no error, in a complete search in which the writer made each of its stores
#   reaches  the assertion that the facts of REACH never come together fails: the states that matter are reached
#   faulty   an assertion fails: the planted fault is found
run() {
  local kind=$1 name=$2
  shift 2
  if [[ -n $pattern && ! $name =~ $pattern ]]; then return; fi
  runs=$((runs + 1))
  local -a defines=() flags=()
  local define optimise=-O0 # small searches end before an optimiser would
  for define in "$@"; do defines+=("-D$define"); done
  if [[ $kind == holds && " $*" != *" READERS"* ]]; then defines+=("-DREADERS=${readers:-2}"); fi
  if [[ $kind == holds && " $*" == *" SEQUENCE"* ]]; then optimise=-O2; fi
  # Safety only: all properties are assertions.  No partial-order reduction: nearly every step touches words that others
  # use, so it would leave out next to nothing.  Collapsed states need a sixth of the memory.
  flags=("$optimise" -w -DSAFETY -DNOREDUCE -DCOLLAPSE -DMEMLIM=2000)

  local dir=$work/$name begin end verdict states depth
  mkdir "$dir"
  cp "$model" "${model%/*}/scenarios.pml" "$dir"
  echo "${defines[*]}" >"$dir/defines"
  begin=$(date +%s%N)
  if ! (cd "$dir" && spin -a "${defines[@]}" publication.pml >spin.out 2>&1 &&
    cc "${flags[@]}" pan.c -o pan >cc.out 2>&1); then
    cat "$dir"/*.out
    printf '%-26s %10s %8s %8s  %s\n' "$name" - - - "WRONG: does not compile"
    wrong=$((wrong + 1))
    return
  fi
  (cd "$dir" && ./pan -m200000 -w20 >pan.out 2>&1) || true
  end=$(date +%s%N)

  verdict=$(judge "$kind" "$dir/pan.out")
  [[ $verdict != WRONG* ]] || wrong=$((wrong + 1))
  states=$(awk '/states, stored/ {print $1}' "$dir/pan.out")
  depth=$(sed -n 's/.*depth reached \([0-9]*\).*/\1/p' "$dir/pan.out" | head -1)
  printf '%-26s %10s %8s %8s  %s\n' "$name" "${states:--}" "${depth:--}" \
    "$(awk -v ns=$((end - begin)) 'BEGIN {printf "%.2f", ns / 1e9}')" "$verdict"
}

judge() {
  local kind=$1 out=$2 violated
  violated=$(sed -n 's/^pan:[0-9]*: \(assertion violated .*\) (at depth.*/\1/p' "$out" | head -1)
  if grep -qE 'max search depth too small|out of memory|aborted|Interrupted' "$out"; then
    echo "WRONG: search not completed"
  elif ! grep -q 'errors: ' "$out"; then
    echo "WRONG: no result"
  elif [[ $kind == holds ]]; then
    if ! grep -q 'errors: 0' "$out"; then
      echo "WRONG: $(grep -m1 '^pan:' "$out")"
    elif ! grep -A9 'unreached in proctype writer' "$out" | grep -m1 ' states)' | grep -q '(0 of'; then
      echo "WRONG: stores of the writer are not reached"
    else
      echo holds
    fi
  elif [[ -z $violated ]]; then
    echo "WRONG: nothing found"
  elif [[ $kind == reaches && $violated != *facts* ]]; then
    echo "WRONG: $violated"
  elif [[ $kind == reaches ]]; then
    echo reached
  else
    case $violated in
      *'!=255)' | *'!=28672)') echo "found: something freed or unwritten is read" ;;
      *'v<=begun)') echo "found: an answer not right any more, or not yet" ;;
      *'||'*) echo "found: a covered address has no route" ;;
      *) echo "WRONG: $violated" ;;
    esac
  fi
}

printf '%-26s %10s %8s %8s  %s\n' run states depth seconds verdict

run holds insert INSERT
run holds insert-top INSERT TOP_COVER
run holds insert-entry INSERT BY_ENTRY
run holds insert-top-entries INSERT TOP_COVER BY_ENTRY E_BY_ENTRY
run holds insert-match INSERT MATCH
run holds pair-grown PAIR_GROWN
run holds pair-grown-top PAIR_GROWN TOP_COVER
run holds pair-grown-entries PAIR_GROWN TOP_COVER BY_ENTRY E_BY_ENTRY
run holds pair-grown-match PAIR_GROWN MATCH
run holds pair-skipped PAIR_SKIPPED
run holds pair-skipped-top PAIR_SKIPPED TOP_COVER
run holds pair-skipped-entries PAIR_SKIPPED TOP_COVER BY_ENTRY E_BY_ENTRY
run holds pair-skipped-match PAIR_SKIPPED MATCH
run holds remove REMOVE
run holds remove-top REMOVE TOP_COVER
run holds remove-entries REMOVE BY_ENTRY E_BY_ENTRY
run holds remove-match REMOVE MATCH
run holds replace REPLACE
run holds replace-entry REPLACE BY_ENTRY
run holds replace-marked REPLACE MARKED
run holds replace-match REPLACE MATCH
run holds inflate INFLATE
run holds inflate-match INFLATE MATCH
run holds inflate-root INFLATE_ROOT
run holds inflate-root-top INFLATE_ROOT TOP_COVER
run holds inflate-root-match INFLATE_ROOT MATCH
run holds halve HALVE
run holds halve-top HALVE TOP_COVER
run holds halve-match HALVE MATCH
run holds holder HOLDER_SLOT TOP_COVER
run holds holder-match HOLDER_SLOT TOP_COVER MATCH
run holds sequence SEQUENCE
run holds sequence-match SEQUENCE MATCH "READERS=${readers:-1}"

flip=OLD_INSIDE+NEW_INSIDE
run reaches reach-insert-guard INSERT "REACH=$flip+BY_TWIN+BY_COVER"
run reaches reach-insert-skipped INSERT "REACH=$flip+BY_DESCRIPTOR"
run reaches reach-pair-grown PAIR_GROWN "REACH=$flip+BY_TWIN+BY_HEADER"
run reaches reach-pair-skipped PAIR_SKIPPED "REACH=$flip+BY_HEADER+BY_DESCRIPTOR"
run reaches reach-remove REMOVE "REACH=$flip+BY_TWIN+STALE_ENTRY+RECLAIMED"
run reaches reach-replace REPLACE "REACH=$flip+BY_TWIN+BY_COVER"
run reaches reach-inflate INFLATE "REACH=$flip+STALE_ARRAY+RECLAIMED"
run reaches reach-inflate-root INFLATE_ROOT "REACH=$flip+STALE_ARRAY+RECLAIMED"
run reaches reach-halve HALVE "REACH=$flip+STALE_ARRAY+RECLAIMED"
run reaches reach-holder HOLDER_SLOT TOP_COVER "REACH=$flip+STALE_ARRAY+RECLAIMED"
run reaches reach-sequence SEQUENCE "REACH=$flip+REUSED"
run reaches reach-sequence-stale SEQUENCE "REACH=STALE_ENTRY+STALE_ARRAY+RECLAIMED+REUSED"

run faulty fault-no-grace-remove REMOVE FAULT_NO_GRACE
run faulty fault-no-grace-inflate INFLATE FAULT_NO_GRACE
run faulty fault-no-grace-halve HALVE FAULT_NO_GRACE
run faulty fault-early-leaf INSERT BY_ENTRY FAULT_EARLY_LEAF
run faulty fault-no-hand-over INSERT FAULT_NO_HAND_OVER
run faulty fault-no-hand-back REMOVE FAULT_NO_HAND_OVER
run faulty fault-gap REMOVE FAULT_GAP
run faulty fault-early-retire REMOVE FAULT_EARLY_RETIRE
run faulty fault-early-retire-array INFLATE FAULT_EARLY_RETIRE
run faulty fault-early-array INFLATE FAULT_EARLY_ARRAY
run faulty fault-reuse SEQUENCE FAULT_REUSE
run faulty fault-late-grown PAIR_GROWN FAULT_LATE_HAND_OVER
run faulty fault-late-skipped PAIR_SKIPPED FAULT_LATE_HAND_OVER
run faulty fault-late-match PAIR_GROWN MATCH FAULT_LATE_HAND_OVER

if ((runs == 0)); then
  echo "no run matches" >&2
  exit 2
fi
if ((wrong > 0)); then
  echo "$wrong of $runs runs are not as expected"
  exit 1
fi
echo "all $runs runs as expected, $SECONDS s"
