// Trust: looked at, given, withdrawn by a change, and not given to what nobody saw.

import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

import { want } from './tally.mjs';

export async function trust({ page, tally, hands, machine, keep }) {
  const script = join(machine.borrowed, '.cursor/hooks/count.sh');
  const counted = join(machine.home, 'counted');
  const happens = () => machine.must(['run', 'afterShellExecution', '--workspace', machine.borrowed, '--field', 'command=ls']);
  await tally.check('a workspace that nobody trusted: what it wants to run, and all of its files', async () => {
    happens();
    want(!existsSync(counted), 'a hook ran that nobody trusted');
    await hands.go('Trust');
    await hands.sees(`${machine.borrowed}/.cursor/hooks.json`, 'not trusted', 'wants to run', '.cursor/hooks/count.sh');
    await hands.unfold(script);
    await hands.sees('echo one >> "$HOME/counted"');
  });
  await tally.check('trusted: the page says so, the hook is ready, and it runs', async () => {
    await hands.send('Trust exactly this');
    await hands.sees('Trusted, as it was shown');
    await hands.seesNo('not trusted', 'Trust exactly this');
    await hands.go('Hooks');
    await hands.seesNo('withheld');
    happens();
    want(existsSync(counted), 'the hook did not run');
  });
  await tally.check('changed since: the difference, line by line', async () => {
    appendFileSync(script, 'echo two >> "$HOME/counted"\n');
    await hands.go('Trust');
    await hands.sees('changed since trusted', '+ echo two >> "$HOME/counted"');
    want((await page.$$('main ins')).length === 1, 'one added line');
  });
  await tally.check('a file that changes while the page is read: nothing is trusted', async () => {
    appendFileSync(script, 'echo three >> "$HOME/counted"\n');
    await hands.send('Trust exactly this');
    await hands.sees('Nothing was trusted', '+ echo three');
    keep('trust', () => hands.go('Trust'));
  });
}
