/** The counts of records for a choice of the filters. Without a choice the page has what was written into it, which is more. */
function reportOutcomes(filters, addressOf) {
  const { find, note, draw, fill, dataOf } = figures, { grouped, share, dayName } = formats;
  const { timeSteps, unitOf } = drawings, { cube, values, labelOf } = filters;
  const restore = figures.start(["funnel", "windows", "codes", "timeline", "networks", "forwarders", "installs", "revenue"]);
  const outcomes = cube.outcomes.map(([code, stage, status, window, value, kind, meaning]) =>
    ({ code, stage, status, window, value, kind, meaning }));
  const meanings = new Map(outcomes.map(({ code, kind, meaning }) => [code, [meaning, kind]]));
  const statuses = dataOf("funnel").undecoded, series = dataOf("timeline").series.map(one => one[0]);

  function link(part) {
    const fragment = filters.rowsOf(part);
    return fragment === undefined ? undefined : addressOf(fragment);
  }
  const day = 86400000, isDay = text => /^\d{4}-\d\d-\d\d$/.test(text);

  /** Draws rejects over time, with links from each bar of whole days to its rows. */
  function drawTimeline(data) {
    const { labels } = data, step = labels.length > 1 ? Date.parse(labels[1]) - Date.parse(labels[0]) : day;
    draw("timeline", { ...data, link: (code, index) => isDay(labels[index])
      ? link({ code, from: labels[index], to: new Date(Date.parse(labels[index]) + step - day).toISOString().slice(0, 10) }) : undefined });
  }

  /**
   * Draws the shares of senders, with links from each bar to its rows. A bar that counts others than the rejects of its class, such as
   * accepted postbacks that a device contradicts, leads nowhere.
   */
  function drawSenders(figure, dimension, offset, data) {
    const counts = sum((outcome, at) => cube.counts[at + offset] + " " + outcome.kind);
    const isWhole = (one, kind) => one[kind] > 0 && counts.get(values[dimension].indexOf(one.value) + " " + kind) === one[kind];
    const code = kind => filters.state.code < 0 ? { code: { class: kind } } : {};
    draw(figure, { ...data, link: (one, kind) => isWhole(one, kind) ? link({ [dimension]: one.value, ...code(kind) }) : undefined });
  }

  /** The sums of the chosen cells by a key; cells without one are left out. */
  function sum(key) {
    const found = new Map(), wanted = cube.outcomes.map(filters.outcomeMatches), list = cube.counts;
    for (let at = 0; at < list.length; at += 6) {
      if (!wanted[list[at + 4]] || !filters.matches(list, at)) continue;
      const name = key(outcomes[list[at + 4]], at);
      if (name !== undefined) found.set(name, (found.get(name) || 0) + list[at + 5]);
    }
    return found;
  }

  function funnel() {
    const stages = sum(outcome => outcome.code === null ? "accepted" : outcome.stage), of = name => stages.get(name) || 0;
    const decode = sum(outcome => outcome.code === null ? outcome.status : undefined);
    const unique = of("accepted"), verified = unique + of("dedup"), parsed = verified + of("signature") + of("policy");
    const read = total(Array.from(stages.values()));
    const steps = [["read", read], ["parsed", parsed], ["verified", verified], ["unique", unique],
      ["decoded", decode.get("decoded") || 0]];
    const undecoded = statuses.map(([name, , meaning]) => [name, decode.get(name) || 0, meaning]);
    draw("funnel", { steps, undecoded });
    fill(find("funnel"), steps.map(([name, count], index) =>
      [name, String(count), share(count, read), String(index > 0 ? steps[index - 1][1] - count : 0)]), 0);
    fill(find("funnel"), undecoded.map(([name, count, meaning]) => [name, String(count), share(count, unique), meaning]), 1);
    note("funnel", "Of the chosen records: " + grouped(read) + " read.");
  }

  function windows() {
    const found = sum(outcome => outcome.window === null ? undefined : outcome.window + outcome.value);
    const counts = [0, 1, 2].map(window => ["fine", "coarse", "null"].map(kind => found.get(window + kind) || 0));
    draw("windows", { windows: counts });
    fill(find("windows"), counts.map((one, window) => [String(window), ...one.map(String), share(one[2], total(one))]));
  }

  function codes() {
    const found = sum(outcome => outcome.code === null ? undefined : outcome.code), span = new Map();
    sum((outcome, at) => {
      const day = cube.counts[at];
      if (outcome.code === null || day < 0) return undefined;
      const [low, high] = span.get(outcome.code) || [day, day];
      span.set(outcome.code, [Math.min(low, day), Math.max(high, day)]);
      return undefined;
    });
    const all = total(Array.from(found.values()));
    const ranked = Array.from(found).sort((one, other) => other[1] - one[1] || order(one[0], other[0]));
    fill(find("codes"), ranked.map(([code, count]) => [code, String(count), share(count, all),
      ...(span.has(code) ? span.get(code).map(dayName) : ["unknown", "unknown"]), ...meanings.get(code)]));
    return ranked.map(one => one[0]);
  }

  /** The steps of the axis of time, for the days that are chosen. */
  function steps() {
    if (cube.days === null) return { length: 1, placeOf: () => -1, starts: [] };
    const { from, to } = filters.state, [first, last] = cube.days;
    return timeSteps(Math.max(first, from === "" ? first : Date.parse(from) / day),
      Math.min(last, to === "" ? last : Date.parse(to) / day));
  }

  function timeline(ranked) {
    const { length, placeOf, starts } = steps(), unit = unitOf(length);
    const counts = new Map(ranked.map(code => [code, Array(starts.length).fill(0)]));
    const found = sum((outcome, at) => outcome.code !== null && placeOf(cube.counts[at]) >= 0
      ? outcome.code + " " + placeOf(cube.counts[at]) : undefined);
    for (const [name, count] of found) {
      const place = name.lastIndexOf(" ");
      counts.get(name.slice(0, place))[Number(name.slice(place + 1))] = count;
    }
    const labels = starts.map(dayName);
    drawTimeline({ step: unit, labels, series: ranked.map(code => [code, counts.get(code)]) });
    const columns = series.map(code => counts.get(code) || []);
    fill(find("timeline"), labels.map((label, index) => [label, ...columns.map(column => String(column[index] || 0))])
      .filter((_, index) => columns.some(column => column[index] > 0)));
    note("timeline", "Rejects " + unit + " of the chosen records that have a time. Each code has its own scale; the broken line is "
      + "its mean.");
  }

  // Of copies with other values only the whole page tells whose they are, so that they count against no forwarder here.
  function senders(figure, dimension, offset) {
    const all = new Map();
    sum((outcome, at) => {
      const index = cube.counts[at + offset], count = cube.counts[at + 5];
      const value = values[dimension][index];
      const one = all.get(index) || { name: labelOf(value, dimension), value, read: 0, accepted: 0, suspicious: 0,
        noise: 0, copies: 0, unresolved: 0, codes: new Map() };
      const kind = dimension === "forwarder" && outcome.code === "duplicate_conflict" ? "unresolved" : outcome.kind;
      one.read += count;
      one[kind] += count;
      if (kind === "suspicious") one.codes.set(outcome.code, (one.codes.get(outcome.code) || 0) + count);
      all.set(index, one);
      return undefined;
    });
    const lines = Array.from(all.values()).sort((one, other) =>
      other.suspicious / other.read - one.suspicious / one.read || other.read - one.read || order(one.name, other.name));
    const [suspicious, read] = ["suspicious", "read"].map(name => total(lines.map(one => one[name])));
    drawSenders(figure, dimension, offset, { kind: dataOf(figure).kind, all: { suspicious, read }, senders: lines });
    const mostFrequent = one => Array.from(one.codes).sort((left, right) => right[1] - left[1] || order(left[0], right[0]))[0];
    fill(find(figure), lines.map(one => [one.name, String(one.suspicious), "", String(one.read), share(one.suspicious, one.read),
      String(one.noise), String(one.copies), String(one.unresolved), one.codes.size > 0 ? mostFrequent(one)[0] : ""]));
    note(figure, "The share and the number of the chosen records that are suspicious; dotted is noise. Accepted postbacks that a "
      + "device contradicts, and copies with other values of a forwarder, are counted only without a filter.");
  }

  filters.listen(() => {
    restore();
    if (!filters.isActive()) {
      drawTimeline(dataOf("timeline"));
      drawSenders("networks", "network", 2, dataOf("networks"));
      drawSenders("forwarders", "forwarder", 1, dataOf("forwarders"));
      return;
    }
    funnel();
    windows();
    timeline(codes());
    senders("networks", "network", 2);
    senders("forwarders", "forwarder", 1);
  });
}
