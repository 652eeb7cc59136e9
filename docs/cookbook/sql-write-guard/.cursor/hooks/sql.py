#!/usr/bin/env python3
"""Lets an agent read a database, and refuses what writes to it.

Every statement must begin with a word that reads, and may hold none that
writes; comments and quoted texts are taken out first, and what databases quote
in different ways is refused. On a command line the
whole line is looked at, and a script from a file or a pipe is asked about,
because it is not seen here. A role that cannot write is the real protection.
"""
import json
import re
import sys

READS = {"select", "with", "explain", "show", "describe", "desc", "values", "table", "pragma"}
WRITES = re.compile(
    r"\b(insert|update|delete|merge|upsert|replace|truncate|drop|alter|create|grant|revoke|copy|call|do|vacuum|"
    r"attach|detach|reindex|comment|set|lock|load|import|execute|exec|into|begin|commit|pg_\w+|lo_\w+|dblink\w*)\b",
    re.I,
)
# Orders to the client itself, which runs programs and writes files.
CLIENT = re.compile(r"\\[!gow]|\bsystem\b|[\s'\"]\.(?:shell|system|output|once|restore|save|clone|backup|excel|open)\b", re.I)
# One pass from left to right: what begins first decides, as in a database.
SKIPPED = re.compile(r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`""", re.S)
# What one database takes for a quote or a comment and another does not: SQL could hide in it.
AMBIGUOUS = [
    ("a backslash before a quote", re.compile(r"""\\['"`]""")),
    ("a `#`", re.compile("#")),
    ("`--` without a space behind it", re.compile(r"--(?![\s-]|$)")),
    ("a dollar quote", re.compile(r"\$\w*\$")),
    ("a quote in brackets", re.compile(r"""\[[^\]]*['"`]""")),
    ("a comment in a comment", re.compile(r"/\*(?:(?!\*/).)*/\*", re.S)),
    ("a comment that a database may execute", re.compile(r"/\*[!+]")),
]


def statements(sql):
    bare = SKIPPED.sub(lambda found: "x" if found[0][0] in "'\"`" else " ", sql)
    return [statement.strip() for statement in bare.split(";") if statement.strip()]


def fault_of(sql):
    """Why this SQL does not just read, or None."""
    for name, pattern in AMBIGUOUS:
        if pattern.search(sql):
            return f"it holds {name}"
    for statement in statements(sql):
        first = re.match(r"[\s(]*(\w*)", statement)[1].lower()
        if first not in READS:
            return f"`{first or statement[:20]}` is not a word that reads"
        if re.search(r"['\"`]|/\*|\*/", statement):
            return "a quote or a comment does not end"
        if found := WRITES.search(statement):
            return f"it holds `{found[0]}`"
        if first == "pragma" and "=" in statement:
            return "it sets a pragma"
    return None


def texts(value):
    """Every text in a tool's input, wherever it stands."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


def judge_tool(event):
    tool_input = event["tool_input"]
    sql = [text for text in texts(json.loads(tool_input)) if re.search(r"\s|;|\(", text)]
    faults = [fault for fault in map(fault_of, sql) if fault]
    return ("deny", faults[0]) if faults else ("allow", None)


def judge_command(command):
    # Quotes hold the SQL here, so every word of the line counts.
    if found := WRITES.search(command):
        return "deny", f"it holds `{found[0]}`"
    if found := CLIENT.search(command):
        return "deny", f"it tells the client to do more: `{found[0].strip()}`"
    if re.search(r"<|\||\s(-f|--file|\.read|source|\\i)\b|\\[!ow]", command):
        return "ask", "it runs SQL that is not on this line"
    if not re.search(r"\b(select|explain|show|describe|pragma)\b|\\[dl]|--(version|help)\b", command, re.I):
        return "ask", "it opens a database, and nobody sees what for"
    return "allow", None


event = json.load(sys.stdin.buffer)
permission, reason = judge_tool(event) if event["hook_event_name"] == "beforeMCPExecution" else judge_command(event["command"])
answer = {"permission": permission}
if reason:
    answer["user_message"] = f"The database is read, not written: {reason}."
    answer["agent_message"] = f"The database is read, not written: {reason}. Show the statement to the user instead of running it."
json.dump(answer, sys.stdout)
