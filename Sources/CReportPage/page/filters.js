/**
 * The filters of the page: their state, which is in the fragment of the address, and their controls.
 *
 * The business half adds its networks, by their names, and its days before the start.
 *
 * The fragment is written by others. Of each dimension only the values that the page has are accepted, and of `at` only the
 * sections that the page links to; the rest is ignored.
 */
function reportFilters() {
  const { find, parsed } = figures, { dayName, grouped } = formats;
  const cube = parsed(find("cube"));
  const names = ["forwarder", "network", "app", "code"];
  const codes = ["accepted", ...new Set(cube.outcomes.map(outcome => outcome[0]).filter(code => code !== null))];
  const classOf = new Map(cube.outcomes.map(outcome => [outcome[0], outcome[5]]));
  // All codes of a class are a value too.
  const kinds = Array.from(classOf.values()), classes = ["suspicious", "noise", "copies"].filter(name => kinds.includes(name))
    .map(name => ({ class: name }));
  const values = { forwarder: cube.forwarder, network: cube.network, app: cube.app, code: [...codes, ...classes] };
  const keyOf = value => value === null ? "~none" : value === 0 ? "~others" : typeof value === "object" ? "~" + value.class
    : value.startsWith("~") ? "~" + value : value;
  const labelOf = (value, name) => value === null ? name === "forwarder" ? "no forwarder (devices)" : "unknown"
    : value === 0 ? "others" : typeof value === "object" ? "all " + value.class : value;
  const keys = Object.fromEntries(names.map(name => [name, values[name].map(keyOf)]));
  let days = [], networkNames = [];
  /** Adds the networks and the days of installs that the business half can choose. Its days are of installs, others of receipt. */
  function extend(names, own) {
    networkNames = names;
    const all = [...(cube.days || []), ...own], first = Math.min(...all);
    days = all.length === 0 ? [] : Array.from({ length: Math.max(...all) - first + 1 }, (_, index) => dayName(first + index));
  }
  extend([], []);
  const sections = new Set(Array.from(document.querySelectorAll("nav a[href^='#'], #findings a[href^='#']"), link =>
    link.getAttribute("href").slice(1)).concat("rejected-rows"));
  const initial = { from: "", to: "", forwarder: -1, network: -1, app: -1, code: -1, networkName: -1, words: "", sort: "", open: "",
    at: "" };
  let state = { ...initial };
  const listeners = [];

  function read() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    state = { ...initial };
    for (const name of names) state[name] = wanted.has(name) ? keys[name].indexOf(wanted.get(name)) : -1;
    state.networkName = wanted.has("network_name") ? networkNames.indexOf(wanted.get("network_name")) : -1;
    for (const name of ["from", "to"]) if (days.includes(wanted.get(name))) state[name] = wanted.get(name);
    state.words = (wanted.get("filter") || "").slice(0, 200);
    const places = { sort: /^-?\d{1,6}$/, open: /^\d{1,6}$/ };
    for (const name of Object.keys(places)) if (places[name].test(wanted.get(name) || "")) state[name] = wanted.get(name);
    if (sections.has(wanted.get("at"))) state.at = wanted.get("at");
  }

  function fragment() {
    const written = new URLSearchParams();
    for (const name of ["from", "to"]) if (state[name] !== "") written.set(name, state[name]);
    for (const name of names) if (state[name] >= 0) written.set(name, keys[name][state[name]]);
    if (state.networkName >= 0) written.set("network_name", networkNames[state.networkName]);
    if (state.words !== "") written.set("filter", state.words);
    for (const name of ["sort", "open", "at"]) if (state[name] !== "") written.set(name, state[name]);
    return "#" + written.toString();
  }

  /**
   * The fragment of a choice within the present one, which leads to its rows; undefined if a value is none of the page. A day before the
   * first one of the page, or after the last one, is no limit.
   */
  function rowsOf(part) {
    const written = new URLSearchParams(fragment().slice(1));
    if (days.includes(part.from) && part.from > state.from) written.set("from", part.from);
    if (days.includes(part.to) && (state.to === "" || part.to < state.to)) written.set("to", part.to);
    for (const name of names.filter(name => name in part)) {
      const key = keyOf(part[name]);
      if (!keys[name].includes(key)) return undefined;
      written.set(name, key);
    }
    written.delete("filter");
    written.set("at", "rejected-rows");
    return "#" + written.toString();
  }

  const isActive = () => state.from !== "" || state.to !== "" || names.some(name => state[name] >= 0);
  const isChosen = () => isActive() || state.networkName >= 0;
  const [first, last] = [() => state.from === "" ? null : Date.parse(state.from) / 86400000,
    () => state.to === "" ? null : Date.parse(state.to) / 86400000];
  const within = day => (state.from === "" || day >= 0 && day >= first()) && (state.to === "" || day >= 0 && day <= last());

  // The place of a cell: day, forwarder, network, app.
  const matches = (cells, at) => within(cells[at]) && (state.forwarder < 0 || state.forwarder === cells[at + 1])
    && (state.network < 0 || state.network === cells[at + 2]) && (state.app < 0 || state.app === cells[at + 3]);
  const isOfCode = (code, wanted) => typeof wanted === "object" ? classOf.get(code) === wanted.class : code === wanted;
  const outcomeMatches = outcome => state.code < 0 || isOfCode(outcome[0] === null ? "accepted" : outcome[0], values.code[state.code]);

  const columns = { forwarder: "forwarder", network: "ad_network_id", app: "app_id", code: "reject_code" };
  function rowMatches(row) {
    const day = (row.received_at || "").slice(0, 10);
    if (state.from !== "" && !(day >= state.from) || state.to !== "" && !(day !== "" && day <= state.to)) return false;
    return names.every(name => {
      if (state[name] < 0) return true;
      const wanted = values[name][state[name]], found = row[columns[name]];
      if (name === "code") return isOfCode(found, wanted);
      return wanted === null ? found === undefined : wanted === 0 ? !values[name].includes(found === undefined ? null : found)
        : found === wanted;
    });
  }

  function show() {
    for (const name of names) find("filter-" + name).value = state[name] < 0 ? "" : String(state[name]);
    for (const name of ["from", "to"]) find("filter-" + name).value = state[name];
    const found = { accepted: 0, suspicious: 0, noise: 0, copies: 0 };
    let all = 0;
    const wanted = cube.outcomes.map(outcomeMatches);
    for (let at = 0; at < cube.counts.length; at += 6) {
      all += cube.counts[at + 5];
      if (!wanted[cube.counts[at + 4]] || !matches(cube.counts, at)) continue;
      found[cube.outcomes[cube.counts[at + 4]][5]] += cube.counts[at + 5];
    }
    const parts = Object.entries(found);
    find("filter-status").textContent = isActive() ? grouped(total(parts.map(one => one[1]))) + " of " + grouped(all)
      + " records: " + parts.map(([name, count]) => grouped(count) + " " + name).join(", ") : "All " + grouped(all) + " records";
    find("filter-reset").disabled = !isChosen();
    for (const listener of listeners) listener();
  }

  // Words that are typed replace the entry of the history; a choice makes a new one.
  function change(part, replaces) {
    state = { ...state, ...part };
    const written = fragment();
    if (replaces) location.replace(written); else if (written !== location.hash) location.hash = written;
    show();
  }

  function start() {
    for (const name of names) {
      const select = find("filter-" + name);
      values[name].forEach((value, index) => {
        const option = document.createElement("option");
        option.textContent = labelOf(value, name);
        option.value = String(index);
        select.append(option);
      });
      select.addEventListener("change", () => change({ [name]: select.value === "" ? -1 : Number(select.value), at: "" }));
    }
    for (const name of ["from", "to"]) {
      const input = find("filter-" + name);
      if (days.length > 0) [input.min, input.max] = [days[0], days[days.length - 1]];
      input.addEventListener("change", () => change({ [name]: days.includes(input.value) ? input.value : "", at: "" }));
    }
    find("filter-reset").addEventListener("click", () => change({ ...initial }));
    document.addEventListener("click", event => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      const target = link === null ? "" : link.getAttribute("href") || "";
      if (!target.startsWith("#") || !sections.has(target.slice(1)) || !isChosen()) return;
      event.preventDefault();
      change({ at: target.slice(1) });
      find(state.at).scrollIntoView();
    });
    window.addEventListener("hashchange", () => {
      if (fragment() === location.hash || fragment() === "#" && location.hash === "") return;
      go();
    });
    find("filters").hidden = false;
    go();
  }

  function go() {
    read();
    show();
    if (state.at !== "") find(state.at).scrollIntoView();
  }

  return { cube, values, labelOf, start, extend, change, rowsOf, isActive, matches, outcomeMatches, rowMatches, within,
    get state() { return state; }, listen: listener => listeners.push(listener) };
}
