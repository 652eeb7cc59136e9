#!/usr/bin/env node
@header@

import { serve } from "./boathook_hook.mjs";

function main(event) {
@body@
}

serve(main, @failure@); // @error_means@
