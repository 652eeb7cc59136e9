#!/bin/sh
cat >/dev/null
printf '%s\n' '{"followup_message": "Two tests still fail. Please go on."}'
