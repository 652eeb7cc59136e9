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

import { createHook } from "node:async_hooks";
import { readFileSync, readSync, writeSync } from "node:fs";

// Only answers may go to stdout. console.log and its like write there by this.
const say = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

const stays = process.env.BOATHOOK_PERSISTENT === "1";
// What began in this process since: things that end with their turn of the event loop are counted.
const begun = { passing: 0, lasting: false };
const passing = new Set(["PROMISE", "TickObject", "Microtask", "Immediate"]);
const watch = createHook({ init: (_, type) => (passing.has(type) ? begun.passing++ : (begun.lasting = true)) });
if (stays) watch.enable();

/** Refuses, with this reason. */
export class Deny extends Error {}

/** Answers one event, or one after another. An error has this exit code: 2 refuses. */
export async function serve(hook, failure = 1) {
  if (stays) return stay(hook, failure);
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

/**
 * Answers what is asked. While nothing else goes on here it waits in the read itself, which is faster than the event
 * loop. From the first timer, connection or signal handler on it waits in the loop, where these have their turns.
 */
function stay(hook, failure) {
  // One buffer for all: the stream behind `process.stdin` makes one of 64 KB for every line.
  const buffer = Buffer.alloc(64 * 1024);
  let [pieces, later, seen] = [[], undefined, undefined];
  const take = (length) => {
    const end = buffer.lastIndexOf(10, length - 1);
    if (end >= 0) {
      const whole = pieces.length ? Buffer.concat([...pieces, buffer.subarray(0, end)]) : buffer;
      const text = whole.toString("utf8", 0, pieces.length ? whole.length : end);
      pieces = [];
      const said = later ? later.then(() => reply(hook, failure, text)) : reply(hook, failure, text);
      later = said;
      said?.then(() => (later = later === said ? undefined : later));
    }
    if (end + 1 < length) pieces.push(Buffer.from(buffer.subarray(end + 1, length)));
    return true;
  };
  const listen = async () => {
    watch.disable();
    const { Socket } = await import("node:net");
    new Socket({ fd: 0, readable: true, writable: false, onread: { buffer, callback: take } }).resume();
  };
  const wait = () => {
    for (;;) {
      // A turn of the loop in which nothing began has nothing left to do, and an answer that is not there waits for more.
      const quiet = begun.passing === seen;
      if (begun.lasting || (quiet && later)) return void listen();
      if (!quiet) {
        seen = begun.passing + 1; // with the one that begins here
        return void setImmediate(wait);
      }
      const length = read(buffer);
      if (length === undefined) return void listen();
      if (length === 0) return; // nobody will ask again
      take(length);
    }
  };
  setImmediate(() => (isBusy() ? listen() : wait()));
}

/** Whether something was begun before this file was loaded: more keeps the process alive than stdout and stderr. */
function isBusy() {
  const active = process.getActiveResourcesInfo?.() ?? ["unknown"];
  return active.length > 2 || !active.every((type) => type === "PipeWrap" || type === "TTYWrap");
}

/** Waits for a piece of a question; none when the pipe is one that cannot be waited for. */
function read(buffer) {
  try {
    return readSync(0, buffer, 0, buffer.length, null);
  } catch (error) {
    if (error.code !== "EAGAIN") throw error;
  }
}

/** Answers lines, one after another: at once, or by a promise. Mostly there is one. */
function reply(hook, failure, text) {
  if (!text.includes("\n")) return ask(hook, failure, text);
  let later;
  for (const line of text.split("\n")) {
    later = later ? later.then(() => ask(hook, failure, line)) : ask(hook, failure, line);
  }
  return later;
}

function ask(hook, failure, line) {
  const { id, input } = JSON.parse(line);
  const said = answer(hook, failure, () => input);
  return said instanceof Promise ? said.then((said) => send(id, said)) : send(id, said);
}

function send(id, { output, exit_code, stderr }) {
  tell(JSON.stringify({ id, output, exit_code, stderr }) + "\n");
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
  try {
    const output = hook(event());
    if (typeof output?.then !== "function") return succeeded(output);
    return Promise.resolve(output).then(succeeded, (error) => failed(error, failure));
  } catch (error) {
    return failed(error, failure);
  }
}

function succeeded(output) {
  const { exitCode } = process;
  if (exitCode === undefined) return { output: output ?? {}, exit_code: 0 };
  process.exitCode = undefined;
  return exitCode === 0 ? { output: output ?? {}, exit_code: 0 } : { exit_code: exitCode };
}

function failed(error, failure) {
  process.exitCode = undefined;
  // Stderr may hold more than the reason, which counts where it stands alone.
  if (error instanceof Deny) {
    return { output: { user_message: error.message }, exit_code: 2, stderr: error.message + "\n" };
  }
  return { exit_code: failure, stderr: (error?.stack ?? String(error)) + "\n" };
}
