// The geometry of the charts: shapes for known data.

import assert from "node:assert/strict";
import test from "node:test";

import { charts, drawings } from "./script.mjs";

const of = (chart, tag, kind) => chart.shapes.filter(shape => shape.tag === tag && (kind === undefined || shape.kind === kind));
const texts = (chart, kind) => of(chart, "text", kind).map(shape => shape.text);
const day = 20513;

// Data for each chart, of one row or of none.
const empty = {
  funnel: { steps: ["read", "parsed", "verified", "unique", "decoded"].map(name => [name, 0]), undecoded: [] },
  windows: { windows: [[0, 0, 0], [0, 0, 0], [0, 0, 0]] },
  timeline: { step: "per day", labels: [], series: [] },
  senders: { kind: "forwarder", all: { suspicious: 0, read: 0 }, senders: [{ name: "a", suspicious: 0, noise: 0, read: 0 }] },
  ranked: { unit: "", rows: [] },
  shares: { unit: "", labels: [], rows: [{ name: "a", change: null, rates: [] }] },
  histograms: { slots: Array.from({ length: 67 }, (_, index) => String(index)), forwarders: [] },
  installs: { days: [] },
  dailyInstalls: { days: [[day, 0, "open"]] },
  dailyRevenue: { currency: null, days: [] },
  windowRevenue: { currency: "EUR", windows: [0, 1, 2].map(() => ({ estimate: "0", least: "0", most: "0", isOpen: false })) },
  revenue: { ranges: [] },
  campaigns: { currency: null, campaigns: [] },
  nullRates: { all: { nulls: 0, total: 0 }, rates: [] },
  vendorDays: { vendors: [{ name: "a", days: [[day, 0, 0]] }] },
  funnelPlot: { points: ["a", "b", "c"].map(name => ({ name, count: 0, total: 1 })) },
};

test("every chart can be drawn without records, at finite places", () => {
  assert.deepEqual(Object.keys(charts).sort(), Object.keys(empty).sort());
  for (const [name, data] of Object.entries(empty)) {
    const chart = charts[name](data);
    assert.ok(chart.height > 0, name);
    for (const shape of chart.shapes) {
      for (const value of Object.values(shape.place)) assert.ok(Number.isFinite(value), `${name}: ${JSON.stringify(shape)}`);
      assert.ok(!/NaN|undefined/.test(shape.text || ""), `${name}: ${shape.text}`);
    }
  }
});

test("a day whose revenue is not known has no bar, and is no part of the mean", () => {
  const days = [["4", "5"], [null, null], ["8", "9"]].map(([revenue, most], index) =>
    ({ day: day + index, revenue, modelled: "0", least: revenue, most, isOpen: false }));
  const chart = charts.dailyRevenue({ currency: "EUR", days });
  assert.equal(of(chart, "rect", "bar").length, 2);
  assert.deepEqual(texts(chart, "mean"), ["mean 6"]);
});

test("ticks are round and reach the largest value", () => {
  for (const [largest, isWhole, expected] of [[0, true, [0, 1]], [7, true, [0, 2, 4, 6, 8]], [0.3, false, [0, 0.1, 0.2, 0.30000000000000004]],
    [100, true, [0, 50, 100]], [1.2, false, [0, 0.5, 1, 1.5]]]) {
    assert.deepEqual(drawings.ticks(largest, isWhole), expected);
  }
});

test("steps of time are days, weeks from Mondays or longer, at most 120, and each day is in one", () => {
  for (const [days, length] of [[1, 1], [119, 1], [120, 7], [833, 7], [840, 28], [4000, 364]]) {
    const steps = drawings.timeSteps(day, day + days - 1);
    assert.deepEqual([steps.length, steps.placeOf(day), steps.placeOf(day + days - 1)], [length, 0, steps.starts.length - 1], String(days));
    assert.ok(steps.starts.length <= 120 && steps.starts[0] <= day && steps.placeOf(-1) === -1);
    if (length === 7) assert.ok(steps.starts.every(start => new Date(start * 86400000).getUTCDay() === 1));
  }
  assert.deepEqual(["per day", "per 28 days"], [drawings.unitOf(1), drawings.unitOf(28)]);
});

test("a bar of a day stands on the axis, and its range ends in an arrow without an upper limit", () => {
  const data = { currency: "EUR", days: [{ day, revenue: "75", modelled: "25", least: "50", most: "100", isOpen: true }] };
  const chart = charts.dailyRevenue(data), [revenue, modelled] = of(chart, "rect");
  assert.deepEqual([revenue.kind, revenue.place.y + revenue.place.height, revenue.place.height], ["bar", 180, 127.5]);
  assert.deepEqual([modelled.kind, modelled.place.y, modelled.place.height], ["coarse", 10, 42.5]);
  assert.equal(revenue.title, "2026-03-01: EUR\u00a075.00 observed");
  const [range, low, left, right] = of(chart, "line", "whisker").map(line => line.place);
  assert.deepEqual([range.y1, range.y2, low.y1, low.y2], [95, 10, 95, 95]);
  assert.deepEqual([left.y1, left.y2, right.y1, right.y2], [15, 10, 10, 15]);
  assert.deepEqual(texts(chart, "mean"), []);
});

