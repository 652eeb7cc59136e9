// Looks at every page, light and dark, wide and narrow. Leaves a screenshot of
// each: what is ugly is seen by a person alone.

import { join } from 'node:path';

import { axeOf, dress, fits, keyboard } from './every_page.mjs';
import { want } from './tally.mjs';

const WIDTHS = [1280, 390];
const SCHEMES = ['light', 'dark'];

/** What axe calls these keeps people out. */
const GRAVE = ['serious', 'critical'];

/** `pages` are names, and functions that open them. */
export async function lookAtAll({ page, pages, tally, axe: directory, shots }) {
  const axe = axeOf(directory);
  for (const width of WIDTHS) {
    for (const scheme of SCHEMES) {
      await dress(page, width, scheme);
      for (const [name, open] of pages) {
        await lookAt({ page, open, name: `${name}, ${width} px, ${scheme}`, width, tally, axe });
        await page.screenshot({ path: join(shots, `${name}-${width}-${scheme}.png`), fullPage: true, optimizeForSpeed: true });
      }
    }
    // Colours make no difference to a keyboard.
    for (const [name, open] of pages) {
      await open();
      await tally.check(`${name}, ${width} px: everything is reached by keyboard, and the focus is seen`, () => keyboard(page));
    }
  }
}

async function lookAt({ page, open, name, width, tally, axe }) {
  await tally.check(`${name}: it is there and fits`, async () => {
    await open();
    await fits(page, width);
  });
  await tally.check(`${name}: axe finds nothing serious`, async () => {
    const found = await axe(page);
    const grave = found.filter(({ impact }) => GRAVE.includes(impact));
    want(grave.length === 0, found.map(({ text }) => text).join('\n'));
    for (const { text } of found) console.log(`          axe, ${text.replaceAll('\n', '\n          ')}`);
  });
}
