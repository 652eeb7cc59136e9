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
import { constants, fstatSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

// Only answers may go to stdout. console.log and its like write there by this.
const { stdout } = process;
const say = stdout.write.bind(stdout);
stdout.write = process.stderr.write.bind(process.stderr);

const stays = process.env.BOATHOOK_PERSISTENT === "1";
// A program that the hook starts must not take itself for one that stays.
delete process.env.BOATHOOK_PERSISTENT;
// What began in this process since: promises that are not kept yet, other things that end with their turn of the event
// loop, and things that last.
const begun = { promises: new Set(), passing: 0, lasting: false };
const passing = new Set(["PROMISE", "TickObject", "Microtask", "Immediate"]);
const watch = createHook({
  init(id, type) {
    if (type === "PROMISE") begun.promises.add(id);
    if (passing.has(type)) begun.passing += 1;
    else begun.lasting = true;
  },
  promiseResolve: (id) => begun.promises.delete(id),
});
if (stays) watch.enable();

/** Refuses, with this reason. */
export class Deny extends Error {}

/** Answers one event, or one after another. An error has this exit code: 2 refuses. */
export async function serve(hook, failure = 1) {
  if (stays) return stay(hook, failure);
  const done = lastWord();
  const { output, exit_code, stderr } = await answer(hook, failure, () => JSON.parse(readFileSync(0, "utf8")));
  if (stderr) process.stderr.write(stderr);
  tell((output === undefined ? "" : output + "\n") + (done ? `${done} ${exit_code}\n` : ""));
  process.exitCode = exit_code;
}

/** With this and its exit code, a process that was started ahead says that nobody need wait for its end. */
function lastWord() {
  const [host, word] = (process.env.BOATHOOK_DONE ?? "").split(":");
  delete process.env.BOATHOOK_DONE;
  // For whoever is not the host's own child, another process answers.
  return Number(host) === process.ppid ? word : undefined;
}

/** So many turns of the event loop may begin something before we wait in the loop, too. */
const TURNS = 8;
/** After so many answers the loop has a turn in any case: some things of Node's own are done there alone. */
const ANSWERS = 32;

/**
 * Answers what is asked. While nothing else goes on here it waits in the read itself, which is faster than the event
 * loop. From the first timer, connection or promise that takes its time on it waits in the loop, where these have their
 * turns.
 */
function stay(hook, failure) {
  // One buffer for all: the stream behind `process.stdin` makes one of 64 KB for every line.
  const buffer = Buffer.alloc(64 * 1024);
  let [pieces, later, seen, turns, answers] = [[], undefined, undefined, 0, 0];
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
    begun.promises.clear();
    const { Socket } = await import("node:net");
    new Socket({ fd: 0, readable: true, writable: false, onread: { buffer, callback: take } }).resume();
  };
  const turn = () => {
    turns += 1;
    answers = 0;
    seen = begun.passing + 1; // with the one that begins here
    setImmediate(wait);
  };
  const wait = () => {
    for (;;) {
      if (begun.lasting || turns > TURNS) return void listen();
      // What began in the last turn may need the next one.
      if (begun.passing !== seen || answers === ANSWERS) return turn();
      if (begun.promises.size > 0) return void listen();
      const length = read(buffer);
      if (length === undefined) return void listen();
      if (length === 0) return; // nobody will ask again
      turns = 0;
      answers += 1;
      try {
        take(length);
      } catch (error) {
        turn(); // for a script that handles it and goes on
        throw error;
      }
    }
  };
  setImmediate(() => (isBusy() ? listen() : wait()));
}

/** Whether something was begun before this file was loaded: more keeps the process alive than stdout and stderr. */
function isBusy() {
  const active = process.getActiveResourcesInfo?.() ?? ["unknown"];
  const others = active.length > 2 || !active.every((type) => type === "PipeWrap" || type === "TTYWrap");
  return others || process.eventNames().some((name) => String(name).startsWith("SIG"));
}

/** Waits for a piece of a question; none when the pipe is one that cannot be waited for. */
function read(buffer) {
  const begun = performance.now();
  const length = run.readAwake(buffer, begun) ?? readFrom(0, buffer);
  if (performance.now() - begun > IN_A_RUN) run.end();
  return length;
}

