/** The frame of the live page: which view the address names, the way between views, and what is new on the server. */
(function () {
  const { failure } = elements;
  const { find } = figures;
  const main = find("content"), state = find("state"), news = find("news"), newsText = find("news-text");
  let current = null, isShowing = 0, shown = "";

  const titled = title => { document.title = title + " · postback"; };

  function said(name) {
    if (state.dataset.state === name) return;
    state.dataset.state = name;
    state.textContent = name === "live" ? "live" : "not connected, trying again";
  }

  /** Shows what the address says. A view that is there already keeps its controls, and so the focus. */
  async function show(isNew) {
    shown = location.pathname + location.search;
    const view = views.of(location.pathname), number = ++isShowing;
    if (view !== current || isNew) {
      current = view;
      main.replaceChildren();
      for (const link of document.querySelectorAll("header nav a")) {
        if (link.getAttribute("href") === view.path) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
      }
      view.open(main);
    }
    // The tables of the report have the form of its file, and what is drawn beside them has the same.
    formats.speak(view.isReport ? null : navigator.language);
    titled(view.title);
    news.hidden = true;
    main.setAttribute("aria-busy", "true");
    try {
      await view.update(location.search);
      said("live");
    } catch (problem) {
      if (number === isShowing) (main.querySelector(".results") || main).replaceChildren(failure(problem.message));
      if (!(problem instanceof server.Refusal)) throw problem;
      if (problem.status === 0) said("lost");
    } finally {
      if (number === isShowing) main.removeAttribute("aria-busy");
    }
  }

  /** Goes to an address within the page; `replaces` makes no entry in the history, as for words that are typed. */
  function go(to, replaces) {
    const before = views.of(location.pathname);
    if (before.isWhole || views.of(to.split(/[?#]/)[0]).isWhole) return location.assign(to);
    if (replaces) history.replaceState(null, "", to); else history.pushState(null, "", to);
    const isOther = views.of(location.pathname) !== before;
    show(isOther);
    if (!isOther) return undefined;
    window.scrollTo(0, 0);
    const heading = main.querySelector("h1");
    if (heading) heading.focus({ preventScroll: true });
    return undefined;
  }

  document.addEventListener("click", event => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const target = link.getAttribute("href") || "";
    if (link.hasAttribute("download") || !target.startsWith("/") || !views.has(target.split(/[?#]/)[0])) return;
    event.preventDefault();
    go(target, false);
  });
  // Another place in the same page is no other view.
  window.addEventListener("popstate", () => { if (location.pathname + location.search !== shown) show(false); });
  views.onGo(go);

  find("search").addEventListener("submit", event => {
    event.preventDefault();
    const words = find("search-id").value.trim();
    if (words !== "") go("/postback" + address.query({ id: words }), false);
  });

  live.listen("state", said);
  const offer = text => {
    newsText.textContent = text;
    news.hidden = false;
  };
  live.listen("commit", commit => {
    if (current !== null && current.onCommit && current.onCommit(commit) === true) offer("There are new rows.");
  });
  live.listen("generation", generation => {
    session.renew();
    if (current !== null && current.onGeneration && current.onGeneration(generation) === true) offer("There are new numbers.");
  });
  live.listen("report", report => {
    if (current !== null && current.onReport && current.onReport(report) === true) offer("There are new numbers.");
  });
  find("news-show").addEventListener("click", () => {
    if (current.isWhole) return location.reload();
    main.focus({ preventScroll: true });
    return show(false);
  });

  show(true);
  live.start();
})();
