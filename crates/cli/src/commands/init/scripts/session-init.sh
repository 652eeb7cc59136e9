#!/bin/sh
# Begins a session: gives later hooks the time it began, as SESSION_STARTED,
# and tells the agent what the other hooks of this sample do.

@state_folder@

payload=$(cat)
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
mkdir -p "$folder" && printf '[%s] %s\n' "$now" "$payload" >>"$folder/agent-audit.log"

context='Hooks watch this session. Commands with git are refused: use gh, for which the user is asked.'
context="$context A refusal is a decision of the user; do not look for a way around it."
printf '{"env":{"SESSION_STARTED":"%s"},"additional_context":"%s"}\n' "$now" "$context"
