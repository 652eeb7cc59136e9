#!/usr/bin/env node
@header@

import { readFileSync } from "node:fs";

function main(event) {
@body@
}

try {
  const answer = main(JSON.parse(readFileSync(0, "utf8")));
  process.stdout.write(JSON.stringify(answer) + "\n");
} catch (error) {
  process.stderr.write(`the hook failed: ${error}\n`);
  process.exitCode = @failure@; // @error_means@
}
