#!/bin/sh
# Whatever is pushed by force is gone for everybody else.
cat >/dev/null
echo 'looked at the push' >&2
printf '%s\n' '{"permission": "deny", "user_message": "Pushing by force is not allowed here.", "agent_message": "Push without --force: make a new commit instead."}'
