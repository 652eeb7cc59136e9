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
    # Nor may they take themselves for one that stays.
    if os.environ.pop("BOATHOOK_PERSISTENT", "") != "1":
        done = _last_word()
        output, exit_code, stderr = _answer(hook, failure, lambda: json.load(questions))
        sys.stderr.write(stderr)
        sys.stderr.flush()
        _answers.write(f"{output}\n".encode() if output else b"")
        _answers.write(f"{done} {exit_code}\n".encode() if done else b"")
        _answers.flush()
        sys.exit(exit_code)
    for line in questions:
        # The id stands first: it is known of a line, too, that Python does not read, such as one nested too deeply.
        asked = line.split(b'"', 4)[3].decode()
        output, exit_code, stderr = _answer(hook, failure, lambda: json.loads(line)["input"])
        said = f'"output":{output or "null"},"exit_code":{exit_code},"stderr":{json.dumps(stderr)}'
        _answers.write(f'{{"id":"{asked}",{said}}}\n'.encode())
        _answers.flush()


def _last_word():
    """With this and its exit code, a process that was started ahead says that nobody need wait for its end."""
    host, _, word = os.environ.pop("BOATHOOK_DONE", "").partition(":")
    # For whoever is not the host's own child, another process answers.
    return word if host == str(os.getppid()) else None


def _answer(hook, failure, event):
    """The answer as it is written, the exit code, and what goes to stderr. What cannot be written is an error, too."""
    try:
        output = hook(event())
        if isinstance(output, BaseException):
            raise output
        return json.dumps({} if output is None else output, allow_nan=False), 0, ""
    except Deny as reason:
        # Stderr may hold more than the reason, which counts where it stands alone.
        return json.dumps({"user_message": str(reason)}), 2, f"{reason}\n"
    except SystemExit as end:
        code = 0 if end.code is None else end.code
        return (None, code & 255, "") if isinstance(code, int) else (None, failure, f"{code}\n")
    except Exception:
        return None, failure, traceback.format_exc()
