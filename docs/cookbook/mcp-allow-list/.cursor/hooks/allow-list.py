#!/usr/bin/env python3
"""Lets an agent use the MCP servers and tools of a list, and no others.

A name alone proves nothing: a server is known by its name and its launch line
or its address together. A list that is missing or broken refuses everything.
The list is named in the command, so that trust covers it. MCP_ALLOW_LIST names
another one.
"""
import fnmatch
import json
import os
import pathlib
import sys


def judge(event, servers):
    name, tool = event.get("mcp_server_name"), event.get("tool_name", "")
    server = servers.get(name)
    if server is None:
        return "deny", f"the MCP server {name!r} is not on the list"
    for seen in ("url", "mcp_server_url", "command"):
        expected = server.get("command" if seen == "command" else "url")
        if event.get(seen) is not None and event[seen] != expected:
            return "deny", f"{name!r} is not started or reached as the list says ({event[seen]!r})"
    if all(event.get(seen) is None for seen in ("url", "mcp_server_url", "command")):
        return "deny", f"nobody knows how {name!r} is started or reached"
    listed = lambda key: any(fnmatch.fnmatchcase(tool, pattern) for pattern in server.get(key, []))
    if listed("tools"):
        return "allow", None
    if listed("ask"):
        return "ask", f"{tool!r} of {name!r} changes something: {event.get('tool_input', '')[:500]}"
    return "deny", f"the tool {tool!r} of {name!r} is not on the list"


listed = pathlib.Path(os.environ.get("MCP_ALLOW_LIST") or sys.argv[1])
servers = json.loads(listed.read_text(encoding="utf-8"))
permission, reason = judge(json.load(sys.stdin.buffer), servers)
answer = {"permission": permission}
if reason:
    answer["user_message"] = f"MCP: {reason}."
    answer["agent_message"] = f"This MCP call is not free: {reason}. The list is .cursor/mcp-allow.json; only a person changes it."
json.dump(answer, sys.stdout)
