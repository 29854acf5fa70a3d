/** Signals: the findings, the tests and their evidence, from the code that writes the file of a report. */
(function () {
  const { make, busy } = elements;
  let results = null, loaded = null;
  const shown = ["findings", "signals", "changes", "tampering"];

  async function update() {
    if (results.childNodes.length === 0) results.append(busy("The report is being computed."));
    const data = await reports.load();
    if (data === null) return;
    loaded = data.generation;
    const parts = data.sections.filter(one => shown.includes(one.id)).map(one => {
      const part = make("div", {});
      sections.fill(part, one.html);
      return part;
    });
    // What there is about the party of an alarm.
    (data.cases || []).forEach((offered, index) => {
      const alarm = parts.map(part => part.querySelector("#signal-" + (index + 1))).find(found => found !== null);
      if (alarm && offered) alarm.append(cases.offer(offered));
    });
    // The plots of forwarders, with their change points, are the evidence of the signals about them.
    const charts = make("div", {}), all = make("div", {});
    sections.fill(all, data.sections.filter(one => one.id === "rejects-by-code").map(one => one.html).join(""));
    const heading = all.querySelector("#over-time");
    for (let node = heading; node !== null; ) {
      const next = node.nextElementSibling;
      charts.append(node);
      node = next;
    }
    const place = parts.findIndex(part => part.querySelector("#signals") !== null);
    if (charts.childNodes.length > 0) parts.splice(place + 1, 0, charts);
    results.replaceChildren(...(data.is_current === false ? [make("p", { class: "note" }, make("strong", {},
      "This is the report of an earlier generation; the new one is being computed."))] : []), ...parts);
    if (location.hash.length > 1) {
      const target = document.getElementById(location.hash.slice(1));
      if (target !== null) target.scrollIntoView();
    }
  }

  views.add({ path: "/signals", title: "Signals", isReport: true, update, onReport: report => loaded !== null && report.generation !== loaded,
    open: main => {
      results = make("div", { class: "results" });
      main.append(make("h1", { tabindex: "-1" }, "Signals"), results);
    } });
})();
