/** Rejects: how many of which code, and the rows, the newest first. */
(function () {
  const { make, figure, busy, lines } = elements, { table } = tables;
  const { grouped, share } = formats;
  const usual = { class: "", code: "", stage: "", forwarder: [], network: "", app: "", since: "", until: "", contains: "" };
  const classes = ["suspicious", "noise", "copies"];
  const allowed = { class: classes, code: /^[a-z_0-9]+$/, stage: /^[a-z]+$/, since: address.time, until: address.time };
  const kinds = { suspicious: "bad", noise: "none", copies: "bar" };
  let results = null, controls = null, values = { ...usual }, isComplete = true;

  const hereWith = part => "/rejects" + address.query({ ...values, ...part }, usual);
  const change = (part, replaces = false) => views.go(hereWith(part), replaces);
  const typed = elements.later((name, text) => change({ [name]: text }, true), 400);
  const explained = code => (session.get().codes || []).find(one => one.code === code) || { meaning: "", class: "" };

  function makeControls(codes) {
    const labelled = (text, control) => make("label", {}, text, " ", control);
    const select = (name, choices) => make("select", { id: "rejects-" + name, change: event => change({ [name]: event.target.value,
      ...(name === "class" ? { code: "" } : {}) }) },
    choices.map(([value, text]) => make("option", { value, selected: value === values[name] }, text)));
    const text = (name, title) => labelled(title, make("input", { type: "search", id: "rejects-" + name, autocomplete: "off",
      value: values[name], input: event => typed(name, event.target.value.slice(0, 200)) }));
    const date = (name, title) => labelled(title, make("input", { type: "date", id: "rejects-" + name, value: values[name].slice(0, 10),
      change: event => change({ [name]: event.target.value }) }));
    const known = codes.filter(one => values.class === "" || one.class === values.class);
    const forwarders = values.forwarder.map(one => make("a", { class: "chip", href: hereWith({ forwarder: [] }),
      "aria-label": "Remove the filter " + one }, one === "" ? "no forwarder (devices)" : "forwarder: " + one, " ×"));
    const hours = ["since", "until"].filter(name => values[name].length > 10).map(name => make("a", { class: "chip",
      href: hereWith({ [name]: "" }), "aria-label": "Remove the limit " + values[name] }, name + " " + values[name], " ×"));
    return [
      labelled("Class", select("class", [["", "all"], ...classes.map(one => [one, one])])),
      labelled("Code", select("code", [["", "all"], ...known.map(one => [one.code, one.code])])),
      date("since", "From"), date("until", "Before"),
      forwarders.length > 0 ? null : labelled("Forwarder", make("input", { type: "search", id: "rejects-forwarder", autocomplete: "off", value: "",
        change: event => change({ forwarder: event.target.value.trim() === "" ? [] : [event.target.value.trim()] }) })),
      text("network", "Ad network id"), text("app", "App id"), text("contains", "Text in the bytes"),
      forwarders.length + hours.length > 0 && make("p", { class: "chips" }, "Only ", forwarders, hours),
      make("button", { type: "button", id: "rejects-reset", disabled: hereWith({}) === "/rejects", click: () => views.go("/rejects") }, "Show all"),
      make("p", { class: "note", id: "rejects-status", role: "status", "aria-live": "polite" }),
    ];
  }

  /** The numbers of each code, as bars that lead to their rows. */
  function codesFigure(data) {
    const all = total(data.codes.map(row => row.count));
    const columns = [
      { key: "code", title: "code", text: row => row.code, link: row => hereWith({ code: row.code }) },
      { key: "count", title: "rejects", kind: /** @type {"number"} */ ("number"), text: row => grouped(row.count) },
      { key: "share", title: "of these", kind: /** @type {"number"} */ ("number"), text: row => share(row.count, all) },
      { key: "class", title: "class", text: row => row.class }, { key: "meaning", title: "meaning", text: row => explained(row.code).meaning },
    ];
    return figure({ id: "codes", title: "Rejects by code", chart: "ranked", isWide: true, data: { unit: "rejects, root scale",
      rows: data.codes.map(row => ({ name: row.code, count: row.count, kind: kinds[row.class] || "bar" })),
      link: row => hereWith({ code: row.name }) },
    description: "Suspicious codes are full in the colour of warnings, noise is dotted, and copies are in the colour of good. A bar leads to its rows.",
    table: table({ caption: "Rejects by code", columns, rows: data.codes }) });
  }

  /** All of a row, with its bytes. */
  function opened(row) {
    const list = make("dl", {});
    for (const name of ["detail", "stage", "postback_key", "input", "line", "raw"]) {
      if (row[name] === null || row[name] === undefined || row[name] === "") continue;
      list.append(make("dt", {}, name), make("dd", {}, name === "raw" ? lines(row.raw) : String(row[name])));
    }
    return list;
  }

  const columns = [
    { key: "received_at", title: "received", kind: /** @type {"time"} */ ("time"), text: row => row.received_at || "" },
    { key: "code", title: "code", text: row => row.code, link: row => hereWith({ code: row.code }) },
    { key: "network", title: "ad network id", text: row => row.network || "", link: row => row.network ? hereWith({ network: row.network }) : undefined },
    { key: "app", title: "app id", text: row => row.app === null || row.app === undefined ? "" : String(row.app),
      link: row => row.app ? hereWith({ app: row.app }) : undefined },
    { key: "forwarder", title: "forwarder", text: row => row.forwarder || "", link: row => row.forwarder ? hereWith({ forwarder: [row.forwarder] }) : undefined },
    { key: "transaction_id", title: "transaction id", text: row => row.transaction_id || "",
      link: row => row.transaction_id ? "/postback" + address.query({ id: row.transaction_id }) : undefined },
    { key: "detail", title: "detail", text: row => row.detail || "" },
  ];

  async function update(search) {
    values = address.read(search, usual, allowed);
    const { codes } = await session.load();
    elements.renew(controls, makeControls(codes || []));
    if (results.childNodes.length === 0) results.append(busy("Searching."));
    results.classList.add("is-old");
    const holder = make("div", {});
    /** @type {any} */
    let counted = null;
    await paged.show(holder, "/api/rejects" + address.query(values), { caption: "Rejects, the newest first; + opens a row", columns: () => columns,
      open: opened, before: data => {
        counted = data;
        return [data.is_complete === false && data.count !== null && make("p", { class: "note" }, "The numbers are counted again from time to time: the newest rows "
          + "may not be in them yet."), cases.offer(data.case), data.codes && data.codes.length > 0 && make("div", { class: "charts" },
          codesFigure(data), rejectCharts.of(data, hereWith, code => kinds[explained(code).class])), make("h2", {}, "Rows")].filter(node => node);
      } });
    results.classList.remove("is-old");
    if (counted === null) return;
    results.replaceChildren(holder);
    isComplete = counted.is_complete !== false;
    figures.find("rejects-status").textContent = counted.count === null || counted.count === undefined ? "" : grouped(counted.count) + " rejects"
      + (values.contains === "" ? "" : " before the search in the bytes");
  }

  views.add({ path: "/rejects", title: "Rejects", update, onCommit: () => true, onReport: () => !isComplete,
    open: main => {
      controls = make("div", { class: "controls filters", role: "search", "aria-label": "Choice of rejects" });
      results = make("div", { class: "results" });
      main.append(make("h1", { tabindex: "-1" }, "Rejects"), controls, results);
    } });
})();
