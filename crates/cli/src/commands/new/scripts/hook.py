#!/usr/bin/env python3
@header@

import json
import sys


def main(event):
@body@


try:
    answer = main(json.load(sys.stdin.buffer))
except Exception as error:
    print(f"the hook failed: {error!r}", file=sys.stderr)
    sys.exit(@failure@)  # @error_means@
print(json.dumps(answer))
