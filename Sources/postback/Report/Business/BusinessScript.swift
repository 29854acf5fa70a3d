/// The script of the business section: it draws the figures anew for an app, a network or a span of days.
///
/// Amounts are whole numbers of 10⁻⁷ (BigInt), so that sums are exact. Without a filter the figures are those that the
/// page has without a script; measures are those of `DayChart` and of the figures. Data is put into the page only as text.
enum BusinessScript {
  static let source: StaticString = """
    "use strict";
    (function () {
      const holder = document.getElementById("business-data");
      if (!holder) return;
      const data = JSON.parse(holder.textContent);
      const find = id => document.getElementById(id);
      const [app, network, from, to] = ["app", "network", "from", "to"].map(name => find("business-" + name));
      const units = text => {
        const negative = text.startsWith("-"), [whole, rest = ""] = (negative ? text.slice(1) : text).split(".");
        const value = BigInt(whole + rest.padEnd(7, "0"));
        return negative ? -value : value;
      };
      const cells = data.cells.map(cell => ({
        day: cell[0], app: cell[1], network: cell[2], campaign: cell[3], installs: cell[4], values: cell[5], nulls: cell[6],
        open: cell[7], modelled: cell[8], cost: cell[9] === null ? null : units(cell[9]), amounts: cell.slice(10).map(units),
      }));
      const empty = () => ({ installs: 0, values: 0, nulls: 0, open: 0, modelled: 0, cost: null, amounts: Array(7).fill(0n) });

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

      const [REVENUE, LEAST, MOST, ALL, ESTIMATE, LOW, HIGH] = [0, 1, 2, 3, 4, 5, 6];
      const larger = (one, other) => one > other ? one : other;
      const least = sum => sum.amounts[LEAST] + sum.amounts[LOW];
      const most = sum => larger(sum.amounts[MOST], sum.amounts[REVENUE]) + sum.amounts[HIGH];
      const isOpen = sum => sum.open > 0 || sum.nulls > sum.modelled;
      const float = value => Number(value) / 1e7;
      const even = value => { const low = Math.floor(value), part = value - low;
        return part > 0.5 || part === 0.5 && low % 2 !== 0 ? low + 1 : low; };
      const grouped = text => String(text).replace(/\\B(?=(\\d{3})+$)/g, "\\u2009");
      function plain(value) {
        const size = value < 0n ? -value : value;
        let cents = size / 100000n;
        const rest = size % 100000n;
        if (rest > 50000n || rest === 50000n && cents % 2n !== 0n) cents += 1n;
        return (value < 0n && cents > 0n ? "−" : "") + grouped(cents / 100n) + "." + String(cents % 100n).padStart(2, "0");
      }
      const money = value => (data.currency === null ? "" : data.currency + "\\u00a0") + plain(value);
      const ratio = value => { const hundredths = even(value * 100);
        return Math.floor(hundredths / 100) + "." + String(hundredths % 100).padStart(2, "0"); };
      const percent = value => { const tenths = even(value * 1000) / 10;
        return (Number.isInteger(tenths) ? tenths + ".0" : String(tenths)) + " %"; };
      const share = (part, whole) => whole === 0 ? "-" : part > 0 && part / whole < 0.0005 ? "< 0.1 %"
        : (value => (Number.isInteger(value) ? value + ".0" : String(value)) + " %")(Math.round(part / whole * 1000) / 10);
      const dayName = day => new Date(day * 86400000).toISOString().slice(0, 10);
      const short = value => {
        const text = number => String(Math.round(number * 100) / 100);
        for (const [unit, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
          if (value >= unit) return String(Math.round(value / unit * 10) / 10) + name;
        }
        return text(value);
      };

      function ticks(largest, whole) {
        const target = Math.max(largest, whole ? 1 : 0.01) / 4;
        let power = 1;
        while (power * 10 <= target) power *= 10;
        while (power > target) power /= 10;
        const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= target * 0.999999) || target;
        const size = whole ? Math.max(step, 1) : step, count = Math.ceil(Math.max(largest, size) / size);
        return Array.from({ length: count + 1 }, (_, index) => index * size);
      }

      function drawing(figure, height) {
        const svg = find(figure).querySelector("svg");
        svg.setAttribute("viewBox", "0 0 760 " + height);
        svg.replaceChildren();
        const make = (name, attributes, text) => {
          const made = document.createElementNS("http://www.w3.org/2000/svg", name);
          for (const [key, value] of Object.entries(attributes)) {
            made.setAttribute(key, typeof value === "number" ? String(Math.round(value * 10) / 10) : value);
          }
          if (text !== undefined) {
            if (name === "text") made.textContent = text;
            else { const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
              title.textContent = text; made.append(title); }
          }
          svg.append(made);
        };
        return {
          line: (x1, y1, x2, y2, kind) => make("line", { x1, y1, x2, y2, class: kind }),
          text: (text, x, y, anchor, kind) => make("text", { x, y, "text-anchor": anchor, class: kind || "label" }, text),
          bar: (x, y, width, height, kind, title) =>
            make("rect", { x, y, width: Math.max(width, 0), height: Math.max(height, 0), class: kind }, title),
          dot: (x, y) => make("circle", { cx: x, cy: y, r: 4, class: "dot" }),
        };
      }

      function fill(figure, lines, classes) {
        const body = find(figure).querySelector("tbody");
        if (!body) return;
        body.replaceChildren(...lines.map(line => {
          const row = document.createElement("tr");
          line.forEach((text, index) => {
            const cell = document.createElement(index === 0 ? "th" : "td");
            cell.textContent = text;
            if (index === 0) cell.scope = "row"; else if (classes[index - 1]) cell.className = "number";
            row.append(cell);
          });
          return row;
        }));
      }

      function dayChart(figure, bars, unit, whole) {
        const draw = drawing(figure, 240), left = 64, width = 680, height = 170;
        const values = ticks(Math.max(0, ...bars.map(bar =>
          Math.max(bar.parts.reduce((sum, part) => sum + part[1], 0), bar.range ? bar.range[1] : 0))), whole);
        const end = values[values.length - 1], y = value => 10 + height * (1 - Math.max(value, 0) / end);
        for (const value of values) {
          draw.line(left, y(value), left + width, y(value), "grid");
          draw.text(short(value), left - 6, y(value) + 4, "end", "axis");
        }
        const step = width / Math.max(bars.length, 1), thick = Math.min(step * 0.7, 44), cap = Math.min(step * 0.2, 6);
        bars.forEach((bar, index) => {
          const middle = left + (index + 0.5) * step;
          let bottom = 0;
          for (const [kind, value] of bar.parts) {
            if (value <= 0) continue;
            draw.bar(middle - thick / 2, y(bottom + value), thick, y(bottom) - y(bottom + value), kind, bar.title);
            bottom += value;
          }
          if (!bar.range || bar.range[1] <= 0) return;
          const [low, high] = bar.range, drop = bar.open ? 5 : 0;
          draw.line(middle, y(low), middle, y(high), "whisker");
          draw.line(middle - cap, y(low), middle + cap, y(low), "whisker");
          draw.line(middle - cap, y(high) + drop, middle, y(high), "whisker");
          draw.line(middle, y(high), middle + cap, y(high) + drop, "whisker");
        });
        const named = bars.length > 3 ? [0, Math.floor(bars.length / 2), bars.length - 1] : bars.map((_, index) => index);
        for (const index of named) {
          const atEnd = bars.length > 3 && index === bars.length - 1;
          draw.text(bars[index].name, atEnd ? left + width : left + (index + 0.5) * step, height + 28, atEnd ? "end" : "middle",
            "axis");
        }
        draw.text(unit, left + width / 2, height + 48, "middle", "axis");
      }

      function drawDays(chosen, days) {
        const byDay = sums(chosen, cell => cell.day), of = day => byDay.get(day) || empty();
        const state = day => data.status[day] || "final", expected = day => data.expected[day];
        dayChart("installs-by-day", days.map(day => ({ name: dayName(day),
          parts: [[state(day) === "open" ? "none" : "bar", of(day).installs]],
          title: dayName(day) + ": " + of(day).installs + ", " + state(day) })), data.installsUnit, true);
        fill("installs-by-day", days.map(day => [dayName(day), state(day), String(of(day).installs),
          expected(day) === undefined ? "" : percent(Number(expected(day)))]), [false, true, false]);
        dayChart("revenue-by-day", days.map(day => ({ name: dayName(day), open: isOpen(of(day)),
          parts: [["bar", float(of(day).amounts[REVENUE])], ["coarse", float(of(day).amounts[ESTIMATE])]],
          range: [float(least(of(day))), float(most(of(day)))],
          title: dayName(day) + ": " + money(of(day).amounts[REVENUE]) + " observed" })), data.revenueUnit, false);
        fill("revenue-by-day", days.map(day => {
          const sum = of(day), modelled = index => sum.modelled > 0 ? plain(sum.amounts[index]) : "";
          return [dayName(day), plain(sum.amounts[REVENUE]), plain(sum.amounts[LEAST]),
            sum.open > 0 ? "open" : plain(sum.amounts[MOST]), modelled(ESTIMATE), modelled(LOW), modelled(HIGH),
            plain(sum.amounts[ALL])];
        }), Array(7).fill(true));
        fill("completeness", days.slice(-14).reverse().map(day => [dayName(day), data.status[day] || "",
          expected(day) === undefined ? "" : percent(Number(expected(day))), String(of(day).installs), String(of(day).values),
          String(of(day).nulls)]), [false, true, true, true, true]);
      }

      function drawCampaigns(chosen) {
        const lines = Array.from(sums(chosen, cell => cell.campaign), ([index, sum]) => {
          const [label, id] = data.campaigns[index], cost = sum.cost !== null && sum.cost > 0n ? float(sum.cost) : null;
          const roas = cost === null ? null : [float(sum.amounts[REVENUE]), float(least(sum)), float(most(sum))].map(one => one / cost);
          const judgement = roas === null ? "no cost" : roas[1] >= 1 ? "above 1"
            : roas[2] < 1 && !isOpen(sum) ? "below 1" : "undecided";
          return { label, id, sum, cost, roas, judgement };
        });
        const order = (one, other) => one < other ? -1 : one > other ? 1 : 0;
        lines.sort((one, other) => order(other.sum.cost || 0n, one.sum.cost || 0n) || other.sum.installs - one.sum.installs
          || order(one.label, other.label));
        const shown = lines.filter(line => line.cost !== null).slice(0, 16);
        if (find("campaigns").querySelector("svg")) {
          const bottom = shown.length * 40 + 6, draw = drawing("campaigns", shown.length * 40 + 48);
          const values = ticks(Math.min(shown.length ? Math.max(...shown.map(line => line.roas[2])) : 1, 10), false);
          const end = values[values.length - 1], x = value => 300 + 430 * Math.min(Math.max(value, 0), end) / end;
          for (const value of values) {
            draw.line(x(value), 4, x(value), bottom, "grid");
            draw.text(short(value), x(value), bottom + 14, "middle", "axis");
          }
          draw.line(x(1), 4, x(1), bottom, "axis");
          draw.text("return on ad spend; 1 pays the cost back", 515, bottom + 33, "middle", "axis");
          shown.forEach((line, index) => {
            const y = index * 40 + 28, [seen, low, high] = line.roas, drop = isOpen(line.sum) ? 5 : 0;
            draw.text(line.label.length > 30 ? line.label.slice(0, 29) + "…" : line.label, 290, y + 5, "end");
            draw.line(x(low), y, x(high), y, "whisker");
            draw.line(x(low), y - 5, x(low), y + 5, "whisker");
            draw.line(x(high) - drop, y - 5, x(high), y, "whisker");
            draw.line(x(high) - drop, y + 5, x(high), y, "whisker");
            draw.dot(x(seen), y);
            draw.text(money(line.sum.cost) + ": " + ratio(seen) + " (" + ratio(low) + (isOpen(line.sum) ? " or more" : " – " + ratio(high)) + ")", 306, y - 11,
              "start", "value");
          });
        }
        fill("campaigns", lines.slice(0, 20).map(({ label, id, sum, cost, roas, judgement }) => [label, id,
          sum.cost === null ? "" : plain(sum.cost), String(sum.installs),
          cost === null || sum.installs === 0 ? "" : ratio(cost / sum.installs), plain(sum.amounts[REVENUE]),
          roas ? ratio(roas[0]) : "", roas ? ratio(roas[1]) : "", roas ? isOpen(sum) ? "open" : ratio(roas[2]) : "",
          cost === null ? "" : ratio(float(sum.amounts[ALL]) / cost), share(sum.nulls, sum.nulls + sum.values), judgement]),
          [false, true, true, true, true, true, true, true, true, true, false]);
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
        const shown = rates.slice(0, 16), bottom = shown.length * 30 + 6, draw = drawing("null-rates", shown.length * 30 + 44);
        const values = ticks(100 * Math.max(0, ...shown.map(one => one.range[1])), true), end = values[values.length - 1];
        const x = value => 230 + 330 * 100 * value / end;
        for (const value of values) {
          draw.line(x(value / 100), 4, x(value / 100), bottom, "grid");
          draw.text(short(value) + " %", x(value / 100), bottom + 14, "middle", "axis");
        }
        shown.forEach((one, index) => {
          const y = index * 30 + 16;
          draw.text(one.name.length > 25 ? one.name.slice(0, 24) + "…" : one.name, 222, y + 5, "end");
          draw.line(x(one.range[0]), y, x(one.range[1]), y, "whisker");
          for (const value of one.range) draw.line(x(value), y - 5, x(value), y + 5, "whisker");
          draw.dot(x(one.sum.nulls / one.whole), y);
          draw.text(percent(one.sum.nulls / one.whole) + " of " + grouped(one.whole), 570, y + 5, "start", "value");
        });
        fill("null-rates", rates.map(one => [one.name, String(one.sum.nulls), String(one.sum.values),
          percent(one.sum.nulls / one.whole), percent(one.range[0]), percent(one.range[1])]), Array(5).fill(true));
      }

      function draw() {
        const day = input => input.value === "" ? null : Date.parse(input.value + "T00:00:00Z") / 86400000;
        const [first, last] = [day(from), day(to)];
        const within = day => (first === null || day !== null && day >= first) && (last === null || day !== null && day <= last);
        const chosen = cells.filter(cell => within(cell.day) && (app.value === "" || String(cell.app) === app.value)
          && (network.value === "" || String(cell.network) === network.value));
        drawDays(chosen, data.days.filter(within));
        drawCampaigns(chosen);
        drawNulls(chosen);
        const total = empty();
        for (const cell of chosen) add(total, cell);
        find("business-status").textContent = grouped(total.installs) + " installs, " + money(total.amounts[REVENUE])
          + (total.cost === null ? "" : ", cost " + money(total.cost));
      }

      for (const [select, names] of [[app, data.apps], [network, data.networks]]) {
        names.forEach((name, index) => {
          const option = document.createElement("option");
          option.textContent = name;
          option.value = String(index);
          select.append(option);
        });
      }
      for (const input of [app, network, from, to]) input.addEventListener("input", draw);
      find("business-controls").hidden = false;
    })();
    """
}
