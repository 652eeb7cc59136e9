"""Asks Boathook about an event: the daemon when it runs, else `boathook run`.

    python3 python.py EVENT < payload.json    prints the answer; exit code 2 when the action is refused
"""
import json, os, socket, subprocess, sys

STATE = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
SOCKET = os.path.join(STATE, "boathook/daemon/socket")

def handle(event, payload):  # the hooks' answer, and whether the action is refused
    try:
        return ask_daemon(event, payload)
    except Exception:  # absent, silent, or it says why not
        return run(event, payload)

def ask_daemon(event, payload):
    params = {"event": event, "payload": payload, "cwd": os.getcwd(), "beat": True}
    request = {"jsonrpc": "2.0", "id": 1, "method": "handle", "params": params}
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.settimeout(3)  # one that works says so twice a second
        daemon.connect(SOCKET)
        daemon.sendall(json.dumps(request).encode() + b"\n")
        replies = map(json.loads, daemon.makefile("rb"))
        reply = next((reply for reply in replies if reply.get("id") == 1), {})
        return reply["result"]["answer"], reply["result"]["blocked"]

def run(event, payload):
    done = subprocess.run(["boathook", "run", event], input=json.dumps(payload).encode(), stdout=subprocess.PIPE)
    if done.returncode not in (0, 2):
        raise RuntimeError("Boathook failed: nobody allowed this") from None
    return json.loads(done.stdout), done.returncode == 2

if __name__ == "__main__":
    try:
        answer, blocked = handle(sys.argv[1], json.load(sys.stdin))
    except RuntimeError as error:
        sys.exit(error)
    print(json.dumps(answer))
    sys.exit(2 if blocked else 0)
