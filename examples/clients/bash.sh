#!/usr/bin/env bash
# Asks Boathook about an event: the daemon when it runs, else `boathook run`.
#   bash bash.sh EVENT < payload.json    prints the answer; exit code 2 when the action is refused
set -u
trap '' PIPE
event=$1
payload=$(cat)
socket=${XDG_STATE_HOME:-$HOME/.local/state}/boathook/daemon/socket

# bash opens no Unix socket by itself.
connect() {
  if command -v socat >/dev/null; then exec socat - "UNIX-CONNECT:$socket"; else exec nc -U "$socket"; fi
}

# The daemon's result; fails when it is absent, silent, or says why not.
ask_daemon() {
  local request line
  request=$(jq -c --arg event "$event" --arg cwd "$PWD" '{jsonrpc: "2.0", id: 1, method: "handle", params:
    {event: $event, payload: ., cwd: $cwd, beat: true}}' <<<"$payload") || return
  coproc connect
  printf '%s\n' "$request" >&"${COPROC[1]}"
  # One that works says so twice a second.
  while IFS= read -r -t 3 line <&"${COPROC[0]}"; do
    jq -ce 'select(.id == 1).result // empty' <<<"$line" && break
  done
  kill "$COPROC_PID"
} 2>/dev/null

result=$(ask_daemon)
blocked=$(jq -r '.blocked' <<<"$result" 2>/dev/null)
case $blocked in
  true | false) jq -c '.answer' <<<"$result" ;;
  *) exec boathook run "$event" <<<"$payload" ;; # its exit code is ours
esac
[ "$blocked" = false ] || exit 2
