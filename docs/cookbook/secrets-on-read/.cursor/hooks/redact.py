#!/usr/bin/env python3
"""Takes secrets out of what a model reads; key files are not read at all.

The answer's `new_content` is Boathook's own. A runner that does not know it
would show the file as it is: there, set REFUSE to True.
"""
import json
import re
import sys

REFUSE = False

KEY_FILES = re.compile(r"(^|[\\/])(id_(rsa|dsa|ecdsa|ed25519)|[^\\/]*\.(pem|key|p12|pfx|jks|keystore))$", re.I)
ENV_FILES = re.compile(r"(^|[\\/])\.env(\.(?!example$|sample$|template$)[^\\/]*)?$", re.I)
SECRETS = re.compile(
    r"""
      -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----.*?(?:-----END[ ][A-Z ]*PRIVATE[ ]KEY-----|\Z)
    | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b
    | \bgh[pousr]_[0-9A-Za-z]{36,}\b | \bgithub_pat_[0-9A-Za-z_]{50,}\b
    | \bxox[abprs]-[0-9A-Za-z-]{10,}
    | \bsk-[0-9A-Za-z_-]{20,} | \bsk_live_[0-9A-Za-z]{16,}
    | \bAIza[0-9A-Za-z_-]{35}
    | \beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}
    """,
    re.X | re.S,
)
ASSIGNED = re.compile(
    r"""(?im)^(?P<name>[^\S\n]*["']?[\w.-]*(?:secret|password|passwd|api_?key|token)[\w-]*["']?[^\S\n]*[:=][^\S\n]*)"""
    r"""(?P<value>"(?:[^"\\\n]|\\.){6,}"|'(?:[^'\\\n]|\\.){6,}')"""
)
VALUES = re.compile(r"(?m)^([^\S\n]*(?:export[^\S\n]+)?[\w.]+[^\S\n]*=).+$")


def redact(path, text):
    """The text without its secrets, and how many there were."""
    text, tokens = SECRETS.subn("[secret]", text)
    text, assigned = ASSIGNED.subn(lambda found: found["name"] + '"[secret]"', text)
    values = 0
    if ENV_FILES.search(path):
        text, values = VALUES.subn(r"\1[secret]", text)
    return text, tokens + assigned + values


event = json.load(sys.stdin.buffer)
path, content = event["file_path"], event["content"]
answer = {}
if KEY_FILES.search(path):
    answer = {"permission": "deny", "user_message": f"A key is not for a model: {path}"}
else:
    clean, found = redact(path, content)
    if found and REFUSE:
        answer = {"permission": "deny", "user_message": f"There are secrets in {path} ({found})."}
    elif found:
        answer = {"permission": "allow", "new_content": clean}
if event["hook_event_name"] == "beforeTabFileRead":
    answer.pop("user_message", None)
json.dump(answer, sys.stdout)
