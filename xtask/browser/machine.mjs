// A machine to look at: hooks of five sources, one of them with a mistake, a
// workspace that is trusted and one that is not, and a log of real runs.
//
// Its files stand in `machine/`. They are copied to a fresh directory with a
// short name, and nothing outside of it is read: home, system and environment
// are its own.

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export class Machine {
  constructor(boathook) {
    this.boathook = boathook;
    this.directory = mkdtempSync(join(tmpdir(), 'boathook-'));
    this.home = join(this.directory, 'home');
    this.shop = join(this.directory, 'work/shop');
    this.borrowed = join(this.directory, 'work/borrowed');
  }

  /** The files, trust in one workspace, and a day of work in the log. */
  prepare() {
    cpSync(join(import.meta.dirname, 'machine'), this.directory, { recursive: true });
    this.must(['trust', '--yes', '--workspace', this.shop]);
    for (const [event, fields, code] of DAY) this.event(event, fields, code);
  }

  /** An event as an agent would tell it, in a process of its own. */
  event(event, fields, code = 0) {
    const filled = Object.entries(fields).map(([name, value]) => `${name}=${value.replace('@SHOP', this.shop)}`);
    return this.must(['run', event, ...filled.flatMap((field) => ['--field', field])], code);
  }

  /** Runs the binary. Another exit code than this one ends everything. */
  must(args, code = 0) {
    const ended = spawnSync(this.boathook, this.#words(args), this.#around());
    if (ended.status === code) return ended.stdout.toString();
    throw new Error(`\`boathook ${args.join(' ')}\` ended with ${ended.status ?? ended.error}, not ${code}\n${ended.stderr}`);
  }

  /** Starts the panel: its process, and the address it printed. */
  async panel() {
    const workspaces = ['--workspace', this.shop, '--workspace', this.borrowed];
    const panel = spawn(this.boathook, this.#words(['panel', ...workspaces]), {
      ...this.#around(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: panel.stdout })) {
      const address = line.match(/http:\/\/\S+/);
      if (address) return { process: panel, address: address[0] };
    }
    throw new Error('`boathook panel` ended without printing an address');
  }

  remove() {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #words(args) {
    return ['--root', join(this.directory, 'system'), ...args];
  }

  #around() {
    return { cwd: this.shop, env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: this.home }, stdio: 'pipe' };
  }
}

/** Nothing that a line could be broken at. */
const ENDLESS = 'Zm9yZ290dGVuIGtleXM'.repeat(12);

const FIRST = { conversation_id: 'a-morning-in-the-shop' };
const SECOND = { conversation_id: 'an-evening-in-the-shop' };

/** A page that took this for its own would ask another machine for an image. */
export const STRANGE = '<img src="http://elsewhere.example/seen.png" onerror="alert(1)"> \u4e16\u754c';

/** What two sessions did: event, fields, the exit code of `boathook run`. */
const DAY = [
  ['sessionStart', FIRST],
  ['beforeSubmitPrompt', { ...FIRST, prompt: 'Repair the basket' }],
  ['beforeReadFile', { ...FIRST, file_path: '@SHOP/basket.ts', content: 'export {}' }],
  ['beforeReadFile', { ...FIRST, file_path: '@SHOP/.env', content: 'TOKEN=1' }, 2],
  ['preToolUse', { ...FIRST, tool_name: 'Shell', tool_input: '{"command":"make test"}' }],
  ['beforeShellExecution', { ...FIRST, command: 'make test' }],
  ['afterFileEdit', { ...FIRST, file_path: '@SHOP/basket.ts' }],
  ['beforeShellExecution', { ...FIRST, command: 'git push --force origin main' }, 2],
  ['stop', { ...FIRST, status: 'completed', loop_count: '0' }],
  ['stop', { ...FIRST, status: 'completed', loop_count: '1' }],
  ['beforeSubmitPrompt', { ...SECOND, prompt: 'Is the shop up?' }],
  ['preToolUse', { ...SECOND, tool_name: 'Shell', tool_input: '{"command":"kubectl get pods"}' }],
  ['beforeShellExecution', { ...SECOND, command: 'kubectl --context production delete pod basket-0' }, 2],
  // Text of a stranger: shown as it is, and never obeyed.
  ['beforeShellExecution', { ...SECOND, command: `echo "${STRANGE}" ${ENDLESS}` }],
  ['beforeMCPExecution', { ...SECOND, tool_name: 'drop_table', tool_input: `{"table":"${ENDLESS}"}` }],
  ['afterAgentResponse', { ...SECOND, text: 'It is up.' }],
];
