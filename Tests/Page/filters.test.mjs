// The filters of the report's page: the choice in the address, and the links from bars to their rows.

import assert from "node:assert/strict";
import test from "node:test";

import { reportFilters } from "./script.mjs";

const day = 20531, outcome = (code, kind) => [code, "parse", null, null, null, kind, ""];
// Cells: day, forwarder, network, app, outcome, count.
const cube = { days: [day, day + 13], forwarder: ["a", null, 0], network: ["n"], app: ["1"], installs: null, classes: [], revenue: null,
  outcomes: [outcome(null, "accepted"), outcome("not_json", "noise"), outcome("too_deep", "noise"), outcome("~noise", "suspicious")],
  counts: [[day, 0, 0, 0, 0, 40], [day, 0, 0, 0, 1, 5], [day + 1, 0, 0, 0, 2, 3], [day + 1, 1, 0, 0, 3, 2]].flat() };

/** The filters of a page at an address, with the business half of two networks from a day before the first receipt on, and its elements. */
function open(hash) {
  const found = new Map(), element = () => ({ textContent: "", value: "", append: () => {}, scrollIntoView: () => {},
    addEventListener(name, act) { this[name] = act; } });
  const byID = id => found.get(id) || found.set(id, element()).get(id);
  byID("cube").textContent = JSON.stringify(cube);
  Object.assign(globalThis, { location: { hash }, window: { addEventListener: () => {} }, document: { getElementById: byID,
    querySelectorAll: () => [], addEventListener: () => {}, createElement: element } });
  const filters = reportFilters();
  filters.extend(["one", "two & three"], [day - 3, day + 2]);
  filters.start();
  return { filters, status: () => byID("filter-status").textContent, byID };
}

test("a bar leads to its rows within the choice, and nowhere if a value is none of the page", () => {
  const { filters } = open("#from=2026-03-21&forwarder=a&filter=word");
  assert.equal(filters.rowsOf({ code: "too_deep", from: "2026-03-18", to: "2026-03-24" }),
    "#from=2026-03-21&forwarder=a&to=2026-03-24&code=too_deep&at=rejected-rows");
  assert.equal(filters.rowsOf({ network: "other", code: { class: "noise" } }), undefined);
  assert.equal(filters.rowsOf({ code: "never" }), undefined);
});

test("all codes of a class can be chosen, beside a code with its name", () => {
  const { filters, status } = open("#code=%7Enoise");
  assert.equal(status(), "8 of 50 records: 0 accepted, 0 suspicious, 8 noise, 0 copies");
  assert.deepEqual(["not_json", "~noise", "never"].map(code => filters.rowMatches({ reject_code: code })), [true, false, false]);
  assert.equal(filters.rowsOf({ forwarder: null, code: "~noise" }), "#code=%7E%7Enoise&forwarder=%7Enone&at=rejected-rows");
  assert.equal(open("#code=%7E%7Enoise").status(), "2 of 50 records: 0 accepted, 2 suspicious, 0 noise, 0 copies");
});

test("the network of the business half is in the address until all is shown", () => {
  const { filters, byID, status } = open("#network_name=two+%26+three");
  assert.deepEqual([filters.state.networkName, filters.isActive(), byID("filter-reset").disabled], [1, false, false]);
  assert.equal(status(), "All 50 records");
  filters.change({ networkName: 0 });
  assert.equal(globalThis.location.hash, "#network_name=one");
  byID("filter-reset").click();
  assert.deepEqual([globalThis.location.hash, filters.state.networkName, byID("filter-reset").disabled], ["#", -1, true]);
  assert.equal(open("#network_name=four").filters.state.networkName, -1);
});

test("days of installs before the first receipt can be chosen", () => {
  const { filters, status, byID } = open("#to=2026-03-17");
  assert.deepEqual([filters.within(day - 2), filters.within(day - 1), status().startsWith("0 of 50")], [true, false, true]);
  assert.deepEqual([byID("filter-from").min, byID("filter-from").max], ["2026-03-16", "2026-04-01"]);
  assert.equal(open("#to=2026-03-15").status(), "All 50 records");
});
