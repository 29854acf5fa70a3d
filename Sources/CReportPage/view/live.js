/**
 * What the server tells by itself: commits of new postbacks, and generations of the derived tables. Only a page that is seen listens, so
 * that many open pages do not use up the connections of a browser.
 */
const live = (function () {
  const listeners = { commit: [], generation: [], report: [], state: [] };
  /**
   * Milliseconds before a connection that was refused is tried again, and without an answer before it counts as lost. The server answers
   * when there is something to tell, and after 20 s otherwise.
   */
  const [again, lost] = [5000, 30000];
  /** The commit and the generation that the page knows. */
  const known = {};
  let source = null, timer = 0, alarm = 0;

  const tell = (name, value) => { for (const listener of listeners[name]) listener(value); };

  function connect() {
    clearTimeout(timer);
    if (source !== null || document.hidden) return;
    source = new EventSource("/api/events");
    watch();
    source.addEventListener("open", () => {
      tell("state", "live");
      watch();
    });
    for (const name of ["commit", "generation", "report"]) {
      source.addEventListener(name, event => arrived(name, JSON.parse(/** @type {MessageEvent} */ (event).data)));
    }
    // Each answer of the server ends after some seconds, and the browser asks again by itself, unless the server refused.
    source.addEventListener("error", () => {
      if (source === null || source.readyState !== EventSource.CLOSED) return;
      disconnect();
      timer = window.setTimeout(connect, again);
    });
  }

  /** Tells what is new: a connection begins with the present state, which the page may have already. */
  function arrived(name, value) {
    const loaded = session.get();
    if (loaded === null) return void window.setTimeout(() => arrived(name, value), 500);
    if (known[name] === undefined) known[name] = loaded[name];
    if (name !== "report" && known[name] === value[name]) return undefined;
    known[name] = value[name];
    return tell(name, value);
  }

  function watch() {
    clearTimeout(alarm);
    alarm = window.setTimeout(() => tell("state", "lost"), lost);
  }

  function disconnect() {
    clearTimeout(timer);
    clearTimeout(alarm);
    if (source !== null) source.close();
    source = null;
  }

  function start() {
    document.addEventListener("visibilitychange", () => document.hidden ? disconnect() : connect());
    window.addEventListener("pagehide", disconnect);
    window.addEventListener("pageshow", connect);
    connect();
  }

  return { start, listen: (name, listener) => { listeners[name].push(listener); } };
})();
