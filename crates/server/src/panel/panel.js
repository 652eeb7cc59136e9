// Rows that arrive while somebody looks at the log, the example of an event that
// is chosen, and a word while hooks run.
// Everything else works without this file.
(() => {
  "use strict";
  for (const form of document.querySelectorAll("form[method=post]")) {
    form.addEventListener("submit", (event) => {
      form.setAttribute("aria-busy", "true");
      const button = event.submitter;
      // The button's own value goes with the form, so it keeps it.
      if (button?.value === "run") button.textContent = "Running…";
    });
  }
  // Who comes back to the page finds it as it was.
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("[aria-busy]")) form.removeAttribute("aria-busy");
  });
  document.getElementById("result")?.focus();
  // On a phone the navigation is one line; its own page is in sight.
  const nav = document.querySelector(".top nav");
  const here = nav?.querySelector("[aria-current]");
  if (here) nav.scrollLeft = here.offsetLeft - (nav.clientWidth - here.offsetWidth) / 2;
})();

(() => {
  "use strict";
  const runs = document.getElementById("runs");
  const button = document.getElementById("live");
  const news = document.getElementById("news");
  if (!runs || !button || !runs.dataset.live) return;

  const MOST_ROWS = 200;
  let last = runs.dataset.last;
  let on = true;
  let failures = 0;
  let abort = null;

  const ended = document.getElementById("ended");
  const say = (text) => { news.textContent = text; };
  const show = () => {
    button.setAttribute("aria-pressed", String(on));
    const lost = on && failures > 1;
    button.textContent = !on ? "Paused" : lost ? "Ended" : "Live";
    button.dataset.state = !on ? "paused" : lost ? "lost" : "live";
    // An alert is read out when its words arrive.
    if (ended.hidden === lost) {
      ended.hidden = !lost;
      ended.textContent = lost ? "The panel has ended: start `boathook panel` again, and open the address it prints." : "";
    }
  };
  const wait = (time) => new Promise((done) => setTimeout(done, time));

  const add = (html) => {
    const template = document.createElement("template");
    template.innerHTML = html;
    const rows = [...template.content.querySelectorAll("tr")];
    if (rows.length === 0) return;
    rows.forEach((row) => row.classList.add("fresh"));
    runs.prepend(...rows);
    while (runs.rows.length > MOST_ROWS) runs.deleteRow(-1);
    document.querySelector(".empty")?.remove();
    say(rows.length === 1 ? "1 new run" : `${rows.length} new runs`);
  };

  const watch = async () => {
    while (on) {
      try {
        abort = new AbortController();
        const answer = await fetch(`${runs.dataset.live}behind=${last}`, { signal: abort.signal, cache: "no-store" });
        if (!answer.ok) throw new Error(String(answer.status));
        last = answer.headers.get("boathook-last") ?? last;
        add(await answer.text());
        failures = 0;
      } catch (error) {
        if (error.name === "AbortError") return;
        failures += 1;
        show();
        await wait(Math.min(500 * failures, 10000));
      }
      show();
    }
  };

  button.hidden = false;
  button.addEventListener("click", () => {
    on = !on;
    failures = 0;
    show();
    if (on) watch(); else abort?.abort();
    say(on ? "Live" : "Paused");
  });
  show();
  watch();
})();

(() => {
  "use strict";
  const form = document.getElementById("try");
  if (!form) return;
  const { event: chosen, payload, loaded } = form.elements;

  // Nobody's text goes: only an example that stands as it came gives way.
  const untouched = () => "example" in payload.dataset && payload.value === payload.defaultValue;

  const take = (page) => {
    const theirs = page.getElementById("try").elements;
    loaded.value = theirs.loaded.value;
    payload.rows = theirs.payload.rows;
    payload.defaultValue = theirs.payload.defaultValue;
    payload.value = payload.defaultValue;
    for (const id of ["about", "fields"]) {
      document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
    }
  };

  chosen.addEventListener("change", async () => {
    const name = chosen.value;
    if (!untouched()) return;
    try {
      const answer = await fetch(`try?event=${encodeURIComponent(name)}`, { cache: "no-store" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      // Meanwhile another may be chosen, or something written.
      if (answer.ok && chosen.value === name && untouched()) take(page);
    } catch {
      // Who sends the form gets the example of the event that is chosen there.
    }
  });
})();
