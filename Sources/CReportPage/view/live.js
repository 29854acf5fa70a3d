/**
 * What the server tells by itself: commits of new postbacks, and generations of the derived tables. Only a page that is seen listens, so
 * that many open pages do not use up the connections of a browser.
 */
const live = (function () {
  const listeners = { commit: [], generation: [], report: [], state: [] };
  /** The wait before a connection that was refused is tried again, and that without any before it counts as lost, in milliseconds. */
  const [again, lost] = [5000, 10000];
  let source = null, timer = 0, alarm = 0;

  const tell = (name, value) => { for (const listener of listeners[name]) listener(value); };

  function connect() {
    clearTimeout(timer);
    if (source !== null || document.hidden) return;
    source = new EventSource("/api/events");
    source.addEventListener("open", () => {
      clearTimeout(alarm);
      alarm = 0;
      tell("state", "live");
    });
    for (const name of ["commit", "generation", "report"]) {
      source.addEventListener(name, event => tell(name, JSON.parse(/** @type {MessageEvent} */ (event).data)));
    }
    // Each answer of the server ends after some seconds, and the browser asks again by itself, unless the server refused.
    source.addEventListener("error", () => {
      if (alarm === 0) alarm = window.setTimeout(() => tell("state", "lost"), lost);
      if (source === null || source.readyState !== EventSource.CLOSED) return;
      disconnect();
      timer = window.setTimeout(connect, again);
    });
  }

  function disconnect() {
    clearTimeout(timer);
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
