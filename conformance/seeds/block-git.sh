#!/bin/bash
# Sends people from git to gh: git is refused, gh is put before the user, and
# everything else may run.
#
# The command is pasted into the answer as it is, the way most hooks of this
# kind do it: a quote in the command breaks the JSON, and a runner must not
# take that for an allow.

command=$(jq -r '.command // empty')

answer() {
    cat <<JSON
{
  "continue": true,
  "permission": "$1",
  "user_message": "$2",
  "agent_message": "$3"
}
JSON
}

if [[ $command =~ git[[:space:]] || $command == git ]]; then
    answer deny "git is not used here, gh is." "'$command' was not run. Do the same with gh, for example 'gh repo clone'."
elif [[ $command =~ gh[[:space:]] || $command == gh ]]; then
    answer ask "Run this with your GitHub account? $command" "The user is asked about '$command'."
else
    printf '{"continue": true, "permission": "allow"}\n'
fi
