#!/bin/sh
# Keeps secrets from Tab. Files that hold nothing else are refused; in all
# others what looks like a secret is replaced before Tab reads it. Replacing is
# something Boathook can do and the original product cannot: there a file with
# a secret in it is refused as well.

LC_ALL=C awk '
@read_json@
function times(what, number,   all) {
    while (number-- > 0) all = all what
    return all
}

BEGIN {
    word = "[A-Za-z0-9_-]"
    shapes[1] = "A[KS]IA" times("[0-9A-Z]", 16)
    shapes[2] = "gh[a-z]_" times("[A-Za-z0-9]", 20) "[A-Za-z0-9]*"
    shapes[3] = "github_pat_" times("[A-Za-z0-9_]", 20) "[A-Za-z0-9_]*"
    shapes[4] = "glpat-" times(word, 16) word "*"
    shapes[5] = "xox[a-z]-" times("[A-Za-z0-9-]", 10) "[A-Za-z0-9-]*"
    shapes[6] = "sk-" times(word, 20) word "*"
    shapes[7] = "AIza" times(word, 35)
    shapes[8] = "eyJ" word word "*[.]eyJ" word word "*[.]" word word "*"
    kinds = 8
    secret = "(passwo?r?d|passphrase|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key)[a-z0-9_-]*"
    quote = "[\"\047`]"
    text_value = secret quote "?[ \t]*(:=|=>|[:=])[ \t]*" quote times("[^\"\047` \t]", 8) "[^\"\047` \t]*" quote
    variable = "^[ \t]*(export[ \t]+)?[A-Za-z0-9_]*" secret "=[^ \t]+"
}

# Files that are nothing but a secret.
function is_secret_file(path) {
    path = tolower(path)
    sub(/^.*[\/\\]/, "", path)
    if (path ~ /^[.]env[.](example|sample|template|dist)$/ || path ~ /[.]pub$/) return 0
    return path ~ /^[.]env([.]|$)/ || path ~ /[.](pem|key|p12|pfx|jks|keystore|kdbx)$/ || path ~ /^id_(rsa|dsa|ecdsa|ed25519)/ || path ~ /^([.]netrc|_netrc|[.]pgpass|[.]git-credentials|[.]htpasswd|credentials)$/
}

# The text without anything of this shape, where a word begins.
function without(plain, shape,   done) {
    while (match(plain, shape)) {
        if (RSTART > 1 && substr(plain, RSTART - 1, 1) ~ /[A-Za-z0-9]/) {
            done = done substr(plain, 1, RSTART)
            plain = substr(plain, RSTART + 1)
        } else {
            done = done substr(plain, 1, RSTART - 1) "[redacted]"
            plain = substr(plain, RSTART + RLENGTH)
        }
    }
    return done plain
}

# The text without quoted values of telling names: password = "…".
function without_values(plain,   done, found, begin) {
    while (match(tolower(plain), text_value)) {
        found = substr(plain, RSTART, RLENGTH)
        for (begin = length(found) - 1; substr(found, begin, 1) !~ quote; begin--) ;
        done = done substr(plain, 1, RSTART - 1) substr(found, 1, begin) "[redacted]" substr(found, length(found))
        plain = substr(plain, RSTART + RLENGTH)
    }
    return done plain
}

function redacted(plain,   i) {
    if (in_key && plain !~ /-----END /) return "[redacted]"
    in_key = plain ~ /-----BEGIN [A-Z ]*PRIVATE KEY/ && plain !~ /-----END /
    # The short tests spare most lines the long ones.
    if (plain ~ /A[KS]IA|gh[a-z]_|github_pat_|glpat-|xox|sk-|AIza|eyJ/)
        for (i = 1; i <= kinds; i++) plain = without(plain, shapes[i])
    if (tolower(plain) ~ /pass|secret|token|credential|key/) {
        plain = without_values(plain)
        if (match(tolower(plain), variable) && substr(plain, index(plain, "=") + 1) !~ /^["\047]?\[redacted\]/)
            plain = substr(plain, 1, index(plain, "=")) "[redacted]"
    }
    gsub(/:\/\/[^\/ :@]+:[^\/ @]+@/, "://[redacted]@", plain)
    return plain
}

END {
    number = lines["content"]
    for (i = 1; i <= number; i++) {
        clean[i] = redacted(line["content", i])
        if (clean[i] != line["content", i]) found = 1
    }
    if (!complete() || is_secret_file(value_of("file_path")))
        print "{\"permission\":\"deny\"}"
    else if (!found)
        print "{\"permission\":\"allow\"}"
    else if (ENVIRON["BOATHOOK_DEPTH"] == "")
        print "{\"permission\":\"deny\"}"
    else {
        printf "{\"permission\":\"allow\",\"new_content\":\""
        for (i = 1; i <= number; i++) printf "%s%s", (i > 1 ? "\\n" : ""), quoted(clean[i])
        print "\"}"
    }
}
' || printf '{"permission":"deny"}\n'
