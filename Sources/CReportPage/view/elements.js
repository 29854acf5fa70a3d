/** The elements of the live page. Received text becomes text, never markup, with control characters made visible. */
const elements = (function () {
  const { drawIn, layout } = figures;

  /** Text with its control characters and direction marks written out, as the pages of Swift have it. */
  const visible = text => String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, one => "\\u{" + one.codePointAt(0).toString(16) + "}");

  /**
   * Creates an element. A function among the attributes listens to the event of its name; `false`, null and undefined leave an
   * attribute or a child out. An address leads within the page, or is left out.
   *
   * @param {string} tag
   * @param {Object<string, any>} [attributes]
   * @param {...any} children
   * @returns {any}
   */
  function make(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined || value === null || value === false) continue;
      if (typeof value === "function") made.addEventListener(name, value);
      else if (name === "href" && !/^[/#?](?![/\\])/.test(value)) continue;
      else made.setAttribute(name, value === true ? "" : String(value));
    }
    made.append(...children.flat(Infinity).filter(child => child !== undefined && child !== null && child !== false)
      .map(child => child instanceof Node ? child : visible(child)));
    return made;
  }

  /** Text that keeps its lines, such as a command or bytes. */
  function lines(text, kind = "") {
    const made = make("pre", { class: kind });
    made.append(...text.split("\n").flatMap((line, index) => index === 0 ? [visible(line)] : ["\n", visible(line)]));
    return made;
  }

  /** A part of the page that scrolls sideways on its own. */
  const scroll = (label, ...children) => make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, children);

  /** A figure: its chart, the explanation, and the table of its numbers. */
  function figure({ id, title, chart, data, description, table, isWide = false }) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    drawIn(svg, chart, data);
    svg.setAttribute("aria-label", title + ". " + description);
    return make("figure", { id, class: isWide ? "wide" : null }, make("figcaption", {}, title),
      scroll("Chart: " + title, svg), make("p", { class: "note" }, description),
      make("details", {}, make("summary", { "aria-label": "Numbers: " + title }, "Numbers"), table));
  }

  /** The download of a table, and the command line that makes it. */
  function source(csv, command) {
    if (!csv && !command) return null;
    return make("div", { class: "source" }, csv && make("a", { href: csv, download: true }, "Download CSV"),
      command && make("details", {}, make("summary", {}, "Command line"), lines(command, "commands")));
  }

  /**
   * Replaces the controls of a view. The one that has the focus stays as it is, with what is being typed.
   *
   * @param {HTMLElement} holder
   * @param {any[]} controls
   */
  function renew(holder, controls) {
    const active = /** @type {any} */ (document.activeElement), isInside = holder.contains(active);
    const [start, end] = isInside && active.type === "search" ? [active.selectionStart, active.selectionEnd] : [null, null];
    holder.replaceChildren(...controls.filter(control => control !== false && control !== null));
    if (!isInside) return;
    const again = /** @type {any} */ (active.id !== "" ? holder.querySelector("#" + active.id)
      : Array.from(holder.querySelectorAll("input")).find(one => one.type === active.type && one.value === active.value));
    if (!again) return;
    if (start === null) return again.focus();
    again.replaceWith(active);
    active.focus();
    active.setSelectionRange(start, end);
  }

  /** Calls a function some time after the last call, as for words that are typed. */
  function later(action, milliseconds = 250) {
    let timer = 0;
    return (...values) => {
      clearTimeout(timer);
      timer = window.setTimeout(() => action(...values), milliseconds);
    };
  }

  /** Marks the place of what is on its way, for readers and for screen readers. */
  const busy = text => make("p", { class: "note busy", role: "status" }, text);

  /** A message that something failed. */
  const failure = text => make("p", { class: "failure", role: "alert" }, text);

  return { visible, make, lines, scroll, figure, source, renew, later, busy, failure, layout };
})();
