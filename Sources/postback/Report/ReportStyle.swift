/// The page's style: light, dark and on paper. Kinds differ by pattern and label too, never by colour alone.
enum ReportStyle {
  static let source: StaticString = """
    :root { color-scheme: light dark; --ground: #fff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --panel: #f6f8fa;
      --good: #1a5fb4; --bad: #b3261e; --middle: #8250df; }
    @media (prefers-color-scheme: dark) { :root { --ground: #0f1318; --ink: #e6edf3; --soft: #9aa7b4; --line: #39424d;
      --panel: #171c23; --good: #6cb0ff; --bad: #ff8b80; --middle: #c3a2ff; } }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 88rem; padding: 1.5rem; overflow-wrap: break-word; background: var(--ground); color: var(--ink);
      font: 15px/1.5 system-ui, sans-serif; }
    h1 { font-size: 1.6rem; margin: 0 0 .2rem; }
    h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
    h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
    nav { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; margin: .8rem 0; }
    a { color: var(--good); }
    .findings { margin: 1rem 0; padding: .8rem 1.2rem; border: 1px solid var(--line); border-radius: 8px;
      background: var(--panel); font-size: 1.02rem; }
    .findings h2 { margin: 0; border: 0; } .findings ol { margin: .3rem 0; padding-left: 1.6rem; }
    .findings li, .alarms li { margin: .35rem 0; } strong { font-weight: 600; }
    .alarms :target, figure:target { outline: 2px solid var(--middle); outline-offset: 4px; }
    .note { color: var(--soft); margin: .3rem 0; }
    .facts { display: flex; flex-wrap: wrap; gap: .6rem 2.2rem; margin: 1rem 0; padding: 0; list-style: none; }
    .facts b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(32rem, 100%), 1fr)); gap: 1.2rem; }
    figure { margin: 0; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--panel);
      min-width: 0; break-inside: avoid; }
    figure.wide { grid-column: 1 / -1; } figure.wide svg { max-width: 54rem; }
    figcaption { font-weight: 600; margin-bottom: .4rem; }
    svg { width: 100%; height: auto; display: block; }
    svg text { font: 16px system-ui, sans-serif; fill: var(--ink); }
    svg .axis { font-size: 14px; fill: var(--soft); }
    svg .value { font-variant-numeric: tabular-nums; }
    svg .grid { stroke: var(--line); stroke-width: 1; }
    svg .track { fill: none; stroke: var(--line); }
    svg .bar { fill: var(--good); }
    svg .bad { fill: var(--bad); }
    svg .whisker { stroke: var(--ink); stroke-width: 1.5; }
    svg .dot { fill: var(--good); stroke: var(--ground); stroke-width: 1.5; }
    svg line.mean { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 6 4; }
    svg .value { paint-order: stroke; stroke: var(--panel); stroke-width: 4px; stroke-linejoin: round; }
    svg text.mean { font-size: 14px; paint-order: stroke; stroke: var(--panel); stroke-width: 4px; stroke-linejoin: round; }
    svg .fine { fill: var(--good); }
    svg .coarse { fill: url(#stripes); stroke: var(--middle); }
    svg .none { fill: url(#dots); stroke: var(--soft); }
    .stripe { stroke: var(--middle); stroke-width: 3; }
    .speck { fill: var(--soft); }
    .patterns { position: absolute; width: 0; height: 0; }
    .scroll { overflow-x: auto; margin-bottom: 1.2rem; background: linear-gradient(to right, var(--ground) 30%, transparent) left / 2rem 100%
      no-repeat local, linear-gradient(to left, var(--ground) 30%, transparent) right / 2rem 100% no-repeat local,
      linear-gradient(to right, var(--line), transparent) left / .6rem 100% no-repeat scroll,
      linear-gradient(to left, var(--line), transparent) right / .6rem 100% no-repeat scroll; } figure { --ground: var(--panel); } figure .scroll { margin-bottom: 0; }
    table { border-collapse: collapse; width: 100%; font-size: .87rem; }
    caption { text-align: left; color: var(--soft); padding: .3rem 0; }
    th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
    thead th { vertical-align: bottom; } tbody th { min-width: 4.5rem; }
    .long { overflow-wrap: anywhere; min-width: 11rem; } .prose { min-width: 15rem; } tbody th.prose { min-width: 10rem; }
    .number { text-align: right; font-variant-numeric: tabular-nums; } td.number { white-space: nowrap; }
    .time { white-space: nowrap; font-variant-numeric: tabular-nums; }
    summary { cursor: pointer; color: var(--soft); }
    button { font: inherit; color: inherit; background: none; border: 1px solid transparent; border-radius: 4px; cursor: pointer;
      padding: 0 .3rem; }
    td > button { border-color: var(--line); min-width: 1.7rem; }
    th button { font-weight: 600; }
    th[aria-sort=ascending] button::after { content: " ↑"; }
    th[aria-sort=descending] button::after { content: " ↓"; }
    :focus-visible { outline: 2px solid var(--good); outline-offset: 2px; }
    .controls { display: flex; flex-wrap: wrap; gap: .6rem 1.2rem; align-items: end; margin: .6rem 0; }
    .controls[hidden] { display: none; }
    .controls button { border-color: var(--line); border-radius: 6px; padding: .3rem .8rem; } .controls button:disabled { opacity: .5; }
    .controls .note { flex-basis: 100%; } .filters { padding: .8rem 1.2rem; border: 1px solid var(--line); border-radius: 8px; }
    .filters input, .filters select { min-width: 10rem; width: 13rem; }
    label { display: grid; gap: .2rem; color: var(--soft); }
    input, select { font: inherit; padding: .3rem .5rem; border: 1px solid var(--line); border-radius: 6px;
      background: var(--ground); color: var(--ink); min-width: 16rem; max-width: 100%; }
    .cell { min-width: 5.5rem; max-width: 18rem; }
    .details td { background: var(--panel); }
    dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; margin: .3rem 0; }
    dt { color: var(--soft); }
    dd { margin: 0; overflow-wrap: anywhere; }
    pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: .82rem/1.45 ui-monospace, monospace; }
    @media (max-width: 40rem) { body { padding: .8rem; } dl { grid-template-columns: minmax(0, 1fr); } figure { padding: .7rem; }
      .findings, .filters { padding: .6rem .8rem; } .filters label { flex: 1 1 45%; } .filters input, .filters select { width: 100%; min-width: 0; }
      svg[role] { min-width: 36rem; } table:has(thead th:nth-child(6)) { min-width: 42rem; }
      .scroll:has(svg, thead th:nth-child(6))::before { content: "scrolls sideways →"; display: block; position: sticky; left: 0; color: var(--soft); font-size: .8rem; } }
    .print { display: none; }
    @media print { :root { font-size: 9px; color-scheme: light; --ground: #fff; --ink: #000; --soft: #333; --line: #999; --panel: #fff;
      --good: #1a5fb4; --bad: #b3261e; --middle: #8250df; } body { max-width: none; padding: 0; font-size: 10px; }
      .controls, nav, summary, .scroll::before, #rows tr:nth-child(n+21) { display: none !important; } .print { display: block; }
      .charts { grid-template-columns: 1fr 1fr; gap: .6rem; } figure { padding: .5rem; } h2 { margin-top: 1rem; break-after: avoid; }
      #rejects { font-size: .7rem; } table:has(thead th:nth-child(11)) { font-size: 6.5px; } table:has(thead th:nth-child(11)) :is(th, td) { padding: .1rem .2rem; } #rejects .cell { min-width: 0; max-width: 9rem; } th, td { padding: .15rem .3rem; }
      tbody td, tbody th { overflow-wrap: anywhere; min-width: 0; } .scroll table, svg[role] { min-width: 0; } .scroll { overflow: visible; background: none; } .time { white-space: normal; } tr { break-inside: avoid; } * { print-color-adjust: exact; } }
    """
}
