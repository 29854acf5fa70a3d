/**
 * The charts of records: by stage, window, time and sender. Each takes the data that a figure of the page has as JSON, and
 * returns a drawing.
 */
const recordCharts = (function () {
  const { grouped, percent, share, short, cut } = formats;
  const { nowhere, drawing, ticks, endOf, most } = drawings;

  /** Records after each stage, and below them unique postbacks that are not decoded. */
  function funnel({ steps, undecoded }) {
    const missing = undecoded.filter(one => one[1] > 0), draw = drawing(steps.length * 40 + missing.length * 28 + 8);
    const read = steps[0][1], unique = steps[steps.length - 2][1], width = count => read > 0 ? 420 * count / read : 0;
    steps.forEach(([name, count], index) => {
      const y = index * 40, lost = index > 0 ? steps[index - 1][1] - count : 0;
      draw.text(name, 90, y + 24, "end");
      draw.bar(100, y + 6, 420, 28, "track");
      draw.bar(100, y + 6, width(count), 28, "bar", name + ": " + count);
      const loss = lost > 0 ? ", −" + grouped(lost) : "";
      draw.text(grouped(count) + " (" + share(count, read) + ")" + loss, 530, y + 24, "start", "value");
    });
    missing.forEach(([name, count], index) => {
      const y = steps.length * 40 + index * 28, words = name.replace("_", " ");
      draw.text(words, 90, y + 19, "end", "axis");
      draw.bar(100, y + 6, width(count), 16, "none", words + ": " + count);
      draw.text(grouped(count) + " (" + share(count, unique) + " of unique)", 530, y + 19, "start", "axis");
    });
    return draw;
  }

  /** Won postbacks of each window by kind of value, as parts of a bar. */
  function windows(data) {
    const draw = drawing(216), kinds = [["fine", "fine"], ["coarse", "coarse"], ["none", "null"]];
    data.windows.forEach((counts, window) => {
      const y = window * 56 + 6, all = total(counts);
      draw.text("window " + window, 90, y + 20, "end");
      draw.bar(100, y, 480, 28, "track");
      let x = 100;
      kinds.forEach(([style, name], index) => {
        if (counts[index] === 0) return;
        const width = 480 * counts[index] / all;
        draw.bar(x, y, width, 28, style, name + ": " + counts[index]);
        if (width > 110) draw.text(name + " " + share(counts[index], all), x + width / 2, y + 45, "middle", "axis");
        x += width;
      });
      draw.text(all === 0 ? "no postbacks" : share(counts[2], all) + " null of " + grouped(all), 590, y + 19, "start", "value");
    });
    [["fine", "fine value"], ["coarse", "coarse value"], ["none", "null"]].forEach(([style, name], index) => {
      draw.bar(100 + index * 150, 184, 26, 18, style);
      draw.text(name, 134 + index * 150, 199);
    });
    return draw;
  }

  /** Rejects over time, or others: a row of bars for each of the first codes, over one axis. `link` makes the address of a bar. */
  function timeline({ step: stepName, labels, series, what = "rejects", link = nowhere }) {
    const shown = series.slice(0, 8), left = 226, width = 520, step = width / Math.max(labels.length, 1);
    const draw = drawing(shown.length * 62 + 40);
    shown.forEach(([code, counts, kind = "bad"], row) => {
      const bottom = row * 62 + 52, all = total(counts), mean = all / Math.max(labels.length, 1);
      const values = ticks(most(counts), true, 2), y = value => bottom - 38 * value / endOf(values);
      draw.text(code, left - 44, bottom - 19, "end");
      draw.text(grouped(all) + " in all, mean " + short(mean), left - 44, bottom - 1, "end", "axis");
      draw.beside([0, endOf(values)], y, left, width, "");
      counts.forEach((count, index) => {
        if (count === 0) return;
        const height = Math.max(bottom - y(count), 1), title = code + ", " + labels[index] + ": " + count;
        draw.bar(left + index * step + step * 0.08, bottom - height, step * 0.84, height, kind, title, link(code, index));
      });
      draw.line(left, y(mean), left + width, y(mean), "mean");
    });
    draw.steps(labels, left, width, shown.length * 62 + 20);
    draw.text("time of receipt, UTC; " + what + " " + stepName, left + width / 2, shown.length * 62 + 37, "middle", "axis");
    return draw;
  }

  /** The share of suspicious records of each sender, then of noise. `link` makes the address of the bars of a sender. */
  function senders({ kind, all, senders: shown, link = nowhere }) {
    const draw = drawing(shown.length * 30 + 58), bottom = shown.length * 30 + 20;
    const percentOf = (count, one) => one.read > 0 ? 100 * count / one.read : 0;
    const values = ticks(most(shown.map(one => percentOf(one.suspicious + one.noise, one)))), end = endOf(values);
    const x = value => 230 + 280 * value / end;
    draw.below(values, x, 18, bottom, " %");
    draw.text("suspicious, then noise, of all records of the " + kind, 370, bottom + 31, "middle", "axis");
    if (shown.length > 1 && all.read > 0) {
      draw.mean(x(100 * all.suspicious / all.read), bottom, "all " + share(all.suspicious, all.read));
    }
    shown.forEach((one, index) => {
      const y = index * 30 + 14, [width, noise] = [one.suspicious, one.noise].map(count => 280 * percentOf(count, one) / end);
      draw.text(cut(one.name, 23), 222, y + 20, "end");
      draw.bar(230, y + 7, width, 18, "bad", "suspicious: " + one.suspicious + " of " + one.read, link(one, "suspicious"));
      if (one.noise > 0) {
        draw.bar(230 + width, y + 7, noise, 18, "none", "noise: " + one.noise + " of " + one.read, link(one, "noise"));
      }
      draw.text(share(one.suspicious, one.read) + ": " + grouped(one.suspicious) + " of " + grouped(one.read), 236 + width + noise,
        y + 20, "start", "value");
    });
    return draw;
  }

  /** Numbers of some kinds as bars, in the order that they have. The root keeps rare kinds visible beside frequent ones. */
  function ranked({ unit, rows, link = nowhere }) {
    const bottom = rows.length * 28 + 6, draw = drawing(rows.length * 28 + 26), largest = most(rows.map(row => row.count));
    rows.forEach((row, index) => {
      const y = index * 28, width = largest > 0 ? 360 * Math.sqrt(row.count / largest) : 0;
      draw.text(cut(row.name, 27), 244, y + 20, "end");
      draw.bar(252, y + 5, Math.max(width, 2), 20, row.kind, row.name + ": " + row.count, link(row));
      draw.text(grouped(row.count), 260 + Math.max(width, 2), y + 20, "start", "value");
    });
    draw.text(unit, 432, bottom + 12, "middle", "axis");
    return draw;
  }

  /** The shares of each party in equal steps of time, with their intervals. */
  function shares({ unit, labels, rows }) {
    const left = 250, width = 496, draw = drawing(rows.length * 74 + 44), step = width / Math.max(labels.length, 1);
    rows.forEach((row, place) => {
      const bottom = place * 74 + 62, [count, all] = ["count", "total"].map(name => total(row.rates.map(rate => rate[name])));
      const highest = most(row.rates.map(rate => rate.count / rate.total));
      const values = ticks(Math.max(100 * highest, 1) * 1.25, true, 2), end = endOf(values);
      const y = value => bottom - 48 * Math.min(value, end) / end, x = index => left + (index + 0.5) * step;
      draw.text(cut(row.name, 22), left - 52, bottom - 28, "end");
      draw.text(share(count, all) + " of " + grouped(all), left - 52, bottom - 8, "end", "axis");
      draw.beside([0, end], y, left, width, " %");
      if (all > 0) draw.line(left, y(100 * count / all), left + width, y(100 * count / all), "mean");
      for (const rate of row.rates) {
        draw.line(x(rate.step), y(100 * rate.interval[0]), x(rate.step), y(100 * rate.interval[1]), "whisker");
        draw.dot(x(rate.step), y(100 * rate.count / rate.total));
      }
      if (row.change !== null) {
        const edge = left + row.change * step;
        draw.line(edge, bottom - 52, edge, bottom + 4, "bad");
        draw.text("changed", edge + 5, bottom - 42, "start", "axis");
      }
    });
    draw.steps(labels, left, width, rows.length * 74 + 20);
    draw.text(unit, left + width / 2, rows.length * 74 + 39, "middle", "axis");
    return draw;
  }

  /** The shares of fine and coarse values of forwarders, beside those of all others. */
  function histograms({ slots, forwarders }) {
    const left = 206, step = 6.8, coarse = 650, draw = drawing(forwarders.length * 96 + 30);
    const x = index => index < 64 ? left + index * step : coarse + (index - 64) * 36, width = index => index < 64 ? step - 1.5 : 28;
    // The root keeps rare values visible beside frequent ones.
    const height = share => 70 * Math.sqrt(share);
    forwarders.forEach((one, place) => {
      const bottom = place * 96 + 84;
      draw.text(cut(one.name, 20), left - 12, bottom - 34, "end");
      draw.text(grouped(one.count) + " values", left - 12, bottom - 14, "end", "axis");
      slots.forEach((slot, index) => {
        const [own, others] = [one.own[index], one.others[index]], y = bottom - height(others);
        const title = slot + ": " + percent(own) + ", others " + percent(others);
        draw.bar(x(index), bottom - height(own), width(index), height(own), "bar", title);
        if (others > 0) draw.line(x(index) - 1, y, x(index) + width(index) + 1, y, "whisker");
      });
      draw.line(left, bottom, x(66) + width(66), bottom, "grid");
    });
    const axis = forwarders.length * 96 + 4;
    for (const index of [0, 16, 32, 48, 63]) draw.text(slots[index], left + (index + 0.5) * step, axis, "middle", "axis");
    ["low", "med.", "high"].forEach((name, index) => draw.text(name, coarse + index * 36 + 14, axis, "middle", "axis"));
    draw.text("conversion value; root scale", left + 32 * step, axis + 20, "middle", "axis");
    return draw;
  }

  return { funnel, windows, timeline, senders, ranked, shares, histograms };
})();
