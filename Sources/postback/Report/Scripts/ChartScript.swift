/// The script that draws the charts and tables of outcomes, installs and decoded revenue for a choice of the filters.
///
/// Without a choice the page has what was written into it, which also has numbers that cannot be filtered.
enum ChartScript {
  static let source: StaticString = """
    "use strict";
    (function () {
      const { find, units, float, grouped, exact, share, dayName, short, cut, order, ticks, drawing, fill, dayChart } = postback;
      const { cube, values, labelOf } = filters;
      const ids = ["funnel", "windows", "codes", "timeline", "networks", "forwarders", "installs", "revenue"];
      const outcomes = cube.outcomes.map(([code, stage, status, window, value]) => ({ code, stage, status, window, value }));
      const originals = ids.map(find).filter(holder => holder !== null).flatMap(holder =>
        Array.from(holder.querySelectorAll("svg, tbody, p.note"), element => ({ element, view: element.getAttribute("viewBox"),
          nodes: Array.from(element.childNodes, node => node.cloneNode(true)) })));
      const cells = holder => Array.from(find(holder).querySelectorAll("tbody tr"), row => Array.from(row.cells, cell => cell.textContent));
      const meanings = new Map(cells("codes").map(line => [line[0], line[5]]));
      const statuses = cells("funnel").slice(5).map(line => [line[0], line[3]]);
      const series = Array.from(find("timeline").querySelectorAll("thead th"), cell => cell.textContent).slice(1);

      function restore() {
        for (const { element, view, nodes } of originals) {
          element.replaceChildren(...nodes.map(node => node.cloneNode(true)));
          if (view !== null) element.setAttribute("viewBox", view);
        }
      }

      function note(figure, text) {
        const holder = find(figure).querySelector("p.note");
        if (holder) holder.textContent = text;
      }

      function sum(key) {
        const found = new Map(), wanted = cube.outcomes.map(filters.outcomeMatches), list = cube.counts;
        for (let at = 0; at < list.length; at += 6) {
          if (!wanted[list[at + 4]] || !filters.matches(list, at)) continue;
          const name = key(outcomes[list[at + 4]], at);
          if (name !== undefined) found.set(name, (found.get(name) || 0) + list[at + 5]);
        }
        return found;
      }
      const total = found => Array.from(found.values()).reduce((all, count) => all + count, 0);

      function funnel() {
        const stages = sum(outcome => outcome.code === null ? "accepted" : outcome.stage), of = name => stages.get(name) || 0;
        const decode = sum(outcome => outcome.code === null ? outcome.status : undefined);
        const unique = of("accepted"), verified = unique + of("dedup"), parsed = verified + of("signature") + of("policy");
        const read = total(stages), steps = [["read", read], ["parsed", parsed], ["verified", verified], ["unique", unique],
          ["decoded", decode.get("decoded") || 0]];
        const missing = statuses.map(([name]) => [name, decode.get(name) || 0]).filter(one => one[1] > 0);
        const draw = drawing("funnel", 200 + missing.length * 28 + 8), width = count => read > 0 ? 420 * count / read : 0;
        let before = read;
        const lines = steps.map(([name, count], index) => {
          const y = index * 40, lost = before - count;
          draw.text(name, 90, y + 24, "end");
          draw.bar(100, y + 6, 420, 28, "track");
          draw.bar(100, y + 6, width(count), 28, "bar", name + ": " + count);
          draw.text(grouped(count) + " (" + share(count, read) + ")" + (lost > 0 ? ", −" + grouped(lost) : ""), 530, y + 24, "start", "value");
          before = count;
          return [name, String(count), share(count, read), String(lost)];
        });
        missing.forEach(([name, count], index) => {
          const y = 200 + index * 28, words = name.replace("_", " ");
          draw.text(words, 90, y + 19, "end", "axis");
          draw.bar(100, y + 6, width(count), 16, "none", words + ": " + count);
          draw.text(grouped(count) + " (" + share(count, unique) + " of unique)", 530, y + 19, "start", "axis");
        });
        fill(find("funnel"), lines, [true, true, true], 0);
        fill(find("funnel"), statuses.map(([name, meaning]) => [name, String(decode.get(name) || 0),
          share(decode.get(name) || 0, unique), meaning]), [true, true, false], 1);
        note("funnel", "Of the chosen records: " + grouped(read) + " read.");
      }

      function windows() {
        const found = sum(outcome => outcome.window === null ? undefined : outcome.window + outcome.value);
        const draw = drawing("windows", 216), lines = [];
        for (const window of [0, 1, 2]) {
          const y = window * 56 + 6, counts = ["fine", "coarse", "null"].map(kind => found.get(window + kind) || 0);
          const all = counts[0] + counts[1] + counts[2];
          draw.text("window " + window, 90, y + 20, "end");
          draw.bar(100, y, 480, 28, "track");
          let x = 100;
          [["fine", "fine"], ["coarse", "coarse"], ["none", "null"]].forEach(([style, name], index) => {
            if (counts[index] === 0) return;
            const width = 480 * counts[index] / all;
            draw.bar(x, y, width, 28, style, name + ": " + counts[index]);
            if (width > 110) draw.text(name + " " + share(counts[index], all), x + width / 2, y + 45, "middle", "axis");
            x += width;
          });
          draw.text(all === 0 ? "no postbacks" : share(counts[2], all) + " null of " + grouped(all), 590, y + 19, "start", "value");
          lines.push([String(window), ...counts.map(String), share(counts[2], all)]);
        }
        [["fine", "fine value"], ["coarse", "coarse value"], ["none", "null"]].forEach(([style, name], index) => {
          draw.bar(100 + index * 150, 184, 26, 18, style);
          draw.text(name, 134 + index * 150, 199);
        });
        fill(find("windows"), lines, [true, true, true, true]);
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
        const all = total(found), ranked = Array.from(found).sort((one, other) => other[1] - one[1] || order(one[0], other[0]));
        fill(find("codes"), ranked.map(([code, count]) => [code, String(count), share(count, all),
          ...(span.has(code) ? span.get(code).map(dayName) : ["unknown", "unknown"]), meanings.get(code) || ""]),
          [true, true, "time", "time", false]);
        return ranked.map(one => one[0]);
      }

      // The steps of the axis: days, or weeks from Mondays and longer ones, so that there are at most 120.
      function steps() {
        const [low, high] = ["from", "to"].map((name, index) =>
          filters.state[name] === "" ? cube.days[index] : Date.parse(filters.state[name]) / 86400000);
        const length = [1, 7, 28].find(length => (high - low) / length < 119) || 364, shift = length === 7 ? 3 : 0;
        const of = day => Math.floor((day + shift) / length);
        return { length, of, first: of(low), starts: Array.from({ length: Math.max(0, of(high) - of(low) + 1) }, (_, index) => (of(low) + index) * length - shift) };
      }

      function timeline(ranked) {
        const axisOf = cube.days === null ? { length: 1, of: day => day, first: 0, starts: [] } : steps(), span = axisOf.starts;
        const placeOf = day => day < 0 ? -1 : axisOf.of(day) - axisOf.first;
        const counts = new Map(ranked.map(code => [code, Array(span.length).fill(0)]));
        const found = sum((outcome, at) => outcome.code !== null && placeOf(cube.counts[at]) >= 0
          ? outcome.code + " " + placeOf(cube.counts[at]) : undefined);
        for (const [name, count] of found) {
          const [code, index] = [name.slice(0, name.lastIndexOf(" ")), Number(name.slice(name.lastIndexOf(" ") + 1))];
          counts.get(code)[index] = count;
        }
        const shown = ranked.slice(0, 8), left = 226, width = 520, step = width / Math.max(span.length, 1);
        const draw = drawing("timeline", shown.length * 62 + 40);
        shown.forEach((code, row) => {
          const bottom = row * 62 + 52, list = counts.get(code), all = list.reduce((sum, count) => sum + count, 0);
          const values = ticks(Math.max(0, ...list), true, 2), end = values[values.length - 1], mean = all / Math.max(span.length, 1);
          draw.text(code, left - 44, bottom - 19, "end");
          draw.text(grouped(all) + " in all, mean " + short(mean), left - 44, bottom - 1, "end", "axis");
          for (const value of [0, end]) {
            draw.line(left, bottom - 38 * value / end, left + width, bottom - 38 * value / end, "grid");
            draw.text(short(value), left - 6, bottom - 38 * value / end + 4, "end", "axis");
          }
          list.forEach((count, index) => {
            if (count === 0) return;
            const height = Math.max(38 * count / end, 1);
            draw.bar(left + index * step + step * 0.08, bottom - height, step * 0.84, height, "bad", code + ", " + dayName(span[index]) + ": " + count);
          });
          draw.line(left, bottom - 38 * mean / end, left + width, bottom - 38 * mean / end, "mean");
        });
        const axis = shown.length * 62 + 8;
        const named = span.length > 3 ? [0, Math.floor(span.length / 2), span.length - 1] : span.map((_, index) => index);
        for (const index of named) {
          const end = index === span.length - 1 && index > 0;
          draw.text(dayName(span[index]), index === 0 ? left : end ? left + width : left + (index + 0.5) * step, axis + 12,
            index === 0 ? "start" : end ? "end" : "middle", "axis");
        }
        const unit = axisOf.length === 1 ? "per day" : "per " + axisOf.length + " days";
        draw.text("time of receipt, UTC; rejects " + unit, left + width / 2, axis + 29, "middle", "axis");
        fill(find("timeline"), span.map((day, index) => [dayName(day), ...series.map(code => String((counts.get(code) || [])[index] || 0))])
          .filter(line => line.slice(1).some(text => text !== "0")), series.map(() => true));
        note("timeline", "Rejects " + unit + " of the chosen records that have a time. Each code has its own scale; the broken line is its mean.");
      }

      function senders(figure, dimension, offset) {
        const found = sum((outcome, at) => cube.counts[at + offset] + " " + (outcome.code === null ? "" : outcome.code)), all = new Map();
        for (const [name, count] of found) {
          const index = Number(name.slice(0, name.indexOf(" "))), code = name.slice(name.indexOf(" ") + 1);
          const one = all.get(index) || { name: labelOf(values[dimension][index]), rejects: 0, read: 0, codes: [] };
          one.read += count;
          if (code !== "") { one.rejects += count; one.codes.push([code, count]); }
          all.set(index, one);
        }
        const lines = Array.from(all.values()).sort((one, other) =>
          other.rejects / other.read - one.rejects / one.read || other.read - one.read || order(one.name, other.name));
        const draw = drawing(figure, lines.length * 30 + 58), part = one => 100 * one.rejects / one.read;
        const tick = ticks(Math.max(0, ...lines.map(part)), true), end = tick[tick.length - 1], bottom = lines.length * 30 + 20;
        for (const value of tick) {
          draw.line(230 + 280 * value / end, 18, 230 + 280 * value / end, bottom, "grid");
          draw.text(short(value) + " %", 230 + 280 * value / end, bottom + 14, "middle", "axis");
        }
        draw.text("rejected, of all records of the " + (dimension === "network" ? "ad network" : dimension), 370, bottom + 31, "middle", "axis");
        const [rejects, read] = ["rejects", "read"].map(name => lines.reduce((sum, one) => sum + one[name], 0));
        if (lines.length > 1) draw.mean(230 + 280 * 100 * rejects / read / end, bottom, "all " + share(rejects, read));
        lines.forEach((one, index) => {
          const y = index * 30 + 14;
          draw.text(cut(one.name, 23), 222, y + 20, "end");
          draw.bar(230, y + 7, 280 * part(one) / end, 18, "bad", one.rejects + " of " + one.read);
          draw.text(share(one.rejects, one.read) + ": " + grouped(one.rejects) + " of " + grouped(one.read), 236 + 280 * part(one) / end, y + 20, "start", "value");
        });
        fill(find(figure), lines.map(one => [one.name, String(one.rejects), "", String(one.read), share(one.rejects, one.read),
          one.codes.sort((left, right) => right[1] - left[1] || order(left[0], right[0])).map(code => code[0])[0] || ""]),
          [true, true, true, true, false]);
        note(figure, "The share and the number of the chosen records that were rejected. Accepted postbacks that a device contradicts are counted only without a filter.");
      }

      function installs() {
        if (cube.installs === null) return note("installs", "There are too many groups to filter: these are all installs.");
        const found = new Map(), of = day => { if (!found.has(day)) found.set(day, [0, 0, 0]); return found.get(day); };
        for (let at = 0; at < cube.installs.length; at += 8) {
          if (filters.state.code > 0 || !filters.matches(cube.installs, at)) continue;
          const [estimated, earliest, latest, count] = cube.installs.slice(at + 4, at + 8);
          of(estimated)[0] += count;
          if (earliest === latest) of(earliest)[1] += count;
          for (let day = earliest; day <= latest; day++) of(day)[2] += count;
        }
        const known = Array.from(found.keys()), last = Math.max(...known), first = Math.max(Math.min(...known), last - 119);
        const span = known.length === 0 ? [] : Array.from({ length: last - first + 1 }, (_, index) => first + index);
        dayChart("installs", span.map(day => { const [estimated, certain, possible] = of(day);
          return { name: dayName(day), parts: [["bar", estimated]], range: [certain, possible],
            title: dayName(day) + ": about " + estimated + ", at least " + certain + ", at most " + possible }; }),
          "estimated day of the install, UTC; installs per day", true);
        fill(find("installs"), span.filter(day => of(day)[2] > 0).map(day => [dayName(day), ...of(day).map(String)]), [true, true, true]);
        note("installs", "The installs whose first postbacks are chosen.");
      }

      function revenue() {
        if (find("revenue").querySelector("svg") === null) return;
        if (cube.revenue === null) return note("revenue", "There are too many groups to filter: this is all revenue.");
        const byClass = new Map(), larger = (one, other) => one > other ? one : other;
        for (const cell of cube.revenue) {
          if (filters.state.code > 0 || !filters.matches(cell, 0)) continue;
          const windows = byClass.get(cell[4]) || [null, null, null];
          const one = windows[cell[5]] || { cumulative: false, postbacks: 0, open: 0, amounts: [0n, 0n, 0n] };
          one.cumulative = one.cumulative || cell[6] === 1;
          one.postbacks += cell[7];
          one.open += cell[8];
          one.amounts = one.amounts.map((amount, index) => amount + units(cell[9 + index]));
          windows[cell[5]] = one;
          byClass.set(cell[4], windows);
        }
        const ranges = new Map();
        for (const [index, windows] of byClass) {
          const [app, currency] = cube.classes[index], sum = { postbacks: 0, open: 0, basis: 0, amounts: [0n, 0n, 0n] };
          for (const one of windows.filter(one => one !== null)) {
            if (sum.postbacks > 0) sum.basis = Math.max(sum.basis, one.cumulative ? 2 : 1);
            sum.postbacks += one.postbacks;
            sum.open += one.open;
            sum.amounts = sum.amounts.map((amount, place) => one.cumulative ? larger(amount, one.amounts[place]) : amount + one.amounts[place]);
          }
          const name = currency + " " + app, all = ranges.get(name) || { app: labelOf(values.app[app]), currency, postbacks: 0, open: 0, basis: 0, amounts: [0n, 0n, 0n] };
          all.postbacks += sum.postbacks;
          all.open += sum.open;
          all.basis = Math.max(all.basis, sum.basis);
          all.amounts = all.amounts.map((amount, place) => amount + sum.amounts[place]);
          ranges.set(name, all);
        }
        const used = new Map();
        for (const range of ranges.values()) used.set(range.currency, (used.get(range.currency) || 0) + range.postbacks);
        const lines = Array.from(ranges.values()).sort((one, other) => used.get(other.currency) - used.get(one.currency)
          || order(one.currency, other.currency) || order(other.amounts[0], one.amounts[0]) || order(one.app, other.app));
        const shown = lines.slice(0, 16), bottom = shown.length * 50 + 6, draw = drawing("revenue", shown.length * 50 + 44);
        const farthest = range => range.open > 0 ? larger(range.amounts[2], range.amounts[0]) : range.amounts[2], scales = new Map();
        for (const range of shown) {
          const values = ticks(Math.max(float(farthest(range)), scales.has(range.currency) ? scales.get(range.currency).at(-1) : 0), false);
          scales.set(range.currency, values);
        }
        if (scales.size === 1) {
          for (const value of scales.values().next().value) {
            const x = 190 + 540 * value / scales.values().next().value.at(-1);
            draw.line(x, 4, x, bottom, "grid");
            draw.text(short(value), x, bottom + 14, "middle", "axis");
          }
        }
        draw.text(scales.size === 1 ? "revenue, " + shown[0].currency : "revenue, each currency on its own scale", 460, bottom + 31, "middle", "axis");
        shown.forEach((range, index) => {
          const y = index * 50 + 36, end = scales.get(range.currency).at(-1), x = value => 190 + 540 * float(value) / end;
          const [estimate, minimum, maximum] = range.amounts, far = farthest(range), drop = range.open > 0 ? 7 : 0;
          draw.text("app " + cut(range.app, 20), 180, y + 4, "end");
          draw.line(x(minimum), y, x(far), y, "whisker");
          draw.line(x(minimum), y - 6, x(minimum), y + 6, "whisker");
          draw.line(x(far), y, x(far) - drop, y - 6, "whisker");
          draw.line(x(far), y, x(far) - drop, y + 6, "whisker");
          draw.dot(x(estimate), y);
          draw.text(exact(estimate) + " (" + exact(minimum) + (range.open > 0 ? " or more" : " to " + exact(maximum)) + ") " + range.currency, 190, y - 14, "start", "value");
        });
        fill(find("revenue"), lines.map(range => [range.app, range.currency, String(range.postbacks), ["one", "added", "not added, cumulative"][range.basis],
          exact(range.amounts[0]), exact(range.amounts[1]), range.open > 0 ? "open" : exact(range.amounts[2]), String(range.open)]),
          [false, true, false, false, false, false, true]);
        note("revenue", "The decoded revenue of the chosen postbacks: a dot for the estimate, and a line from the lower to the upper limit. Currencies are never added.");
      }

      filters.listen(() => {
        restore();
        if (!filters.isActive()) return;
        funnel();
        windows();
        const ranked = codes();
        timeline(ranked);
        senders("networks", "network", 2);
        senders("forwarders", "forwarder", 1);
        installs();
        revenue();
      });
    })();
    """
}
