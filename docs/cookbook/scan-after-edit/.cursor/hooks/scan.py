#!/usr/bin/env python3
"""Remembers what the agent edited, and sends it back until those files are clean.

On afterFileEdit the path is noted; on stop the noted files are scanned, and
what is found is the agent's next message. Clean files are forgotten. Notes are
kept in .agent-scan, one file for each conversation, and git does not see them.
"""
import fcntl
import hashlib
import json
import pathlib
import re
import sys

MOST = 20
LARGEST = 2_000_000
FINDINGS = [
    ("a conflict marker", re.compile(r"^(<{7} |={7}$|>{7} )")),
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    ("an access key", re.compile(r"\b(AKIA[0-9A-Z]{16}|gh[pousr]_[0-9A-Za-z]{36})\b")),
    ("a debugger", re.compile(r"^\s*(debugger;?|breakpoint\(\)|import pdb\b.*)\s*$")),
    ("a switched-off test", re.compile(r"\b(it|test|describe)\.(only|skip)\(")),
]


def findings_in(path):
    """What is wrong in a file, as `path:line: what`."""
    try:
        if path.stat().st_size > LARGEST:
            return
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for number, line in enumerate(text.split("\n"), 1):
        for name, pattern in FINDINGS:
            if pattern.search(line[:2000]):
                yield f"{path.relative_to(workspace)}:{number}: {name}"


def inside(text):
    path = (workspace / text).resolve()
    return path if workspace in path.parents and path.is_file() else None


event = json.load(sys.stdin.buffer)
workspace = pathlib.Path.cwd().resolve()
folder = workspace / ".agent-scan"
folder.mkdir(exist_ok=True)
(folder / ".gitignore").write_text("*\n", encoding="utf-8")
# A conversation's id is somebody else's text: its hash is a safe name.
name = hashlib.sha256(event["conversation_id"].encode("utf-8", "replace")).hexdigest()[:16]
with open(folder / f"{name}.json", "a+", encoding="utf-8") as notes:
    fcntl.flock(notes, fcntl.LOCK_EX)
    notes.seek(0)
    noted = set(json.loads(notes.read() or "[]"))
    found = []
    if event["hook_event_name"] == "afterFileEdit":
        if path := inside(event["file_path"]):
            noted.add(str(path.relative_to(workspace)))
    elif event["status"] == "completed":
        by_file = {file: list(findings_in(path)) for file in sorted(noted) if (path := inside(file))}
        noted = {file for file, findings in by_file.items() if findings}
        found = [finding for findings in by_file.values() for finding in findings]
    text = json.dumps(sorted(noted))
    notes.truncate(0)
    notes.write(text)
if found:
    more = f"\n… and {len(found) - MOST} more" if len(found) > MOST else ""
    json.dump({"followup_message": "Clean these up:\n" + "\n".join(found[:MOST]) + more}, sys.stdout)