/** A piece of what is asked; none where the descriptor has none and does not wait. */
function readFrom(descriptor, buffer) {
  for (;;) {
    try {
      return readSync(descriptor, buffer, 0, buffer.length, null);
    } catch (error) {
      if (error.code === "EAGAIN") return undefined;
      // A signal that nobody here handles, such as the debugger's.
      if (error.code !== "EINTR") throw error;
    }
  }
}

/** Milliseconds: sooner after an answer a question is one of a run, and so long the next one is waited for awake. */
const [IN_A_RUN, AWAKE] = [1.5, 0.2];
/** So many of a run are slept through at first; so few after one that did not come, up to so many where none comes. */
const [FIRST, FEW, MANY] = [8, 2, 64];

/**
 * One question after another. Where this process sleeps in between, a processor has to be woken for each, which takes
 * longer than the answer. Where it has one processor with whoever asks, to wait awake is to be in the way.
 */
const run = {
  asleep: FIRST,
  next: 2 * FIRST,
  stdin: undefined,
  end() {
    this.asleep = Math.max(this.asleep, FIRST);
  },
  readAwake(buffer, begun) {
    if (this.asleep-- > 0) return undefined;
    this.stdin ??= openAnew();
    const length = this.stdin < 0 ? undefined : withoutTraces(() => this.readSoon(buffer, begun + AWAKE));
    if (length !== undefined) {
      this.next = FEW;
      return length;
    }
    this.asleep = this.next;
    this.next = Math.min(2 * this.next, MANY);
  },
  readSoon(buffer, until) {
    while (performance.now() < until) {
      const length = readFrom(this.stdin, buffer);
      if (length !== undefined) return length;
    }
  },
};

/**
 * The pipe once more, without waiting, and only here: its flags belong to all who have it open. A file would begin anew.
 */
function openAnew() {
  try {
    if (!fstatSync(0).isFIFO()) return -1;
    return openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return -1; // not on this system
  }
}

/** That nothing came yet is an error, and most of its time would go into its trace. */
function withoutTraces(work) {
  const { stackTraceLimit } = Error;
  Reflect.set(Error, "stackTraceLimit", 0);
  try {
    return work();
  } finally {
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit);
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
  let line = `{"id":${JSON.stringify(id)}`;
  if (output !== undefined) line += `,"output":${output}`;
  if (exit_code !== 0) line += `,"exit_code":${exit_code}`;
  if (stderr) line += `,"stderr":${JSON.stringify(stderr)}`;
  tell(line + "}\n");
}

/** Says lines. What is short has room in the pipe when what was said before was read: then no stream is needed. */
function tell(lines) {
  try {
    if (lines.length <= 1024 && stdout.writableLength === 0) return void writeSync(1, lines);
  } catch (error) {
    if (error.code !== "EAGAIN") throw error;
  }
  say(lines);
}

/** What the hook says, at once or by a promise, as it does; the answer is text by then, for what cannot be written is an error, too. */
function answer(hook, failure, event) {
  try {
    const output = hook(event());
    if (typeof output?.then !== "function") return succeeded(output);
    return Promise.resolve(output).then(succeeded).catch((error) => failed(error, failure));
  } catch (error) {
    return failed(error, failure);
  }
}

function succeeded(output) {
  if (output instanceof Error) throw output;
  const { exitCode } = process;
  if (exitCode !== undefined) process.exitCode = undefined;
  const exit_code = Number(exitCode ?? 0) & 255;
  if (exit_code !== 0) return { exit_code };
  const text = JSON.stringify(output ?? {});
  if (text === undefined) throw new TypeError(`a hook returns an object, and this one returned a ${typeof output}`);
  return { output: text, exit_code };
}

function failed(error, failure) {
  process.exitCode = undefined;
  // Stderr may hold more than the reason, which counts where it stands alone.
  if (error instanceof Deny) {
    const { message } = error;
    return { output: JSON.stringify({ user_message: message }), exit_code: 2, stderr: message + "\n" };
  }
  return { exit_code: failure, stderr: shown(error) + "\n" };
}

function shown(error) {
  try {
    return String(error?.stack ?? error);
  } catch {
    return "an error that cannot be shown";
  }
}
