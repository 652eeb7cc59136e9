#!/bin/sh
# Refuses git and points to gh, asks the user about gh, and allows the rest.
# It finds the words where a shell would find a program. It is a fence, not a
# wall: who wants to hide a command from it can.

LC_ALL=C awk '
@read_json@
function names(program, command) {
    return command ~ "(^|[^A-Za-z0-9_.-])" program "([.]exe)?([ \t\r\n;|&()<>`\"\047]|$)"
}

function answer(permission, user, agent) {
    printf "{\"permission\":\"%s\",\"user_message\":\"%s\",\"agent_message\":\"%s\"}\n", permission, quoted(user), quoted(agent)
}

END {
    command = value_of("command")
    if (!complete())
        answer("ask", "A hook could not read this command.", "A hook could not read this command, so the user is asked.")
    else if (names("git", command))
        answer("deny", "git is refused here; gh does the same job.", "The command was not run because it uses git: " command "\nUse gh in its place, for example `gh repo clone`, `gh pr create` or `gh repo sync`.")
    else if (names("gh", command))
        answer("ask", "May the agent use your GitHub account? " command, "The user is asked about commands that use gh: " command)
    else
        print "{\"permission\":\"allow\"}"
}
' || printf '{"permission":"ask","user_message":"A hook could not read this command."}\n'
