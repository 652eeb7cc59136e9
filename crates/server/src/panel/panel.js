// Rows that arrive while somebody looks at the log, and a word while hooks run.
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

  const say = (text) => { news.textContent = text; };
  const show = () => {
    button.setAttribute("aria-pressed", String(on));
    button.textContent = !on ? "Paused" : failures > 2 ? "Not connected" : "Live";
    button.dataset.state = !on ? "paused" : failures > 2 ? "lost" : "live";
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
        if (failures === 3) say("The panel does not answer any more");
        await wait(Math.min(1000 * failures, 10000));
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
