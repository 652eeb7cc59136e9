// A headless Chromium, and a page of it that notices what it should not do:
// ask another machine for anything, complain in its console, break the rules
// that the panel gives it (CSP).

import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Starts it. */
export function launch({ puppeteer, chromium }) {
  const { default: driver } = createRequire(join(puppeteer, 'package.json'))('puppeteer-core');
  return driver.launch({ executablePath: chromium, args: ARGUMENTS });
}

const ARGUMENTS = [
  // The page is all that may use the network.
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  // Its sandbox is for pages of strangers, and neither root nor a container can have it.
  '--no-sandbox',
  // A container's /dev/shm is small.
  '--disable-dev-shm-usage',
];

/** A page, and the list of what it did wrong so far. */
export async function watchedPage(browser) {
  const page = await browser.newPage();
  const complaints = [];
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (hostname !== '127.0.0.1' && protocol !== 'data:') complaints.push(`asked for ${request.url()}`);
  });
  page.on('console', (message) => {
    // The answer to a form that says something wrong, and the walk sends such.
    if (/status of (409|422) /.test(message.text())) return;
    if (message.type() === 'error' || message.type() === 'warn') {
      complaints.push(`console, ${new URL(page.url()).pathname}: ${message.text()} ${message.location().url ?? ''}`);
    }
  });
  page.on('response', (response) => {
    if (response.status() >= 500) complaints.push(`${response.url()} answers ${response.status()}`);
  });
  page.on('pageerror', (error) => complaints.push(`script, ${page.url()}: ${error.message}`));
  await page.evaluateOnNewDocument(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber} ${event.sample}`);
    });
  });
  return { page, complaints };
}
