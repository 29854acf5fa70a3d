// The rules and the forms of numbers that Swift has too: `ReportRuleTests` holds Swift to the same results.

import assert from "node:assert/strict";
import test from "node:test";

import { fixture, formats, rules } from "./script.mjs";

const expected = fixture("rules.json");

test("Wilson's interval has the limits of the formula", () => {
  for (const { part, whole, interval } of expected.wilson) {
    rules.wilson(part, whole).forEach((limit, index) =>
      assert.ok(Math.abs(limit - interval[index]) < 1e-9, `${part} of ${whole}: ${limit}, expected ${interval[index]}`));
  }
});

test("a campaign is judged by the whole range of its return", () => {
  for (const { range, isOpen, hasCredit, hasOtherCost, code } of expected.judgement) {
    assert.equal(rules.judgement(range, isOpen, hasCredit, hasOtherCost), code, JSON.stringify(range));
  }
});

test("a campaign of a chosen app is above 1 only if it is so with costs that are not of one app", () => {
  for (const [revenue, cost, spare, code] of [[[200, 300], 100, 0, "above"], [[200, 300], 100, 100, "above"],
    [[200, 300], 100, 101, "undecided"], [[20, 30], 100, 50, "below"], [[20, 30], 100, -80, "undecided"],
    [[200, 300], 100, null, "undecided"], [null, 100, 0, "undecided"], [[2, 3], null, 50, "undecided"], [[2, 3], null, 0, "no_cost"]]) {
    assert.equal(rules.judgementOfApps(revenue, false, cost, spare), code, JSON.stringify([revenue, cost, spare]));
  }
  assert.equal(rules.judgementOfApps([2, 3], false, null, 0, true), "credit");
  assert.equal(rules.judgementOfApps([2, 3], false, null, 50, true), "undecided");
  assert.equal(rules.judgementOfApps([2, 3], false, null, 0, true, true), "other_currency");
});

test("numbers have the forms of the tables", () => {
  for (const { amount, text } of expected.plain) assert.equal(formats.plain(formats.units(amount)), text);
  for (const { number, text } of expected.grouped) assert.equal(formats.grouped(number), text);
  for (const { value, text } of expected.ratio) assert.equal(formats.ratio(value), text);
  for (const { value, text } of expected.percent) assert.equal(formats.percent(value), text);
  for (const { part, whole, text } of expected.share) assert.equal(formats.share(part, whole), text);
});

test("an amount is the same after it was read and written", () => {
  for (const text of ["0", "0.5", "-0.5", "12.0000001", "-123456789012345678.9", "100"]) {
    assert.equal(formats.exact(formats.units(text)), text);
  }
  assert.equal(formats.money(formats.units("1234.5"), "EUR"), "EUR\u00a01\u202f234.50");
  assert.equal(formats.money(formats.units("2"), null), "2.00");
});

test("ticks have a unit, and days have names", () => {
  assert.deepEqual([0, 0.25, 999, 1500, 2e6, 3.14e9].map(formats.short), ["0", "0.25", "999", "1.5k", "2M", "3.1G"]);
  assert.equal(formats.dayName(20513), "2026-03-01");
  assert.equal(formats.cut("0123456789", 5), "0123…");
  assert.equal(formats.cut("01234", 5), "01234");
});
