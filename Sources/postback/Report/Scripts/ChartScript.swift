/// The script that draws the charts and tables of outcomes for a choice of the filters.
///
/// Without a choice the page has what was written into it, which also has numbers that cannot be filtered.
enum ChartScript {
  static let source: StaticString = """
    "use strict";
    (function () {
      const { find, note, grouped, share, dayName, short, cut, order, ticks, drawing, fill } = postback;
      const { cube, values, labelOf } = filters;
      const ids = ["funnel", "windows", "codes", "timeline", "networks", "forwarders", "installs", "revenue"];
      const outcomes = cube.outcomes.map(([code, stage, status, window, value, kind]) => ({ code, stage, status, window, value, kind }));
      const originals = ids.map(find).filter(holder => holder !== null).flatMap(holder =>
        Array.from(holder.querySelectorAll("svg, tbody, p.note"), element => ({ element, view: element.getAttribute("viewBox"),
          nodes: Array.from(element.childNodes, node => node.cloneNode(true)) })));
      const cells = holder => Array.from(find(holder).querySelectorAll("tbody tr"), row => Array.from(row.cells, cell => cell.textContent));
      const meanings = new Map(cells("codes").map(line => [line[0], line.slice(5)]));
      const statuses = cells("funnel").slice(5).map(line => [line[0], line[3]]);
      const series = Array.from(find("timeline").querySelectorAll("thead th"), cell => cell.textContent).slice(1);

      function restore() {
        for (const { element, view, nodes } of originals) {
          element.replaceChildren(...nodes.map(node => node.cloneNode(true)));
          if (view !== null) element.setAttribute("viewBox", view);
        }
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
          ...(span.has(code) ? span.get(code).map(dayName) : ["unknown", "unknown"]), ...(meanings.get(code) || ["", ""])]),
          [true, true, "time", "time", false, false]);
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

      // Of copies with other values only the whole page tells whose they are, so that they count against no forwarder here.
      function senders(figure, dimension, offset) {
        const all = new Map();
        sum((outcome, at) => {
          const index = cube.counts[at + offset], count = cube.counts[at + 5];
          const one = all.get(index) || { name: labelOf(values[dimension][index], dimension), read: 0, accepted: 0, suspicious: 0,
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
        const draw = drawing(figure, lines.length * 30 + 58), part = (one, count) => 100 * count / one.read;
        const tick = ticks(Math.max(0, ...lines.map(one => part(one, one.suspicious + one.noise))), true), end = tick[tick.length - 1];
        const bottom = lines.length * 30 + 20;
        for (const value of tick) {
          draw.line(230 + 280 * value / end, 18, 230 + 280 * value / end, bottom, "grid");
          draw.text(short(value) + " %", 230 + 280 * value / end, bottom + 14, "middle", "axis");
        }
        draw.text("suspicious, then noise, of all records of the " + (dimension === "network" ? "ad network" : dimension), 370,
          bottom + 31, "middle", "axis");
        const [suspicious, read] = ["suspicious", "read"].map(name => lines.reduce((sum, one) => sum + one[name], 0));
        if (lines.length > 1) draw.mean(230 + 280 * 100 * suspicious / read / end, bottom, "all " + share(suspicious, read));
        lines.forEach((one, index) => {
          const y = index * 30 + 14, [width, noise] = ["suspicious", "noise"].map(name => 280 * part(one, one[name]) / end);
          draw.text(cut(one.name, 23), 222, y + 20, "end");
          draw.bar(230, y + 7, width, 18, "bad", "suspicious: " + one.suspicious + " of " + one.read);
          if (one.noise > 0) draw.bar(230 + width, y + 7, noise, 18, "none", "noise: " + one.noise + " of " + one.read);
          draw.text(share(one.suspicious, one.read) + ": " + grouped(one.suspicious) + " of " + grouped(one.read),
            236 + width + noise, y + 20, "start", "value");
        });
        fill(find(figure), lines.map(one => [one.name, String(one.suspicious), "", String(one.read), share(one.suspicious, one.read),
          String(one.noise), String(one.copies), String(one.unresolved),
          Array.from(one.codes).sort((left, right) => right[1] - left[1] || order(left[0], right[0])).map(code => code[0])[0] || ""]),
          [true, true, true, true, true, true, true, false]);
        note(figure, "The share and the number of the chosen records that are suspicious; dotted is noise. Accepted postbacks that a device contradicts, and copies with other values of a forwarder, are counted only without a filter.");
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
      });
    })();
    """
}
