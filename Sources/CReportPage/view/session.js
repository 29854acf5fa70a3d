/** What the reader may see, and what the output has: loaded once, and again when the derived tables are new. */
const session = (function () {
  /** @type {Promise<any> | null} */
  let asked = null;
  let loaded = null, count = 0;

  async function ask() {
    const found = await server.ask("session " + ++count, "/api/session"), daily = found.daily;
    loaded = found;
    figures.find("generation").textContent = elements.visible(found.output + ": " + (daily === null ? "no derived tables yet"
      : "derived tables of generation " + found.generation + ", as of " + daily.as_of) + ". " + found.program + ", read-only"
      + (found.revenue ? "" : ", without revenue") + ".");
    return found;
  }

  /** The session; a failure is asked again. */
  function load() {
    if (asked === null) {
      asked = ask();
      asked.catch(() => { asked = null; });
    }
    return asked;
  }

  return { load, renew: () => { asked = null; }, get: () => loaded };
})();
