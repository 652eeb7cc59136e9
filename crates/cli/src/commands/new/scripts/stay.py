#!/usr/bin/env python3
@header@

import sys

from boathook_hook import serve


def main(event):
@body@


serve(main, @failure@)
