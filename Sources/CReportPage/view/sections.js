/** Parts of the page that come as HTML of our own, from the code that writes the file of a report, and new numbers in place. */
const sections = (function () {
  const { drawIn } = figures;

  /** Draws the charts of the figures that have their data in them. */
  function drawAll(holder) {
    for (const figure of holder.querySelectorAll("figure[data-chart]")) {
      const data = figure.querySelector("script[type='application/json']"), svg = figure.querySelector("svg");
      if (data !== null && svg !== null) drawIn(svg, figure.dataset.chart, JSON.parse(data.textContent));
    }
  }

  /** Puts a part in, in which links to sections lead to those of the report. */
  function fill(holder, html) {
    holder.innerHTML = html;
    const ids = new Set(Array.from(holder.querySelectorAll("[id]"), one => one.id));
    for (const link of holder.querySelectorAll("a[href^='#']")) {
      const target = link.getAttribute("href");
      if (!ids.has(target.slice(1))) link.setAttribute("href", addressOf(target));
    }
    drawAll(holder);
  }

  /** The address of what a link in the file of a report leads to: the rejects of a choice, the signals, or a section of the report. */
  function addressOf(fragment) {
    const wanted = new URLSearchParams(fragment.slice(1));
    if (wanted.get("at") === "rejects-by-code" || wanted.get("at") === "rejected-rows") {
      const [forwarder, network, app, code, since, to] = ["forwarder", "network", "app", "code", "from", "to"].map(name => wanted.get(name));
      const until = to === null ? null : formats.dayName(Date.parse(to) / 86400000 + 1);
      // All codes of a class have the name of the class after a mark.
      const [kind, own] = code !== null && code.startsWith("~") ? [code.slice(1), null] : [null, code];
      const isNone = forwarder === "~none";
      if ([isNone ? null : forwarder, network, app].every(value => value === null || !value.startsWith("~")) && code !== "accepted") {
        return "/rejects" + address.query({ class: kind, code: own, forwarder: isNone ? [""] : forwarder, network, app, since, until });
      }
    }
    return fragment.startsWith("#signal") ? "/signals" + fragment : "/report" + fragment;
  }

  /** Makes one tree of nodes like another one, and changes only what differs, so that nothing moves and nothing loses the focus. */
  function same(old, wanted) {
    if (old.nodeType !== wanted.nodeType || old.nodeName !== wanted.nodeName) return old.replaceWith(wanted);
    if (old.nodeType === Node.TEXT_NODE) {
      if (old.data === wanted.data) return undefined;
      old.data = wanted.data;
      return mark(old.parentElement);
    }
    if (old.nodeType !== Node.ELEMENT_NODE) return undefined;
    for (const { name, value } of Array.from(wanted.attributes)) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    for (const { name } of Array.from(old.attributes)) {
      // What the reader has opened stays open.
      if (!wanted.hasAttribute(name) && name !== "open" && name !== "class") old.removeAttribute(name);
    }
    return patch(old, Array.from(wanted.childNodes));
  }

  /** Marks a number that has changed for a moment, outside of charts. */
  function mark(element) {
    if (element === null || element.classList.contains("changed") || element.closest("svg") !== null) return;
    element.classList.add("changed");
    window.setTimeout(() => element.classList.remove("changed"), 1600);
  }

  /** Makes the children of an element like some nodes. */
  function patch(holder, wanted) {
    const nodes = wanted.flat(Infinity).filter(node => node !== null && node !== undefined && node !== false);
    const olds = Array.from(holder.childNodes);
    olds.slice(nodes.length).forEach(node => node.remove());
    nodes.forEach((node, index) => index < olds.length ? same(olds[index], node) : holder.append(node));
  }

  return { fill, drawAll, addressOf, patch };
})();
