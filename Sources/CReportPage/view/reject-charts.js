/** Rejects over time and by sender, with the charts of the report. A bar leads to its rows. */
const rejectCharts = (function () {
  const { figure } = elements, { table } = tables;
  const { grouped, share, dayName } = formats;
  const shown = 12;

  /** Rejects of each code over the days that are chosen; nothing without days. */
  function overTime(data, hereWith, kindOf) {
    if (!data.over_time || data.over_time.codes.length === 0) return null;
    const { first_day, codes, undated } = data.over_time, first = Date.parse(first_day) / 86400000;
    const { length, placeOf, starts } = drawings.timeSteps(first, first + codes[0].counts.length - 1), labels = starts.map(dayName);
    const series = codes.map(({ code, counts }) => {
      const sums = labels.map(() => 0);
      counts.forEach((count, index) => { sums[placeOf(first + index)] += count; });
      return [code, sums, kindOf(code)];
    });
    // The choice of days and the steps may overlap only in part.
    const days = index => ({ since: dayName(Math.max(starts[index], first)),
      until: dayName(Math.min(starts[index] + length, first + codes[0].counts.length)) });
    const link = (code, index) => hereWith({ code, ...days(index) }), unit = drawings.unitOf(length);
    const rows = labels.map((label, index) => ({ label, index, counts: series.map(one => one[1][index]) }))
      .filter(row => row.counts.some(count => count > 0)).reverse();
    const columns = [{ key: "from", title: "from (UTC)", text: row => row.label, link: row => hereWith(days(row.index)) },
      ...series.map(([code], place) => ({ key: code, title: code, kind: /** @type {"number"} */ ("number"), text: row => grouped(row.counts[place]),
        link: row => row.counts[place] > 0 ? link(code, row.index) : undefined }))];
    return figure({ id: "timeline", title: "Rejects over time, by code", chart: "timeline", data: { step: unit, labels, series, link },
      description: "Rejects " + unit + ". Each code has its own scale; the broken line is its mean." + (codes.length > 8
        ? " The 8 most frequent codes; the numbers have all." : "") + (undated > 0 ? " " + grouped(undated)
        + " rejects outside of these days, or without a time, are not drawn." : "") + " A bar leads to its rows.",
      table: table({ caption: "Rejects by code and time of receipt, " + unit, columns, rows }) });
  }

  /** The shares of the senders of a kind, the highest first; nothing if there is one alone. */
  function senders(data, kind, title, labelOf, linkOf) {
    const all = data.senders ? data.senders[kind] : [];
    if (all.length < 2) return null;
    const lines = all.filter(one => one.suspicious + one.noise + one.copies + one.unresolved > 0)
      .map(one => ({ ...one, name: one.is_others ? "others" : labelOf(one), link: one.is_others ? undefined : linkOf(one) }))
      .sort((one, other) => other.suspicious / other.read - one.suspicious / one.read || other.noise / other.read - one.noise / one.read
        || other.read - one.read || order(one.name, other.name));
    if (lines.length === 0) return null;
    const [suspicious, read] = ["suspicious", "read"].map(name => total(all.map(one => one[name])));
    const number = (key, heading) => ({ key, title: heading, kind: /** @type {"number"} */ ("number"), text: row => grouped(row[key]) });
    const columns = [{ key: "name", title, text: row => row.name, link: row => row.link }, number("suspicious", "suspicious"), number("read", "records"),
      { key: "share", title: "share", kind: /** @type {"number"} */ ("number"), text: row => share(row.suspicious, row.read) },
      number("noise", "noise"), number("copies", "copies"), ...(kind === "forwarder" ? [number("unresolved", "copies with other values")] : [])];
    return figure({ id: kind + "s", title: "Rejects by " + title, chart: "senders",
      data: { kind: title, all: { suspicious, read }, senders: lines.slice(0, shown), link: one => one.link },
      description: "The share and the number of its records that are suspicious, the highest share first; dotted is noise, and the broken line is the "
        + "share of all. " + (kind === "forwarder" ? "Copies with other values count against no forwarder here: the signals tell whose they are."
        : "Unsigned fields can be invented: the network of a forged postback is only a claim.") + " A bar leads to its rows.",
      table: table({ caption: "Rejects by " + title, columns, rows: lines }) });
  }

  /** The charts of an answer. `hereWith` makes the address of the present choice with some other values, and `kindOf` tells the kind of a code's bars. */
  function of(data, hereWith, kindOf) {
    return [overTime(data, hereWith, kindOf),
      senders(data, "forwarder", "forwarder", one => one.name === null ? "no forwarder (devices)" : one.name,
        one => hereWith({ forwarder: [one.name === null ? "" : one.name] })),
      senders(data, "network", "ad network", one => one.name === null ? "unknown" : one.name,
        one => one.name === null ? undefined : hereWith({ network: one.name }))];
  }

  return { of };
})();
