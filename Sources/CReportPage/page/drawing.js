/**
 * The shapes of a drawing, which is 760 pixels wide, and the scales of its axes. Nothing here needs a browser. A shape with an
 * address is a link, with its title as its name.
 *
 * @typedef {{tag: string, kind: string, place: Object<string, number>, anchor?: string, text?: string, title?: string,
 *   address?: string}} Shape
 */
const drawings = (function () {
  /** The most rows of a chart of revenue, campaigns or networks. */
  const mostRows = 16;
  /** The address of what is no link. @returns {string | undefined} */
  const nowhere = (..._) => undefined;

  /** An empty drawing, with methods that add shapes. */
  function drawing(height) {
    /** @type {Shape[]} */
    const shapes = [];
    const draw = {
      height, shapes,
      line: (x1, y1, x2, y2, kind) => { shapes.push({ tag: "line", kind, place: { x1, y1, x2, y2 } }); },
      text: (text, x, y, anchor = "start", kind = "label", address = undefined) => {
        shapes.push({ tag: "text", kind, place: { x, y }, anchor, text, ...(address === undefined ? {} : { address }) });
      },
      bar: (x, y, width, height, kind, title = undefined, address = undefined) => {
        const place = { x, y, width: Math.max(width, 0), height: Math.max(height, 0) };
        shapes.push({ tag: "rect", kind, place, title, ...(address === undefined ? {} : { address }) });
      },
      dot: (x, y) => { shapes.push({ tag: "circle", kind: "dot", place: { cx: x, cy: y, r: 4 } }); },
      /** An upright line for a mean, with its label above it. */
      mean: (x, bottom, label) => {
        draw.line(x, 14, x, bottom, "mean");
        draw.text(label, Math.min(Math.max(x, 60), 700), 11, "middle", "mean");
      },
      /** A range along a row; an arrow shows that it has no upper limit. */
      range: (low, high, y, size, isOpen) => {
        const drop = isOpen ? size : 0;
        draw.line(low, y, high, y, "whisker");
        draw.line(low, y - size, low, y + size, "whisker");
        draw.line(high - drop, y - size, high, y, "whisker");
        draw.line(high - drop, y + size, high, y, "whisker");
      },
      /** An upright range. */
      upright: (x, low, high, size, isOpen) => {
        const drop = isOpen ? 5 : 0;
        draw.line(x, low, x, high, "whisker");
        draw.line(x - size, low, x + size, low, "whisker");
        draw.line(x - size, high + drop, x, high, "whisker");
        draw.line(x, high, x + size, high + drop, "whisker");
      },
      /** The ticks of an axis below rows. */
      below: (values, x, top, bottom, unit) => {
        for (const value of values) {
          draw.line(x(value), top, x(value), bottom, "grid");
          draw.text(formats.short(value) + unit, x(value), bottom + 14, "middle", "axis");
        }
      },
      /** The ticks of an axis at the left of bars or points. */
      beside: (values, y, left, width, unit) => {
        for (const value of values) {
          draw.line(left, y(value), left + width, y(value), "grid");
          draw.text(formats.short(value) + unit, left - 6, y(value) + 4, "end", "axis");
        }
      },
      /** Labels below equal steps: at both ends, and in the middle if there are more than three. */
      steps: (labels, left, width, y) => {
        const step = width / Math.max(labels.length, 1), last = labels.length - 1, isNarrow = labels.length > 3;
        for (const index of isNarrow ? [0, Math.floor(labels.length / 2), last] : labels.keys()) {
          const anchor = isNarrow && step < 80 && index === 0 ? "start" : isNarrow && index === last ? "end" : "middle";
          const x = anchor === "start" ? left : anchor === "end" ? left + width : left + (index + 0.5) * step;
          draw.text(labels[index], x, y, anchor, "axis");
        }
      },
    };
    return draw;
  }

  /** About `count` round numbers from 0 to at least `largest`, in steps of 1, 2 or 5 times a power of ten. */
  function ticks(largest, isWhole = true, count = 4) {
    const target = Math.max(largest, isWhole ? 1 : 0.01) / count;
    let power = 1;
    while (power * 10 <= target) power *= 10;
    while (power > target) power /= 10;
    const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= target * 0.999999) || target;
    const size = isWhole ? Math.max(step, 1) : step, steps = Math.ceil(Math.max(largest, size) / size);
    return Array.from({ length: steps + 1 }, (_, index) => index * size);
  }
  /**
   * The steps of an axis from one day to another, which are numbers of days since 1970: days, weeks from Mondays, or longer ones, so that
   * there are at most 120. `placeOf` is the step of a day, and `starts` has the first day of each.
   */
  function timeSteps(low, high) {
    const length = [1, 7, 28].find(length => (high - low) / length < 119) || 364, shift = length === 7 ? 3 : 0;
    const of = day => Math.floor((day + shift) / length), count = Math.max(0, of(high) - of(low) + 1);
    return { length, placeOf: day => day < 0 ? -1 : of(day) - of(low),
      starts: Array.from({ length: count }, (_, index) => (of(low) + index) * length - shift) };
  }
  const unitOf = length => length === 1 ? "per day" : "per " + length + " days";
  const endOf = values => values[values.length - 1];
  const most = numbers => Math.max(0, ...numbers);

  return { mostRows, nowhere, drawing, ticks, timeSteps, unitOf, endOf, most };
})();
