/** Rows that come in pages, the newest first: further ones are put after those that are there. */
const paged = (function () {
  const { make, source, busy, failure } = elements;

  const share = data => data.searched_share === null || data.searched_share === undefined || data.next === null ? ""
    : " " + formats.percent(Number(data.searched_share)) + " of the rows were searched.";

  /**
   * Shows the rows of an address. `columns` makes the columns of an answer, and `before` what comes before the first rows.
   *
   * @param {HTMLElement} holder
   * @param {string} path
   * @param {{caption: string, columns: (data: any) => any[], before?: (data: any) => Node[], open?: (row: any) => Node}} content
   */
  async function show(holder, path, { caption, columns, before = _ => [], open }) {
    const status = make("p", { class: "note", role: "status", "aria-live": "polite" });
    const more = make("button", { type: "button", class: "more" }, "Show older rows");
    let count = 0, next = null, body = null;

    async function load() {
      more.disabled = true;
      status.textContent = "Searching.";
      const data = await server.ask("rows", path + (next === null ? "" : (path.includes("?") ? "&" : "?") + "cursor=" + encodeURIComponent(next)));
      if (data === null) return;
      const made = tables.table({ caption, columns: columns(data), rows: data.rows, open });
      if (body === null) {
        body = made.querySelector("tbody");
        holder.replaceChildren(...before(data), made, status, more, source(path.replace(/^(\/api\/[a-z]+)/, "$1.csv"), data.command));
      } else {
        body.append(...made.querySelector("tbody").childNodes);
      }
      count += data.rows.length;
      next = data.next;
      status.textContent = (count === 0 ? next === null ? "There are no such rows." : "None yet." : formats.grouped(count)
        + (count === 1 ? " row is" : " rows are") + " shown" + (next === null ? ": all." : "; there may be more.")) + share(data);
      more.disabled = false;
      more.hidden = next === null;
    }
    more.addEventListener("click", () => load().catch(problem => {
      more.disabled = false;
      status.replaceChildren(failure(problem.message));
    }));
    if (holder.childNodes.length === 0) holder.append(busy("Searching."));
    await load();
  }

  return { show };
})();
