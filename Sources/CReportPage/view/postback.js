/** One postback, by its transaction id, its postback key, or its pasted JSON: everything that the output has about it. */
(function () {
  const { make, lines, scroll, source, busy, failure } = elements;
  let results = null, given = null;
  const none = "–";
  const words = value => value === null || value === undefined ? none : typeof value === "object" ? JSON.stringify(value) : String(value);
  const isGood = verdict => verdict === "accepted";

  /** A table whose rows are names with values. */
  function listed(caption, heads, rows) {
    return scroll("Table: " + caption, make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {},
      heads.map(head => make("th", { scope: "col" }, head)))), make("tbody", {}, rows)));
  }

  /** The names and values of a row; columns without a value are left out. */
  function fieldsTable(caption, row, kindOf = _ => null) {
    const names = Object.keys(row).filter(name => row[name] !== null && row[name] !== undefined);
    return listed(caption, ["column", "value"], names.map(name => make("tr", {}, make("th", { scope: "row", class: kindOf(name) }, name),
      make("td", { class: elements.layout(words(row[name])) || null }, words(row[name])))));
  }

  const anyOf = lists => lists.filter(list => Array.isArray(list) && list.length > 0);

  /** Rows of a table of the output, such as events. */
  function rowsTable(caption, rows) {
    const names = Array.from(new Set(rows.flatMap(Object.keys))).filter(name => rows.some(row => row[name] !== null) && name !== "postback_key");
    return listed(caption, names, rows.map(row => make("tr", {}, names.map((name, index) => make(index === 0 ? "th" : "td",
      { scope: index === 0 ? "row" : null }, words(row[name]))))));
  }

  /** All copies side by side, in the order of time: a column for each. */
  function copiesTable(copies, caption) {
    const fieldsOf = copy => copy.explanation && copy.explanation.postback ? copy.explanation.postback : {};
    const changed = new Map(copies.map(copy => [copy, new Map((copy.changes || []).map(change => [change.column, change]))]));
    const names = Array.from(new Set(copies.flatMap(copy => [...Object.keys(fieldsOf(copy)), ...changed.get(copy).keys()])))
      .filter(name => copies.some(copy => changed.get(copy).has(name)));
    const line = (title, cell) => make("tr", {}, make("th", { scope: "row" }, title), copies.map(copy => make("td", {}, cell(copy))));
    return listed(caption, ["field", ...copies.map((_, index) => "copy " + (index + 1))], [
      line("verdict", copy => make("span", { class: "verdict " + (isGood(copy.verdict) ? "good" : "bad") }, copy.verdict)),
      line("received", copy => copy.received_at || none), line("channel", copy => copy.channel || none),
      line("forwarder", copy => copy.forwarder || none),
      ...names.map(name => line(name, copy => {
        const change = changed.get(copy).get(name);
        if (change === undefined) return isGood(copy.verdict) ? words(copies.map(other => changed.get(other).get(name)).find(one => one).accepted) : "the same";
        return make("mark", {}, words(change.here) + (change.signed ? " (signed)" : ""));
      })),
      line("reason", copy => copy.row && copy.row.reject_detail || none),
      line("file", copy => copy.row ? words(copy.row.source_file) + ":" + words(copy.row.source_line) : copy.file),
    ]);
  }

  function bytes(raw, title) {
    const found = pasted.bytesOf(raw);
    return make("details", {}, make("summary", {}, title + ": " + formats.grouped(found.length) + " bytes"), lines(pasted.textOf(found)), lines(pasted.dump(found)));
  }

  /** The pasted fields beside those of the row. */
  function pastedTable(row, signed) {
    const names = Object.keys(given.fields).filter(name => name in row || /_/.test(name) && !/signature/.test(name));
    const rows = names.filter(name => name in row).map(name => {
      const isSame = words(row[name]) === given.fields[name];
      return make("tr", {}, make("th", { scope: "row", class: signed.includes(name) ? "signed" : null }, name), make("td", {}, words(row[name])),
        make("td", {}, isSame ? given.fields[name] : make("mark", {}, given.fields[name])));
    });
    return listed("What was pasted, beside the accepted row", ["column", "accepted", "pasted"], rows);
  }

  function accepted(postback, number) {
    const { row, copies = [] } = postback, raws = copies.filter(copy => copy.raw);
    const enriched = (postback.skan_enriched || [])[0], settled = (postback.skan_settled || [])[0];
    const isConflict = copies.some(copy => (copy.changes || []).length > 0);
    return make("section", { class: "postback", "aria-label": "Postback " + postback.postback_key },
      make("h2", {}, "Postback " + (number + 1)),
      make("p", {}, make("span", { class: "verdict good" }, "accepted"), " of " + words(row.received_at) + " by " + words(row.channel)
        + (row.forwarder ? " of " + row.forwarder : "") + ", signature " + words(row.signature_state) + " by the key " + words(row.key_id) + ", environment "
        + words(row.environment) + ". " + (copies.length > 1 ? formats.grouped(copies.length) + " copies" + (isConflict ? ", some with other values." : ", all alike.") : "No other copy.")),
      copies.length > 1 && [make("h3", {}, "Copies, in the order of time"), copiesTable(copies, "Copies side by side; marked is what differs from the accepted one"),
        postback.omitted_copies > 0 && make("p", { class: "note" }, formats.grouped(postback.omitted_copies) + " more copies are not listed.")],
      given && given.fields && [make("h3", {}, "What was pasted"), pastedTable(row, postback.signed_columns)],
      make("div", { class: "charts" },
        make("div", {}, make("h3", {}, "Fields"), fieldsTable("The row; Apple signed the columns with ✓", row, name => postback.signed_columns.includes(name) ? "signed" : null)),
        make("div", {},
          make("h3", {}, "Meaning"), fieldsTable("The decoded value", Object.fromEntries(["model_id", "model_version", "decode_status", "skan_revenue", "min_revenue",
            "max_revenue", "currency", "estimated_install_date"].filter(name => name in row).map(name => [name, row[name]]))),
          anyOf([postback.events]).map(list => rowsTable("Events", list)),
          make("h3", {}, "Campaign"), enriched ? fieldsTable("Names, and where they are from", enriched) : make("p", { class: "note" }, "skan_enriched has no row for it."),
          make("h3", {}, "Settled copies"), settled ? fieldsTable("The values that count", settled) : make("p", { class: "note" }, "skan_settled has no row for it."),
          make("h3", {}, "Deliveries"), anyOf([postback.deliveries]).length > 0 ? rowsTable("Deliveries to partners", postback.deliveries)
            : make("p", { class: "note" }, "It was not delivered to partners."))),
      make("h3", {}, "Signed text"), make("p", { class: "note" }, "Apple signed this text; ⁞ stands for the separator U+2063."),
      lines((postback.signed_text || "not known").replace(/\u2063/g, " ⁞ "), "commands"),
      make("h3", {}, "Bytes"), postback.raw ? bytes(postback.raw, "The accepted copy") : make("p", { class: "note" },
        "The bytes of accepted postbacks are kept only with --keep-raw."), raws.map(copy => bytes(copy.raw, copy.verdict + " of " + words(copy.received_at))));
  }

  function rejected(reject, index) {
    return make("section", { class: "postback", "aria-label": "Reject " + (index + 1) }, make("h2", {}, "Reject " + (index + 1)),
      make("p", {}, make("span", { class: "verdict bad" }, reject.verdict), " of " + words(reject.received_at) + ". " + words(reject.row && reject.row.reject_detail)),
      (reject.changes || []).length > 0 && rowsTable("What was changed", reject.changes),
      make("div", { class: "charts" }, reject.row && fieldsTable("The row", reject.row, () => null),
        reject.explanation && reject.explanation.postback && fieldsTable("What it says; nothing of it is proven", reject.explanation.postback)),
      reject.explanation && reject.explanation.signature && [make("h3", {}, "Signature"), fieldsTable("The signature", reject.explanation.signature)],
      make("h3", {}, "Bytes"), reject.raw ? bytes(reject.raw, "This reject") : make("p", { class: "note" }, "Its bytes are not kept."));
  }

  async function update(search) {
    const { id } = address.read(search, { id: "" });
    figures.find("search-id").value = id;
    if (id === "") return results.replaceChildren();
    if (given !== null && given.id !== id) given = null;
    results.replaceChildren(busy("Searching."));
    try {
      const data = await server.ask("postback", "/api/postback" + address.query({ id }), { isExact: true });
      if (data === null) return undefined;
      results.replaceChildren(...(data.postbacks || []).map(accepted), ...(data.rejects || []).map(rejected),
        ...(data.omitted_rejects > 0 ? [make("p", { class: "note" }, formats.grouped(data.omitted_rejects) + " more rejects are not listed.")] : []),
        ...[source(null, data.command), cases.offer(data.case)].filter(one => one !== null));
    } catch (problem) {
      if (!(problem instanceof server.Refusal) || problem.status !== 404) throw problem;
      results.replaceChildren(failure(problem.message));
    }
    return undefined;
  }

  function find(text, status) {
    const found = pasted.read(text);
    status.textContent = found === null ? "This is neither an id nor a postback with a transaction id." : "";
    if (found === null) return;
    given = found;
    const to = "/postback" + address.query({ id: found.id });
    views.go(to, to === location.pathname + location.search);
  }

  views.add({ path: "/postback", title: "One postback", update,
    open: main => {
      results = make("div", { class: "results" });
      const text = make("textarea", { id: "pasted", spellcheck: "false", rows: "5" }), status = make("p", { class: "note", role: "status", "aria-live": "polite" });
      main.append(make("h1", { tabindex: "-1" }, "One postback"),
        make("details", { open: address.read(location.search, { id: "" }).id === "" }, make("summary", {}, "Paste a postback"),
          make("div", { class: "paste" }, make("label", {}, "A transaction id, a postback key, or a postback as JSON or JWS; what is pasted stays in this page, only its id is sent", text),
            make("button", { type: "button", id: "paste-find", click: () => find(text.value, status) }, "Find"), status)), results);
    } });
})();
