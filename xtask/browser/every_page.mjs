// What holds for every page: it fits its window, axe finds nothing serious, and
// it can be used with a keyboard alone.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { want } from './tally.mjs';

/** A phone's width: below this one, the window is that of a phone. */
const PHONE = 500;

/** A window of this width. */
export async function setWidth(page, width) {
  const phone = width < PHONE;
  await page.setViewport({ width, height: phone ? 844 : 800, isMobile: phone, hasTouch: phone });
}

/** The colours that a person prefers. */
export async function prefer(page, scheme) {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
}

/** Nothing stands beside the window: nobody has to scroll sideways. */
export async function fits(page, width) {
  const { has, shown, wide } = await page.evaluate((width) => {
    const root = document.scrollingElement;
    // What is wide in a box that scrolls by itself makes the page no wider;
    // what has its place from elsewhere (`absolute`) is not in that box.
    const box = (it) => (getComputedStyle(it).position === 'absolute' ? it.offsetParent : it.parentElement);
    const scrolls = (it) => it !== null && it !== document.body && (getComputedStyle(it).overflowX !== 'visible' || scrolls(box(it)));
    const beyond = [...document.body.querySelectorAll('*')].filter((it) => it.getBoundingClientRect().right > width + 1 && !scrolls(box(it)));
    const name = (it) => `${it.outerHTML.slice(0, 60)}… (${Math.round(it.getBoundingClientRect().right)} px)`;
    return { has: root.scrollWidth, shown: root.clientWidth, wide: beyond.slice(0, 5).map(name) };
  }, width);
  want(shown <= width, `the page takes a window of ${width} px for one of ${shown} px: is there no meta viewport?`);
  want(has <= shown, `${has} px wide in a window of ${shown} px; beyond its edge: ${wide.join(', ')}`);
}

/** The navigation shows where one is, also where it is longer than the window. */
export async function showsWhere(page, width) {
  const { name, left, right } = await page.$eval('nav [aria-current="page"]', (link) => {
    const { left, right } = link.getBoundingClientRect();
    return { name: link.innerText, left, right };
  });
  want(left >= 0 && right <= width, `"${name}" stands outside of the window: from ${left} to ${right} of ${width} px`);
}

/** A function that runs axe with these rules, or with all, and gives what it found. */
export function axeOf(directory) {
  const source = readFileSync(join(directory, 'node_modules/axe-core/axe.min.js'), 'utf8');
  return async (page, rules = {}) => {
    await page.evaluate(source);
    const { violations } = await page.evaluate((rules) => window.axe.run(document, rules), rules);
    return violations.map((violation) => ({ impact: violation.impact, text: inWords(violation) }));
  };
}

function inWords({ id, impact, help, nodes }) {
  // The first line of a summary says only "fix any of the following".
  const where = nodes.slice(0, 2).map((node) => `${node.target.join(' ')}: ${node.failureSummary.split('\n')[1]?.trim()}`);
  return [`${impact}: ${id}: ${help} (${nodes.length} places)`, ...where].join('\n  ');
}

/** Tab reaches everything that can be clicked, and shows where it is. */
export async function keyboard(page) {
  await page.evaluate(() => { document.activeElement?.blur(); window.scrollTo(0, 0); });
  const wanted = await page.evaluate(() => {
    const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
    const reachable = all.filter((it) => !it.disabled && it.type !== 'hidden' && it.checkVisibility({ visibilityProperty: true }));
    reachable.forEach((it, place) => { it.dataset.walk = place; });
    return reachable.map((it) => it.outerHTML.slice(0, 90));
  });
  const reached = new Set();
  let first = null;
  // Radio buttons of one name are one stop, so some steps may be spare; a
  // page with a trap for the keyboard would never come round.
  for (let step = 0; step < wanted.length + 10 && reached.size < wanted.length; step += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(focused);
    if (at === null) continue;
    first ??= at;
    reached.add(at.place);
    want(at.visible, `the focus is not to be seen on ${at.html}`);
  }
  // An answer to a form begins at its result.
  const atResult = await page.evaluate(() => location.hash !== '');
  want(atResult || first?.href?.startsWith('#'), `the first stop is no link past the navigation: ${first?.html}`);
  const missed = wanted.filter((_, place) => !reached.has(String(place)));
  want(missed.length === 0, `not reached with Tab: ${missed.slice(0, 4).join('\n')}`);
}

/** In the page: what has the focus, and whether one can see it. */
function focused() {
  const it = document.activeElement;
  if (it === null || it === document.body) return null;
  const style = getComputedStyle(it);
  const outline = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
  const { right, bottom } = it.getBoundingClientRect();
  return { place: it.dataset.walk, html: it.outerHTML.slice(0, 90), href: it.getAttribute('href'), visible: outline && right > 0 && bottom > 0 };
}
