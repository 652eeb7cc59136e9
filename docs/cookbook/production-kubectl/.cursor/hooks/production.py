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
import sys

SHELLS = {"sh", "bash", "dash", "zsh", "ksh"}
PRODUCTION = re.compile(r"(^|[^a-z])(prod|production|live)([^a-z]|$)", re.I)
READS = {
    "kubectl": {"get", "describe", "logs", "top", "explain", "version", "api-resources", "api-versions", "diff",
                "cluster-info", "events", "wait", "completion", "help"},
    "helm": {"list", "ls", "status", "history", "get", "show", "search", "template", "lint", "version", "help"},
}
READS["oc"] = READS["kubectl"]


TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\d*(?:&>>?|[<>]&|>\||<<<?-?|>>|<>|[<>]))
      | (?P<end>[;|&()\n]+)
      | (?P<word>(?:[^ \t\r\n;|&()<>'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)""",
    re.X | re.S,
)
PART = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\]+)""", re.S)


def unquoted(word):
    text = ""
    for single, double, escaped, plain in PART.findall(word):
        if single and text.endswith("$"):
            raise ValueError("$'…' has escapes of its own")
        text += single + re.sub(r'\\([$`"\\])', r"\1", double) + escaped + plain
    return text


def simple_commands(text):
    """The words of every simple command in a command line, those inside `sh -c`, `eval` and $(…) included.

    Redirections are skipped, wherever they stand. Raises ValueError when a quote does not end.
    """
    text = text.replace("\\\n", "")
    words, found, at = [], [], 0
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            raise ValueError("a quote does not end")
        at = token.end()
        if token["word"]:
            words.append(unquoted(token["word"]))
        elif token["end"]:
            found.append(words)
            words = []
    found = [words for words in [*found, words] if words]
    for words in list(found):
        for place, word in enumerate(words):
            if word.rsplit("/", 1)[-1] in SHELLS:
                scripts = zip(words[place + 1 :], words[place + 2 :])
                found += next((simple_commands(it) for flag, it in scripts if re.fullmatch("-[a-z]*c", flag)), [])
        if "eval" in words:
            found += simple_commands(" ".join(words[words.index("eval") + 1 :]))
    for inner in re.findall(r"\$\(([^()]*)\)|`([^`]*)`", text):
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
