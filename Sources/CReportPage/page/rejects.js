/** The table of rejects: its rows from the JSON in the page, their order, the words that are searched, and opened rows. */
function reportRejects(filters) {
  const { find, parsed, layout } = figures;
  const data = parsed(find("data")), body = find("rows"), status = find("status");
  const filter = /** @type {HTMLInputElement} */ (find("filter"));
  const heads = Array.from(document.querySelectorAll("#rejects thead th"));
  const shown = 50;
  let column = -1, direction = 1, opened = new Set();

  function element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  const texts = data.rows.map(row => Object.values(row).join("\n").toLowerCase());

  function details(row, width) {
    const line = element("tr"), cell = element("td"), list = element("dl");
    cell.colSpan = width;
    for (const name of Object.keys(row)) {
      list.append(element("dt", name));
      const value = element("dd");
      value.append(element(name === "raw_body" || name === "signed_text" ? "pre" : "span", row[name]));
      list.append(value);
    }
    cell.append(list);
    line.className = "details";
    line.append(cell);
    return line;
  }

  function draw() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(word => word !== "");
    const found = data.rows.map((_, index) => index).filter(index =>
      filters.rowMatches(data.rows[index]) && words.every(word => texts[index].includes(word)));
    if (column >= 0) {
      const name = data.columns[column];
      found.sort((one, other) => {
        const left = data.rows[one][name] || "", right = data.rows[other][name] || "";
        return left < right ? -direction : left > right ? direction : one - other;
      });
    }
    const lines = [];
    for (const index of found.slice(0, shown)) {
      const row = data.rows[index], line = element("tr"), first = element("td");
      const button = element("button", opened.has(index) ? "−" : "+");
      button.type = "button";
      button.setAttribute("aria-expanded", opened.has(index) ? "true" : "false");
      button.setAttribute("aria-label", "all of row " + (index + 1));
      button.addEventListener("click", () => {
        if (opened.has(index)) opened.delete(index); else opened.add(index);
        draw();
        const again = body.querySelector("button[data-row='" + index + "']");
        if (again) again.focus();
      });
      button.dataset.row = index;
      first.append(button);
      line.append(first);
      for (const name of data.columns) line.append(element("td", row[name] === undefined ? "" : row[name],
        "cell " + layout(row[name] || "")));
      lines.push(line);
      if (opened.has(index)) lines.push(details(row, data.columns.length + 1));
    }
    body.replaceChildren(...lines);
    heads.forEach((head, index) => {
      if (index > 0) head.setAttribute("aria-sort", index - 1 !== column ? "none" : direction > 0 ? "ascending" : "descending");
    });
    status.textContent = found.length + " of " + data.rows.length + " rejects of the sample match"
      + (found.length > shown ? "; the first " + shown + " are shown" : "");
  }

  heads.forEach((head, index) => {
    const button = head.querySelector("button");
    if (button) button.addEventListener("click", () => {
      direction = column === index - 1 ? -direction : 1;
      column = index - 1;
      filters.change({ sort: (direction > 0 ? "" : "-") + column, at: "" }, true);
    });
  });
  filter.addEventListener("input", () => filters.change({ words: filter.value.slice(0, 200), at: "" }, true));
  let sorted = "", unfolded = "";
  filters.listen(() => {
    const state = filters.state;
    if (filter.value !== state.words) filter.value = state.words;
    // A column, with a minus sign if it is in descending order.
    if (state.sort !== sorted) [column, direction] = [state.sort === "" ? -1
      : Math.min(data.columns.length - 1, Math.abs(Number(state.sort))), state.sort.startsWith("-") ? -1 : 1];
    if (state.open !== unfolded && state.open !== "") opened.add(Number(state.open));
    [sorted, unfolded] = [state.sort, state.open];
    draw();
  });
  find("controls").hidden = false;
}
