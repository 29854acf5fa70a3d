/// The script that the other scripts of the page draw with: numbers, drawings and tables.
///
/// Its measures are those of `Drawing`, `Ticks` and `DayChart`. Amounts are whole numbers of 10⁻⁷ (BigInt), so that sums are
/// exact. Data is put into the page only as text.
enum DrawingScript {
  static let source: StaticString = """
    "use strict";
    const postback = (function () {
      const find = id => document.getElementById(id);
      const units = text => {
        const negative = text.startsWith("-"), [whole, rest = ""] = (negative ? text.slice(1) : text).split(".");
        const value = BigInt(whole + rest.padEnd(7, "0"));
        return negative ? -value : value;
      };
      const float = value => Number(value) / 1e7;
      const even = value => { const low = Math.floor(value), part = value - low;
        return part > 0.5 || part === 0.5 && low % 2 !== 0 ? low + 1 : low; };
      const grouped = text => String(text).replace(/\\B(?=(\\d{3})+$)/g, "\\u202f");
      function plain(value) {
        const size = value < 0n ? -value : value;
        let cents = size / 100000n;
        const rest = size % 100000n;
        if (rest > 50000n || rest === 50000n && cents % 2n !== 0n) cents += 1n;
        return (value < 0n && cents > 0n ? "−" : "") + grouped(cents / 100n) + "." + String(cents % 100n).padStart(2, "0");
      }
      function exact(value) {
        const size = value < 0n ? -value : value, rest = String(size % 10000000n).padStart(7, "0").replace(/0+$/, "");
        return (value < 0n ? "-" : "") + String(size / 10000000n) + (rest === "" ? "" : "." + rest);
      }
      const ratio = value => { const hundredths = even(value * 100);
        return Math.floor(hundredths / 100) + "." + String(hundredths % 100).padStart(2, "0"); };
      const tenths = value => (Number.isInteger(value) ? value + ".0" : String(value)) + " %";
      const percent = value => tenths(even(value * 1000) / 10);
      const share = (part, whole) => whole === 0 ? "-" : part > 0 && part / whole < 0.0005 ? "< 0.1 %"
        : tenths(Math.round(part / whole * 1000) / 10);
      const dayName = day => new Date(day * 86400000).toISOString().slice(0, 10);
      const short = value => {
        for (const [unit, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
          if (value >= unit) return String(Math.round(value / unit * 10) / 10) + name;
        }
        return String(Math.round(value * 100) / 100);
      };
      const cut = (text, length) => text.length > length ? text.slice(0, length - 1) + "…" : text;
      const order = (one, other) => one < other ? -1 : one > other ? 1 : 0;

      function ticks(largest, whole, count) {
        const target = Math.max(largest, whole ? 1 : 0.01) / (count || 4);
        let power = 1;
        while (power * 10 <= target) power *= 10;
        while (power > target) power /= 10;
        const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= target * 0.999999) || target;
        const size = whole ? Math.max(step, 1) : step, steps = Math.ceil(Math.max(largest, size) / size);
        return Array.from({ length: steps + 1 }, (_, index) => index * size);
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
        const draw = {
          line: (x1, y1, x2, y2, kind) => make("line", { x1, y1, x2, y2, class: kind }),
          text: (text, x, y, anchor, kind) => make("text", { x, y, "text-anchor": anchor, class: kind || "label" }, text),
          bar: (x, y, width, height, kind, title) =>
            make("rect", { x, y, width: Math.max(width, 0), height: Math.max(height, 0), class: kind }, title),
          dot: (x, y) => make("circle", { cx: x, cy: y, r: 4, class: "dot" }),
          mean: (x, bottom, label) => {
            draw.line(x, 14, x, bottom, "mean");
            draw.text(label, Math.min(Math.max(x, 60), 700), 11, "middle", "mean");
          },
        };
        return draw;
      }

      function note(figure, text) {
        const holder = find(figure).querySelector("p.note");
        if (holder) holder.textContent = text;
      }

      // Words are not broken but where one is too long for a column; sentences get a width.
      const layout = text => text.split(" ").some(word => word.length > 28) ? "long" : text.length > 40 ? "prose" : "";

      // A row is a list of texts; kinds are "number", "time" or "" for each cell after the first.
      function fill(holder, lines, kinds, place) {
        const rows = lines.map(line => {
          const row = document.createElement("tr");
          line.forEach((text, index) => {
            const cell = document.createElement(index === 0 ? "th" : "td"), kind = kinds[index - 1];
            cell.textContent = text;
            const name = index === 0 || !kind ? layout(text) : kind === true ? "number" : kind;
            if (index === 0) cell.scope = "row";
            if (name !== "") cell.className = name;
            row.append(cell);
          });
          return row;
        });
        const bodies = Array.from(holder.querySelectorAll("tbody"));
        if (place !== undefined) { if (bodies[place]) bodies[place].replaceChildren(...rows); return; }
        if (bodies.length > 1) bodies[1].replaceChildren(...rows.slice(20, 1000));
        if (bodies.length > 0) bodies[0].replaceChildren(...(bodies.length > 1 ? rows.slice(0, 20) : rows.slice(0, 1000)));
      }

      function dayChart(figure, bars, unit, whole) {
        const draw = drawing(figure, 240), left = 64, width = 680, height = 170;
        const sum = bar => bar.parts.reduce((sum, part) => sum + part[1], 0);
        const values = ticks(Math.max(0, ...bars.map(bar => Math.max(sum(bar), bar.range ? bar.range[1] : 0))), whole);
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
        if (bars.length > 1) {
          const mean = bars.reduce((all, bar) => all + sum(bar), 0) / bars.length;
          draw.line(left, y(mean), left + width, y(mean), "mean");
          draw.text("mean " + short(mean), left + width, y(mean) - 5, "end", "mean");
        }
        const named = bars.length > 3 ? [0, Math.floor(bars.length / 2), bars.length - 1] : bars.map((_, index) => index);
        for (const index of named) {
          const atEnd = bars.length > 3 && index === bars.length - 1;
          draw.text(bars[index].name, atEnd ? left + width : left + (index + 0.5) * step, height + 28, atEnd ? "end" : "middle",
            "axis");
        }
        draw.text(unit, left + width / 2, height + 48, "middle", "axis");
      }

      return { find, note, layout, units, float, even, grouped, plain, exact, ratio, percent, share, dayName, short, cut, order, ticks, drawing,
        fill, dayChart };
    })();
    """
}
