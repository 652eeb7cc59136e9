// Peers that live in Node, as a warm process that times itself: a round of
// requests per line in, nanoseconds out. Started by `cargo xtask bench`.
//
//   node peers.mjs DIRECTORY GEMINI_PACKAGE
//
// Each peer gets the same payload and the same hook as the engine does.

import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [directory, geminiPackage] = process.argv.slice(2);
// The environment every contender's hooks get: a long one would cost each start a little.
for (const name of Object.keys(process.env)) delete process.env[name];
Object.assign(process.env, { PATH: '/usr/bin:/bin', HOME: directory });

// What a peer says to its developers must not mix with the answers, nor cost it time.
for (const name of ['debug', 'error', 'info', 'log', 'warn']) console[name] = () => {};
const answer = (text) => writeSync(1, `${text}\n`);

const geminiModule = pathToFileURL(join(geminiPackage, 'dist/src/hooks/hookRunner.js'));
const { HookRunner } = await import(geminiModule);

const commands = { tiny: join(directory, 'floor'), bash: join(directory, 'hook.bash') };
const payload = {
  session_id: 'c0ffee00-0000-4000-8000-000000000000',
  transcript_path: '/dev/null',
  cwd: '/',
  hook_event_name: 'BeforeTool',
  timestamp: '2026-01-01T00:00:00.000Z',
  tool_name: 'run_shell_command',
  tool_input: { command: `ls -la ${'x'.repeat(760)}` },
};
const text = JSON.stringify(payload);

// The runner asks its host for these and for nothing else.
const gemini = new HookRunner({
  isTrustedFolder: () => true,
  sanitizationConfig: { enableEnvironmentVariableRedaction: false },
  storage: { getPlansDir: () => '/' },
});

// The line that an editor would hand to a shell: the payload travels as base64 in the command itself.
function pipeline(command) {
  const line = `printf %s '${Buffer.from(text).toString('base64')}' | base64 -d | ${command}`;
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', line], { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    child.stdout.on('data', (data) => (stdout += data));
    child.on('error', reject);
    child.on('close', () => resolve(JSON.parse(stdout)));
  });
}

const geminiHook = (command) => ({ type: 'command', command, source: 'user', timeout: 60000 });

const requests = {
  pipeline: (command) => pipeline(command),
  pipeline8: async (command) => {
    for (let index = 0; index < 8; index++) await pipeline(command);
  },
  gemini: async (command) => {
    const result = await gemini.executeHook(geminiHook(command), 'BeforeTool', payload);
    if (!result.success) throw result.error ?? new Error('the hook failed');
  },
  gemini8: async (command) => {
    const hooks = Array.from({ length: 8 }, () => geminiHook(command));
    const results = await gemini.executeHooksParallel(hooks, 'BeforeTool', payload);
    if (results.some((result) => !result.success)) throw new Error('a hook failed');
  },
};

async function nanoseconds(request) {
  const [verb, object] = request.trim().split(' ');
  const begin = process.hrtime.bigint();
  await requests[verb](commands[object]);
  return process.hrtime.bigint() - begin;
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    const numbers = [];
    for (const request of line.replace(/^round /, '').split('|')) numbers.push(await nanoseconds(request));
    answer(numbers.join(' '));
  } catch (error) {
    answer(`error ${error.message.replaceAll('\n', ' ')}`);
  }
}
