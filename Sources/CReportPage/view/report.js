/** The report as the file has it, with fresh numbers. Its scripts start once in a page, so that it is loaded as a page of its own. */
const reports = (function () {
  const { make, busy } = elements;
  let results = null, loaded = null;

  const wait = milliseconds => new Promise(done => window.setTimeout(done, milliseconds));

  /** The report; the server may have to compute it first. */
  async function load() {
    for (let attempt = 0; ; attempt++) {
      try {
        return await server.ask("report", "/api/report");
      } catch (problem) {
        if (!(problem instanceof server.Refusal) || problem.status !== 503 || attempt >= 150) throw problem;
        await wait(2000);
      }
    }
  }

  const json = (id, value) => {
    const made = make("script", { type: "application/json", id });
    made.textContent = JSON.stringify(value);
    return made;
  };

  async function update() {
    if (loaded !== null) return;
    results.append(busy("The report is being computed."));
    const data = await load();
    if (data === null) return;
    loaded = data.generation;
    const header = make("div", {}), links = make("nav", { "aria-label": "Sections" });
    header.innerHTML = data.header;
    const holder = html => {
      const part = make("div", {});
      part.innerHTML = html;
      return part;
    };
    const parts = data.sections.map(one => {
      links.append(make("a", { href: "#" + one.id }, one.name), " ");
      return holder(one.html);
    });
    // The findings are about all records, and the filters below them are for what follows.
    const first = data.sections.length > 0 && data.sections[0].id === "findings" ? 1 : 0;
    parts.splice(first, 0, holder(data.filters));
    results.replaceChildren(header, links, ...parts, json("cube", data.cube), ...(data.data ? [json("data", data.data)] : []),
      ...(data.business ? [json("business-data", data.business)] : []));
    startReport(sections.addressOf);
  }

  views.add({ path: "/report", title: "Report", isWhole: true, isReport: true, update, onReport: report => loaded !== null && report.generation !== loaded,
    open: main => {
      results = make("div", { class: "results" });
      main.append(results);
    } });
  return { load };
})();
