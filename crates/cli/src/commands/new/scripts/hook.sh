#!/bin/sh
@header@
#
# Plain shell: it needs sh and awk, no jq. `field NAME` reads a text at the top
# level of the input, whatever characters it holds; for what stands deeper, such
# as the fields of tool_input, use jq or write the hook in Python or Node.

main() {
@body@
}

# The text of a field of the input; empty when there is none. Fails when the
# input is not a whole JSON object.
field() {
    printf '%s' "$input" | LC_ALL=C awk -v name="$1" '
@read_json@
END { if (!complete()) exit 1; printf "%s", value_of(name) }'
}

# A text as it must stand between the quotes of JSON: a quote in a command must
# not break the answer.
json_text() {
    printf '%s' "$1" | LC_ALL=C awk '
{ all = all (NR > 1 ? "\n" : "") $0 }
END {
    gsub(/[\\"]/, "\\\\&", all); gsub(/\n/, "\\n", all); gsub(/\t/, "\\t", all); gsub(/\r/, "\\r", all)
    for (i = 1; i < 32 && all ~ /[\001-\037]/; i++) gsub(sprintf("%c", i), sprintf("\\u%04x", i), all)
    printf "%s", all
}'
}

input=$(cat)
main
