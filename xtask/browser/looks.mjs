// Looks at every page, light and dark, wide and narrow. Leaves a screenshot of
// each: what is ugly is seen by a person alone.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { axeOf, dress, fits, keyboard, showsWhere } from './every_page.mjs';
import { want } from './tally.mjs';

const WIDTHS = [1280, 390];

/** What people prefer, and what axe is asked then: the page is the same in dark but for its colours. */
const SCHEMES = [['light', {}], ['dark', { runOnly: ['cat.color'] }]];

/** What axe calls these keeps people out. */
const GRAVE = ['serious', 'critical'];

/** `pages` are names, and functions that open them. */
export async function lookAtAll({ page, pages, tally, axe: directory, shots }) {
  const axe = axeOf(directory);
  rmSync(shots, { recursive: true, force: true });
  mkdirSync(shots, { recursive: true });
  for (const width of WIDTHS) {
    for (const [scheme, rules] of SCHEMES) {
      await dress(page, width, scheme);
      for (const [name, open] of pages) {
        await lookAt({ page, open, name: `${name}, ${width} px, ${scheme}`, width, tally, axe: () => axe(page, rules) });
        await page.screenshot({ path: join(shots, `${name}-${width}-${scheme}.png`), fullPage: true, optimizeForSpeed: true });
      }
      console.log(`    looked at ${pages.length} pages at ${width} px, ${scheme}: they fit, say where one is, and axe was asked`);
    }
    // Colours make no difference to a keyboard.
    for (const [name, open] of pages) {
      await tally.checkQuietly(`${name}, ${width} px: everything is reached by keyboard, and the focus is seen`, async () => {
        await open();
        await keyboard(page);
      });
    }
    console.log(`    went through ${pages.length} pages at ${width} px with the Tab key`);
  }
}

async function lookAt({ page, open, name, width, tally, axe }) {
  await tally.checkQuietly(`${name}: it fits, and says where one is`, async () => {
    await open();
    await fits(page, width);
    await showsWhere(page, width);
  });
  await tally.checkQuietly(`${name}: axe finds nothing serious`, async () => {
    const found = await axe();
    const grave = found.filter(({ impact }) => GRAVE.includes(impact));
    want(grave.length === 0, found.map(({ text }) => text).join('\n'));
    for (const { text } of found) console.log(`    note  ${name}: axe, ${text.replaceAll('\n', '\n          ')}`);
  });
}
