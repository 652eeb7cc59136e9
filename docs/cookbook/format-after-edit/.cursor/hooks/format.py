#!/usr/bin/env python3
"""Formats the file that was edited, with the formatter of its kind.

Only files inside the workspace: a path that leads out of it, by `..` or by a
symbolic link, is left alone. A formatter that is missing or fails is a failure
of this hook, which `boathook log` shows; the edit stays as it is.

The list of formatters is named in the command, so that trust covers it: it says
what runs. FORMATTERS names another one.
"""
import json
import os
import pathlib
import subprocess
import sys

workspace = pathlib.Path.cwd().resolve()
listed = workspace / (os.environ.get("FORMATTERS") or sys.argv[1])
formatters = json.loads(listed.read_text(encoding="utf-8"))
file = (workspace / json.load(sys.stdin.buffer)["file_path"]).resolve()
command = formatters.get(file.suffix)
if not command:
    sys.exit(0)
if workspace not in file.parents or not file.is_file():
    print(f"not formatted: {file} is no file of this workspace", file=sys.stderr)
    sys.exit(0)
try:
    # The path is an argument of its own and absolute, so that no name can be an option.
    subprocess.run([*command, str(file)], stdout=sys.stderr, check=True, timeout=25)
except (OSError, subprocess.SubprocessError) as error:
    sys.exit(f"not formatted: {error}")
