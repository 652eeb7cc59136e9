#!/bin/sh
# Keeps private keys and .env files out of a model's context.
# The payload is one line of JSON; the first "file_path" in it is the event's own.
path=$(sed -n 's/.*"file_path":"\(\([^"\\]\|\\.\)*\)".*/\1/p' | head -n 1)
case ${path##*/} in
    .env | .env.* | *.pem | id_rsa | id_ed25519)
        printf '%s\n' '{"permission":"deny","user_message":"This file may hold secrets, so the agent does not read it."}'
        ;;
    *)
        printf '%s\n' '{"permission":"allow"}'
        ;;
esac
