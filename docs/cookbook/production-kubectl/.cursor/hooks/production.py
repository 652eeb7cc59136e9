#!/usr/bin/env python3
"""Asks before kubectl, helm or oc change something in production.

Production is a context or a namespace whose name says so. Without a context in
the command it is the current one of the kubeconfig. What cannot be read, and
a context that nobody knows, counts as production.
"""
import itertools
import json
import os
import pathlib
import re
import shlex
import sys

SHELLS = {"sh", "bash", "dash", "zsh", "ksh"}
PRODUCTION = re.compile(r"(^|[^a-z])(prod|production|live)([^a-z]|$)", re.I)
READS = {
    "kubectl": {"get", "describe", "logs", "top", "explain", "version", "api-resources", "api-versions", "diff",
                "cluster-info", "events", "wait", "completion", "help"},
    "helm": {"list", "ls", "status", "history", "get", "show", "search", "template", "lint", "version", "help"},
}
READS["oc"] = READS["kubectl"]


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


def calls(words):
    """The program and its arguments, when one of ours is in these words."""
    for place, word in enumerate(words):
        program = word.rsplit("/", 1)[-1]
        if program in READS:
            return program, words[place + 1 :]
    return None


def option(arguments, *names):
    """The last value of an option, as `--context x` or `--context=x`."""
    value = None
    for argument, following in itertools.zip_longest(arguments, arguments[1:]):
        for name in names:
            if argument == name:
                value = following or ""
            elif name.startswith("--") and argument.startswith(name + "="):
                value = argument[len(name) + 1 :]
            elif not name.startswith("--") and argument.startswith(name) and not argument.startswith("--"):
                value = argument[len(name) :].removeprefix("=") or following or ""
    return value


def current_context(arguments):
    named = option(arguments, "--kubeconfig") or os.environ.get("KUBECONFIG") or "~/.kube/config"
    file = pathlib.Path(named.split(os.pathsep)[0]).expanduser()
    try:
        found = re.search(r"(?m)^current-context:[ \t]*[\"']?([^\"'\n]+)", file.read_text(encoding="utf-8"))
    except (OSError, UnicodeError):
        return None
    return found and found[1].strip()


def verb(arguments):
    """The first word that is no option; None when an option may have taken it."""
    rest = iter(arguments)
    for argument in rest:
        if argument in ("--context", "--kube-context", "--kubeconfig", "--namespace", "-n"):
            next(rest, None)
        elif not argument.startswith("-"):
            return argument
        elif "=" not in argument:
            return None
    return None


def worry(program, arguments):
    """Why somebody should be asked, or None."""
    if verb(arguments) in READS[program]:
        return None
    context = option(arguments, "--context", "--kube-context") or current_context(arguments)
    namespace = option(arguments, "--namespace", "-n") or ""
    if context is None:
        return "nobody knows which cluster this is"
    if PRODUCTION.search(context) or PRODUCTION.search(namespace):
        return f"this is production ({context}{'/' if namespace else ''}{namespace})"
    return None


def judge(command):
    try:
        worries = [worry(*call) for call in map(calls, simple_commands(command)) if call]
    except ValueError:
        return "this command line cannot be read"
    return next(filter(None, worries), None)


command = json.load(sys.stdin.buffer)["command"]
reason = judge(command)
answer = {"permission": "allow"}
if reason:
    answer = {
        "permission": "ask",
        "user_message": f"{reason[0].upper()}{reason[1:]}: {command}",
        "agent_message": f"A person is asked, because {reason}.",
    }
json.dump(answer, sys.stdout)
