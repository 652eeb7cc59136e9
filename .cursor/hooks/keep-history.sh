#!/bin/sh
# Refuses a forced push: it rewrites history that others build on.
# The matcher in hooks.json already chose the command, so there is nothing to read.
cat >/dev/null
cat <<'ANSWER'
{
  "permission": "deny",
  "user_message": "A forced push rewrites history that others build on. Use --force-with-lease on a branch of your own.",
  "agent_message": "Forced pushes are not allowed in this repository. Push normally, or ask the user to push with --force-with-lease."
}
ANSWER
