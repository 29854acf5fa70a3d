/**
 * The figures of the business section, for all or for an app, a network or a span of days. The app and the days are those of the
 * page's filters; the network is chosen by its name in the section, and is in the address too.
 */
function reportBusiness(filters) {
  const { find, parsed, draw, fill } = figures;
  const { units, float, grouped, plain, money, exact, ratio, percent, share, dayName } = formats;
  const data = parsed(find("business-data"));
  if (data === null) return;
  const network = /** @type {HTMLSelectElement} */ (find("business-network"));
  const counted = ["installs", "values", "nulls", "open", "modelled", "unpriced", "revenues", "others", "otherCosts"];
  // Amounts that are null are not known, and nor are their sums.
  const amounts = ["revenue", "minimum", "closed", "all", "estimate", "low", "high"];
  // Amounts that not every cell has: null is none.
  const optional = ["cost", "confirmed"];
  const members = ["day", "app", "network", "campaign", ...counted, ...amounts, ...optional];
  const empty = () => Object.fromEntries([...counted.map(name => [name, 0]), ...amounts.map(name => [name, 0n]),
    ...optional.map(name => [name, null])]);

  function cellOf(list) {
    const cell = Object.fromEntries(members.map((name, index) => [name, list[index]]));
    for (const name of [...amounts, ...optional]) cell[name] = cell[name] === null ? null : units(cell[name]);
    return cell;
  }
  // Where the cells are too many for the page, it has sums by campaign and by day, which cannot be filtered.
  const isFiltered = data.dayCells === null, cells = data.cells.map(cellOf);
  const dayCells = isFiltered ? cells : data.dayCells.map(cellOf);

  function add(sum, cell) {
    for (const name of counted) sum[name] += cell[name];
    for (const name of amounts) sum[name] = sum[name] === null || cell[name] === null ? null : sum[name] + cell[name];
    for (const name of optional) if (cell[name] !== null) sum[name] = (sum[name] === null ? 0n : sum[name]) + cell[name];
    return sum;
  }

  /** Sums, in which the revenue is not known, and not 0, if all of it is in other currencies. */
  const shown = sum => sum.revenues === 0 && sum.others > sum.otherCosts
    ? { ...sum, ...Object.fromEntries(amounts.map(name => [name, null])) } : sum;

  function sums(chosen, key) {
    const found = new Map();
    for (const cell of chosen) found.set(cell[key], add(found.get(cell[key]) || empty(), cell));
    for (const [value, sum] of found) found.set(value, shown(sum));
    return found;
  }

  const least = sum => sum.minimum === null || sum.low === null ? null : sum.minimum + sum.low;
  const most = sum => sum.closed === null || sum.revenue === null || sum.high === null ? null : larger(sum.closed, sum.revenue) + sum.high;
  const known = amount => amount === null ? "" : plain(amount);
  const confirmed = sum => sum.minimum === null ? null : sum.confirmed;
  const isOpen = sum => sum.open > 0 || sum.nulls > sum.modelled;

  function drawDays(chosen, days) {
    const byDay = sums(chosen, "day"), of = day => byDay.get(day) || empty();
    const state = day => data.status[day] || "final";
    const expected = day => day in data.expected ? percent(Number(data.expected[day])) : "";
    draw("installs-by-day", { days: days.map(day => [day, of(day).installs, state(day)]) });
    fill(find("installs-by-day"), days.map(day => [dayName(day), state(day), String(of(day).installs), expected(day)]));
    draw("revenue-by-day", { currency: data.currency, days: days.map(day => {
      const sum = of(day), text = amount => amount === null ? null : exact(amount);
      return { day, revenue: text(sum.revenue), modelled: text(sum.estimate), least: text(least(sum)), most: text(most(sum)),
        isOpen: isOpen(sum) };
    }) });
    fill(find("revenue-by-day"), days.map(day => {
      const sum = of(day), modelled = amount => sum.modelled > 0 ? known(amount) : "";
      return [dayName(day), known(sum.revenue), known(sum.minimum), sum.open > 0 && sum.closed !== null ? "open" : known(sum.closed),
        modelled(sum.estimate), modelled(sum.low), modelled(sum.high), known(sum.all)];
    }));
    fill(find("completeness"), days.filter(day => day in data.status).slice(-14).reverse().map(day =>
      [dayName(day), state(day), expected(day), ...[of(day).installs, of(day).values, of(day).nulls].map(String)]));
  }

  /** Draws the chosen cells. `spare` are those of costs that are not of one app, while an app is chosen. */
  function drawCampaigns(chosen, spare) {
    const spares = sums(spare, "campaign");
    const lines = Array.from(sums(chosen, "campaign"), ([index, sum]) => {
      const [label, id, suspicions] = data.campaigns[index], cost = sum.unpriced === 0 && sum.cost !== null && sum.cost > 0n ? float(sum.cost) : null;
      const parts = [sum.revenue, sum.minimum, most(sum)], isWhole = sum.others === 0 && !parts.includes(null);
      const returns = cost === null || !isWhole ? null : parts.map(amount => float(amount) / cost);
      const { unpriced, otherCosts, cost: left } = spares.get(index) || empty();
      const judgement = sum.unpriced > 0 ? "undecided" : rules.judgementOfApps(isWhole ? parts.slice(1).map(float) : null,
        isOpen(sum), cost, unpriced + otherCosts > 0 ? null : float(left || 0n), sum.cost !== null && sum.cost < 0n, sum.otherCosts > 0);
      return { label, id, suspicions, sum, cost, returns, judgement };
    });
    lines.sort((one, other) => order(other.sum.cost || 0n, one.sum.cost || 0n) || other.sum.installs - one.sum.installs
      || order(one.label, other.label));
    const drawn = lines.filter(line => line.returns !== null).slice(0, drawings.mostRows)
      .sort((one, other) => other.returns[0] - one.returns[0] || order(one.label, other.label));
    draw("campaigns", { currency: data.currency, campaigns: drawn.map(({ label, sum, returns }) =>
      ({ label, returns, isOpen: isOpen(sum), revenue: exact(sum.revenue), cost: exact(sum.cost) })) });
    fill(find("campaigns"), lines.map(({ label, id, suspicions, sum, cost, returns, judgement }) => [label, id,
      known(sum.unpriced > 0 ? null : sum.cost), String(sum.installs),
      cost === null || sum.installs === 0 || sum.otherCosts > 0 ? "" : ratio(cost / sum.installs), known(sum.revenue), ...(returns === null ? ["", "", ""]
        : [ratio(returns[0]), ratio(returns[1]), isOpen(sum) ? "open" : ratio(returns[2])]),
      cost === null || sum.others > 0 || sum.all === null ? "" : ratio(float(sum.all) / cost), share(sum.nulls, sum.nulls + sum.values), data.judgements[judgement],
      known(confirmed(sum)), suspicions]));
  }

  function drawNulls(chosen) {
    const rates = Array.from(sums(chosen, "network"), ([index, { nulls, values }]) =>
      ({ name: data.networks[index], nulls, values, total: nulls + values, interval: rules.wilson(nulls, nulls + values) }))
      .filter(one => one.total > 0).sort((one, other) => other.total - one.total || order(one.name, other.name));
    const rate = one => one.nulls / one.total;
    const all = { nulls: total(rates.map(one => one.nulls)), total: total(rates.map(one => one.total)) };
    const drawn = rates.slice(0, drawings.mostRows).sort((one, other) => rate(other) - rate(one) || order(one.name, other.name));
    draw("null-rates", { all, rates: drawn });
    fill(find("null-rates"), rates.map(one => [one.name, String(one.nulls), String(one.values),
      ...[rate(one), ...one.interval].map(percent)]));
  }

  function drawAll() {
    const place = filters.state.networkName;
    network.value = place < 0 ? "" : String(place);
    const wanted = filters.state.app < 0 ? null : filters.values.app[filters.state.app];
    // In a report by app, costs may lack it.
    const hasApps = data.appIDs.some(id => id !== ""), isSpare = cell => wanted !== null && hasApps && data.appIDs[cell.app] === "";
    const isOfApp = cell => wanted === null || !isSpare(cell)
      && (wanted === 0 ? !filters.values.app.includes(data.appIDs[cell.app]) : data.appIDs[cell.app] === wanted);
    const within = cells.filter(cell => !isFiltered || filters.within(cell.day === null ? -1 : cell.day)
      && (place < 0 || cell.network === place));
    const chosen = within.filter(cell => !isFiltered || isOfApp(cell));
    drawDays(isFiltered ? chosen : dayCells, data.days.filter(day => !isFiltered || filters.within(day)));
    drawCampaigns(chosen, isFiltered ? within.filter(isSpare) : []);
    drawNulls(chosen);
    const all = shown(chosen.reduce(add, empty()));
    find("business-status").textContent = grouped(all.installs) + " installs" + (all.revenue === null ? "" : ", " + money(all.revenue, data.currency))
      + (all.cost === null || all.unpriced > 0 ? "" : ", cost " + money(all.cost, data.currency));
  }

  if (!isFiltered) return drawAll();
  data.networks.forEach((name, index) => {
    const option = document.createElement("option");
    option.textContent = name;
    option.value = String(index);
    network.append(option);
  });
  network.addEventListener("change", () => filters.change({ networkName: network.value === "" ? -1 : Number(network.value), at: "" }));
  filters.extend(data.networks, data.days);
  filters.listen(drawAll);
  find("business-controls").hidden = false;
}
