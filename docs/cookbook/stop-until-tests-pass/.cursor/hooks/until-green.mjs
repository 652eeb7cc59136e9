#!/usr/bin/env node
// Sends the agent back to work while the tests fail, at most three times (loop_limit in hooks.json).
//
// TEST_COMMAND says what runs; without it `make test`. The end of what the tests print goes to the
// agent: that is where test runners say what failed.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const LONGEST = 4000;
// Less than the hook's own timeout, so that a run that hangs is told and not just killed.
const PATIENCE = 280_000;

const event = JSON.parse(readFileSync(0, "utf8"));
// A person who stopped the agent, or a model that failed, does not want another round.
if (event.status !== "completed") process.exit(0);

const command = process.env.TEST_COMMAND || "make test";
const run = spawnSync("/bin/sh", ["-c", `exec 2>&1\n${command}`], {
  encoding: "utf8",
  timeout: PATIENCE,
  maxBuffer: 64 * 1024 * 1024,
  stdio: ["ignore", "pipe", "inherit"],
});
if (run.status === 0) process.exit(0);

const why = run.error ? `did not finish (${run.error.code})` : `ended with exit code ${run.status}`;
const output = run.stdout ?? "";
const end = output.length > LONGEST ? `…${output.slice(-LONGEST)}` : output;
const message = `\`${command}\` ${why}. Repair what is wrong; do not change a test to make it pass.\n\n${end.trim()}`;
console.log(JSON.stringify({ followup_message: message }));
