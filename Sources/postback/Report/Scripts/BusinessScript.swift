/// The script of the business section: it draws the figures anew for an app, a network or a span of days.
/// The app and the days are those of the page's filters; the network is chosen by its name in the section.
///
/// Without a filter the figures are those that the page has without a script. Data is put into the page only as text.
enum BusinessScript {
  static let source: StaticString = """
    "use strict";
    (function () {
      const holder = document.getElementById("business-data");
      if (!holder) return;
      const data = JSON.parse(holder.textContent);
      const { find, units, float, grouped, plain, ratio, percent, share, dayName, short, cut, order, ticks, drawing, fill, dayChart } =
        postback;
      const network = find("business-network");
      const cells = data.cells.map(cell => ({
        day: cell[0], app: cell[1], network: cell[2], campaign: cell[3], installs: cell[4], values: cell[5], nulls: cell[6],
        open: cell[7], modelled: cell[8], cost: cell[9] === null ? null : units(cell[9]), amounts: cell.slice(10).map(units),
      }));
      const empty = () => ({ installs: 0, values: 0, nulls: 0, open: 0, modelled: 0, cost: null, amounts: Array(8).fill(0n) });

      function add(sum, cell) {
        for (const name of ["installs", "values", "nulls", "open", "modelled"]) sum[name] += cell[name];
        if (cell.cost !== null) sum.cost = (sum.cost === null ? 0n : sum.cost) + cell.cost;
        sum.amounts = sum.amounts.map((amount, index) => amount + cell.amounts[index]);
      }

      function sums(chosen, key) {
        const found = new Map();
        for (const cell of chosen) {
          const name = key(cell);
          if (!found.has(name)) found.set(name, empty());
          add(found.get(name), cell);
        }
        return found;
      }

      const [REVENUE, LEAST, MOST, ALL, ESTIMATE, LOW, HIGH, CONFIRMED] = [0, 1, 2, 3, 4, 5, 6, 7];
      const larger = (one, other) => one > other ? one : other;
      const least = sum => sum.amounts[LEAST] + sum.amounts[LOW];
      const most = sum => larger(sum.amounts[MOST], sum.amounts[REVENUE]) + sum.amounts[HIGH];
      const isOpen = sum => sum.open > 0 || sum.nulls > sum.modelled;
      const money = value => (data.currency === null ? "" : data.currency + "\\u00a0") + plain(value);
      function drawDays(chosen, days) {
        const byDay = sums(chosen, cell => cell.day), of = day => byDay.get(day) || empty();
        const state = day => data.status[day] || "final", expected = day => data.expected[day];
        dayChart("installs-by-day", days.map(day => ({ name: dayName(day),
          parts: [[state(day) === "open" ? "none" : "bar", of(day).installs]],
          title: dayName(day) + ": " + of(day).installs + ", " + state(day) })), data.installsUnit, true);
        fill(find("installs-by-day"), days.map(day => [dayName(day), state(day), String(of(day).installs),
          expected(day) === undefined ? "" : percent(Number(expected(day)))]), [false, true, false]);
        dayChart("revenue-by-day", days.map(day => ({ name: dayName(day), open: isOpen(of(day)),
          parts: [["bar", float(of(day).amounts[REVENUE])], ["coarse", float(of(day).amounts[ESTIMATE])]],
          range: [float(least(of(day))), float(most(of(day)))],
          title: dayName(day) + ": " + money(of(day).amounts[REVENUE]) + " observed" })), data.revenueUnit, false);
        fill(find("revenue-by-day"), days.map(day => {
          const sum = of(day), modelled = index => sum.modelled > 0 ? plain(sum.amounts[index]) : "";
          return [dayName(day), plain(sum.amounts[REVENUE]), plain(sum.amounts[LEAST]),
            sum.open > 0 ? "open" : plain(sum.amounts[MOST]), modelled(ESTIMATE), modelled(LOW), modelled(HIGH),
            plain(sum.amounts[ALL])];
        }), Array(7).fill(true));
        fill(find("completeness"), days.filter(day => data.status[day] !== undefined).slice(-14).reverse().map(day => [dayName(day), data.status[day] || "",
          expected(day) === undefined ? "" : percent(Number(expected(day))), String(of(day).installs), String(of(day).values),
          String(of(day).nulls)]), [false, true, true, true, true]);
      }

      function drawCampaigns(chosen) {
        const lines = Array.from(sums(chosen, cell => cell.campaign), ([index, sum]) => {
          const [label, id, suspicions] = data.campaigns[index], cost = sum.cost !== null && sum.cost > 0n ? float(sum.cost) : null;
          const roas = cost === null ? null : [float(sum.amounts[REVENUE]), float(least(sum)), float(most(sum))].map(one => one / cost);
          const judgement = roas === null ? "no cost" : roas[1] >= 1 ? "above 1"
            : roas[2] < 1 && !isOpen(sum) ? "below 1" : "undecided";
          return { label, id, suspicions, sum, cost, roas, judgement };
        });
        lines.sort((one, other) => order(other.sum.cost || 0n, one.sum.cost || 0n) || other.sum.installs - one.sum.installs
          || order(one.label, other.label));
        const shown = lines.filter(line => line.cost !== null).slice(0, 16).sort((one, other) => other.roas[0] - one.roas[0]
          || order(one.label, other.label));
        if (find("campaigns").querySelector("svg")) {
          const bottom = shown.length * 28 + 18, draw = drawing("campaigns", shown.length * 28 + 60);
          const values = ticks(Math.min(shown.length ? Math.max(...shown.map(line => line.roas[2])) : 1, 10), false);
          const end = values[values.length - 1], x = value => 250 + 236 * Math.min(Math.max(value, 0), end) / end;
          for (const value of values) {
            draw.line(x(value), 16, x(value), bottom, "grid");
            draw.text(short(value), x(value), bottom + 14, "middle", "axis");
          }
          draw.line(x(1), 16, x(1), bottom, "axis");
          draw.text("return on ad spend; 1 pays the cost back", 368, bottom + 33, "middle", "axis");
          if (shown.length > 1) {
            const mean = shown.reduce((sum, line) => sum + float(line.sum.amounts[REVENUE]), 0) / shown.reduce((sum, line) => sum + line.cost, 0);
            draw.mean(x(mean), bottom, "all of these " + ratio(mean));
          }
          shown.forEach((line, index) => {
            const y = index * 28 + 34, [seen, low, high] = line.roas, drop = isOpen(line.sum) ? 5 : 0;
            draw.text(cut(line.label, 24), 242, y + 5, "end");
            draw.line(x(low), y, x(high), y, "whisker");
            draw.line(x(low), y - 5, x(low), y + 5, "whisker");
            draw.line(x(high) - drop, y - 5, x(high), y, "whisker");
            draw.line(x(high) - drop, y + 5, x(high), y, "whisker");
            draw.dot(x(seen), y);
            draw.text(money(line.sum.cost) + ": " + ratio(seen) + " (" + ratio(low) + (isOpen(line.sum) ? " or more" : " – " + ratio(high)) + ")", 502, y + 5,
              "start", "axis");
          });
        }
        fill(find("campaigns"), lines.map(({ label, id, suspicions, sum, cost, roas, judgement }) => [label, id,
          sum.cost === null ? "" : plain(sum.cost), String(sum.installs),
          cost === null || sum.installs === 0 ? "" : ratio(cost / sum.installs), plain(sum.amounts[REVENUE]),
          roas ? ratio(roas[0]) : "", roas ? ratio(roas[1]) : "", roas ? isOpen(sum) ? "open" : ratio(roas[2]) : "",
          cost === null ? "" : ratio(float(sum.amounts[ALL]) / cost), share(sum.nulls, sum.nulls + sum.values), judgement, data.isConfirmed ? plain(sum.amounts[CONFIRMED]) : "", suspicions]),
          [false, true, true, true, true, true, true, true, true, true, false, true, false]);
      }

      function wilson(part, whole) {
        const z = 1.959963984540054, square = z * z, middle = part + square / 2;
        const spread = z * Math.sqrt(part * (whole - part) / whole + square / 4);
        return [(middle - spread) / (whole + square), (middle + spread) / (whole + square)].map(one => Math.min(Math.max(one, 0), 1));
      }

      function drawNulls(chosen) {
        const rates = Array.from(sums(chosen, cell => cell.network), ([index, sum]) => ({ name: data.networks[index], sum,
          whole: sum.nulls + sum.values })).filter(one => one.whole > 0);
        rates.sort((one, other) => other.whole - one.whole || (one.name < other.name ? -1 : 1));
        for (const one of rates) one.range = wilson(one.sum.nulls, one.whole);
        const rate = one => one.sum.nulls / one.whole;
        const shown = rates.slice(0, 16).sort((one, other) => rate(other) - rate(one) || order(one.name, other.name));
        const bottom = shown.length * 30 + 20, draw = drawing("null-rates", shown.length * 30 + 58);
        const values = ticks(100 * Math.max(0, ...shown.map(one => one.range[1])), true), end = values[values.length - 1];
        const x = value => 230 + 330 * 100 * value / end;
        for (const value of values) {
          draw.line(x(value / 100), 18, x(value / 100), bottom, "grid");
          draw.text(short(value) + " %", x(value / 100), bottom + 14, "middle", "axis");
        }
        if (shown.length > 1) {
          const mean = rates.reduce((sum, one) => sum + one.sum.nulls, 0) / rates.reduce((sum, one) => sum + one.whole, 0);
          draw.mean(x(mean), bottom, "all " + percent(mean));
        }
        shown.forEach((one, index) => {
          const y = index * 30 + 30;
          draw.text(cut(one.name, 23), 222, y + 5, "end");
          draw.line(x(one.range[0]), y, x(one.range[1]), y, "whisker");
          for (const value of one.range) draw.line(x(value), y - 5, x(value), y + 5, "whisker");
          draw.dot(x(one.sum.nulls / one.whole), y);
          draw.text(percent(one.sum.nulls / one.whole) + " of " + grouped(one.whole), 570, y + 5, "start", "value");
        });
        fill(find("null-rates"), rates.map(one => [one.name, String(one.sum.nulls), String(one.sum.values),
          percent(one.sum.nulls / one.whole), percent(one.range[0]), percent(one.range[1])]), Array(5).fill(true));
      }

      function draw() {
        const wanted = filters.state.app < 0 ? null : filters.values.app[filters.state.app];
        const chosen = cells.filter(cell => filters.within(cell.day === null ? -1 : cell.day)
          && (wanted === null || (wanted === 0 ? !filters.values.app.includes(data.appIDs[cell.app]) : data.appIDs[cell.app] === wanted))
          && (network.value === "" || String(cell.network) === network.value));
        drawDays(chosen, data.days.filter(filters.within));
        drawCampaigns(chosen);
        drawNulls(chosen);
        const total = empty();
        for (const cell of chosen) add(total, cell);
        find("business-status").textContent = grouped(total.installs) + " installs, " + money(total.amounts[REVENUE])
          + (total.cost === null ? "" : ", cost " + money(total.cost));
      }

      data.networks.forEach((name, index) => {
        const option = document.createElement("option");
        option.textContent = name;
        option.value = String(index);
        network.append(option);
      });
      network.addEventListener("input", draw);
      filters.listen(draw);
      find("business-controls").hidden = false;
    })();
    """
}
