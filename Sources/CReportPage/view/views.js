/**
 * The views of the live page, by their paths.
 *
 * @typedef {{path: string, title: string, open: (main: HTMLElement) => void, update: (search: string) => Promise<void>,
 *   isWhole?: boolean, isReport?: boolean, onCommit?: (commit: any) => any, onGeneration?: (generation: any) => any, onReport?: (report: any) => any}} View
 *
 * A view that `isWhole` is always loaded as a page of its own. One that `isReport` has tables of the report. The functions that hear of news return true to offer them to the reader.
 */
const views = (function () {
  /** @type {View[]} */
  const all = [];
  /** @type {(to: string, replaces: boolean) => void} */
  let leave = () => {};

  /** The view with a path; the first one for any other path. */
  const of = path => all.find(view => view.path === path) || all[0];
  return { add: view => { all.push(view); }, of, has: path => all.some(view => view.path === path),
    onGo: handler => { leave = handler; }, go: (to, replaces = false) => leave(to, replaces) };
})();
