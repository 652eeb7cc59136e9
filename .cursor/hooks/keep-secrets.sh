#!/bin/sh
# Keeps private keys and .env files out of a model's context.
# The payload is one line of JSON; the first "file_path" in it is the event's own.
path=$(grep -o '"file_path":"\([^"\\]\|\\.\)*"' | head -n 1 | sed 's/^"file_path":"//; s/"$//')
case ${path##*/} in
    .env | .env.* | *.pem | id_rsa | id_ed25519)
        printf '%s\n' '{"permission":"deny","user_message":"This file may hold secrets, so the agent does not read it."}'
        ;;
    *)
        printf '%s\n' '{"permission":"allow"}'
        ;;
esac
