# Reads a JSON object. Afterwards line[NAME, 1] to line[NAME, lines[NAME]] are
# the lines of every text at its top level. Quotes separate the records here:
# every second one stands inside a text.
BEGIN { RS = "\"" }

!inside {
    opened = $0; gsub(/[^[{]/, "", opened)
    closed = $0; gsub(/[^]}]/, "", closed)
    depth += length(opened) - length(closed)
    whole = whole || opened != ""
    is_value = $0 ~ /:[ \t\r\n]*$/
    inside = 1; count = 0
    next
}

{
    # A backslash begins an escape; at the end of a record it escapes the quote.
    parts = split($0, part, /\\/)
    quote_escaped = 0
    if (parts) add(part[1])
    for (i = 2; i <= parts; i++) {
        if (part[i] != "") unescape(part[i])
        else if (i < parts) add("\\" part[++i])
        else quote_escaped = 1
    }
    if (quote_escaped) { add("\""); next }
    inside = 0
    if (depth == 1 && is_value) { end_line(); lines[key] = count }
    else if (depth == 1) key = text_so_far()
    text = long = ""
}

# Long texts grow in two steps: many awks copy all of a text to add to it.
function add(more) {
    text = text more
    if (length(text) > 4096) text_so_far()
}

function text_so_far() {
    long = long text
    text = ""
    return long
}

function end_line() {
    text_so_far()
    if (depth == 1 && is_value) line[key, ++count] = long
    long = ""
}

function unescape(escaped,   kind, code) {
    kind = substr(escaped, 1, 1)
    if (kind == "u") {
        code = hex(substr(escaped, 2, 4))
        escaped = substr(escaped, 5)
        if (code >= 55296 && code < 56320 && length(escaped) == 1) { high = code; return }
        if (code >= 56320 && code < 57344 && high) code = 65536 + (high - 55296) * 1024 + code - 56320
        else if (code >= 55296 && code < 57344) code = 65533
        add(utf8(code))
    }
    else if (kind == "n") end_line()
    else if (kind == "t") add("\t")
    else if (kind == "r") add("\r")
    else if (kind == "b") add("\b")
    else if (kind == "f") add("\f")
    else add(kind)
    high = 0
    add(substr(escaped, 2))
}

function hex(digits,   i, value) {
    for (i = 1; i <= length(digits); i++)
        value = value * 16 + index("0123456789abcdef", tolower(substr(digits, i, 1))) - 1
    return value
}

function utf8(code) {
    if (code == 0) code = 65533
    if (code < 128) return sprintf("%c", code)
    if (code < 2048) return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
    if (code < 65536) return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
    return sprintf("%c%c%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64, 128 + int(code / 64) % 64, 128 + code % 64)
}

# All lines of a text at the top level.
function value_of(name,   i, all) {
    all = line[name, 1]
    for (i = 2; i <= lines[name]; i++) all = all "\n" line[name, i]
    return all
}

# A text as it stands between the quotes of JSON.
function quoted(plain,   i) {
    gsub(/[\\"]/, "\\\\&", plain)
    gsub(/\n/, "\\n", plain)
    gsub(/\t/, "\\t", plain)
    gsub(/\r/, "\\r", plain)
    for (i = 1; i < 32 && plain ~ /[\001-\037]/; i++) gsub(sprintf("%c", i), sprintf("\\u%04x", i), plain)
    return plain
}

# Whether there was an object, and all of it.
function complete() {
    return whole && depth == 0 && inside
}
