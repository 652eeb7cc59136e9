#!/bin/sh
# Sample hook for beforeSubmitPrompt: notes what it is given in a log, and
# answers {}, which is no opinion: every prompt goes on its way.
# A hook reads one JSON object from stdin and prints one to stdout.

@log@

payload=$(cat)
printf '[%s] %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$payload" >>"$log"

printf '{}\n'
