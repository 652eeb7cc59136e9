#!/usr/bin/env python3
"""Keeps one line of JSON of every event: who, when, what. No opinion, ever.

What was done is kept, what was read or written is not: texts and file contents
appear as their length. AUDIT_LOG names the file, which is private.
"""
import datetime
import fcntl
import json
import os
import pathlib
import sys

KEPT = ["tool_name", "command", "cwd", "file_path", "mcp_server_name", "failure_type", "subagent_type", "status", "reason", "duration"]
MEASURED = ["prompt", "content", "output", "result_json", "tool_output", "task"]
LONGEST = 2000


def line_of(event):
    line = {
        "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds"),
        "event": event["hook_event_name"],
        "conversation": event.get("conversation_id"),
        "user": event.get("user_email"),
        "model": event.get("model"),
    }
    for name in KEPT:
        value = event.get(name)
        if isinstance(value, str):
            line[name] = value[:LONGEST]
        elif value is not None:
            line[name] = value
    for name in MEASURED:
        if isinstance(event.get(name), str):
            line[name + "_length"] = len(event[name])
    return json.dumps(line, ensure_ascii=True) + "\n"


default = pathlib.Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state").expanduser() / "agent-audit.jsonl"
log = pathlib.Path(os.environ.get("AUDIT_LOG") or default)
log.parent.mkdir(parents=True, exist_ok=True)
line = line_of(json.load(sys.stdin.buffer))
# All hooks of an event start together: a lock keeps their lines whole.
with open(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    file.write(line)
