#!/bin/sh
# The formatter is not installed: a hook that fails, and stops nobody.
cat >/dev/null
echo 'format.sh: prettier: not found' >&2
exit 127
