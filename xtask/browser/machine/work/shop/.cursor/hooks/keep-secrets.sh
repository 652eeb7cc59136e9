#!/bin/sh
# A file of secrets is named .env, whatever follows.
if grep -q '"file_path":"[^"]*/\.env'; then
    printf '%s\n' '{"permission": "deny", "user_message": "Secrets stay on the disk."}'
else
    printf '%s\n' '{"permission": "allow"}'
fi
