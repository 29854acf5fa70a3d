/** The installs and the decoded revenue for a choice of the filters. `outcomes.js` restores them without a choice. */
function reportDecoded(filters) {
  const { find, note, draw, fill } = figures, { units, exact, dayName } = formats;
  const { cube, values, labelOf } = filters;
  const mostDays = 120;
  // A reader who may not see amounts has no such section.
  if (find("installs") === null) return;

  function installs() {
    if (cube.installs === null) return note("installs", "There are too many groups to filter: these are all installs.");
    const found = new Map(), of = day => found.get(day) || found.set(day, [0, 0, 0]).get(day);
    for (let at = 0; at < cube.installs.length; at += 8) {
      if (filters.state.code > 0 || !filters.matches(cube.installs, at)) continue;
      const [estimated, earliest, latest, count] = cube.installs.slice(at + 4, at + 8);
      of(estimated)[0] += count;
      if (earliest === latest) of(earliest)[1] += count;
      for (let day = earliest; day <= latest; day++) of(day)[2] += count;
    }
    const known = Array.from(found.keys()), last = Math.max(...known), first = Math.max(Math.min(...known), last - mostDays + 1);
    const days = known.length === 0 ? []
      : Array.from({ length: last - first + 1 }, (_, index) => [first + index, ...of(first + index)]);
    draw("installs", { days });
    fill(find("installs"), days.filter(day => day[3] > 0).map(([day, ...counts]) => [dayName(day), ...counts.map(String)]));
    return note("installs", "The installs whose first postbacks are chosen.");
  }

  const empty = () => ({ postbacks: 0, open: 0, amounts: [0n, 0n, 0n] });
  /** Adds the counts of one sum to another; `join` makes one amount of two. */
  function add(sum, one, join = (amount, other) => amount + other) {
    sum.postbacks += one.postbacks;
    sum.open += one.open;
    sum.amounts = sum.amounts.map((amount, index) => join(amount, one.amounts[index]));
  }

  /** The chosen revenue of each class of postbacks, which are those of a model, by window. */
  function classes() {
    const found = new Map();
    for (const cell of cube.revenue) {
      if (filters.state.code > 0 || !filters.matches(cell, 0)) continue;
      const windows = found.get(cell[4]) || [null, null, null];
      const one = windows[cell[5]] || { ...empty(), isCumulative: false };
      one.isCumulative = one.isCumulative || cell[6] === 1;
      add(one, { postbacks: cell[7], open: cell[8], amounts: cell.slice(9).map(units) });
      windows[cell[5]] = one;
      found.set(cell[4], windows);
    }
    return found;
  }

  /** The revenue by app and currency. A cumulative window includes those before it, so that the larger sum is taken. */
  function ranges() {
    const found = new Map();
    for (const [index, windows] of classes()) {
      const [app, currency] = cube.classes[index], sum = empty(), known = windows.filter(one => one !== null);
      for (const one of known) add(sum, one, one.isCumulative ? larger : undefined);
      const basis = Math.max(0, ...known.slice(1).map(one => one.isCumulative ? 2 : 1));
      const name = currency + " " + app;
      const all = found.get(name) || { ...empty(), app: labelOf(values.app[app], "app"), currency, basis: 0 };
      add(all, sum);
      all.basis = Math.max(all.basis, basis);
      found.set(name, all);
    }
    return Array.from(found.values());
  }

  function revenue() {
    if (find("revenue").querySelector("svg") === null) return undefined;
    if (cube.revenue === null) return note("revenue", "There are too many groups to filter: this is all revenue.");
    const used = new Map(), all = ranges();
    for (const range of all) used.set(range.currency, (used.get(range.currency) || 0) + range.postbacks);
    all.sort((one, other) => used.get(other.currency) - used.get(one.currency) || order(one.currency, other.currency)
      || order(other.amounts[0], one.amounts[0]) || order(one.app, other.app));
    const lines = all.map(({ app, currency, postbacks, open, basis, amounts: [estimate, minimum, closed] }) => ({
      app, currency, postbacks, open, basis, estimate: exact(estimate), minimum: exact(minimum),
      maximum: open > 0 ? null : exact(closed), farthest: exact(open > 0 ? larger(closed, estimate) : closed),
    }));
    draw("revenue", { ranges: lines });
    fill(find("revenue"), lines.map(one => [one.app, one.currency, String(one.postbacks),
      ["one", "added", "not added, cumulative"][one.basis], one.estimate, one.minimum, one.maximum === null ? "open" : one.maximum,
      String(one.open)]));
    return note("revenue", "The decoded revenue of the chosen postbacks: a dot for the estimate, and a line from the lower to the "
      + "upper limit. Currencies are never added.");
  }

  filters.listen(() => {
    if (!filters.isActive()) return;
    installs();
    revenue();
  });
}
