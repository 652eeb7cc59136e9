#!/usr/bin/env python3
"""Refuses a forced push, and asks before one with a lease.

A command line that cannot be read counts as a forced push: the matcher in
hooks.json only brings lines with `push` in them here.
"""
import itertools
import json
import re
import shlex
import sys

SHELLS = {"sh", "bash", "dash", "zsh", "ksh"}
# Options of git itself that take the next word.
WITH_VALUE = {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"}


def simple_commands(text):
    """The words of every simple command in a command line, those inside `sh -c` and $(…) included."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";|&()\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    words, found = [], []
    for word in itertools.chain(lexer, [";"]):
        if word and set(word) <= set(";|&()\n"):
            if words:
                found.append(words)
            words = []
        else:
            words.append(word)
    for words in list(found):
        for shell, flag, script in zip(words, words[1:], words[2:]):
            if shell.rsplit("/", 1)[-1] in SHELLS and flag.startswith("-") and flag.endswith("c"):
                found += simple_commands(script)
        if words[0] == "eval":
            found += simple_commands(" ".join(words[1:]))
    for inner in re.findall(r"\$\(([^()]*)\)|`([^`]*)`", text):
        if inner != (text, "") and any(inner):
            found += simple_commands(inner[0] or inner[1])
    return found


def pushes(words):
    """What follows `git … push` in these words, or None."""
    names = [word.rsplit("/", 1)[-1] for word in words]
    if "git" not in names:
        return None
    rest = iter(words[names.index("git") + 1 :])
    for word in rest:
        if word in WITH_VALUE:
            next(rest, None)
        elif not word.startswith("-"):
            return list(rest) if word == "push" else None
    return None


def judge(command):
    try:
        pushed = [arguments for arguments in map(pushes, simple_commands(command)) if arguments is not None]
    except ValueError:
        return "deny"
    worst = "allow"
    for argument in itertools.chain.from_iterable(pushed):
        short = re.fullmatch(r"-[A-Za-z]*f[A-Za-z]*", argument)
        if short or argument in ("--force", "--mirror") or re.match(r"\+.", argument):
            return "deny"
        if argument.startswith("--force-with-lease") or argument == "--force-if-includes":
            worst = "ask"
    return worst


MESSAGES = {
    "deny": "A forced push rewrites history that others build on.",
    "ask": "This push replaces a branch, if nobody else pushed to it.",
}

command = json.load(sys.stdin.buffer)["command"]
permission = judge(command)
answer = {"permission": permission}
if permission != "allow":
    answer["user_message"] = f"{MESSAGES[permission]} {command}"
    answer["agent_message"] = f"{MESSAGES[permission]} Push without force, to a branch of your own."
json.dump(answer, sys.stdout)
