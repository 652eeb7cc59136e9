// Boathook in OpenCode: asks `boathook agent hook opencode` about what happens
// here, and carries out the answer. Written by `boathook agent install
// opencode`, removed by `boathook agent uninstall opencode`; changes made by
// hand are lost with either.
//
// Boathook gets one JSON object on stdin:
//
//   hook       OpenCode's name: `tool.execute.before`, `event.session.idle` …
//   input      what OpenCode gave the hook,
//   output     and what the hook may change
//   session    { id, root, agent, model, turn }: `root` is the conversation
//              that a subagent's session belongs to, `turn` the last prompt
//   directory, worktree
//   automatic  on a prompt: it is a follow-up of a hook's
//   refused    on a failed tool: it was refused here
//   error, text, looping   on the end of a turn: what ended it, a subagent's
//              last words, whether a follow-up of a hook's began the turn
//   auto       on a compaction: nobody asked for it
//
// and answers with one object, or with nothing:
//
//   refuse     why the call or the prompt is held back
//   args       the whole input that a tool gets instead
//   context    for the model
//   output     what a tool returned, for the model
//   follow_up  a prompt that begins another turn
//   env        variables for the shells of this session
//   notice     for the person
//
// Where Boathook cannot be asked, calls and prompts are held back: that it is
// gone must not open what it guards.

import { spawn, spawnSync } from "node:child_process"

const BOATHOOK = "__BOATHOOK__"
const COMMAND = ["agent", "hook", "opencode" /* and whose policy counts */]
const REPAIR =
  "Repair it with `boathook agent install opencode`, or delete this plugin to work without hooks: " +
  import.meta.url

// Two copies of this plugin, one of the user's and one of the project's, share
// what they have seen: the first that sees something asks, the other is silent.
const seen = (globalThis[Symbol.for("boathook.opencode")] ??= { things: new WeakSet(), events: new Set() })

function firstToSee(thing) {
  if (typeof thing === "string") {
    if (seen.events.has(thing)) return false
    seen.events.add(thing)
    if (seen.events.size > 5000) seen.events.delete(seen.events.values().next().value)
    return true
  }
  if (seen.things.has(thing)) return false
  seen.things.add(thing)
  return true
}

// `opencode run` ends as soon as a session is idle, so a follow-up has to be
// known before that.
const headless = process.argv.slice(1).includes("run")

