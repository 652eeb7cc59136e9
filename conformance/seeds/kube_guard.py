#!/usr/bin/env python3
"""Asks before `kubectl apply` touches a protected namespace.

Looks at the namespace on the command line and at every document of the
manifest. What it cannot read it lets pass, and says so on stderr.
"""
import json
import shlex
import sys
from pathlib import Path

import yaml

PROTECTED = {"prod", "production"}


def namespace_on(words):
    """The namespace that the command line names, if it names one."""
    named = None
    for index, word in enumerate(words):
        if word in ("-n", "--namespace"):
            named = words[index + 1] if index + 1 < len(words) else named
        elif word.startswith(("-n=", "--namespace=")):
            named = word.partition("=")[2]
    return named


def manifest_of(words, directory):
    """The file behind `-f`, when the line is a kubectl apply that has one."""
    if words[:2] != ["kubectl", "apply"] or "-f" not in words[:-1]:
        return None
    path = (directory / words[words.index("-f") + 1]).resolve()
    return path if path.exists() else None


def namespaces_in(path):
    """The namespaces of all documents of a manifest."""
    documents = yaml.safe_load_all(path.read_text())
    return {((document or {}).get("metadata") or {}).get("namespace") for document in documents}


def judge(event):
    allow = {"continue": True, "permission": "allow"}
    try:
        words = shlex.split(event.get("command", ""))
    except ValueError:
        return allow
    manifest = manifest_of(words, Path(event.get("cwd") or "."))
    if manifest is None:
        return allow
    try:
        touched = namespaces_in(manifest) | {namespace_on(words)}
    except (OSError, yaml.YAMLError) as error:
        print(f"{manifest} was not read: {error}", file=sys.stderr)
        return allow
    if not touched & PROTECTED:
        return allow
    return {
        "continue": True,
        "permission": "ask",
        "user_message": "This changes production. Apply it?",
        "agent_message": f"{manifest.name} touches a protected namespace: wait for the answer.",
    }


print(json.dumps(judge(json.load(sys.stdin))))
