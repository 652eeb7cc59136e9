"""One hook script for a process per event, for one that stays ("persistent": true) and for one
that is started ahead ("prestart": true).

    from boathook_hook import Deny, serve

    def hook(event):
        if "--force" in event.get("command", ""):
            raise Deny("Force pushes are not allowed.")

    serve(hook)

A hook returns its answer, an object, or nothing for no opinion. Copy this file beside it.
From its import on, what the script and the programs it starts print goes to stderr.
"""

import json
import os
import sys
import traceback


# Only answers may go to stdout; what was printed before and still waits is none.
_answers = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
sys.stdout.flush()
sys.stdout = sys.stderr


class Deny(Exception):
    """Refuses, with this reason."""


def serve(hook, failure=1):
    """Answers one event, or one after another. An error has this exit code: 2 refuses."""
    # Programs that the hook starts must not read what it is asked.
    questions = os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if os.environ.get("BOATHOOK_PERSISTENT") != "1":
        done = _last_word()
        output, exit_code, stderr = _answer(hook, failure, lambda: json.load(questions))
        sys.stderr.write(stderr)
        sys.stderr.flush()
        _answers.write(b"" if output is None else json.dumps(output).encode() + b"\n")
        _answers.write(f"{done} {exit_code % 256}\n".encode() if done else b"")
        _answers.flush()
        sys.exit(exit_code)
    for line in questions:
        question = json.loads(line)
        output, exit_code, stderr = _answer(hook, failure, lambda: question["input"])
        said = {"id": question["id"], "output": output, "exit_code": exit_code, "stderr": stderr}
        _answers.write(json.dumps(said).encode() + b"\n")
        _answers.flush()


def _last_word():
    """With this and its exit code, a process that was started ahead says that nobody need wait for its end."""
    host, _, word = os.environ.pop("BOATHOOK_DONE", "").partition(":")
    # For whoever is not the host's own child, another process answers.
    return word if host == str(os.getppid()) else None


def _answer(hook, failure, event):
    try:
        output = hook(event())
        return {} if output is None else output, 0, ""
    except Deny as reason:
        # Stderr may hold more than the reason, which counts where it stands alone.
        return {"user_message": str(reason)}, 2, f"{reason}\n"
    except SystemExit as end:
        code = 0 if end.code is None else end.code
        return (None, code, "") if isinstance(code, int) else (None, 1, f"{code}\n")
    except Exception:
        return None, failure, traceback.format_exc()
