"""One hook script for a process per event and for one that stays ("persistent": true).

    from boathook_hook import Deny, serve

    def hook(event):
        if "--force" in event.get("command", ""):
            raise Deny("Force pushes are not allowed.")

    serve(hook)

A hook returns its answer, an object, or nothing for no opinion. Copy this file beside it.
"""

import json
import os
import sys
import traceback


class Deny(Exception):
    """Refuses, with this reason."""


def serve(hook, failure=1):
    """Answers one event, or one after another. An error has this exit code: 2 refuses."""
    # What the hook prints, and programs it starts, must not meddle with its answers.
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    if os.environ.get("BOATHOOK_PERSISTENT") != "1":
        output, exit_code, stderr = _answer(hook, failure, lambda: json.load(questions))
        answers.write(json.dumps(output).encode() if exit_code == 0 else b"")
        answers.flush()
        sys.stderr.write(stderr)
        sys.exit(exit_code)
    for line in questions:
        question = json.loads(line)
        output, exit_code, stderr = _answer(hook, failure, lambda: question["input"])
        said = {"id": question["id"], "output": output, "exit_code": exit_code, "stderr": stderr}
        answers.write(json.dumps(said).encode() + b"\n")
        answers.flush()


def _answer(hook, failure, event):
    try:
        output = hook(event())
        return {} if output is None else output, 0, ""
    except Deny as reason:
        return None, 2, f"{reason}\n"
    except SystemExit as end:
        code = 0 if end.code is None else end.code
        return (None, code, "") if isinstance(code, int) else (None, 1, f"{code}\n")
    except Exception:
        return None, failure, traceback.format_exc()
