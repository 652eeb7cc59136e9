// What a person does with a page: reads it, follows a link, presses a button,
// fills a field, waits for something to appear. Things are found by the names
// that a screen reader would say.

import { want } from './tally.mjs';

/** Something that does not come within this time does not come. */
const PATIENCE = 15_000;

export class Hands {
  constructor(page) {
    this.page = page;
    page.setDefaultTimeout(PATIENCE);
  }

  /** What stands in the page, as a person sees it. */
  text() {
    return this.page.$eval('main', (main) => main.innerText);
  }

  /** All of these stand in the page. */
  async sees(...texts) {
    const text = await this.text();
    const missing = texts.filter((wanted) => !text.includes(wanted));
    want(missing.length === 0, `not to be seen: ${missing.join(', ')}\nthe page says: ${text.slice(0, 1500)}`);
  }

  /** None of these stands in the page. */
  async seesNo(...texts) {
    const text = await this.text();
    const there = texts.filter((unwanted) => text.includes(unwanted));
    want(there.length === 0, `should not be there: ${there.join(', ')}`);
  }

  /** Goes to a page of the navigation. */
  go(name) {
    return this.#leave(`nav[aria-label="Pages"] ::-p-aria([name="${name}"][role="link"])`);
  }

  follow(name) {
    return this.#leave(`main ::-p-aria([name="${name}"][role="link"])`);
  }

  /** Presses a button that leads to another page. */
  send(name) {
    return this.#leave(`main ::-p-aria([name="${name}"][role="button"])`);
  }

  /** Writes into a field, in place of what stands there. */
  async write(label, text) {
    await this.page.locator(`main ::-p-aria([name="${label}"])`).fill(text);
  }

  /** What stands in a field. */
  async field(label) {
    const field = await this.page.waitForSelector(`main ::-p-aria([name="${label}"])`);
    return field.evaluate((it) => it.value);
  }

  /** Opens what may be folded behind these words. */
  async unfold(words) {
    const open = await this.page.$$eval('main details[open] > summary', (all) => all.map((summary) => summary.innerText));
    if (open.some((summary) => summary.includes(words))) return;
    await this.page.locator(`main summary ::-p-text(${words})`).click();
  }

  async choose(label, value) {
    const field = await this.page.waitForSelector(`main ::-p-aria([name="${label}"])`);
    await field.select(value);
  }

  async #leave(selector) {
    await Promise.all([this.page.waitForNavigation(), this.page.locator(selector).click()]);
  }
}
