#!/bin/sh
# Formats a file after Tab edited it, with the formatter of its language when
# that is installed. What formatters say goes to stderr; the answer is empty.

file=$(LC_ALL=C awk '
@read_json@
END { if (complete()) print value_of("file_path") }
')

format() {
    if command -v "$1" >/dev/null 2>&1; then "$@" "$file" >&2; fi
}

case $file in
    /*.go) format gofmt -w ;;
    /*.py) format ruff format --quiet ;;
    /*.sh | /*.bash) format shfmt -w ;;
    /*.tf) format terraform fmt ;;
    /*.js | /*.jsx | /*.ts | /*.tsx | /*.css | /*.html | /*.json | /*.md | /*.yaml | /*.yml)
        format prettier --log-level warn --write ;;
esac

printf '{}\n'
