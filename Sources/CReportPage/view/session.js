/** What the reader may see, and what the output has: loaded once, and again when the derived tables are new. */
const session = (function () {
  let loaded = null;

  /** @returns {Promise<any>} */
  async function load() {
    if (loaded !== null) return loaded;
    loaded = await server.ask("session", "/api/session");
    const daily = loaded.daily, foot = figures.find("generation");
    foot.textContent = elements.visible(loaded.output + ": " + (daily === null ? "no derived tables yet"
      : "derived tables of generation " + loaded.generation + ", as of " + daily.as_of) + ". " + loaded.program + ", read-only"
      + (loaded.revenue ? "" : ", without revenue") + ".");
    return loaded;
  }

  return { load, renew: () => { loaded = null; }, get: () => loaded };
})();
