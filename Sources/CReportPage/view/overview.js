/** The overview: what came in the last hour, day and week, and what is suspicious. It follows the commits by itself. */
(function () {
  const { make, figure, busy } = elements, { table } = tables;
  const { grouped, share } = formats;
  const kinds = [["accepted", "accepted"], ["suspicious", "suspicious"], ["noise", "noise"], ["copies", "further copies of accepted postbacks"]];
  const periodNames = { hour: ["last hour", "hour before"], day: ["last 24 hours", "24 hours before"], week: ["last 7 days", "7 days before"] };
  let results = null, timer = 0, asked = 0;

  const rejectsOf = (kind, since, until) => kind === "accepted" ? undefined
    : "/rejects" + address.query({ class: kind, since, until });
  const clock = text => text.slice(0, 16).replace("T", " ");

  /** The change from the period before, such as `+8 %`; nothing without a number before. */
  function change(now, before) {
    if (before === 0) return "";
    const percent = Math.round((now - before) / before * 100);
    return percent === 0 ? "±0 %" : (percent > 0 ? "+" : "−") + grouped(Math.abs(percent)) + " %";
  }

  function periodsTable({ periods }) {
    const columns = [{ key: "name", title: "records", text: row => row.name }];
    for (const period of periods) {
      const [now, before] = periodNames[period.name] || [period.name, "before"];
      columns.push(
        { key: period.name, title: now, kind: "number", text: row => grouped(period[row.kind]),
          link: row => rejectsOf(row.kind, period.since, period.until), about: clock(period.since) + " to " + clock(period.until) + " UTC" },
        { key: period.name + "-before", title: before, kind: "number", text: row => grouped(period.before[row.kind]),
          about: clock(period.before.since) + " to " + clock(period.before.until) + " UTC" },
        { key: period.name + "-change", title: "change", kind: "number", text: row => change(period[row.kind], period.before[row.kind]) });
    }
    return table({ caption: "What came, beside the period before", columns, rows: kinds.map(([kind]) => ({ kind, name: kind })) });
  }

  /** The counts of some hours together, with the time of the first and after the last one. */
  function together(hours) {
    const end = new Date(Date.parse(hours[hours.length - 1].hour) + 3600000).toISOString().slice(0, 19) + "Z";
    return { since: hours[0].hour, until: end, ...Object.fromEntries(kinds.map(([kind]) => [kind, total(hours.map(hour => hour[kind]))])) };
  }

  function byDay(hours) {
    const days = new Map();
    for (const hour of hours) {
      const day = hour.hour.slice(0, 10);
      days.set(day, [...days.get(day) || [], hour]);
    }
    return Array.from(days.values(), together);
  }

  function timeFigure(id, title, step, steps, label) {
    const columns = [{ key: "time", title: "since (UTC)", text: row => label(row.since) },
      ...kinds.map(([kind]) => ({ key: kind, title: kind, kind: /** @type {"number"} */ ("number"), text: row => grouped(row[kind]),
        link: row => row[kind] > 0 ? rejectsOf(kind, row.since, row.until) : undefined }))];
    const data = { step, labels: steps.map(one => label(one.since)), what: "records",
      series: kinds.map(([kind]) => [kind, steps.map(one => one[kind]), { accepted: "bar", suspicious: "bad" }[kind] || "none"]),
      link: (kind, index) => rejectsOf(kind, steps[index].since, steps[index].until) };
    return figure({ id, title, chart: "timeline", data, description: "Each kind has its own scale; the broken line is its mean. A bar of "
      + "rejects leads to its rows.", table: table({ caption: title, columns, rows: steps.slice().reverse() }) });
  }

  function content(data) {
    const hours = data.hours, all = total(kinds.map(([kind]) => data.totals[kind]));
    const notes = [];
    if (data.anchor === "latest") notes.push("The newest record is older than a week: the periods end with it, not now.");
    const later = total(["suspicious", "noise", "copies"].map(kind => data.later[kind]));
    if (later > 0) notes.push([make("a", { href: "/rejects" + address.query({ since: data.later.since }) }, grouped(later)
      + (later === 1 ? " later reject" : " later rejects")), " are in no period: their times are those of their files, or lie ahead."]);
    if (!data.is_complete) notes.push("Older rows are still being counted: the numbers are lower bounds.");
    const latest = data.latest && data.latest.received ? [make("p", { class: "note", id: "latest" }, "The newest record was received at "
      + data.latest.received + (data.latest.lag_seconds === null || data.latest.lag_seconds === undefined ? "."
        : ", and committed " + grouped(data.latest.lag_seconds) + " s later.")
      + (data.latest.accepted && data.latest.accepted !== data.latest.received ? " The newest accepted one was received at " + data.latest.accepted + "." : ""))] : [];
    const findings = make("div", { id: "findings-holder" });
    if (data.findings) sections.fill(findings, data.findings.html);
    else if (session.get().revenue) findings.append(busy("The findings are being computed."));
    return [make("ul", { class: "facts" }, kinds.map(([kind, name]) => make("li", {},
      make("b", { id: "total-" + kind }, grouped(data.totals[kind])), " " + name + (kind === "accepted" ? "" : " (" + share(data.totals[kind], all) + ")")))),
      latest, notes.map(note => make("p", { class: "note" }, make("strong", {}, note))), periodsTable(data),
      findings, hours.length === 0 ? null : make("div", { class: "charts" },
        timeFigure("by-hour", "The last two days by hour", "per hour", hours.slice(-48).map(hour => together([hour])), clock),
        timeFigure("by-day", "The last two weeks by day", "per day", byDay(hours), text => text.slice(0, 10)))];
  }

  async function update() {
    clearTimeout(timer);
    asked = Date.now();
    if (results.childNodes.length === 0) results.append(busy("Loading."));
    await session.load();
    const data = await server.ask("overview", "/api/overview");
    if (data === null) return;
    sections.patch(results, content(data));
    // The periods go on without commits too.
    timer = window.setTimeout(follow, 60000);
  }

  /** Asks again, at most every two seconds; a failure leaves what is there. */
  function follow() {
    clearTimeout(timer);
    if (!results.isConnected || document.hidden) return;
    const wait = asked + 2000 - Date.now();
    if (wait > 0) timer = window.setTimeout(follow, wait);
    else update().catch(() => { timer = window.setTimeout(follow, 10000); });
  }
  document.addEventListener("visibilitychange", () => { if (results !== null) follow(); });

  views.add({ path: "/", title: "Overview", update, onCommit: follow, onReport: follow,
    onGeneration: () => { follow(); return false; },
    open: main => {
      results = make("div", { class: "results" });
      main.append(make("h1", { tabindex: "-1" }, "Overview"), results);
    } });
})();
