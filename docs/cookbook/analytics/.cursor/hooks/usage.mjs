#!/usr/bin/env node
// Keeps one line for every turn: tokens, what they cost, model, time and person.
//
// A host that sends no tokens leaves them out, and so does this: an unknown number is null, not 0. The
// file is USAGE_LOG or ~/.local/state/agent-usage.jsonl, and private.
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

const KINDS = ["input", "output", "cache_read", "cache_write"];

const event = JSON.parse(readFileSync(0, "utf8"));
const prices = JSON.parse(readFileSync(".cursor/prices.json", "utf8"));

const known = (value) => (Number.isFinite(value) && value >= 0 ? value : null);
const tokens = Object.fromEntries(KINDS.map((kind) => [kind, known(event[`${kind}_tokens`])]));

function cost() {
  const name = Object.keys(prices).find((name) => !name.startsWith("_") && String(event.model).startsWith(name));
  if (name === undefined || KINDS.every((kind) => tokens[kind] === null)) return null;
  const dollars = KINDS.reduce((sum, kind) => sum + (tokens[kind] ?? 0) * (prices[name][kind] ?? 0), 0) / 1e6;
  return Number(dollars.toFixed(6));
}

const line = {
  time: new Date().toISOString(),
  conversation: event.conversation_id,
  user: event.user_email,
  model: event.model,
  status: event.status,
  followups: known(event.loop_count),
  tokens,
  dollars: cost(),
};
const state = process.env.XDG_STATE_HOME || join(homedir(), ".local/state");
const log = process.env.USAGE_LOG || join(state, "agent-usage.jsonl");
mkdirSync(dirname(log), { recursive: true });
// One write of one short line: lines of several turns do not mix.
appendFileSync(log, `${JSON.stringify(line)}\n`, { mode: 0o600 });
