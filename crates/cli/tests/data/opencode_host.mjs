// Stands for OpenCode: loads the plugin, calls its hooks as OpenCode does, and
// prints what came of each as one line of JSON.
//
//   node opencode_host.mjs PLUGIN DIRECTORY

import { pathToFileURL } from "node:url"

const [plugin, directory] = process.argv.slice(2)
const sent = []
const told = []
const client = {
  session: {
    get: async ({ path }) => ({ data: path.id === "child" ? { id: "child", parentID: "main" } : { id: path.id } }),
    promptAsync: async ({ path, body }) => void sent.push([path.id, body.parts[0].text]),
  },
  tui: { showToast: async ({ body }) => void told.push(body.message) },
  app: { log: async () => {} },
}
const print = (name, value) => console.log(JSON.stringify([name, value]))

const { Boathook } = await import(pathToFileURL(plugin))
const hooks = await Boathook({ client, directory, worktree: directory })
let number = 0
const event = (type, properties) => hooks.event({ event: { id: `evt_${++number}`, type, properties } })
const attempt = async (hook, input, output) => {
  try {
    await hooks[hook](input, output)
    return output
  } catch (error) {
    return { thrown: error.message }
  }
}
const before = (command, sessionID = "main") =>
  attempt("tool.execute.before", { tool: "bash", sessionID, callID: `c${++number}` }, { args: { command, description: "d" } })
const prompt = async (text, sessionID = "main") => {
  const message = { id: `m${++number}`, sessionID, agent: "general", model: { providerID: "p", modelID: "m" } }
  const output = await attempt("chat.message", { sessionID }, { message, parts: [{ type: "text", text }] })
  return output.thrown ? output : output.parts.map((part) => part.text)
}

await event("session.created", { info: { id: "main" } })
print("prompt", await prompt("hello"))
print("refused prompt", await prompt("secret"))
print("a subagent's prompt", await prompt("secret", "child"))
print("allowed", await before("ls"))
print("denied", await before("rm -rf x"))
print("denied in a subagent", await before("rm -rf x", "child"))
print("rewritten", await before("npm test"))
const mcp = { content: [{ type: "text", text: "token=1" }] }
print("output", await attempt("tool.execute.after", { tool: "srv_get", sessionID: "main", callID: "x", args: {} }, mcp))
const shell = { title: "", metadata: { exit: 0 }, output: "done" }
print("context", await attempt("tool.execute.after", { tool: "bash", sessionID: "main", callID: "y", args: { command: "ls" } }, shell))
print("env", await attempt("shell.env", { sessionID: "main", cwd: directory }, { env: {} }))
await event("session.idle", { sessionID: "main" })
print("follow-up", sent)
print("automatic", await prompt("secret follow-up"))
await hooks.dispose()
print("told", told.map((text) => text.slice(0, 40)))
