#!/bin/sh
cat >/dev/null
printf '%s\n' '{"permission": "ask", "user_message": "This tool removes something. Go on?"}'
