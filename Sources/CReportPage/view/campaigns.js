/** Campaigns: the sums of the daily report by any dimensions and period, beside another one, down to the postbacks behind a number. */
(function () {
  const { make, figure, source, busy, failure } = elements, { table } = tables;
  const { grouped, dayName } = formats;
  const usual = { by: "", date_type: "install", window: "0", since: "", until: "", compare_since: "", compare_until: "", contains: "",
    sort: "-installs", offset: "", columns: "", show: "", where: [] };
  const allowed = { date_type: ["install", "received"], window: ["0", "1", "2", "all"], since: address.day, until: address.day,
    compare_since: address.day, compare_until: address.day, by: /^[a-z_]+(,[a-z_]+)*$/, sort: /^-?[a-z_.]+$/, offset: /^\d{1,7}$/,
    columns: ["all"], show: ["postbacks"], where: /^[a-z_]+:/ };
  const pageSize = 200;
  const titles = { network_name: "network", campaign_id: "campaign id", campaign_name: "campaign", app_id: "app id", app_name: "app",
    null_rate: "null rate", revenue_min: "at least", revenue_max: "at most", modelled_revenue: "with null postbacks",
    modelled_low: "modelled from", modelled_high: "modelled to", roas: "ROAS", roas_min: "ROAS at least", roas_max: "ROAS at most",
    ecpi: "cost per install", network_installs: "installs of the network", expected_share: "completeness", status: "state" };
  const titleOf = name => titles[name] || name.replace(/_/g, " ");
  /** The columns that are shown if not all are. A limit is shown beside what it limits. */
  const main = ["installs", "conversions", "cost", "ecpi", "revenue", "roas", "modelled_revenue", "null_rate", "expected_share"];
  const limited = { revenue: ["revenue_min", "revenue_max"], modelled_revenue: ["modelled_low", "modelled_high"], roas: ["roas_min", "roas_max"] };
  /** The columns that are compared with the other period. */
  const compared = ["installs", "conversions", "revenue", "cost", "roas", "null_rate"];
  let results = null, controls = null, values = { ...usual };

  const hereWith = part => "/campaigns" + address.query({ ...values, offset: "", show: "", ...part }, usual);
  const change = (part, replaces = false) => views.go(hereWith(part), replaces);
  const typed = elements.later(contains => change({ contains }, true));
  const dayNumber = day => Date.parse(day) / 86400000;
  const days = (day, number) => dayName(dayNumber(day) + number);

  // MARK: Controls

  const option = (value, text, chosen) => make("option", { value, selected: value === chosen }, text);
  const labelled = (text, control) => make("label", {}, text, " ", control);

  function periodOf(daily) {
    const end = days(daily.last_day, 1), ways = { "": ["", ""], "7": [days(end, -7), end], "28": [days(end, -28), end], "90": [days(end, -90), end] };
    const chosen = Object.keys(ways).find(name => ways[name][0] === values.since && ways[name][1] === values.until);
    return { ways, chosen: chosen === undefined ? "own" : chosen };
  }

  /** The period of the same length before the chosen one. */
  function periodBefore(daily) {
    const since = values.since || daily.first_day, until = values.until || days(daily.last_day, 1);
    const length = dayNumber(until) - dayNumber(since);
    return { compare_since: days(since, -length), compare_until: since };
  }

  function makeControls(daily) {
    const by = (values.by || defaultBy(daily)).split(","), period = periodOf(daily), before = periodBefore(daily);
    const comparison = values.compare_since === "" ? "" : values.compare_since === before.compare_since
      && values.compare_until === before.compare_until ? "before" : "own";
    const choose = (name, choices) => make("select", { id: "campaigns-" + name, change: event => change({ [name]: event.target.value }) },
      choices.map(([value, text]) => option(value, text, values[name])));
    const date = name => make("input", { type: "date", id: "campaigns-" + name, value: values[name],
      change: event => {
        if (event.target.value === "" || address.day.test(event.target.value)) change({ [name]: event.target.value });
      } });
    const boxes = ["date", ...daily.dimensions].map(name => make("label", {}, make("input", { type: "checkbox", value: name,
      checked: by.includes(name), change: () => {
        const chosen = Array.from(controls.querySelectorAll("fieldset input:checked"), box => box.value);
        if (chosen.length > 0) change({ by: chosen.join(","), sort: "" });
      } }), titleOf(name)));
    const chips = values.where.map((one, index) => make("a", { class: "chip", href: hereWith({
      where: values.where.filter((_, place) => place !== index) }), "aria-label": "Remove the filter " + one },
      one.replace(":", ": "), " ×"));
    return [
      labelled("Period", make("select", { id: "campaigns-period", change: event => {
        const way = period.ways[event.target.value];
        if (way) change({ since: way[0], until: way[1] });
      } }, [["", "all days"], ["7", "last 7 days"], ["28", "last 28 days"], ["90", "last 90 days"], ["own", "from … to"]]
        .map(([value, text]) => option(value, text, period.chosen)))),
      labelled("From", date("since")), labelled("Before", date("until")),
      labelled("Compare with", make("select", { id: "campaigns-compare", change: event => change(event.target.value === ""
        ? { compare_since: "", compare_until: "" } : before) },
      [["", "nothing"], ["before", "the period before"], ...(comparison === "own" ? [["own", "from … to"]] : [])]
        .map(([value, text]) => option(value, text, comparison)))),
      ...(comparison === "" ? [] : [labelled("Compared from", date("compare_since")), labelled("Compared before", date("compare_until"))]),
      labelled("Day of", choose("date_type", [["install", "the install (estimated)"], ["received", "receipt"]])),
      labelled("Conversion window", choose("window", [["0", "0: first postback"], ["1", "1"], ["2", "2"], ["all", "all"]])),
      make("fieldset", {}, make("legend", {}, "Rows by"), make("div", { class: "choices" }, boxes)),
      labelled("Columns", choose("columns", [["", "the main ones"], ["all", "all"]])),
      labelled("Words in names and ids", make("input", { type: "search", id: "campaigns-contains", value: values.contains, autocomplete: "off",
        input: event => typed(event.target.value.slice(0, 200)) })),
      chips.length > 0 && make("p", { class: "chips" }, "Only ", chips),
      make("p", { class: "note", id: "campaigns-status", role: "status", "aria-live": "polite" }),
    ];
  }

  const defaultBy = daily => ["network_name", "campaign_id"].filter(name => daily.dimensions.includes(name)).join(",")
    || daily.dimensions[0] || "date";

  // MARK: The table

  const cellText = { count: grouped, share: value => formats.percent(Number(value)), ratio: value => formats.ratio(Number(value)),
    amount: value => formats.plain(formats.units(value)) };
  /** A value as a column of its kind shows it. */
  function textOf({ kind }, value) {
    if (value === null || value === undefined) return "";
    return cellText[kind] === undefined ? String(value) : cellText[kind](value);
  }
  const sortable = (kind, value) => value === null || value === undefined ? null
    : kind === "amount" || kind === "ratio" || kind === "share" ? Number(value) : value;

  /** The address of the postbacks behind a row; nothing where the output has no table that they can be selected by. */
  function behind(row, by) {
    const conditions = by.filter(name => name !== "date").map(name => name + ":" + (row[name] === null || row[name] === undefined ? "" : row[name]));
    const where = [...values.where, ...conditions];
    if (!where.every(one => session.get().row_dimensions.includes(one.replace(/:.*/s, "")))) return undefined;
    const day = by.includes("date") && row.date ? { since: row.date, until: days(row.date, 1) } : {};
    return hereWith({ where, ...day, show: "postbacks", sort: "" });
  }

  /** The dimension that is to be looked at next below a row. */
  function below(row, column, data, daily) {
    const name = column.name === "campaign_name" ? "campaign_id" : column.name === "app_name" ? "app_id" : column.name;
    if (!data.by.includes(name)) return undefined;
    const value = row[name] === null || row[name] === undefined ? "" : row[name];
    if (value === "" && row.cost_level === "parent") return undefined;
    if (name === "date") return value === "" ? undefined : hereWith({ since: value, until: days(value, 1), by: defaultBy(daily) });
    const others = daily.dimensions.filter(one => !values.where.some(where => where.startsWith(one + ":")) && one !== name);
    const next = data.by.filter(one => one !== name && one !== "date");
    return hereWith({ where: [...values.where.filter(one => !one.startsWith(name + ":")), name + ":" + value],
      by: next.length > 0 ? next.join(",") : others[0] || "date", sort: "" });
  }

  function difference(column, now, before) {
    if (now === null || now === undefined || before === null || before === undefined) return "";
    if (column.kind === "amount") {
      const change = formats.units(now) - formats.units(before);
      return (change > 0n ? "+" : "") + formats.plain(change);
    }
    const change = Number(now) - Number(before), size = Math.abs(change), sign = change > 0 ? "+" : change < 0 ? "−" : "±";
    return sign + (column.kind === "count" ? grouped(size) : column.kind === "share" ? formats.percent(size) : formats.ratio(size));
  }

  /** The range of an amount in one column; what has no upper limit is open. */
  function rangeColumn(column, limits) {
    const [low, high] = limits.map(name => ({ name, kind: column.kind }));
    return { key: low.name, title: "range", kind: "number", about: "The least and the most that " + titleOf(column.name) + " may be",
      value: row => sortable(column.kind, row[low.name]), text: row => {
        const least = textOf(low, row[low.name]), most = textOf(high, row[high.name]);
        return least === "" ? "" : most === "" ? least + " or more" : least === most ? "exact" : least + " – " + most;
      } };
  }

  function columnsOf(data, daily, isAll = values.columns === "all") {
    const has = name => data.rows.some(row => row[name] !== null && row[name] !== undefined);
    const hasComparison = data.compare !== null && data.compare !== undefined;
    const isMain = name => (hasComparison ? compared : main).includes(name) && name !== (data.window === "0" ? "conversions" : "installs");
    const place = column => isAll || column.kind === "text" || column.kind === "day" ? -1 : main.indexOf(column.name);
    return data.columns.slice().sort((one, other) => place(one) - place(other)).filter(column => column.kind === "day" || (column.kind === "text" ? isAll || !["status", "network_status", "cost_level"].includes(column.name)
      : has(column.name) && (isAll || isMain(column.name))))
      .flatMap(column => {
        const isNumber = ["count", "amount", "ratio", "share"].includes(column.kind);
        const one = { key: column.name, title: titleOf(column.name), about: column.description,
          kind: isNumber ? "number" : column.kind === "day" ? "time" : "text",
          text: row => row === data.total && !isNumber ? (column === data.columns[0] ? "all" : "")
            : (column.name === "revenue_max" || column.name === "roas_max") && row[column.name] === null
              && row[column.name.replace("_max", "_min")] !== null ? "open"
              : textOf(column, row[column.name]) || (data.by.includes(column.name) && row !== data.total
                ? row.cost_level === "parent" ? "not divided" : "not known" : ""),
          value: row => sortable(column.kind, row[column.name]),
          link: row => row === data.total ? undefined : column.kind === "count" && row[column.name] > 0
            && ["installs", "postbacks", "conversions", "values", "nulls"].includes(column.name) ? behind(row, data.by)
            : isNumber ? undefined : below(row, column, data, daily) };
        const limits = isAll ? undefined : limited[column.name];
        if (!hasComparison) {
          return limits === undefined || !has(limits[0]) ? [one] : [one, rangeColumn(column, limits)];
        }
        if (!compared.includes(column.name)) return [one];
        return [one,
          { key: "before." + column.name, title: "before", kind: "number", about: titleOf(column.name) + " in the compared period",
            text: row => row.before ? textOf(column, row.before[column.name]) : "",
            value: row => row.before ? sortable(column.kind, row.before[column.name]) : null },
          { key: "change." + column.name, title: "change", kind: "number", about: "change of " + titleOf(column.name),
            text: row => row.before ? difference(column, row[column.name], row.before[column.name]) : "",
            value: row => row.before && row[column.name] !== null && row.before[column.name] !== null
              && row.before[column.name] !== undefined ? Number(row[column.name]) - Number(row.before[column.name]) : null }];
      });
  }

  function pages(data) {
    const offset = data.offset, end = offset + data.rows.length;
    if (offset === 0 && end >= data.count) return null;
    return make("p", { class: "pages" }, grouped(offset + 1) + " to " + grouped(end) + " of " + grouped(data.count) + " rows. ",
      offset > 0 && make("a", { href: "/campaigns" + address.query({ ...values, offset: Math.max(0, offset - pageSize) || "" }, usual) }, "Previous"), " ",
      end < data.count && make("a", { href: "/campaigns" + address.query({ ...values, offset: end }, usual) }, "Next"));
  }

  // MARK: Charts

  const label = (row, by) => by.filter(name => name !== "date").map(name =>
    name === "campaign_id" && row.campaign_name ? row.campaign_name : name === "app_id" && row.app_name ? row.app_name
      : row[name] === null || row[name] === undefined ? "not known" : String(row[name])).join(": ") || "all";
  const amount = (row, name) => row[name] === null || row[name] === undefined ? null : formats.units(row[name]);

  function dayFigures(data) {
    // A day without rows of the chosen window has nothing but the revenue of all windows. The date of a cost can be mistyped.
    const { daily } = session.get(), end = daily.as_of || "9999", isOfDays = row => row.date && row.postbacks !== null
      && (row.date <= end || row.postbacks > 0);
    const none = { installs: 0, conversions: 0, nulls: 0, revenue: data.total.revenue && "0" };
    const rows = tables.everyDay(data.rows.filter(isOfDays), 120, none), figures = [];
    if (rows.length === 0) return figures;
    const numbers = columnsOf({ ...data, rows, compare: null }, daily, true).map(({ link, ...column }) => column);
    const state = row => row.status || "final";
    figures.push(figure({ id: "installs-by-day", title: data.window === "0" ? "Installs by day" : "Conversions by day", chart: "dailyInstalls",
      data: { days: rows.map(row => [dayNumber(row.date), (data.window === "0" ? row.installs : row.conversions) || 0, state(row)]),
        link: day => hereWith({ since: dayName(day), until: dayName(day + 1) }) },
      description: "Days with dots are open: further postbacks are to be expected. A bar leads to its day.",
      table: table({ caption: "Installs of each day", columns: numbers.filter(one => ["date", "status", "installs", "conversions", "expected_share",
        "nulls", "null_rate"].includes(one.key)), rows }) }));
    if (rows.some(row => row.revenue !== null && row.revenue !== undefined)) {
      figures.push(figure({ id: "revenue-by-day", title: "Revenue by day", chart: "dailyRevenue",
        data: { currency: data.currency, days: rows.map(row => {
          if (row.revenue === null && row.unconverted_rows > 0) return { day: dayNumber(row.date), revenue: null, least: null, most: null };
          const [revenue, modelled] = [amount(row, "revenue") || 0n, amount(row, "modelled_revenue")];
          const least = amount(row, "modelled_low") || amount(row, "revenue_min") || revenue;
          const most = larger(amount(row, "modelled_high") || amount(row, "revenue_max") || revenue, revenue);
          return { day: dayNumber(row.date), revenue: formats.exact(revenue), least: formats.exact(least), most: formats.exact(most),
            modelled: formats.exact(modelled === null || modelled < revenue ? 0n : modelled - revenue),
            isOpen: row.revenue_max === null || row.nulls > 0 && modelled === null };
        }) },
        description: "Full bars are revenue that was observed, striped ones what null postbacks are estimated to be worth. The line goes from "
          + "the least to the most that the values' ranges and the model's interval allow; an arrow means that there is no limit.",
        table: table({ caption: "Revenue of each day", columns: numbers.filter(one => ["date", "revenue", "revenue_min", "revenue_max",
          "modelled_revenue", "modelled_low", "modelled_high"].includes(one.key)), rows }) }));
    }
    return figures;
  }

  function rowFigures(data) {
    const figures = [], plainColumns = columnsOf({ ...data, compare: null }, session.get().daily, true).map(({ link, ...column }) => column);
    const named = names => plainColumns.filter(one => data.by.includes(one.key) || ["campaign_name", "app_name", ...names].includes(one.key));
    const costly = data.rows.filter(row => row.cost && row.roas).sort((one, other) => Number(other.cost) - Number(one.cost))
      .slice(0, drawings.mostRows).sort((one, other) => Number(other.roas) - Number(one.roas));
    if (costly.length > 0 && !data.by.includes("date")) {
      // What has no limit is drawn to the right end.
      const end = 1.2 * Math.max(...costly.map(row => Math.max(Number(row.roas), Number(row.roas_max || 0))));
      figures.push(figure({ id: "returns", title: "Return on ad spend", chart: "campaigns", isWide: true,
        data: { currency: data.currency, campaigns: costly.map(row => {
          const least = Number(row.roas_min || row.roas), most = row.roas_max ? Number(row.roas_max) : end;
          return { label: label(row, data.by), returns: [Number(row.roas), least, most], isOpen: row.roas_max === null, revenue: row.revenue, cost: row.cost };
        }) },
        description: "A dot is the observed revenue divided by the cost, and the line its range; an arrow means that there is no limit. The broken "
          + "line is the return of all that are shown: at most " + drawings.mostRows + ", those with the largest cost of this page of the table.",
        table: table({ caption: "Returns", columns: named(["cost", "revenue", "roas", "roas_min", "roas_max"]), rows: costly }) }));
    }
    const rated = data.rows.map(row => ({ row, nulls: row.nulls, values: row.values, total: row.nulls + row.values })).filter(one => one.total > 0)
      .sort((one, other) => other.total - one.total).slice(0, drawings.mostRows);
    if (rated.length > 1 && !data.by.includes("date")) {
      const rates = rated.map(one => ({ ...one, name: label(one.row, data.by), interval: rules.wilson(one.nulls, one.total) }))
        .sort((one, other) => other.nulls / other.total - one.nulls / one.total);
      figures.push(figure({ id: "null-rates", title: "Null rates", chart: "nullRates",
        data: { all: { nulls: total(rates.map(one => one.nulls)), total: total(rates.map(one => one.total)) }, rates },
        description: "The share of postbacks without a conversion value, with Wilson's interval at 95 %, of the rows with the most postbacks.",
        table: table({ caption: "Postbacks without a value", columns: named(["nulls", "values", "null_rate"]), rows: rates.map(one => one.row) }) }));
    }
    return figures;
  }

  // MARK: The view

  function questions(daily) {
    const { show, columns, ...asked } = values;
    const of = part => "/api/campaigns" + address.query({ ...asked, by: values.by || defaultBy(daily), limit: pageSize, ...part });
    return { rows: of({}), csv: "/api/campaigns.csv" + address.query({ ...asked, by: values.by || defaultBy(daily), offset: "" }),
      days: of({ by: "date", sort: "date", offset: "", limit: 5000, compare_since: "", compare_until: "" }) };
  }

  async function update(search) {
    values = address.read(search, usual, allowed);
    const { daily } = await session.load();
    if (daily === null) {
      results.replaceChildren(make("p", { class: "note" }, "There are no derived tables yet. Make them with ",
        make("code", {}, "postback refresh"), " or ", make("code", {}, "postback daily OUT"), "."));
      return;
    }
    elements.renew(controls, makeControls(daily));
    if (values.show === "postbacks") return rows();
    const asked = questions(daily);
    if (results.childNodes.length === 0) results.append(busy("Loading."));
    results.classList.add("is-old");
    // A page of the table may lack days.
    const [data, byDay] = await Promise.all([server.ask("campaigns", asked.rows),
      server.ask("campaign-days", asked.days).catch(problem => ({ problem }))]);
    if (data === null || byDay === null) return;
    const columns = columnsOf(data, daily);
    const days = byDay.problem ? [failure(byDay.problem.message)] : dayFigures(byDay);
    const sorted = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.sort : undefined;
    results.classList.remove("is-old");
    results.replaceChildren(...[
      ...(data.notes || []).map(note => make("p", { class: "note" }, note)),
      make("h2", {}, "By " + data.by.map(titleOf).join(" and ")),
      table({ caption: "Sums " + (data.since ? "from " + data.since : "of all days") + (data.until ? " before " + data.until : "")
        + (data.compare ? ", beside " + data.compare.since + " to " + data.compare.until : "") + (data.currency ? ", in " + data.currency : ""),
      columns, rows: data.rows, sort: values.sort, id: "campaigns-table", total: data.total,
      onSort: sort => change({ sort }) }),
      pages(data), source(asked.csv, data.command),
      make("h2", {}, "Charts"), make("div", { class: "charts" }, days, rowFigures(data)),
    ].filter(node => node !== null));
    const again = sorted === undefined ? null : results.querySelector("button[data-sort='" + sorted + "']");
    if (again !== null) again.focus();
    figures.find("campaigns-status").textContent = grouped(data.count) + (data.count === 1 ? " row" : " rows")
      + (data.total && data.total.installs !== null && data.total.installs !== undefined ? ", " + grouped(data.total.installs) + " installs" : "")
      + (data.total && data.total.revenue ? ", " + formats.money(formats.units(data.total.revenue), data.currency) : "");
  }

  async function rows() {
    const { where, since, until, date_type, window } = values;
    const path = "/api/postbacks" + address.query({ where, since, until, date_type, window });
    results.replaceChildren(make("h2", { tabindex: "-1" }, "The postbacks behind the number"), make("p", {},
      make("a", { href: "/campaigns" + address.query({ ...values, show: "" }, usual) }, "Back to the sums")), make("div", { class: "rows" }, busy("Searching.")));
    await paged.show(results.querySelector(".rows"), path, { caption: "Accepted postbacks, the newest first", columns: data => data.columns.map(name => ({
      key: name, title: name.replace(/_/g, " "), kind: /** @type {"number" | "text" | "time"} */ (["value", "revenue", "window"].includes(name) ? "number" : /_at$|_date$/.test(name) ? "time" : "text"),
      text: row => row[name] === null || row[name] === undefined ? "" : name === "revenue" ? formats.plain(formats.units(String(row[name]))) : String(row[name]),
      link: row => name === "postback_key" ? "/postback" + address.query({ id: row[name] }) : undefined })) });
    return undefined;
  }

  views.add({ path: "/campaigns", title: "Campaigns", update, onGeneration: () => true,
    open: main => {
      controls = make("div", { class: "controls filters", role: "search", "aria-label": "Choice of rows" });
      results = make("div", { class: "results" });
      main.append(make("h1", { tabindex: "-1" }, "Campaigns"), controls, results);
    } });
})();
