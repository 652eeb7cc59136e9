// Asks Boathook about an event: the daemon when it runs, else `boathook run`.
//   node node.mjs EVENT < payload.json    prints the answer; exit code 2 when the action is refused
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";

const state = process.env.XDG_STATE_HOME || `${homedir()}/.local/state`;
const socket = `${state}/boathook/daemon/socket`;

export async function handle(event, payload) {
  return askDaemon(event, payload).catch(() => run(event, payload)); // absent, silent, or it says why not
}

async function askDaemon(event, payload) {
  const params = { event, payload, cwd: process.cwd(), beat: true };
  const daemon = connect(socket).setEncoding("utf8");
  daemon.setTimeout(3000, () => daemon.destroy(new Error("silent"))); // one that works says so twice a second
  daemon.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "handle", params }) + "\n");
  let text = "";
  for await (const part of daemon) {
    const lines = (text += part).split("\n");
    text = lines.pop();
    const reply = lines.map((line) => JSON.parse(line)).find((reply) => reply.id === 1);
    if (typeof reply?.result.blocked === "boolean") return reply.result;
  }
  throw new Error("gone");
}

function run(event, payload) {
  const done = spawnSync("boathook", ["run", event], { input: JSON.stringify(payload), stdio: ["pipe", "pipe", "inherit"] });
  if (done.status !== 0 && done.status !== 2) throw new Error("Boathook failed: nobody allowed this");
  return { answer: JSON.parse(done.stdout), blocked: done.status === 2 };
}

const { answer, blocked } = await handle(process.argv[2], JSON.parse(readFileSync(0)));
console.log(JSON.stringify(answer));
process.exitCode = blocked ? 2 : 0;
