#!/bin/sh
# Lets commands that need secrets run only while their .env files are mounted.
#
# A secret manager gives a file (often a named pipe) while it is unlocked and takes it away again. Without
# it a build fails half-way, and an agent likes to "repair" that by writing a .env of its own. No file is
# opened here: reading a pipe would use it up, and the values are nobody's business. The list of files is
# named in the command, so that trust covers it; ENV_FILES names another one.
cat >/dev/null
missing=
while read -r file; do
    case $file in
        '' | '#'*) continue ;;
    esac
    if [ ! -p "$file" ] && [ ! -s "$file" ]; then
        missing="$missing $file"
    fi
done <"${ENV_FILES:-$1}" || exit 1

if [ -z "$missing" ]; then
    echo '{"permission": "allow"}'
    exit 0
fi
# The reason is on stderr, and exit code 2 refuses: no JSON to be broken by a file's name.
echo "These files are not mounted:$missing. Unlock the secret manager, then try again; do not write them yourself." >&2
exit 2
