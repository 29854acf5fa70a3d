/**
 * The figures of the page: their charts, tables and notes. A figure names its chart in `data-chart`, and has the data of all
 * records as JSON. Received data is put into the page only as text.
 */
const figures = (function () {
  const namespace = "http://www.w3.org/2000/svg", charts = { ...recordCharts, ...businessCharts };
  /** The rows of a long table, and those that it lists after them. */
  const [shownRows, listedRows] = [20, 1000];

  /** @returns {any} */
  const find = id => document.getElementById(id);
  const parsed = element => element === null ? null : JSON.parse(element.textContent);
  const dataOf = id => find(id) === null ? null : parsed(find(id).querySelector("script"));

  function element({ tag, kind, place, anchor, text, title, address }) {
    const made = document.createElementNS(namespace, tag);
    for (const [name, value] of Object.entries(place)) {
      made.setAttribute(name, Number.isFinite(value) && Math.abs(value) < 1e9 ? String(Math.round(value * 10) / 10) : "0");
    }
    made.setAttribute("class", kind);
    if (anchor !== undefined) made.setAttribute("text-anchor", anchor);
    if (text !== undefined) made.textContent = text;
    if (title !== undefined) {
      const shown = document.createElementNS(namespace, "title");
      shown.textContent = title;
      made.append(shown);
    }
    if (address === undefined) return made;
    const link = document.createElementNS(namespace, "a");
    link.setAttribute("href", address);
    link.setAttribute("aria-label", title || text);
    link.append(made);
    return link;
  }

  /** Draws a chart by its name. */
  function drawIn(svg, name, data) {
    const chart = charts[name](data);
    svg.setAttribute("viewBox", "0 0 760 " + chart.height);
    svg.replaceChildren(...chart.shapes.map(element));
    // A picture has no links in it, and what has links is a group.
    svg.setAttribute("role", chart.shapes.some(shape => shape.address !== undefined) ? "group" : "img");
  }

  /** Draws the chart of a figure, if it has one. */
  function draw(id, data) {
    const figure = find(id), svg = figure.querySelector("svg");
    if (svg !== null) drawIn(svg, figure.dataset.chart, data);
  }

  function note(id, text) {
    const holder = find(id).querySelector("p.note");
    if (holder) holder.textContent = text;
  }

  /** The class of a cell of text, as `NumberTable` has it: only a word that is too long for a column is broken. */
  const layout = text => text.split(" ").some(word => word.length > 28) ? "long" : text.length > 40 ? "prose" : "";

  /** The class of a cell: numbers are those of a column of numbers, and times are not broken. */
  const kindOf = (text, index, heads) => heads[index] && heads[index].className === "number" ? "number"
    : index > 0 && /^\d{4}-\d\d-\d\d/.test(text) ? "time" : layout(text);

  /** Replaces the rows of a table, and of the one that lists the others. A row is a list of texts. */
  function fill(holder, lines, place = 0) {
    const table = holder.querySelectorAll("table")[place], heads = table.tHead.rows[0].cells;
    const others = table.closest(".scroll").parentElement.querySelector("details.others tbody");
    const rows = lines.slice(0, listedRows).map(line => {
      const row = document.createElement("tr");
      row.append(...line.map((text, index) => {
        const cell = document.createElement(index === 0 ? "th" : "td");
        cell.textContent = text;
        cell.className = kindOf(text, index, heads);
        if (index === 0) cell.scope = "row";
        return cell;
      }));
      return row;
    });
    table.tBodies[0].replaceChildren(...(others === null ? rows : rows.slice(0, shownRows)));
    if (others !== null) others.replaceChildren(...rows.slice(shownRows));
  }

  /** Draws all figures that have data, and returns a function that draws these again as they were. */
  function start(ids) {
    for (const figure of document.querySelectorAll("figure[data-chart]")) {
      const data = dataOf(figure.id);
      if (data !== null) draw(figure.id, data);
    }
    const originals = ids.map(find).filter(holder => holder !== null).map(holder => ({ holder, data: dataOf(holder.id),
      parts: Array.from(holder.querySelectorAll("tbody, p.note"), part => ({ part, nodes: Array.from(part.childNodes) })) }));
    return () => {
      for (const { holder, data, parts } of originals) {
        if (data !== null) draw(holder.id, data);
        for (const { part, nodes } of parts) part.replaceChildren(...nodes);
      }
    };
  }

  return { find, parsed, dataOf, drawIn, draw, note, layout, fill, start };
})();
