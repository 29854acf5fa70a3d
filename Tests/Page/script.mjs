// The scripts of the report's page, evaluated outside of a browser: those that need none, in the order in which they are embedded.

import fs from "node:fs";
import vm from "node:vm";

const root = new URL("../../", import.meta.url), sources = new URL("Sources/CReportPage/", root);
const embedded = fs.readFileSync(new URL("files.c", sources), "utf8");
const files = Array.from(embedded.matchAll(/#embed "(page\/[^"]+\.js)"/g), match => match[1]);

for (const file of files.slice(0, files.indexOf("page/figures.js"))) {
  vm.runInThisContext(fs.readFileSync(new URL(file, sources), "utf8"), { filename: file });
}

/** The functions of the scripts before `figures.js`, which is the first one that needs a document. */
export const { formats, rules, drawings, charts } =
  vm.runInThisContext("({ formats, rules, drawings, charts: { ...recordCharts, ...businessCharts } })");

export const fixture = name => JSON.parse(fs.readFileSync(new URL("Fixtures/page/" + name, root), "utf8"));
