#!/usr/bin/env python3
"""An inventory of MCP servers and tools, and a scan of what they return.

afterMCPExecution: which server and tool, how often, how much, how long; one JSON
file, MCP_INVENTORY or ~/.local/state/mcp-inventory.json.
postToolUse: secrets and mail addresses are taken out of the result before the
model sees it, and the model is told so.
"""
import fcntl
import json
import os
import pathlib
import re
import sys

SENSITIVE = [
    ("an access key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[0-9A-Za-z]{36,}\b|\bsk-[0-9A-Za-z_-]{20,}")),
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S)),
    ("a mail address", re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")),
]


def scanned(value, found):
    """The same value, with its texts cleaned, wherever they stand."""
    if isinstance(value, str):
        for name, pattern in SENSITIVE:
            value, times = pattern.subn(f"[{name}]", value)
            found[name] = found.get(name, 0) + times
        return value
    if isinstance(value, list):
        return [scanned(item, found) for item in value]
    if isinstance(value, dict):
        return {scanned(key, found): scanned(item, found) for key, item in value.items()}
    return value


def scan(event):
    found = {}
    try:
        # Inside the JSON, so that an escaped text is found as what it is.
        clean = json.dumps(scanned(json.loads(event["tool_output"]), found), ensure_ascii=False)
    except (ValueError, RecursionError):
        clean = scanned(event["tool_output"], found)
    found = {name: times for name, times in found.items() if times}
    if not found:
        return {}
    listed = ", ".join(f"{name} ({times})" for name, times in found.items())
    return {"additional_context": f"Taken out of this result: {listed}.", "updated_mcp_tool_output": clean}


def note(event):
    default = pathlib.Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state").expanduser() / "mcp-inventory.json"
    path = pathlib.Path(os.environ.get("MCP_INVENTORY") or default)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        inventory = json.loads(file.read() or "{}")
        server = inventory.setdefault(event.get("mcp_server_name") or "?", {"url": event.get("mcp_server_url"), "tools": {}})
        tool = server["tools"].setdefault(event["tool_name"], {"calls": 0, "characters": 0, "milliseconds": 0})
        tool["calls"] += 1
        tool["characters"] += len(event["result_json"])
        tool["milliseconds"] += event["duration"]
        text = json.dumps(inventory, indent=2)
        file.seek(0)
        file.truncate()
        file.write(text)
    return {}


event = json.load(sys.stdin.buffer)
json.dump(note(event) if event["hook_event_name"] == "afterMCPExecution" else scan(event), sys.stdout)
