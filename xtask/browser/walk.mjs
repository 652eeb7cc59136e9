// Walks the whole panel in a real Chromium, as a person would, and then looks at
// every page: light and dark, wide and narrow. `cargo xtask browser` installs
// what this needs and starts it.

import { parseArgs } from 'node:util';

import { launch, watchedPage } from './chromium.mjs';
import { Machine } from './machine.mjs';
import { lookAtAll } from './looks.mjs';
import { Tally, want } from './tally.mjs';
import { visit } from './visit.mjs';

/** Nothing here takes longer, on the slowest machine; what does, hangs. */
const LONGEST = 5 * 60_000;

const TEXT = { type: 'string' };
const { values: options } = parseArgs({
  options: { boathook: TEXT, chromium: TEXT, puppeteer: TEXT, axe: TEXT, shots: TEXT },
});

const started = Date.now();
const tally = new Tally();

// However this ends, nothing of it stays. Puppeteer does so for Chromium.
const left = [];
process.on('exit', () => left.reverse().forEach((clean) => clean()));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

await tally.checkQuietly('the walk came to its end', () => Promise.race([walk(), late()]));
tally.close((Date.now() - started) / 1000);
process.exit(tally.failed.length === 0 ? 0 : 1);

async function walk() {
  const machine = new Machine(options.boathook);
  left.push(() => machine.remove());
  machine.prepare();
  const panel = await machine.panel();
  left.push(() => panel.process.kill());
  const browser = await launch(options);
  const { page, complaints } = await watchedPage(browser);
  const pages = await visit({ page, browser, machine, address: panel.address, tally });
  await lookAtAll({ page, pages, tally, axe: options.axe, shots: options.shots });
  await tally.check('nothing left the machine, nothing complained, and no rule (CSP) was broken', () => {
    want(complaints.length === 0, [...new Set(complaints)].join('\n'));
  });
  await browser.close();
}

function late() {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('not done after five minutes')), LONGEST).unref();
  });
}
