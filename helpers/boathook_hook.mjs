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
  let [pieces, later] = [[], undefined];
  // One buffer for all: the stream behind `process.stdin` makes one of 64 KB for every line.
  const buffer = Buffer.alloc(64 * 1024);
  const callback = (length) => {
    const piece = buffer.subarray(0, length);
    const end = piece.lastIndexOf(10);
    if (end >= 0) {
      const whole = [...pieces, piece.subarray(0, end)];
      const lines = (whole.length > 1 ? Buffer.concat(whole) : whole[0]).toString("utf8").split("\n");
      pieces = [];
      later = later ? later.then(() => reply(hook, failure, lines)) : reply(hook, failure, lines);
    }
    if (end + 1 < length) pieces.push(Buffer.from(piece.subarray(end + 1)));
    return true;
  };
  new Socket({ fd: 0, readable: true, writable: false, onread: { buffer, callback } }).resume();
}

/** Answers these lines, one after another: at once, or by a promise. */
function reply(hook, failure, lines) {
  let later;
  for (const line of lines) {
    const ask = () => {
      const { id, input } = JSON.parse(line);
      const send = (said) => tell(JSON.stringify({ id, ...said }) + "\n");
      const said = answer(hook, failure, () => input);
      return said instanceof Promise ? said.then(send) : send(said);
    };
    later = later ? later.then(ask) : ask();
  }
  return later;
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

/** What the hook says, at once or by a promise, as it does. */
function answer(hook, failure, event) {
  const said = (output) => {
    const exit_code = process.exitCode ?? 0;
    process.exitCode = undefined;
    return exit_code === 0 ? { output: output ?? {}, exit_code } : { exit_code };
  };
  const failed = (error) => {
    process.exitCode = undefined;
    // Stderr may hold more than the reason, which counts where it stands alone.
    if (error instanceof Deny) {
      return { output: { user_message: error.message }, exit_code: 2, stderr: error.message + "\n" };
    }
    return { exit_code: failure, stderr: (error?.stack ?? String(error)) + "\n" };
  };
  try {
    const output = hook(event());
    return typeof output?.then === "function" ? Promise.resolve(output).then(said, failed) : said(output);
  } catch (error) {
    return failed(error);
  }
}
