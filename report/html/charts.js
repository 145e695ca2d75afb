'use strict';

/** Colours are the page's variables: a change of the theme needs no drawing anew. */
const chartConfig = {
  background: 'transparent',
  font: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif',
  view: {stroke: 'transparent'},
  range: {category: Array.from({length: 8}, (_, series) => `var(--series-${series})`)},
  axis: {
    domainColor: 'var(--quiet)', tickColor: 'var(--quiet)', gridColor: 'var(--line)', labelColor: 'var(--quiet)',
    titleColor: 'var(--ink)', labelFontSize: 12, titleFontSize: 12.5, titleFontWeight: 500, titlePadding: 10,
  },
  legend: {labelColor: 'var(--quiet)', titleColor: 'var(--ink)', labelFontSize: 12, titleFontSize: 12.5, titleFontWeight: 500},
  style: {
    reference: {color: 'var(--quiet)', strokeDash: [6, 4], strokeWidth: 1.2},
    'reference-label': {color: 'var(--quiet)', fontSize: 12, stroke: 'var(--paper)', strokeWidth: 4},
    interval: {color: 'var(--ink)', strokeWidth: 1.4},
    failed: {color: 'var(--bad)'},
    'failed-cell': {color: 'var(--raised)', stroke: 'var(--line)'},
    cell: {fontSize: 11},
  },
};

class Tooltip {
  constructor(points) {
    this.points = points;
    this.box = make('div', {id: 'tooltip', role: 'tooltip', hidden: ''});
    document.body.append(this.box);
    addEventListener('scroll', () => { this.box.hidden = true; }, {passive: true});
  }

  /** The point of a mark, or -1. */
  static pointOf(item) {
    return item && item.datum && Number.isInteger(item.datum.point) ? item.datum.point : -1;
  }

  show(event, item, chart) {
    const point = Tooltip.pointOf(item);
    if (point < 0) { this.box.hidden = true; return; }
    this.box.replaceChildren(...this.content(point, item.datum, chart));
    this.box.hidden = false;
    const {width, height} = this.box.getBoundingClientRect();
    const x = Math.min(event.clientX + 14, document.documentElement.clientWidth - width - 8);
    const below = event.clientY + 16;
    const y = below + height > innerHeight ? event.clientY - height - 12 : below;
    this.box.style.left = `${Math.max(x, 8)}px`;
    this.box.style.top = `${Math.max(y, 8)}px`;
  }

  /** Without points, as on a page of several runs, the mark's own figure. */
  content(point, {figure, x}, chart) {
    const {points} = this;
    const rows = [];
    const add = (name, text) => rows.push(make('dt', {}, name), make('dd', {}, text));
    if (!points) return [Number.isFinite(figure) ? formatFigure(figure) : 'failed'];
    for (const parameter of points.parameters) {
      if (parameter.at[point] >= 0) add(parameter.name, parameter.values[parameter.at[point]]);
    }
    if (chart.kind === 'scatter') {
      add(chart.figures.label, formatFigure(figure));
      add(chart.x.label, formatFigure(x));
    }
    const figures = chart.kind === 'scatter' ? [] : points.metrics.filter((metric) => metric.shown || ['time_low', 'time_high'].includes(metric.name));
    for (const metric of figures) {
      if (metric.figures[point] === null) continue;
      add(metric.name, `${formatFigure(metric.figures[point])} ${metric.unit}`.trim());
    }
    if (points.verdicts.at[point] >= 0) add('verdict', points.verdicts.texts[points.verdicts.at[point]]);
    return [make('dl', {}, ...rows)];
  }
}

/** The picture with the colours that its variables have now. */
async function savePicture(view, name) {
  const style = getComputedStyle(document.documentElement);
  const svg = (await view.toSVG())
      .replace(/var\((--[\w-]+)\)/g, (_, variable) => style.getPropertyValue(variable).trim())
      .replace(/<svg[^>]*>/, '$&<style>text { paint-order: stroke; }<\/style>');
  const address = URL.createObjectURL(new Blob([svg], {type: 'image/svg+xml'}));
  const link = make('a', {href: address, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

async function drawPanel(frame, chart, tooltip, open, name) {
  const spec = vegaSpec(chart, chart.panels[Number(frame.dataset.panel)]);
  const result = await vegaEmbed(frame, spec, {
    mode: 'vega-lite', renderer: 'svg', ast: true, actions: false, config: chartConfig,
    tooltip: (handler, event, item) => tooltip.show(event, item, chart),
  });
  result.view.addEventListener('click', (event, item) => {
    const point = Tooltip.pointOf(item);
    if (point >= 0 && item.mark.marktype !== 'line' && item.mark.marktype !== 'area') open(point);
  });
  frame.addEventListener('mouseleave', () => { tooltip.box.hidden = true; });
  frame.after(make('button', {type: 'button', class: 'save', click: () => savePicture(result.view, name)}, 'Save as SVG'));
  return result.view;
}

/** What each series looks like; a click chooses one. */
function legendOf({kind, series, series_label: label}) {
  if (kind === 'heatmap' || series.length < 2) return [];
  const isBar = kind === 'bar';
  const buttons = series.map(({name, symbol}, place) => make(
      'button', {type: 'button', 'aria-pressed': 'false', 'data-series': place},
      make('svg', {class: `swatch series-${place % 8}`, viewBox: '-14 -6 28 12', 'aria-hidden': 'true'},
           kind === 'line' ? make('path', {class: 'line', d: 'M-14 0H14'}) : null,
           make('path', {class: 'symbol', d: isBar ? 'M-12-5h24v10h-24z' : symbol})),
      name));
  return [make('div', {class: 'legend', role: 'group', 'aria-label': `Series: ${label}`},
               make('span', {class: 'legend-title'}, label), ...buttons)];
}

function framesOf({panels}) {
  return make('div', {class: 'panels', 'data-panels': panels.length}, ...panels.map(({title}, place) => make(
      'div', {class: 'panel'}, title === '' ? null : make('h4', {}, title),
      make('div', {class: 'plot', 'data-panel': place}))));
}

/** One series of a chart stands out in all of its panels, or none does. */
function setUpLegend(figure, views) {
  const buttons = [...figure.querySelectorAll('.legend button')];
  for (const button of buttons) {
    button.addEventListener('click', () => {
      const isChosen = button.getAttribute('aria-pressed') !== 'true';
      for (const each of buttons) each.setAttribute('aria-pressed', String(isChosen && each === button));
      for (const view of views) view.signal('chosen', isChosen ? Number(button.dataset.series) : null).runAsync();
    });
  }
}

async function drawCharts(points, open) {
  const charts = pageData('charts-data');
  if (!charts || typeof vegaEmbed === 'undefined') return;
  const tooltip = new Tooltip(points);
  for (const figure of document.querySelectorAll('figure.chart')) {
    const chart = charts[Number(figure.dataset.chart)];
    const {panels} = chart;
    figure.querySelector('h3').after(...legendOf(chart), framesOf(chart));
    const views = [];
    for (const frame of figure.querySelectorAll('.plot')) {
      const panel = Number(frame.dataset.panel);
      const name = `${figure.id}${panels.length > 1 ? `-${panel + 1}` : ''}.svg`;
      views.push(await drawPanel(frame, chart, tooltip, open, name));
    }
    setUpLegend(figure, views);
  }
  document.documentElement.dataset.charts = 'drawn';
}