test("open days have dots", () => {
  const chart = charts.dailyInstalls({ days: [[day, 3, "final"], [day + 1, 2, "open"]] });
  assert.deepEqual(of(chart, "rect").map(bar => bar.kind), ["bar", "none"]);
  assert.deepEqual(texts(chart, "mean"), ["mean 2.5"]);
});

test("the funnel shows the loss of each stage, and the statuses that occur", () => {
  const steps = [["read", 2000], ["parsed", 1500], ["verified", 1500], ["unique", 1000], ["decoded", 800]];
  const chart = charts.funnel({ steps, undecoded: [["null", 0, ""], ["no_model", 200, ""]] });
  assert.deepEqual(texts(chart, "value"), ["2\u202f000 (100.0 %)", "1\u202f500 (75.0 %), −500", "1\u202f500 (75.0 %)",
    "1\u202f000 (50.0 %), −500", "800 (40.0 %), −200"]);
  assert.deepEqual(of(chart, "rect", "bar").map(bar => bar.place.width), [420, 315, 315, 210, 168]);
  assert.deepEqual(texts(chart, "axis"), ["no model", "200 (20.0 % of unique)"]);
});

test("campaigns are drawn with the return of all, and a range that may be open", () => {
  const one = { label: "x".repeat(30), returns: [0.5, 0.25, 2], isOpen: true, revenue: "50", cost: "100" };
  const chart = charts.campaigns({ currency: "USD", campaigns: [one, { ...one, label: "b", isOpen: false, revenue: "150" }] });
  assert.deepEqual(texts(chart, "mean"), ["all of these 1.00"]);
  assert.deepEqual(texts(chart, "axis").filter(text => text.startsWith("USD")),
    ["USD\u00a0100.00: 0.50 (0.25 or more)", "USD\u00a0100.00: 0.50 (0.25 – 2.00)"]);
  assert.deepEqual(texts(chart, "label"), ["x".repeat(23) + "…", "b"]);
  assert.deepEqual(of(chart, "circle").map(dot => dot.place.cx), [309, 309]);
});

test("each currency has its own scale", () => {
  const range = (currency, amount) => ({ app: "1", currency, estimate: amount, minimum: amount, maximum: amount, farthest: amount });
  const chart = charts.revenue({ ranges: [range("EUR", "100"), range("JPY", "10000")] });
  assert.deepEqual(of(chart, "circle").map(dot => dot.place.cx), [730, 730]);
  assert.deepEqual(texts(chart, "axis"), ["revenue, each currency on its own scale"]);
});

test("a funnel plot has four limits, and its dots at their shares", () => {
  const points = [["a", 10, 100], ["b", 100, 1000], ["c", 190, 1000]].map(([name, count, total]) => ({ name, count, total }));
  const chart = charts.funnelPlot({ points });
  assert.equal(of(chart, "line", "whisker").length, 4 * 40);
  const [a, b, c] = of(chart, "circle").map(dot => dot.place);
  assert.equal(a.cy, b.cy);
  assert.ok(c.cy < b.cy && a.cx < b.cx && b.cx === c.cx);
  assert.deepEqual(texts(chart, "mean"), ["all 14.3 %"]);
});

test("a bar with an address is a link, and a chart without addresses has none", () => {
  const series = [["signature_invalid", [0, 3]], ["accepted", [1, 0], "bar"]], data = { step: "per day", labels: ["a", "b"], series };
  const link = (code, index) => code === "accepted" ? undefined : "/rejects?code=" + code + "&since=" + data.labels[index];
  const [reject, accepted] = of(charts.timeline({ ...data, link }), "rect");
  assert.deepEqual([reject.address, reject.kind], ["/rejects?code=signature_invalid&since=b", "bad"]);
  assert.deepEqual([accepted.address, accepted.kind], [undefined, "bar"]);
  assert.ok(charts.timeline(data).shapes.every(shape => !("address" in shape) || shape.address === undefined));
});

test("rare kinds are visible beside frequent ones", () => {
  const rows = [["a", 10000], ["b", 100], ["c", 1]].map(([name, count]) => ({ name, count, kind: "bad" }));
  assert.deepEqual(of(charts.ranked({ unit: "", rows }), "rect").map(bar => bar.place.width), [360, 36, 3.6]);
});

test("rows of shares have a dot and an interval for each step, and the step of a change", () => {
  const rates = [{ step: 0, count: 1, total: 10, interval: [0.02, 0.4] }, { step: 2, count: 5, total: 10, interval: [0.24, 0.76] }];
  const chart = charts.shares({ unit: "week", labels: ["a", "b", "c"], rows: [{ name: "f", change: 2, rates }] });
  assert.deepEqual([of(chart, "circle").length, of(chart, "line", "whisker").length, of(chart, "line", "bad").length], [2, 2, 1]);
  assert.ok(texts(chart, "axis").includes("30.0 % of 20"));
});

test("a vendor's count is a line over the bar of what Apple signed, and days without either are left free", () => {
  const chart = charts.vendorDays({ vendors: [{ name: "acme", days: [[day, 6, 4], [day + 3, 2, 4]] }] });
  const [first, last] = of(chart, "rect", "bar").map(bar => bar.place);
  assert.ok(first.height === last.height && last.x - first.x === 3 * 520 / 4);
  const [above, below] = of(chart, "line", "whisker").map(line => line.place.y1);
  assert.ok(above < first.y && below > last.y);
  assert.ok(texts(chart, "axis").includes("8 counted") && texts(chart, "axis").includes("8 signed"));
});
