// The live page: its addresses, the order of tables, the forms of numbers, and what is pasted.

import assert from "node:assert/strict";
import test from "node:test";

import { address, elements, formats, pasted, tables } from "./script.mjs";

const usual = { class: "", sort: "-installs", where: [] };

test("an address has what is not usual, and is read as it was written", () => {
  const values = { class: "noise", sort: "", where: ["country:DE", "campaign_id:", "network_name:a&b=c d"] };
  const query = address.query(values, usual);
  assert.equal(query, "?class=noise&where=country:DE&where=campaign_id:&where=network_name:a%26b%3Dc+d");
  assert.deepEqual(address.read(query, usual, { where: /^[a-z_]+:/ }), { ...values, sort: "-installs" });
  assert.equal(address.query(usual, usual), "");
});

test("values that an address may not have are ignored", () => {
  const allowed = { class: ["noise"], sort: /^-?[a-z]+$/, where: /^[a-z_]+:/ };
  assert.deepEqual(address.read("?class=all&sort=%22%3E%3Cimg&where=nothing&where=a:b&other=1", usual, allowed), { ...usual, where: ["a:b"] });
  assert.deepEqual(address.read("?class=" + "x".repeat(500), { class: "" }), { class: "" });
  assert.ok(address.day.test("2026-03-01") && !address.day.test("2026-3-1"));
  assert.ok(address.time.test("2026-03-01T00:00:00Z") && !address.time.test("2026-03-01 00:00"));
});

test("a table is in the order of a column, and what is not known comes last in both directions", () => {
  const columns = [{ key: "name", value: row => row.name }, { key: "cost", kind: "number", value: row => row.cost }];
  const rows = [{ name: "b", cost: null }, { name: "a", cost: 2 }, { name: "c", cost: 10 }];
  const names = sort => tables.sorted(rows, columns, sort).map(row => row.name).join("");
  assert.deepEqual(["name", "-name", "cost", "-cost", "", "nothing"].map(names), ["abc", "cba", "acb", "cab", "bac", "bac"]);
  assert.equal(tables.next("", columns[1]), "-cost");
  assert.equal(tables.next("-cost", columns[1]), "cost");
  assert.equal(tables.next("-cost", columns[0]), "name");
  assert.equal(tables.next("name", columns[0]), "-name");
});

test("a chart has all days from the first to the last, at most the latest ones", () => {
  const rows = [{ date: "2026-03-04", installs: 3 }, { date: "2026-02-27", installs: 1 }];
  const days = most => tables.everyDay(rows, most, { installs: 0 }).map(row => row.date.slice(5) + " " + row.installs);
  assert.deepEqual(days(120), ["02-27 1", "02-28 0", "03-01 0", "03-02 0", "03-03 0", "03-04 3"]);
  assert.deepEqual(days(2), ["03-03 0", "03-04 3"]);
  assert.deepEqual(tables.everyDay([], 120, {}), []);
});

test("numbers have the form of the reader's language", () => {
  const forms = () => [formats.grouped(1234567), formats.plain(formats.units("1234.5")), formats.percent(0.125), formats.ratio(1.5),
    formats.share(1, 10000), formats.short(1500)];
  const own = forms();
  try {
    formats.speak("de-DE");
    assert.deepEqual(forms(), ["1.234.567", "1.234,50", "12,5 %", "1,50", "< 0,1 %", "1,5k"]);
    formats.speak("es-ES");
    assert.deepEqual(forms(), ["1.234.567", "1234,50", "12,5 %", "1,50", "< 0,1 %", "1,5k"]);
    formats.speak("ar-EG");
    assert.match(formats.grouped(1234567), /^[\d٬,.]+$/);
  } finally {
    formats.speak(null);
  }
  assert.deepEqual(forms(), own);
  assert.equal(own[0], "1\u202f234\u202f567");
});

test("amounts that are larger than a browser's numbers keep their digits in every language", () => {
  formats.speak("de");
  try {
    assert.equal(formats.plain(formats.units("90071992547409931.23")), "90.071.992.547.409.931,23");
  } finally {
    formats.speak(null);
  }
});

test("control characters and direction marks are written out", () => {
  assert.equal(elements.visible("a\u202eb\u0007\u2028\u2063"), "a\\u{202e}b\\u{7}\\u{2028}\\u{2063}");
});

test("an id, a postback and its envelopes lead to a transaction id", () => {
  const id = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28", body = { "transaction-id": id, "app-id": 525463029, "did-win": true };
  assert.deepEqual(pasted.read("  " + id + "\n"), { id, fields: null });
  const fields = { transaction_id: id, app_id: "525463029", did_win: "true" };
  assert.deepEqual(pasted.read(JSON.stringify(body)), { id, fields });
  assert.deepEqual(pasted.read(JSON.stringify({ received_at: "2026-03-01T00:00:00Z", body })), { id, fields });
  assert.deepEqual(pasted.read(JSON.stringify({ body: JSON.stringify(body) })), { id, fields });
});

test("a JWS is read as its payload, with the fields beside it", () => {
  const payload = { "postback-identifier": "454c7a52", "advertised-item-identifier": 1073, "ad-network-identifier": "a.adattributionkit" };
  const jws = "e30." + Buffer.from(JSON.stringify(payload)).toString("base64url") + ".c2ln";
  const fields = { transaction_id: "454c7a52", app_id: "1073", ad_network_id: "a.adattributionkit" };
  assert.deepEqual(pasted.read(jws), { id: "454c7a52", fields });
  assert.deepEqual(pasted.read(JSON.stringify({ "jws-string": jws, "conversion-value": 12 })),
    { id: "454c7a52", fields: { ...fields, conversion_value: "12" } });
});

test("texts that are no postback lead nowhere", () => {
  for (const text of ["", "{", "{}", "[1]", "a b", "{\"transaction-id\":1}", "a.b.c", "[".repeat(50)]) assert.equal(pasted.read(text), null, text);
});

test("bytes are shown with their text", () => {
  assert.equal(pasted.dump(Buffer.from("A\n<b>")), "000000  41 0a 3c 62 3e                                   A.<b>");
  assert.match(pasted.dump(Buffer.alloc(40), 32), /\n… 8 more bytes$/);
});
