/**
 * The tables of the live page.
 *
 * @typedef {{key: string, title: string, kind?: "number" | "time" | "text", text: (row: any) => string, link?: (row: any) => string | undefined,
 *   value?: (row: any) => any, about?: string}} Column
 */
const tables = (function () {
  const { make, scroll, layout } = elements;

  /** Compares two values of a column: what is not known comes last, whatever the direction. */
  function compare(one, other, direction) {
    if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
    const found = typeof one === "string" ? one.localeCompare(other) : order(one, other);
    return direction * found;
  }

  /** The rows in the order of a column, such as `cost`, or `-cost` for the largest first; the given order without one. */
  function sorted(rows, columns, sort) {
    const direction = sort.startsWith("-") ? -1 : 1, column = columns.find(one => one.key === sort.replace(/^-/, ""));
    if (column === undefined || column.value === undefined) return rows;
    const { value } = column;
    return rows.map((row, place) => ({ row, place, value: value(row) }))
      .sort((one, other) => compare(one.value, other.value, direction) || one.place - other.place).map(one => one.row);
  }

  /** The rows of all days from the first to the last, at most the latest ones. A day without a row has what `none` has. */
  function everyDay(rows, most, none) {
    const byDay = new Map(rows.map(row => [Date.parse(row.date) / 86400000, row])), days = Array.from(byDay.keys()).sort(order);
    if (days.length === 0) return [];
    const last = days[days.length - 1], first = Math.max(days[0], last - most + 1);
    return Array.from({ length: last - first + 1 }, (_, index) => byDay.get(first + index) || { ...none, date: formats.dayName(first + index) });
  }

  /** The order after a click on a heading: numbers begin with the largest. */
  function next(sort, column) {
    const [up, down] = [column.key, "-" + column.key], first = column.kind === "number" ? down : up;
    return sort === first ? (first === up ? down : up) : first;
  }

  function heading(column, sort, onSort) {
    const direction = sort === column.key ? "ascending" : sort === "-" + column.key ? "descending" : "none";
    const isSorted = onSort !== undefined && column.value !== undefined;
    const title = isSorted ? make("button", { type: "button", "data-sort": column.key, click: () => onSort(next(sort, column)) },
      column.title) : column.title;
    return make("th", { scope: "col", class: column.kind === "number" ? "number" : null, title: column.about,
      "aria-sort": isSorted ? direction : null }, title);
  }

  function cell(column, row, index) {
    const text = column.text(row), link = column.link === undefined ? undefined : column.link(row);
    const kind = column.kind === "number" ? "number" : column.kind === "time" ? "time" : layout(text);
    const content = link === undefined || text === "" ? text : make("a", { href: link }, text);
    return index === 0 ? make("th", { scope: "row", class: kind || null }, content) : make("td", { class: kind || null }, content);
  }

  /** The button that opens a row, and what it opens. */
  function opener(row, place, width, open) {
    const button = make("button", { type: "button", "aria-expanded": "false", "aria-label": "All of row " + (place + 1) }, "+");
    let details = null;
    button.addEventListener("click", () => {
      const isOpen = details !== null;
      if (isOpen) details.remove();
      details = isOpen ? null : make("tr", { class: "details" }, make("td", { colspan: width + 1 }, open(row)));
      if (details !== null) button.closest("tr").after(details);
      button.textContent = isOpen ? "+" : "−";
      button.setAttribute("aria-expanded", String(!isOpen));
    });
    return make("td", {}, button);
  }

  /**
   * A table of rows. With `onSort` the headings of columns that have a `value` order it; with `open` each row can be opened.
   *
   * @param {{caption: string, columns: Column[], rows: any[], sort?: string, onSort?: (sort: string) => void, total?: any, id?: string,
   *   open?: (row: any) => Node}} content
   */
  function table({ caption, columns, rows, sort = "", onSort, total: sum, id, open }) {
    const body = sorted(rows, columns, sort).map((row, place) => make("tr", {}, open && opener(row, place, columns.length, open),
      columns.map((column, index) => cell(column, row, index))));
    const foot = sum === undefined ? null
      : make("tfoot", {}, make("tr", {}, columns.map((column, index) => cell(column, sum, index))));
    return scroll("Table: " + caption, make("table", { id }, make("caption", {}, caption),
      make("thead", {}, make("tr", {}, open && make("th", { scope: "col" }, "open"), columns.map(column => heading(column, sort, onSort)))), make("tbody", {}, body), foot));
  }

  return { sorted, everyDay, next, table };
})();
