// Counts failed turns per conversation in a file, reports every turn to an
// endpoint, and asks the agent to try again after two failures in a row.
import { mkdir, readFile, writeFile } from "node:fs/promises";

type Turn = {
  conversation_id: string;
  generation_id: string;
  model: string;
  status: "completed" | "aborted" | "error";
  loop_count: number;
};
type Entry = { lastStatus: Turn["status"]; errorCount: number; lastUpdatedIso: string };

const directory = ".cursor/hooks/state";
const file = `${directory}/agent-metrics.json`;
const retriesEndAt = 4;

async function remembered(): Promise<Record<string, Entry>> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return {};
  }
}

async function count(turn: Turn): Promise<Entry> {
  const entries = await remembered();
  const before = entries[turn.conversation_id]?.errorCount ?? 0;
  const entry: Entry = {
    lastStatus: turn.status,
    errorCount: turn.status === "error" ? before + 1 : 0,
    lastUpdatedIso: new Date().toISOString(),
  };
  entries[turn.conversation_id] = entry;
  await mkdir(directory, { recursive: true });
  await writeFile(file, JSON.stringify(entries, null, 2));
  return entry;
}

async function report(turn: Turn, entry: Entry): Promise<void> {
  const url = process.env.AGENT_TELEMETRY_URL;
  if (!url) return;
  await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      conversationId: turn.conversation_id,
      generationId: turn.generation_id,
      model: turn.model,
      status: turn.status,
      errorCount: entry.errorCount,
      loopCount: turn.loop_count,
      timestamp: entry.lastUpdatedIso,
    }),
  });
}

try {
  const turn: Turn = JSON.parse(await Bun.stdin.text());
  const entry = await count(turn);
  await report(turn, entry);
  const again = entry.errorCount >= 2 && turn.loop_count < retriesEndAt;
  console.log(JSON.stringify(again ? { followup_message: "That failed twice. Check the credentials, then try again." } : {}));
} catch (error) {
  console.error("track-stop failed:", error);
  console.log("{}");
}
