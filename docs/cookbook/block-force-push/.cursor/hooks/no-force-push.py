#!/usr/bin/env python3
"""Refuses a forced push, and asks before one with a lease.

A command line that cannot be read and speaks of git counts as a forced push:
the matcher in hooks.json only brings lines with `push` in them here.
"""
import itertools
import json
import re
import sys

SHELLS = {"sh", "bash", "dash", "zsh", "ksh"}
# Options of git itself that take the next word.
WITH_VALUE = {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"}


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
        return "deny" if re.search(r"\bgit\b", command) else "allow"
    worst = "allow"
    for argument in itertools.chain.from_iterable(pushed):
        short = re.fullmatch(r"-[A-Za-z]*f[A-Za-z]*", argument)
        if short or argument == "--force" or argument.startswith(("--m", "+")):
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
