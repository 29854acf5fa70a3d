"use strict";

/**
 * The forms of numbers and days, as the tables in the page have them. Amounts of money are whole numbers of 10⁻⁷ (BigInt), so that
 * sums are exact; in JSON they are decimal text.
 */
const formats = (function () {
  const units = text => {
    const isNegative = text.startsWith("-"), [whole, rest = ""] = (isNegative ? text.slice(1) : text).split(".");
    const value = BigInt(whole + rest.padEnd(7, "0"));
    return isNegative ? -value : value;
  };
  const float = amount => Number(amount) / 1e7;
  /** The nearest whole number; of two equally near ones the even one. */
  const even = value => {
    const low = Math.floor(value), part = value - low;
    return part > 0.5 || part === 0.5 && low % 2 !== 0 ? low + 1 : low;
  };

  // The form of the page, in which Swift writes its tables; a page whose numbers all come from here may have a reader's own.
  const ownGroups = number => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  let groups = ownGroups, point = ".";
  /** Takes the marks of a language, such as `de`, for all numbers; null for the form of the page. */
  function speak(language) {
    [groups, point] = [ownGroups, "."];
    if (language === null) return;
    const form = new Intl.NumberFormat(language + "-u-nu-latn", { maximumFractionDigits: 1 });
    groups = number => form.format(typeof number === "bigint" ? number : Number(number));
    point = (form.formatToParts(0.5).find(part => part.type === "decimal") || { value: "." }).value;
  }
  const grouped = number => groups(number);
  const pointed = text => text.replace(".", point);

  /** An amount with two digits after the point, rounded half to even. */
  function plain(amount) {
    const size = amount < 0n ? -amount : amount, rest = size % 100000n;
    let cents = size / 100000n;
    if (rest > 50000n || rest === 50000n && cents % 2n !== 0n) cents += 1n;
    return (amount < 0n && cents > 0n ? "−" : "") + grouped(cents / 100n) + point + String(cents % 100n).padStart(2, "0");
  }
  const money = (amount, currency) => (currency === null ? "" : currency + "\u00a0") + plain(amount);

  /** An amount with all its digits, as JSON has it. */
  function exact(amount) {
    const size = amount < 0n ? -amount : amount, rest = String(size % 10000000n).padStart(7, "0").replace(/0+$/, "");
    return (amount < 0n ? "-" : "") + String(size / 10000000n) + (rest === "" ? "" : "." + rest);
  }
  const ratio = value => {
    const hundredths = even(value * 100);
    return Math.floor(hundredths / 100) + point + String(hundredths % 100).padStart(2, "0");
  };
  const tenths = value => pointed(Number.isInteger(value) ? value + ".0" : String(value)) + " %";
  const percent = value => tenths(even(value * 1000) / 10);
  const share = (part, whole) => whole === 0 ? "-" : part > 0 && part / whole < 0.0005 ? "< " + tenths(0.1)
    : tenths(Math.round(part / whole * 1000) / 10);
  const dayName = day => new Date(day * 86400000).toISOString().slice(0, 10);
  const short = value => {
    for (const [unit, name] of /** @type {[number, string][]} */ ([[1e9, "G"], [1e6, "M"], [1e3, "k"]])) {
      if (value >= unit) return pointed(String(Math.round(value / unit * 10) / 10)) + name;
    }
    return pointed(String(Math.round(value * 100) / 100));
  };
  const cut = (text, length) => text.length > length ? text.slice(0, length - 1) + "…" : text;

  return { speak, units, float, grouped, plain, money, exact, ratio, percent, share, dayName, short, cut };
})();

const larger = (one, other) => one > other ? one : other;
const order = (one, other) => one < other ? -1 : one > other ? 1 : 0;
const total = numbers => numbers.reduce((sum, number) => sum + number, 0);
