// One hook script for a process per event, for one that stays ("persistent": true) and for one that is started
// ahead ("prestart": true).
//
//     import { Deny, serve } from "./boathook_hook.mjs";
//
//     serve((event) => {
//       if (event.command?.includes("--force")) throw new Deny("Force pushes are not allowed.");
//     });
//
// A hook returns its answer, an object, or nothing for no opinion; or a promise of it.
// Copy this file beside it. From its import on, what the script prints goes to stderr.

import { readFileSync, writeSync } from "node:fs";

// Only answers may go to stdout. console.log and its like write there by this.
const say = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

/** Refuses, with this reason. */
export class Deny extends Error {}

/** Answers one event, or one after another. An error has this exit code: 2 refuses. */
export async function serve(hook, failure = 1) {
  if (process.env.BOATHOOK_PERSISTENT === "1") return stay(hook, failure);
  const done = lastWord();
  const { output, exit_code, stderr } = await answer(hook, failure, () => JSON.parse(readFileSync(0, "utf8")));
  if (stderr) process.stderr.write(stderr);
  tell((output === undefined ? "" : JSON.stringify(output) + "\n") + (done ? `${done} ${exit_code & 255}\n` : ""));
  process.exitCode = exit_code;
}

/** With this and its exit code, a process that was started ahead says that nobody need wait for its end. */
function lastWord() {
  const [host, word] = (process.env.BOATHOOK_DONE ?? "").split(":");
  delete process.env.BOATHOOK_DONE;
  // For whoever is not the host's own child, another process answers.
  return Number(host) === process.ppid ? word : undefined;
}

async function stay(hook, failure) {
  const { Socket } = await import("node:net");
  let [pieces, last] = [[], Promise.resolve()];
  // One buffer for all: the stream behind `process.stdin` makes one of 64 KB for every line.
  const buffer = Buffer.alloc(64 * 1024);
  const take = (length) => {
    const piece = buffer.subarray(0, length);
    const end = piece.lastIndexOf(10) + 1;
    if (end > 0) {
      const lines = [...pieces, piece.subarray(0, end)];
      const text = (lines.length > 1 ? Buffer.concat(lines) : lines[0]).toString("utf8");
      pieces = [];
      last = last.then(() => reply(hook, failure, text));
    }
    if (end < length) pieces.push(Buffer.from(piece.subarray(end)));
    return true;
  };
  new Socket({ fd: 0, readable: true, writable: false, onread: { buffer, callback: take } }).resume();
}

/** Answers every line, one after another. */
async function reply(hook, failure, lines) {
  for (const line of lines.trimEnd().split("\n")) {
    const { id, input } = JSON.parse(line);
    tell(JSON.stringify({ id, ...(await answer(hook, failure, () => input)) }) + "\n");
  }
}

/** Says lines. What is short has room in the pipe, for what was said before was read: then no stream is needed. */
function tell(lines) {
  try {
    if (lines.length <= 1024) return void writeSync(1, lines);
  } catch (error) {
    if (error.code !== "EAGAIN") throw error;
  }
  say(lines);
}

async function answer(hook, failure, event) {
  try {
    const output = (await hook(event())) ?? {};
    const exit_code = process.exitCode ?? 0;
    return exit_code === 0 ? { output, exit_code } : { exit_code };
  } catch (error) {
    // Stderr may hold more than the reason, which counts where it stands alone.
    if (error instanceof Deny) {
      return { output: { user_message: error.message }, exit_code: 2, stderr: error.message + "\n" };
    }
    return { exit_code: failure, stderr: (error?.stack ?? String(error)) + "\n" };
  } finally {
    process.exitCode = undefined;
  }
}
