// The panel without a mouse: past the navigation, to another page, and a button.

import { want } from './tally.mjs';

export async function byKeyboard({ page, tally, hands }) {
  await tally.check('by keyboard: the first link leads past the navigation', async () => {
    await hands.go('Hooks');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'main');
  });
  await tally.check('by keyboard: to the log, and its live rows stopped and started', async () => {
    await tabTo(page, 'Log');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    want((await page.title()).startsWith('Log'), await page.title());
    await tabTo(page, 'Live');
    await page.keyboard.press('Space');
    await page.waitForSelector('button[aria-pressed="false"]');
    await page.keyboard.press('Space');
    await page.waitForSelector('button[aria-pressed="true"]');
  });
}

/** Tab, until something of this name has the focus. */
async function tabTo(page, name) {
  for (let step = 0; step < 200; step += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((name) => document.activeElement?.innerText?.trim() === name, name)) return;
  }
  throw new Error(`Tab did not come to "${name}"`);
}
