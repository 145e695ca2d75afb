#include "report/compare/page_parts.h"

namespace sweep {

std::string_view comparison_style() {
  // The colours of worse and better are Okabe and Ito's, which all readers tell apart.
  return R"css(
:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --dim: #59636e; --line: #d1d9e0;
  --soft: #f6f8fa; --worse: #b64a00; --better: #0067a3; --band: #e3e8ee; --serious: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14171c; --text: #e6e9ee; --dim: #9aa4b0; --line: #353c46; --soft: #1d2229;
    --worse: #ff9d5c; --better: #6cbcf0; --band: #2c343f; --serious: #e5b455; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 72rem; background: var(--back);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.verdict { font-size: 1.05rem; font-weight: 600; padding: .6rem .9rem; border-left: 4px solid;
  background: var(--soft); margin: 0 0 1rem; }
.worse { color: var(--worse); } .better { color: var(--better); } .dim { color: var(--dim); }
.serious { color: var(--serious); font-weight: 600; }
.reason { white-space: pre-wrap; font: .85em/1.4 ui-monospace, monospace; }
ul { padding-left: 1.2rem; margin: .5rem 0; } li.sub { margin-left: 1.2rem; }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; } .scroll table { white-space: nowrap; overflow-wrap: normal; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
td.n, th.n { text-align: right; }
thead th { position: sticky; top: 0; background: var(--back); }
th button { all: unset; cursor: pointer; font-weight: 600; white-space: nowrap; }
th button:focus-visible, input:focus-visible, summary:focus-visible { outline: 2px solid
  var(--better); outline-offset: 2px; }
th[aria-sort=ascending] button::after { content: " \2191"; }
th[aria-sort=descending] button::after { content: " \2193"; }
input { font: inherit; width: 100%; max-width: 26rem; padding: .35rem .6rem; margin: .3rem 0 .6rem;
  color: inherit; background: var(--soft); border: 1px solid var(--line); border-radius: 4px; }
details { margin: 1rem 0; } summary { cursor: pointer; font-weight: 600; }
.forest { border-top: 1px solid var(--line); }
.row { display: grid; grid-template-columns: minmax(10rem, 22rem) 1fr 11rem; gap: .8rem;
  align-items: center; font-size: .87rem; border-bottom: 1px solid var(--line); min-height: 1.75rem; }
.row svg { display: block; width: 100%; height: 1.75rem; }
.row > span:last-child { white-space: nowrap; } th[scope=row] { white-space: nowrap; }
.row .label { line-height: 1.25; padding: .2rem 0; }
.axis { position: relative; height: 1.4rem; color: var(--dim); }
.axis span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.axis span.first { transform: none; } .axis span.last { transform: translateX(-100%); }
svg .band { fill: var(--band); } svg .one { stroke: var(--dim); stroke-dasharray: 3 3; }
svg line { vector-effect: non-scaling-stroke; stroke-width: 1; }
svg .range { stroke: currentColor; stroke-width: 3; } svg .mark { stroke: currentColor;
  stroke-width: 5; }
svg.unclear .range { stroke-dasharray: 5 3; }
@media (max-width: 44rem) { .row { grid-template-columns: 1fr auto; gap: 0 .8rem; }
  .row svg, .row .axis { grid-column: 1 / -1; grid-row: 2; width: 100%; } .row .label:empty {
  display: none; } }
@media print { input { display: none; } thead th { position: static; } }
)css";
}

}  // namespace sweep
