// Try an event: explained, run and refused, and a payload that is none.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { want } from './tally.mjs';

const PUSH = '{"command": "git push --force origin main"}';

export async function tryEvent({ page, tally, hands, machine, keep }) {
  const asked = () => lines(join(machine.home, 'audit.jsonl'));
  const fill = async (payload) => {
    await hands.go('Try');
    await hands.choose('Event', 'beforeShellExecution');
    await hands.send('Load its example');
    await hands.write('Payload, one JSON object', payload);
  };
  await tally.check('an event explained: what would run and what would not, and nothing runs', async () => {
    await hands.go('Try');
    keep('try');
    const before = asked();
    await fill(PUSH);
    await hands.send('Explain');
    await hands.sees('./hooks/keep-history.sh', './hooks/audit.sh', '.cursor/hooks/no-production.sh');
    want(asked() === before, 'a hook ran');
    keep('try-explained', () => fill(PUSH).then(() => hands.send('Explain')));
  });
  await tally.check('the event that is chosen is the one that runs, with its own example or with what was typed', async () => {
    await hands.go('Try');
    await hands.choose('Event', 'stop');
    await hands.send('Explain');
    await hands.sees('of stop would run');
    want((await hands.field('Payload, one JSON object')).includes('"status"'), 'not the example of what was chosen');
    await hands.write('Payload, one JSON object', '{"status": "mine"}');
    await hands.choose('Event', 'beforeShellExecution');
    await hands.send('Load its example');
    await hands.sees('The payload was edited, and is still here');
    want((await hands.field('Payload, one JSON object')).includes('mine'), 'what was typed is lost');
    await hands.send('Replace it with the example');
    want((await hands.field('Payload, one JSON object')).includes('git status'), 'the example is not there');
  });
  await tally.check('the example follows the event at once, and what was typed stays', async () => {
    const payload = () => hands.field('Payload, one JSON object');
    const becomes = (words) => page.waitForFunction((words) => document.querySelector('textarea').value.includes(words), {}, words);
    await hands.go('Try');
    await hands.choose('Event', 'stop');
    await becomes('"status"');
    await hands.sees("stop: The agent's loop ended");
    await hands.choose('Event', 'beforeSubmitPrompt');
    await becomes('"prompt"');
    await hands.write('Payload, one JSON object', '{"prompt": "mine"}');
    await hands.choose('Event', 'stop');
    await hands.send('Explain');
    await hands.sees('of stop would run');
    want((await payload()).includes('mine'), 'what was typed is lost');
  });
  await tally.check('an event run, and denied with the reason', async () => {
    const before = asked();
    await fill(PUSH);
    await hands.send('Run the hooks');
    await hands.sees('Pushing by force is not allowed here.', 'Push without --force');
    want(asked() === before + 1, 'the hooks did not run');
    keep('try-denied', () => fill(PUSH).then(() => hands.send('Run the hooks')));
  });
  await tally.check('a payload that is no JSON: where it stops to be', async () => {
    await fill('{"command": "ls",\n oops}');
    await hands.send('Run the hooks');
    await hands.sees('Nothing was asked', 'The payload, line 2', 'Help: ');
    keep('try-wrong', () => fill('{"command": "ls",\n oops}').then(() => hands.send('Explain')));
  });
  await tally.check('what was tried stands in the log', async () => {
    await hands.go('Log');
    await hands.follow('./hooks/keep-history.sh');
    await hands.sees('git push --force origin main');
    await hands.follow('Try this event again');
    want((await hands.field('Payload, one JSON object')).includes('git push --force'), 'the payload is not in the form');
  });
}

function lines(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}
