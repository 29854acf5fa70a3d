/**
 * The rules that a choice of the filters needs in the browser, because it may be any. Swift has them for the whole of the page;
 * `Fixtures/page/rules.json` holds both to the same results.
 */
const rules = (function () {
  const quantile = 1.959963984540054;

  /** Wilson's interval at 95 % for the rate of `part` in `whole`, which is above 0. */
  function wilson(part, whole) {
    const square = quantile * quantile, middle = part + square / 2;
    const spread = quantile * Math.sqrt(part * (whole - part) / whole + square / 4);
    return [part === 0 ? 0 : (middle - spread) / (whole + square), part === whole ? 1 : (middle + spread) / (whole + square)];
  }

  /** The code of the judgement that the whole range of a campaign's return allows; `range` is null without a cost above 0. */
  function judgement(range, isOpen, hasCredit, hasOtherCost) {
    if (range === null) return hasOtherCost ? "other_currency" : hasCredit ? "credit" : "no_cost";
    if (range[0] >= 1) return "above";
    return range[1] < 1 && !isOpen ? "below" : "undecided";
  }

  /**
   * The code of the judgement of a campaign for a choice of its apps: `revenue` is the least and the most; null if it is not known.
   * `spare` is the cost of the campaign that may be of the chosen apps or of others, and null if that is not known.
   * `cost` is null unless it is above 0; `hasCredit` tells that it is below, and `hasOtherCost` that there is one in another currency.
   */
  function judgementOfApps(revenue, isOpen, cost, spare, hasCredit, hasOtherCost) {
    if (cost === null) return spare === 0 ? judgement(null, isOpen, hasCredit, hasOtherCost) : "undecided";
    if (revenue === null || spare === null || spare < 0) return "undecided";
    return judgement([revenue[0] / (cost + spare), revenue[1] / cost], isOpen);
  }

  return { wilson, judgement, judgementOfApps };
})();
