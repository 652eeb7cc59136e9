#!/usr/bin/env python3
"""Tells the model which branch and ticket it works on, and later hooks too.

Reads .git as files: no git has to be installed, and no configuration of the
repository can make it run something. Later hooks find BRANCH and TICKET in
their environment.
"""
import json
import pathlib
import re
import sys

TICKET = re.compile(r"[A-Z][A-Z0-9]+-\d+")


def branch_of(workspace):
    git = workspace / ".git"
    if git.is_file():
        # A worktree: the file says where its directory is.
        git = workspace / git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
    head = (git / "HEAD").read_text(encoding="utf-8").strip()
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else None


json.load(sys.stdin.buffer)
try:
    branch = branch_of(pathlib.Path.cwd())
except (OSError, UnicodeError):
    branch = None
if branch:
    # A name is somebody else's text: what a shell or a model could take for more is left out.
    branch = re.sub(r"[^\w./+-]", "?", branch)[:100]
    ticket = TICKET.search(branch)
    context = f"The current branch is `{branch}`."
    environment = {"BRANCH": branch}
    if ticket:
        context += f" Its ticket is {ticket[0]}; name it in commit messages."
        environment["TICKET"] = ticket[0]
    json.dump({"env": environment, "additional_context": context}, sys.stdout)
