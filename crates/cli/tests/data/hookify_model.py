"""What the hookify plugin does with a rule, written anew from its description.

Reads [[rule text, payload], ...] and answers for each whether the rule applies:
"block", "warn" or null. The tests hold the engine's `faithful` mode to it.
"""
import json
import re
import sys
import warnings

warnings.simplefilter("ignore")


def bare(value):
    return value.strip().strip('"').strip("'")


def pair(text):
    key, value = text.split(":", 1)
    return key.strip(), bare(value)


def head_of(text):
    if not text.startswith("---"):
        return None, ""
    pieces = text.split("---", 2)
    if len(pieces) < 3:
        return None, ""
    head, items, item = {}, None, None
    for line in pieces[1].split("\n"):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        if indent == 0 and ":" in line and not words.startswith("-"):
            key, value = line.split(":", 1)
            item = None
            if value.strip():
                items = None
                value = bare(value)
                head[key.strip()] = {"true": True, "false": False}.get(value.lower(), value)
            else:
                items = head[key.strip()] = []
        elif words.startswith("-") and items is not None:
            words = words[1:].strip()
            item = None
            if ":" in words and "," in words:
                items.append(dict(pair(part) for part in words.split(",") if ":" in part))
            elif ":" in words:
                item = dict([pair(words)])
                items.append(item)
            else:
                items.append(bare(words))
        elif indent > 2 and item is not None and ":" in line:
            key, value = pair(words)
            item[key] = value
    return head, pieces[2].strip()


def conditions_of(head):
    listed = head.get("conditions")
    if isinstance(listed, list) and listed:
        return [(c.get("field", ""), c.get("operator", "regex_match"), c.get("pattern", "")) for c in listed]
    if not head.get("pattern"):
        return []
    field = {"bash": "command", "file": "new_text"}.get(head.get("event", "all"), "content")
    return [(field, "regex_match", head["pattern"])]


def field_of(name, payload):
    given = payload.get("tool_input", {})
    if name in given:
        return given[name] if isinstance(given[name], str) else str(given[name])
    if name == "reason":
        return payload.get("reason", "")
    if name == "transcript":
        path = payload.get("transcript_path")
        if not path:
            return None
        try:
            return open(path, encoding="utf-8").read()
        except (OSError, UnicodeDecodeError):
            return ""
    if name == "user_prompt":
        return payload.get("user_prompt", "")
    tool = payload.get("tool_name", "")
    if tool == "Bash" and name == "command":
        return given.get("command", "")
    if tool in ("Write", "Edit"):
        known = {
            "content": given.get("content") or given.get("new_string", ""),
            "new_text": given.get("new_string", ""),
            "new_string": given.get("new_string", ""),
            "old_text": given.get("old_string", ""),
            "old_string": given.get("old_string", ""),
            "file_path": given.get("file_path", ""),
        }
        return known.get(name)
    if tool == "MultiEdit":
        if name == "file_path":
            return given.get("file_path", "")
        if name in ("new_text", "content"):
            return " ".join(edit.get("new_string", "") for edit in given.get("edits", []))
    return None


def holds(condition, payload):
    field, operator, pattern = condition
    value = field_of(field, payload)
    if value is None:
        return False
    if operator == "regex_match":
        try:
            return re.search(pattern, value, re.IGNORECASE) is not None
        except re.error:
            return False
    tests = {
        "contains": lambda: pattern in value,
        "equals": lambda: pattern == value,
        "not_contains": lambda: pattern not in value,
        "starts_with": lambda: value.startswith(pattern),
        "ends_with": lambda: value.endswith(pattern),
    }
    return operator in tests and tests[operator]()


def event_of(payload):
    tool = payload.get("tool_name", "")
    kind = payload["hook_event_name"]
    if kind == "Stop":
        return "stop"
    if kind == "UserPromptSubmit":
        return "prompt"
    return {"Bash": "bash", "Edit": "file", "Write": "file", "MultiEdit": "file"}.get(tool)


def decide(text, payload):
    head, _ = head_of(text)
    if not head or not head.get("enabled", True):
        return None
    event = event_of(payload)
    if event is not None and head.get("event", "all") not in ("all", event):
        return None
    tools = head.get("tool_matcher")
    if tools and tools != "*" and payload.get("tool_name", "") not in tools.split("|"):
        return None
    try:
        conditions = conditions_of(head)
    except AttributeError:
        return None
    if not conditions or not all(holds(condition, payload) for condition in conditions):
        return None
    return "block" if head.get("action", "warn") == "block" else "warn"


json.dump([decide(text, payload) for text, payload in json.load(sys.stdin)], sys.stdout)
