/// The script that draws the charts and tables of installs and decoded revenue for a choice of the filters. `ChartScript`
/// comes before it, and restores what the page has without a choice.
enum InstallScript {
  static let source: StaticString = """
    "use strict";
    (function () {
      const { find, note, units, float, exact, dayName, short, cut, order, ticks, drawing, fill, dayChart } = postback;
      const { cube, values, labelOf } = filters;

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
          const name = currency + " " + app, all = ranges.get(name) || { app: labelOf(values.app[app], "app"), currency, postbacks: 0, open: 0, basis: 0, amounts: [0n, 0n, 0n] };
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
        if (!filters.isActive()) return;
        installs();
        revenue();
      });
    })();
    """
}
