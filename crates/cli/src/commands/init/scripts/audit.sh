#!/bin/sh
# Writes every event it is given to agent-audit.log, a line each with the time
# in front, and has no opinion: it only watches. The log grows without end.

@state_folder@

payload=$(cat)
mkdir -p "$folder" &&
    printf '[%s] %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$payload" >>"$folder/agent-audit.log"

printf '{}\n'
