// One person's way through the panel: in by the printed address, then each page
// and what can be done there.

import { byKeyboard } from './by_keyboard.mjs';
import { setWidth } from './every_page.mjs';
import { Hands } from './hands.mjs';
import { STRANGE } from './machine.mjs';
import { want } from './tally.mjs';
import { trust } from './visit_trust.mjs';
import { tryEvent } from './visit_try.mjs';

/** Gives what is to be looked at: names, and how to get there. */
export async function visit({ page, browser, machine, address, tally }) {
  const at = { page, machine, tally, hands: new Hands(page), pages: [] };
  at.keep = (name, open = again(page)) => at.pages.push([name, open]);
  await comeIn(at, browser, address);
  await hooks(at);
  await problems(at);
  await log(at, browser);
  await tryEvent(at);
  await trust(at);
  await time(at);
  await sessions(at);
  await byKeyboard(at);
  return at.pages;
}

/** Opens the page once more that is open now. */
function again(page) {
  const address = page.url();
  return () => page.goto(address);
}

async function comeIn({ page, tally, hands }, browser, address) {
  await tally.check('the printed address leads in, and its token does not stay in the address bar', async () => {
    const response = await page.goto(address);
    want(response.ok(), `${response.status()}`);
    want(!page.url().includes('token'), page.url());
    await hands.sees('Hooks');
  });
  await tally.check('the address works once, and nobody comes in without it', async () => {
    const stranger = await browser.createBrowserContext();
    const other = await stranger.newPage();
    for (const to of [address, page.url()]) {
      const response = await other.goto(to);
      want([401, 403].includes(response.status()), `${to} answers ${response.status()}`);
    }
    await stranger.close();
  });
}

async function hooks(at) {
  const { tally, hands, machine } = at;
  const { directory, home, shop, borrowed } = machine;
  await tally.check('hooks of five sources, each with its file and line', async () => {
    await hands.go('Hooks');
    await hands.sees('./hooks/keep-history.sh', `${directory}/system/etc/cursor/hooks.json:5`);
    await hands.sees('./welcome.sh', `${home}/.cursor/managed/team_1/hooks/hooks.json:5`);
    await hands.sees('.cursor/hooks/keep-secrets.sh', `${shop}/.cursor/hooks.json:5`);
    await hands.sees('./hooks/until-green.sh', `${home}/.cursor/hooks.json:14`);
    await hands.sees("sleep 0.2; echo '{}'", `${home}/.claude/settings.json:7`);
    at.keep('hooks');
  });
  await tally.check('what is withheld is marked, with the reason', async () => {
    await hands.sees('.cursor/hooks/count.sh', `${borrowed}/.cursor/hooks.json:5`, 'withheld', 'the workspace is not trusted');
  });
  await tally.check('hooks by source', async () => {
    await hands.follow('By source');
    await hands.sees('enterprise', 'claude-user');
    at.keep('hooks-by-source');
  });
}

async function problems(at) {
  const { tally, hands, machine } = at;
  await tally.check('a mistake in a file, where it is, and what to write instead', async () => {
    await hands.go('Problems');
    await hands.sees(`${machine.home}/.cursor/hooks.json:16`, 'unknown hook beforeShellExec', 'did you mean beforeShellExecution?');
    at.keep('problems');
  });
}

async function log(at, browser) {
  const { page, tally, hands, machine } = at;
  await tally.check('a run of another process arrives while the page is watched, without loading it again', async () => {
    await hands.go('Log');
    at.keep('log');
    await page.evaluate(() => { window.notReloaded = true; });
    const refusals = () => [...document.querySelectorAll('#runs tr')].filter((row) => /denied[^]*no-production/.test(row.innerText)).length;
    const before = await page.evaluate(refusals);
    machine.event('beforeShellExecution', { command: 'kubectl --context production apply -f basket.yaml' }, 2);
    await page.waitForFunction(`(${refusals})() === ${before + 1}`);
    want(await page.evaluate(() => window.notReloaded === true), 'the page was loaded again');
  });
  await tally.check('the button that pauses is one line on a phone, and is not there without script', async () => {
    const lines = (of) => of.$eval('#live', (it) => {
      const text = document.createRange();
      text.selectNodeContents(it);
      return it.checkVisibility() ? text.getClientRects().length : 0;
    });
    for (const [script, expected] of [[true, 1], [false, 0]]) {
      const phone = await browser.newPage();
      await phone.setJavaScriptEnabled(script);
      await setWidth(phone, 390);
      await phone.goto(page.url());
      const seen = await lines(phone);
      await phone.close();
      want(seen === expected, `${seen} lines, with script: ${script}`);
    }
  });
  await tally.check('a filter leaves what fits it', async () => {
    await hands.choose('Result', 'denied');
    await hands.send('Filter');
    const results = await page.$$eval('#runs tr', (rows) => rows.map((row) => row.querySelector('.result').innerText));
    want(results.length >= 4 && results.every((result) => result.includes('denied')), `results: ${results.join(', ')}`);
    at.keep('log-filtered');
  });
  await tally.check('one run in full: input, output, stderr, exit code, decision', async () => {
    await hands.choose('Event', 'beforeShellExecution');
    await hands.choose('Source', 'enterprise');
    await hands.send('Filter');
    await hands.follow('./hooks/keep-history.sh');
    await hands.sees('git push --force origin main', 'looked at the push', 'Pushing by force is not allowed here.', 'denied');
    at.keep('run');
  });
  await tally.check("a stranger's text is shown and not obeyed", async () => {
    await hands.go('Log');
    await hands.write('Conversation', 'an-evening-in-the-shop');
    await hands.choose('Event', 'beforeShellExecution');
    await hands.choose('Result', 'no opinion');
    await hands.send('Filter');
    await hands.follow('./hooks/audit.sh');
    const text = await hands.text();
    want(text.includes(STRANGE.replaceAll('"', '\\"')) || text.includes(STRANGE), text.slice(0, 2000));
    want((await page.$$('main img')).length === 0, 'an image of a payload became one of the page');
  });
}

async function time(at) {
  const { page, tally, hands } = at;
  await tally.check('what each hook costs, as charts and as numbers', async () => {
    await hands.go('Time');
    at.keep('time');
    await hands.sees('./hooks/audit.sh', "sleep 0.2; echo '{}'", 'a-morning-in-the-shop');
    const named = () => page.$$eval('main svg[role="img"][aria-label]', (all) => all.filter((it) => it.checkVisibility()).length);
    want(await named() === 2, `${await named()} charts that a screen reader can name`);
    await hands.follow('./hooks/audit.sh');
    await hands.sees('Runs of ./hooks/audit.sh', 'Its runs in the log');
    want(await named() === 4, `${await named()} charts with those of one hook`);
    at.keep('time-of-one-hook');
  });
}

async function sessions(at) {
  const { tally, hands } = at;
  await tally.check('sessions, the follow-ups of one, and its runs', async () => {
    await hands.go('Sessions');
    at.keep('sessions');
    await hands.sees('a-morning-in-the-shop', 'an-evening-in-the-shop', 'SHOP_REGION');
    await hands.unfold('follow-up');
    await hands.sees('Two tests still fail. Please go on.');
    await hands.follow('a-morning-in-the-shop');
    await hands.sees('./hooks/until-green.sh', './hooks/format.sh');
  });
}
