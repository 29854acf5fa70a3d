// The scripts of the report's page, evaluated outside of a browser: those that need none, in the order in which they are embedded.

import fs from "node:fs";
import vm from "node:vm";

const root = new URL("../../", import.meta.url), sources = new URL("Sources/CReportPage/", root);
const embedded = fs.readFileSync(new URL("page/scripts.inc", sources), "utf8");
const files = Array.from(embedded.matchAll(/#embed "([^"]+\.js)"/g), match => "page/" + match[1]);

const view = ["elements", "tables", "address", "pasted"].map(name => "view/" + name + ".js");
for (const file of [...files.slice(0, files.indexOf("page/outcomes.js")), ...view]) {
  vm.runInThisContext(fs.readFileSync(new URL(file, sources), "utf8"), { filename: file });
}

/** The functions of the scripts that need no document before they are called. */
export const { formats, rules, drawings, charts, elements, tables, address, pasted, reportFilters } = vm.runInThisContext(
  "({ formats, rules, drawings, charts: { ...recordCharts, ...businessCharts }, elements, tables, address, pasted, reportFilters })");

export const fixture = name => JSON.parse(fs.readFileSync(new URL("Fixtures/page/" + name, root), "utf8"));
