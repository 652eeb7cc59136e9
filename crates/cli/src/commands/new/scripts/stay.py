#!/usr/bin/env python3
@header@

@imports@
from boathook_hook import serve


def main(event):
@body@


serve(main, @failure@)  # @error_means@
