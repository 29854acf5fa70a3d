/**
 * The charts of installs, revenue, costs and null rates. Each takes the data that a figure of the page has as JSON, and
 * returns a drawing.
 */
const businessCharts = (function () {
  const { units, money, grouped, ratio, percent, dayName, short, cut } = formats;
  const { mostRows, nowhere, drawing, ticks, endOf, most } = drawings;

  /** Bars by day or window, of parts that stand on each other, and the range of their sum. */
  function days(bars, unit, isWhole) {
    const draw = drawing(240), left = 64, width = 680, height = 170;
    const sum = bar => total(bar.parts.map(part => part[1]));
    const values = ticks(most(bars.map(bar => Math.max(sum(bar), bar.range ? bar.range[1] : 0))), isWhole);
    const y = value => 10 + height * (1 - Math.max(value, 0) / endOf(values));
    draw.beside(values, y, left, width, "");
    const step = width / Math.max(bars.length, 1), thick = Math.min(step * 0.7, 44);
    bars.forEach((bar, index) => {
      const middle = left + (index + 0.5) * step;
      let bottom = 0;
      for (const [kind, value] of bar.parts.filter(part => part[1] > 0)) {
        draw.bar(middle - thick / 2, y(bottom + value), thick, y(bottom) - y(bottom + value), kind, bar.title, bar.address);
        bottom += value;
      }
      if (!bar.range || bar.range[1] <= 0) return;
      draw.upright(middle, y(bar.range[0]), y(bar.range[1]), Math.min(step * 0.2, 6), bar.isOpen);
    });
    const known = bars.filter(bar => bar.parts.length > 0);
    if (known.length > 1) {
      const mean = total(known.map(sum)) / known.length;
      draw.line(left, y(mean), left + width, y(mean), "mean");
      draw.text("mean " + short(mean), left + width, y(mean) - 5, "end", "mean");
    }
    draw.steps(bars.map(bar => bar.name), left, width, height + 28);
    draw.text(unit, left + width / 2, height + 48, "middle", "axis");
    return draw;
  }

  /** Installs by estimated date, with the certain and the possible number of each day. */
  function installs(data) {
    return days(data.days.map(([day, estimated, certain, possible]) => ({
      name: dayName(day), parts: [["bar", estimated]], range: [certain, possible],
      title: dayName(day) + ": about " + estimated + ", at least " + certain + ", at most " + possible,
    })), "estimated day of the install, UTC; installs per day", true);
  }

  /** Installs of the daily report; open days have dots. `link` makes the address of a day. */
  function dailyInstalls({ days: all, link = nowhere }) {
    return days(all.map(([day, count, state]) => ({
      name: dayName(day), parts: [[state === "open" ? "none" : "bar", count]], title: dayName(day) + ": " + count + ", " + state,
      address: link(day),
    })), "estimated day of the install, UTC; installs", true);
  }

  /** Revenue of the daily report, with the modelled part. What is null is not known. */
  function dailyRevenue({ currency, days: all }) {
    return days(all.map(one => ({
      name: dayName(one.day), parts: one.revenue === null ? [] : [["bar", Number(one.revenue)], ["coarse", Number(one.modelled)]],
      range: one.least === null || one.most === null ? null : [Number(one.least), Number(one.most)], isOpen: one.isOpen,
      title: dayName(one.day) + ": " + (one.revenue === null ? "not known" : money(units(one.revenue), currency) + " observed"),
    })), "estimated day of the install, UTC; revenue of the first window, " + (currency === null ? "no currency" : currency), false);
  }

  /** Decoded revenue of the conversion windows. */
  function windowRevenue({ currency, windows: all }) {
    return days(all.map((one, window) => ({
      name: "window " + window + ": " + short(Number(one.estimate)), parts: [["bar", Number(one.estimate)]],
      range: [Number(one.least), Number(one.most)], isOpen: one.isOpen,
      title: "window " + window + ": " + money(units(one.estimate), currency),
    })), "conversion window; revenue, " + currency, false);
  }

  /** Decoded revenue with its range. Amounts in different currencies cannot be compared, so each currency has its own scale. */
  function revenue({ ranges }) {
    const shown = ranges.slice(0, mostRows), bottom = shown.length * 50 + 6, draw = drawing(shown.length * 50 + 44);
    const currencies = Array.from(new Set(shown.map(range => range.currency)));
    const scales = new Map(currencies.map(currency =>
      [currency, ticks(most(shown.filter(range => range.currency === currency).map(range => Number(range.farthest))), false)]));
    const position = currency => value => 190 + 540 * Number(value) / endOf(scales.get(currency));
    if (currencies.length === 1) draw.below(scales.get(currencies[0]), position(currencies[0]), 4, bottom, "");
    const unit = currencies.length === 1 ? "revenue, " + currencies[0] : "revenue, each currency on its own scale";
    draw.text(unit, 460, bottom + 31, "middle", "axis");
    shown.forEach((range, index) => {
      const y = index * 50 + 36, x = position(range.currency), isOpen = range.maximum === null;
      draw.text(cut("app " + range.app, 24), 180, y + 4, "end");
      draw.range(x(range.minimum), x(range.farthest), y, 6, isOpen);
      draw.dot(x(range.estimate), y);
      const limit = isOpen ? " or more" : " to " + range.maximum;
      draw.text(range.estimate + " (" + range.minimum + limit + ") " + range.currency, 190, y - 14, "start", "value");
    });
    return draw;
  }

  /** The return on ad spend of campaigns, with its range; `returns` are the observed, the least and the largest one. */
  function campaigns({ currency, campaigns: shown }) {
    const bottom = shown.length * 28 + 18, draw = drawing(shown.length * 28 + 60);
    const values = ticks(Math.min(most(shown.map(one => one.returns[2])), 10), false), end = endOf(values);
    const x = value => 250 + 236 * Math.min(Math.max(value, 0), end) / end;
    draw.below(values, x, 16, bottom, "");
    draw.line(x(1), 16, x(1), bottom, "axis");
    draw.text("return on ad spend; 1 pays the cost back", 368, bottom + 33, "middle", "axis");
    if (shown.length > 1) {
      const mean = total(shown.map(one => Number(one.revenue))) / total(shown.map(one => Number(one.cost)));
      draw.mean(x(mean), bottom, "all of these " + ratio(mean));
    }
    shown.forEach((one, index) => {
      const y = index * 28 + 34, [seen, low, high] = one.returns;
      draw.text(cut(one.label, 24), 242, y + 5, "end");
      draw.range(x(low), x(high), y, 5, one.isOpen);
      draw.dot(x(seen), y);
      const limits = ratio(low) + (one.isOpen ? " or more" : " – " + ratio(high));
      draw.text(money(units(one.cost), currency) + ": " + ratio(seen) + " (" + limits + ")", 502, y + 5, "start", "axis");
    });
    return draw;
  }

  /** The null rates of networks, with Wilson's interval. */
  function nullRates({ all, rates: shown }) {
    const bottom = shown.length * 30 + 20, draw = drawing(shown.length * 30 + 58);
    const values = ticks(100 * most(shown.map(one => one.interval[1]))), x = value => 230 + 330 * value / endOf(values);
    draw.below(values, x, 18, bottom, " %");
    if (shown.length > 1) draw.mean(x(100 * all.nulls / all.total), bottom, "all " + percent(all.nulls / all.total));
    shown.forEach((one, index) => {
      const y = index * 30 + 30;
      draw.text(cut(one.name, 23), 222, y + 5, "end");
      draw.range(x(100 * one.interval[0]), x(100 * one.interval[1]), y, 5, false);
      draw.dot(x(100 * one.nulls / one.total), y);
      draw.text(percent(one.nulls / one.total) + " of " + grouped(one.total), 570, y + 5, "start", "value");
    });
    return draw;
  }

  /** The share of each party over its number of records, with the limits in which those of equal parties lie. */
  function funnelPlot({ points }) {
    const left = 64, width = 640, top = 14, height = 220, draw = drawing(300), sizes = points.map(point => point.total);
    const mean = total(points.map(point => point.count)) / total(sizes);
    const highest = most(points.map(point => point.count / point.total));
    const values = ticks(100 * Math.min(Math.max(highest * 1.1, 2 * mean), 1)), end = endOf(values);
    const low = Math.log10(Math.min(...sizes)) - 0.1, high = Math.log10(Math.max(...sizes)) + 0.1;
    const x = size => left + width * (Math.log10(size) - low) / (high - low);
    const y = value => top + height * (1 - Math.min(Math.max(value, 0), end) / end);
    draw.beside(values, y, left, width, " %");
    const steps = Array.from({ length: 41 }, (_, index) => 10 ** (low + (high - low) * index / 40));
    // The quantiles of the normal distribution for 95 and 99.8 %.
    for (const limit of [-1.96, 1.96, -3.09, 3.09]) {
      const bound = size => y(100 * (mean + limit * Math.sqrt(mean * (1 - mean) / size)));
      steps.slice(1).forEach((size, index) => draw.line(x(steps[index]), bound(steps[index]), x(size), bound(size), "whisker"));
    }
    draw.line(left, y(100 * mean), left + width, y(100 * mean), "mean");
    draw.text("all " + percent(mean), left + width, y(100 * mean) - 5, "end", "mean");
    for (let power = Math.ceil(low); power <= Math.max(Math.ceil(low), Math.floor(high)); power++) {
      draw.text(short(10 ** power), x(10 ** power), top + height + 18, "middle", "axis");
    }
    draw.text("first postbacks, logarithmic", left + width / 2, top + height + 42, "middle", "axis");
    for (const point of points) {
      const at = x(point.total), height = y(100 * point.count / point.total);
      draw.dot(at, height);
      draw.text(cut(point.name, 22), Math.min(at + 8, 700), height - 6, at > 560 ? "end" : "start", "value");
    }
    return draw;
  }

  /** What vendors count, as lines, beside what Apple signed, as bars, by day: a row for each vendor. */
  function vendorDays({ vendors }) {
    const left = 226, width = 520, draw = drawing(vendors.length * 116 + 24);
    vendors.forEach(({ name, days: counts }, row) => {
      const bottom = row * 116 + 92, [imported, verified] = [1, 2].map(place => total(counts.map(day => day[place])));
      const [first, last] = [counts[0][0], counts[counts.length - 1][0]], step = width / (last - first + 1);
      const values = ticks(most(counts.map(day => Math.max(day[1], day[2]))), true, 2), y = value => bottom - 76 * value / endOf(values);
      draw.text(cut(name, 20), left - 44, bottom - 52, "end");
      draw.text(grouped(imported) + " counted", left - 44, bottom - 30, "end", "axis");
      draw.text(grouped(verified) + " signed", left - 44, bottom - 12, "end", "axis");
      draw.beside(values, y, left, width, "");
      for (const [day, own, signed] of counts) {
        const x = left + (day - first + 0.1) * step;
        draw.bar(x, y(signed), step * 0.8, bottom - y(signed), "bar", dayName(day) + ": " + own + " counted, " + signed + " signed");
        draw.line(x - step * 0.05, y(own), x + step * 0.85, y(own), "whisker");
      }
      const names = Array.from({ length: last - first + 1 }, (_, index) => dayName(first + index));
      draw.steps(names, left, width, bottom + 16);
    });
    draw.text("day; postbacks", left + width / 2, vendors.length * 116 + 18, "middle", "axis");
    return draw;
  }

  return { vendorDays, installs, dailyInstalls, dailyRevenue, windowRevenue, revenue, campaigns, nullRates, funnelPlot };
})();
