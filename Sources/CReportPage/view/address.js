/**
 * The address of the page: the view is its path, and the choice of the reader its query. An address shows the same to everybody who
 * may see it. It may be written by anybody, so that a view takes only the values that it knows.
 */
const address = (function () {
  /** The longest value that is taken. */
  const longest = 400;

  /** The query of some values; a list makes a member of each entry. Empty values and those that are usual are left out. */
  function query(values, usual = {}) {
    const written = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) {
      if (Array.isArray(value)) {
        for (const one of value) written.append(name, one);
        continue;
      }
      const text = value === null || value === undefined ? "" : String(value);
      if (text !== "" && text !== (usual[name] || "")) written.set(name, text);
    }
    const text = written.toString().replace(/%2C/g, ",").replace(/%3A/g, ":");
    return text === "" ? "" : "?" + text;
  }

  /** The values of a query: those of the known names that are allowed, and the usual ones for the others. */
  function read(search, usual, allowed = {}) {
    const wanted = new URLSearchParams(search), found = { ...usual };
    const isAllowed = (name, text) => text.length <= longest && (allowed[name] === undefined
      || (Array.isArray(allowed[name]) ? allowed[name].includes(text) : allowed[name].test(text)));
    for (const name of Object.keys(usual)) {
      if (Array.isArray(usual[name])) found[name] = wanted.getAll(name).filter(text => isAllowed(name, text));
      else if (wanted.has(name) && isAllowed(name, wanted.get(name))) found[name] = wanted.get(name);
    }
    return found;
  }

  const day = /^\d{4}-\d\d-\d\d$/, time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z)?$/;
  return { query, read, day, time };
})();
