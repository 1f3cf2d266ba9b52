# Sourced by every script here: where things lie, how progress and failure are told, and how a thing is made once.
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cache=${NEURO_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/neuro-mlir}
llvm_major=23

# Standard output belongs to the tools that we start.
say() { echo "setup: $*" >&2; }
die() { say "$*"; exit 1; }

# A name that changes with the content of the files given.
digest() { cat "$@" | cksum | cut -d' ' -f1; }

# Where cargo builds a checkout.
target_of() { echo "$cache/target-$(cksum <<< "$1" | cut -d' ' -f1)"; }

# Calls MAKER with a temporary path, and moves the result to OUT only when it is complete, so that what is at OUT can be
# trusted. Two callers at once: the second waits and finds the first one's work.
make_once() { # OUT WHAT MAKER
  local out=$1 what=$2 maker=$3
  [ ! -e "$out" ] || return 0
  mkdir -p "$cache/log"
  exec 9> "$cache/lock"
  flock --nonblock 9 || { say "another setup is at work; waiting for it"; flock 9; }
  if [ ! -e "$out" ]; then
    remove_tree "$out.part"
    say "$what (log: $cache/log/${out##*/})"
    run_logged "$cache/log/${out##*/}" "$maker" "$out.part" \
      || die "failed: $what. Nothing of it is kept; the next try starts this step again."
    mv "$out.part" "$out"
  fi
  exec 9>&-
}

# Runs a command with its output in a log; tells the time now and then, and the log's end on failure.
run_logged() { # LOG COMMAND...
  local log=$1 start=$SECONDS next=$((SECONDS + 15)) status=0
  # In a process group of its own, so that all that it started can be ended.
  set -m
  "${@:2}" > "$log" 2>&1 < /dev/null &
  set +m
  local job=$!
  trap 'kill -- -$job; wait $job || die "interrupted; the next try starts this step again"' INT TERM
  while kill -0 $job 2> /dev/null; do
    sleep 0.5
    if [ $SECONDS -ge $next ]; then
      next=$((SECONDS + 15))
      say "  $((SECONDS - start)) s: $(tail -n 1 "$log" | tr -d '\r' | cut -c 1-100)"
    fi
  done
  wait $job || status=$?
  trap - INT TERM
  [ $status -eq 0 ] || tail -n 20 "$log" | sed 's/^/setup:   | /' >&2
  return $status
}
