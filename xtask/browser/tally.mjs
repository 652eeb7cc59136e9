// Counts what was as wanted and what was not. A walk goes on after a failure:
// one look at its output tells everything that is wrong.

export class Tally {
  passed = 0;
  failed = [];

  /** Does one thing, and says that it went well. */
  async check(name, work) {
    const started = Date.now();
    if (await this.checkQuietly(name, work)) console.log(`    ok    ${name} (${Date.now() - started} ms)`);
  }

  /** Does one thing. What it throws is a failure with this name. */
  async checkQuietly(name, work) {
    try {
      await work();
      this.passed += 1;
      return true;
    } catch (error) {
      this.failed.push(name);
      console.log(`    FAIL  ${name}\n          ${String(error.message).replaceAll('\n', '\n          ')}`);
      return false;
    }
  }

  /** The last line, for whoever reads no other. */
  close(seconds) {
    console.log(`the panel in Chromium: ${this.passed} passed, ${this.failed.length} failed in ${seconds.toFixed(0)} s`);
    for (const name of this.failed) console.log(`    failed: ${name}`);
  }
}

/** A failure unless it is so. */
export function want(so, otherwise) {
  if (!so) throw new Error(otherwise);
}
