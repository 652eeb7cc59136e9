#!/usr/bin/env python3
"""Asks before a new package comes in, and refuses one from an address.

Installing what the lock file says is free, and so are the packages of a list,
which is named in the command so that trust covers it. A command line that
cannot be read is asked about.
"""
import json
import pathlib
import re
import sys

SHELLS = {"sh", "bash", "dash", "zsh", "ksh"}
# What adds a package: the program, and the words that may follow it.
ADDS = {
    "npm": {"install", "i", "in", "add", "exec", "x"}, "pnpm": {"add", "install", "i", "dlx"}, "yarn": {"add", "dlx"},
    "bun": {"add", "install", "i", "x"}, "npx": None, "bunx": None, "pip": {"install"}, "pip3": {"install"},
    "pipx": {"install", "run"}, "uv": {"add", "pip", "tool"}, "uvx": None, "cargo": {"add", "install"},
    "gem": {"install"}, "go": {"get", "install"},
}
# Options that say where packages come from: a stranger's index is a stranger's package.
FROM = re.compile(r"^(--registry|--index-url|--extra-index-url|--index|--find-links|--source|--git|-i$|-f$)")
# The same, as a variable in front of the command.
FROM_VARIABLE = re.compile(r"^\w*(INDEX|REGISTRY|FIND_LINKS)\w*=", re.I)
# Options that take the next word, which is no package.
WITH_VALUE = {"-r", "--requirement", "-c", "--constraint", "-C", "--prefix", "--dir", "--features", "-F", "--filter", "-w"}
ADDRESS = re.compile(r"^(?:[a-z+]+:/?/?|git@|github:|file:|link:|\w+@(?:https?|git))|\.(?:tgz|whl|tar\.gz|zip)$", re.I)


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


def added(words):
    """The program and the arguments behind the word that adds, or None."""
    for place, word in enumerate(words):
        program = word.rsplit("/", 1)[-1]
        if re.fullmatch(r"python[\d.]*", program) and words[place + 1 : place + 3] == ["-m", "pip"]:
            return added(words[place + 2 :])
        if program not in ADDS:
            continue
        rest = words[place + 1 :]
        if ADDS[program] is None:
            return program, rest[:1] if rest and not rest[0].startswith("-") else rest
        for at, argument in enumerate(rest):
            if argument in ADDS[program]:
                return program, rest[at + 1 :]
        return None
    return None


def packages(arguments):
    rest = iter(arguments)
    for argument in rest:
        if argument in WITH_VALUE:
            next(rest, None)
        elif not argument.startswith("-") and argument not in ("install", "run", "."):
            yield argument


def plain(package):
    """The name without a version: zod@3, @a/b@1, serde==1, requests[socks]>=2."""
    return re.match(r"@?[^@=<>!~\[;]*", package)[0]


def judge(command, known):
    try:
        found = [(words, call) for words in simple_commands(command) if (call := added(words))]
    except ValueError:
        return "ask", "this command line cannot be read"
    asked = []
    for words, (_, arguments) in found:
        sources = [*filter(FROM_VARIABLE.match, words), *filter(FROM.match, arguments)]
        if sources:
            return "deny", f"packages come from our own index, not by `{sources[0]}`"
        addresses = [argument for argument in arguments if "://" in argument]
        if addresses:
            return "deny", f"a package from an address is not installed: {addresses[0]}"
        for package in packages(arguments):
            if ADDRESS.search(package):
                return "deny", f"a package from an address is not installed: {package}"
            if plain(package) not in known:
                asked.append(package)
    return ("ask", f"new packages: {', '.join(asked)}") if asked else ("allow", None)


lines = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
known = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
permission, reason = judge(json.load(sys.stdin.buffer)["command"], known)
answer = {"permission": permission}
if reason:
    answer["user_message"] = f"{reason[0].upper()}{reason[1:]}"
    answer["agent_message"] = f"{reason[0].upper()}{reason[1:]}. Use what the project has, or say why it is not enough."
json.dump(answer, sys.stdout)
