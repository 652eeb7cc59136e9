#!/bin/bash
# Appends what every event brought to one log, a line each, and has no opinion.
# The log is the file that AUDIT_LOG names.
set -u

event=$(cat)
printf '[%s] %s\n' "$(date '+%Y-%m-%d %H:%M:%S')" "$event" >> "$AUDIT_LOG"