export const Boathook = async ({ client, directory, worktree }) => {
  const sessions = new Map()
  const options = { cwd: directory, windowsHide: true }

  const told = (hook, session, more) => {
    const { id, root, agent, model, turn } = session
    return JSON.stringify({ hook, session: { id, root, agent, model, turn }, directory, worktree, ...more })
  }

  // What Boathook printed as an answer; throws where it gave none.
  const understood = (code, stdout, stderr) => {
    if (code !== 0) throw new Error(`it ended with ${code}: ${stderr.trim().slice(-300)}`)
    if (stdout.trim() === "") return {}
    const answer = JSON.parse(stdout)
    if (answer === null || typeof answer !== "object" || Array.isArray(answer)) throw new Error("no JSON object")
    return answer
  }

  const ask = (payload) =>
    new Promise((resolve, reject) => {
      const child = spawn(BOATHOOK, COMMAND, { ...options, stdio: ["pipe", "pipe", "pipe"] })
      const out = { stdout: [], stderr: [] }
      child.stdout.on("data", (bytes) => out.stdout.push(bytes))
      child.stderr.on("data", (bytes) => out.stderr.push(bytes))
      child.stdin.on("error", () => {})
      child.on("error", reject)
      child.on("close", (code, signal) => {
        const text = (name) => Buffer.concat(out[name]).toString("utf8")
        try {
          resolve(understood(code ?? signal, text("stdout"), text("stderr")))
        } catch (error) {
          reject(error)
        }
      })
      child.stdin.end(payload)
    })

  const askAndWait = (payload) => {
    const ran = spawnSync(BOATHOOK, COMMAND, { ...options, input: payload, encoding: "utf8", maxBuffer: 1 << 28 })
    if (ran.error) throw ran.error
    return understood(ran.status ?? ran.signal, ran.stdout, ran.stderr)
  }

  const tell = (message, variant = "warning") => {
    const quiet = (call) => Promise.resolve().then(call).catch(() => {})
    quiet(() => client.tui.showToast({ body: { title: "Boathook", message, variant } }))
    quiet(() => client.app.log({ body: { service: "boathook", level: variant === "info" ? "info" : "warn", message } }))
  }

  const failed = (error) => `Boathook could not be asked (${BOATHOOK}: ${error?.message ?? error}). ${REPAIR}`

  // For hooks that hold something back.
  const gate = async (payload) => {
    try {
      const answer = await ask(payload)
      if (answer.notice) tell(answer.notice, "info")
      return answer
    } catch (error) {
      const refuse = failed(error)
      tell(refuse, "error")
      return { refuse }
    }
  }

  // For hooks that observe: what goes wrong is said, and nothing is held back.
  const observe = async (payload) => {
    try {
      const answer = await ask(payload)
      if (answer.notice) tell(answer.notice, "info")
      return answer
    } catch (error) {
      tell(failed(error), "error")
      return {}
    }
  }

  // What is under way when OpenCode ends is waited for.
  const underway = new Set()
  const later = (work) => {
    const done = Promise.resolve(work).finally(() => underway.delete(done))
    underway.add(done)
    return done
  }

  const learn = (id, info) => {
    const known = sessions.get(id) ?? { id, root: id, env: {}, contexts: [], refused: new Set() }
    sessions.set(id, known)
    if (info) {
      const parent = info.parentID
      known.root = parent ? (sessions.get(parent)?.root ?? parent) : id
      known.agent = info.agent ?? known.agent
      known.lookup ??= Promise.resolve()
    }
    return known
  }

  // The session of this id. One that began before this plugin is looked up:
  // a subagent's must not be taken for a conversation.
  const session = async (id) => {
    const known = learn(id)
    known.lookup ??= (async () => {
      const found = await Promise.resolve(client.session.get({ path: { id } })).catch(() => undefined)
      if (!found?.data?.parentID) return
      await session(found.data.parentID)
      learn(id, found.data)
    })()
    await known.lookup
    return known
  }

  const top = (of) => sessions.get(of.root) ?? of

  // Context that had no place to go waits for the next one.
  const keep = (of, answer) => {
    if (answer.context) of.contexts.push(answer.context)
  }
  const waiting = (of, more) => [...of.contexts.splice(0), ...(more ? [more] : [])].join("\n\n")

  const begin = (of, event) => {
    of.beginning = observe(told("event.session.created", of, { input: { event } })).then((answer) => {
      Object.assign(of.env, answer.env ?? {})
      keep(of, answer)
    })
    return of.beginning
  }

  const end = async (of, hook, more) => {
    if (of.root !== of.id || of.ended || !(of.beginning || of.turn)) return
    of.ended = true
    await of.beginning
    await observe(told(hook, of, more))
  }

  const goOn = async (of, answer) => {
    if (!answer.follow_up || of.root !== of.id) return
    of.following = answer.follow_up
    const body = { parts: [{ type: "text", text: answer.follow_up }] }
    try {
      await client.session.promptAsync({ path: { id: of.id }, body })
    } catch (error) {
      of.following = undefined
      tell(`A hook's follow-up could not be sent: ${error?.message ?? error}`, "error")
    }
  }

  const ending = (of, event) => {
    const { error, text, looping } = of
    of.error = undefined
    return told("event.session.idle", of, { input: { event }, error, text, looping: looping === true })
  }

  // The end of a turn, before a program without a person in front of it ends.
  const finished = (info) => {
    const of = learn(info.sessionID)
    const last = info.role === "assistant" && info.finish && info.finish !== "tool-calls"
    if (!headless || !last || of.root !== of.id || of.finished === info.id) return
    of.finished = info.id
    of.stopped = true
    const type = "session.idle"
    try {
      const answer = askAndWait(ending(of, { type, properties: { sessionID: of.id } }))
      if (answer.notice) tell(answer.notice, "info")
      return goOn(of, answer)
    } catch (error) {
      tell(failed(error), "error")
    }
  }

  const idle = async (event) => {
    const of = await session(event.properties.sessionID)
    if (of.stopped) {
      of.stopped = false
      return
    }
    const answer = await observe(ending(of, event))
    keep(top(of), answer)
    await goOn(of, answer)
  }

  const part = async (event) => {
    const { part } = event.properties
    const of = learn(part.sessionID)
    if (part.type === "compaction") of.auto = part.auto
    const thought = part.type === "reasoning" && part.time?.end
    const failure = part.type === "tool" && part.state.status === "error"
    if (!(thought || failure) || !firstToSee(`${part.id} ${part.type} over`)) return
    const refused = failure && of.refused.delete(part.callID)
    keep(of, await observe(told("event.message.part.updated", await session(of.id), { input: { event }, refused })))
  }

  const events = {
    "session.created": (event) => {
      const of = learn(event.properties.info.id, event.properties.info)
      if (of.root === of.id) return begin(of, event)
    },
    "session.deleted": async (event) => {
      const of = learn(event.properties.info.id)
      await end(of, "event.session.deleted", { input: { event } })
      sessions.delete(of.id)
    },
    "session.error": (event) => {
      const { sessionID, error } = event.properties
      if (sessionID) learn(sessionID).error = error?.name ?? "UnknownError"
    },
    "session.idle": idle,
    "message.updated": (event) => finished(event.properties.info),
    "message.part.updated": part,
  }

  // Another input in place: OpenCode keeps hold of the object.
  const replace = (target, values) => {
    for (const name of Object.keys(target)) if (!(name in values)) delete target[name]
    Object.assign(target, values)
  }

  const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value))

  const returned = (output, answer, context) => {
    if (Array.isArray(output.content)) {
      if ("output" in answer) {
        const parts = Array.isArray(answer.output?.content) ? answer.output.content : undefined
        output.content.splice(0, Infinity, ...(parts ?? [{ type: "text", text: asText(answer.output) }]))
        delete output.structuredContent
      }
      if (context) output.content.push({ type: "text", text: context })
      return
    }
    if ("output" in answer) output.output = asText(answer.output?.output ?? answer.output)
    if (context) output.output = `${output.output ?? ""}\n\n${context}`
  }

  return {
    "chat.message": async (input, output) => {
      if (!firstToSee(output)) return
      const of = await session(input.sessionID)
      const { providerID, modelID } = output.message?.model ?? input.model ?? {}
      if (modelID) of.model = providerID ? `${providerID}/${modelID}` : modelID
      if (of.root !== of.id) of.agent = output.message?.agent ?? of.agent
      of.turn = output.message?.id ?? of.turn
      of.text = undefined
      of.stopped = false
      await of.beginning
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const automatic = of.following !== undefined && typed.map((part) => part.text).join("\n") === of.following
      of.following = undefined
      of.looping = automatic
      const answer = await gate(told("chat.message", of, { input, output, automatic }))
      if (answer.refuse) {
        tell(answer.refuse, "error")
        throw new Error(answer.refuse)
      }
      const context = waiting(of, answer.context)
      if (!context) return
      const { id: messageID, sessionID } = output.message
      const id = `prt_${Date.now().toString(16)}${Math.random().toString(36).slice(2, 12)}`
      output.parts.push({ id, sessionID, messageID, type: "text", text: context, synthetic: true })
    },

    "tool.execute.before": async (input, output) => {
      if (!firstToSee(output)) return
      const of = await session(input.sessionID)
      const answer = await gate(told("tool.execute.before", of, { input, output }))
      if (answer.refuse) {
        of.refused.add(input.callID)
        throw new Error(answer.refuse)
      }
      if (answer.args) replace(output.args, answer.args)
      keep(of, answer)
    },

    "tool.execute.after": async (input, output) => {
      if (!output || !firstToSee(output)) return
      const of = await session(input.sessionID)
      const answer = await observe(told("tool.execute.after", of, { input, output }))
      returned(output, answer, waiting(of, answer.context))
    },

    "shell.env": async (input, output) => {
      if (!input.sessionID) return
      const of = top(await session(input.sessionID))
      await of.beginning
      Object.assign(output.env, of.env)
    },

    "experimental.session.compacting": async (input, output) => {
      if (!firstToSee(output)) return
      const of = await session(input.sessionID)
      await observe(told("experimental.session.compacting", of, { input, auto: of.auto }))
    },

    "experimental.text.complete": async (input, output) => {
      const of = learn(input.sessionID)
      of.text = output.text
      if (!firstToSee(output)) return
      // Nobody waits for it: the text was shown while it was written.
      later(observe(told("experimental.text.complete", of, { input, output: { text: output.text } })))
    },

    event: async ({ event }) => {
      const act = events[event.type]
      if (act && firstToSee(event.id ? `${event.id} ${event.type}` : event)) await later(act(event))
    },

    dispose: async () => {
      await Promise.allSettled([...underway])
      await Promise.all([...sessions.values()].map((of) => end(of, "dispose", {})))
    },
  }
}
