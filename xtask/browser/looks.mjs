// Looks at every page, light and dark, wide and narrow. Leaves a screenshot of
// each: what is ugly is seen by a person alone.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { axeOf, fits, keyboard, prefer, setWidth, showsWhere } from './every_page.mjs';
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
    await setWidth(page, width);
    for (const [name, open] of pages) {
      await tally.checkQuietly(`${name}, ${width} px: it fits, and says where one is`, async () => {
        await open();
        await fits(page, width);
        await showsWhere(page, width);
      });
      for (const [scheme, rules] of SCHEMES) {
        await prefer(page, scheme);
        await tally.checkQuietly(`${name}, ${width} px, ${scheme}: axe finds nothing serious`, async () => {
          nothingGrave(name, await axe(page, rules));
        });
        await page.screenshot({ path: join(shots, `${name}-${width}-${scheme}.png`), fullPage: true, optimizeForSpeed: true });
      }
      await tally.checkQuietly(`${name}, ${width} px: everything is reached by keyboard, and the focus is seen`, () => keyboard(page));
    }
    console.log(`    looked at ${pages.length} pages at ${width} px: whether they fit, axe in light and dark, every stop of the Tab key`);
  }
}

function nothingGrave(name, found) {
  const grave = found.filter(({ impact }) => GRAVE.includes(impact));
  want(grave.length === 0, found.map(({ text }) => text).join('\n'));
  for (const { text } of found) console.log(`    note  ${name}: axe, ${text.replaceAll('\n', '\n          ')}`);
}
