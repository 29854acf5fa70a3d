/** Questions to the server: JSON or HTML by GET, one at a time for each part of the page. */
const server = (function () {
  const running = new Map();

  /** An answer that is no success, in the server's own sentence. */
  class Refusal extends Error {
    constructor(status, message) {
      super(message);
      this.status = status;
    }
  }

  async function sentence(response) {
    const text = await response.text();
    try {
      const found = JSON.parse(text);
      return String(found.error);
    } catch (_) {
      return response.status === 401 ? "The session has ended. Open the address again that postback view printed."
        : "The server answered with the status " + response.status + ".";
    }
  }

  /** Numbers that a browser would round are texts with all their digits. */
  const exact = (_, value, context) => typeof value === "number" && !Number.isSafeInteger(value) && context !== undefined ? context.source : value;

  /**
   * Asks, and gives up an earlier question of the same part. Comes to null if it was given up itself.
   *
   * @returns {Promise<any>}
   */
  async function ask(part, path, { isExact = false } = {}) {
    const before = running.get(part), control = new AbortController();
    if (before !== undefined) before.abort();
    running.set(part, control);
    try {
      const response = await fetch(path, { signal: control.signal, credentials: "same-origin" });
      if (!response.ok) throw new Refusal(response.status, await sentence(response));
      const text = await response.text();
      const answer = isExact ? JSON.parse(text, /** @type {any} */ (exact)) : JSON.parse(text);
      return control.signal.aborted ? null : answer;
    } catch (failure) {
      if (control.signal.aborted) return null;
      if (failure instanceof Refusal) throw failure;
      throw new Refusal(0, "The server cannot be reached. It may have ended; start it again, and reload the page.");
    } finally {
      if (running.get(part) === control) running.delete(part);
    }
  }

  return { ask, Refusal };
})();
