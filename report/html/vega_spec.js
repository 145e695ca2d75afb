'use strict';

const chartHeight = 300;
/** Of a scatter chart, whose axes are as important. */
const scatterHeight = 420;
/** Up to so many cells of a heatmap have their figures written in them. */
const mostCellsWithText = 120;
const lineDashes = [[1, 0], [6, 3], [2, 2], [9, 3, 2, 3], [12, 4], [4, 2, 1, 2], [1, 3], [8, 2, 2, 2, 2, 2]];
const pointShapes = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down', 'triangle-right', 'triangle-left'];

const nominal = (field) => ({field, type: 'nominal'});

const logarithm = (scale) => ({type: 'log', base: scale === 'log2' ? 2 : 10});

/** Series that are not the chosen one fade. */
const faded = (usual) => ({
  condition: {test: 'chosen === null || datum.series === chosen', value: usual}, value: usual / 8,
});

/** A parameter's axis. The labels are data: none is part of an expression. */
function axisOf(name, {label, scale, places, labels}) {
  const axis = {title: label};
  if (places.length === 0) return axis;
  const isCategory = scale === 'category';
  Object.assign(axis, {
    values: places, labelExpr: `${name}_labels[indexof(${name}_places, datum.value)]`,
    labelOverlap: isCategory ? false : 'greedy', labelSeparation: 8,
  });
  if (name === 'x' && isCategory) {
    const letters = labels.reduce((sum, text) => sum + text.length + 2, 0);
    Object.assign(axis, {labelAngle: letters > 60 ? -40 : 0, labelLimit: 140});
  }
  return axis;
}

function xChannel(chart) {
  const {x} = chart;
  if (chart.kind === 'scatter') return {field: 'x', type: 'quantitative', scale: metricScale(x), axis: {title: x.label}};
  const axis = axisOf('x', x);
  if (x.scale === 'category' || chart.kind !== 'line') {
    axis.labelOverlap = x.places.length > 24 ? 'greedy' : false;
    return {field: 'x', type: 'ordinal', scale: {domain: x.places}, axis};
  }
  const scale = x.scale === 'linear' ? {zero: false} : logarithm(x.scale);
  return {field: 'x', type: 'quantitative', scale: {nice: false, padding: 14, ...scale}, axis: {...axis, grid: false}};
}

/** Whether a metric's axis has a logarithm: a heatmap of zeros has none. */
const hasLogarithm = ({scale, extent}) => scale !== 'linear' && extent[0] > 0;

/** Of an axis of a metric. */
function metricScale(axis, isBar = false) {
  const [low, high] = axis.extent;
  if (hasLogarithm(axis)) {
    // To the next power it would leave most of the picture empty. Bars begin where the axis does:
    // the lowest needs some height too.
    const margin = 1.1;
    return {domain: [low / (isBar ? 2 : margin), high * margin], ...logarithm(axis.scale), nice: false};
  }
  const from = isBar || axis.from_zero ? Math.min(low, 0) : low;
  return {domain: [from, high > from ? high : from + 1], nice: true, zero: false};  // The domain says it.
}

/** All panels of a chart have the same. */
const figureScale = ({figures, kind}) => metricScale(figures, kind === 'bar');

/** A line through the origin, as far as it lies in the panel; its label, if it has one, stands at its end, below it. */
function slopeLayers(chart, series, y, color) {
  const {factor, label} = chart.slopes[series];
  const [left, right] = metricScale(chart.x).domain;
  const [bottom, top] = figureScale(chart).domain;
  const from = Math.max(left, bottom / factor);
  const to = Math.min(right, top / factor);
  if (!(factor > 0 && from < to)) return [];
  const at = (x) => ({x, figure: factor * x, label, series});
  const line = {
    data: {values: [at(from), at(to)]}, mark: {type: 'line', style: 'reference', tooltip: null}, encoding: {y, ...color}};
  if (label === '') return [line];
  const isLeft = to < (hasLogarithm(chart.x) ? Math.sqrt(left * right) : (left + right) / 2);
  const [align, dx] = isLeft ? ['left', 4] : ['right', -4];
  const mark = {type: 'text', style: 'reference-label', align, baseline: 'top', dx, dy: 36, tooltip: null};
  return [line, {data: {values: [at(to)]}, mark, encoding: {y, text: nominal('label')}}];
}

/** Lines or points with their intervals, or bars; what failed is a cross at the bottom. */
function figureLayers(chart, {values}) {
  const drawn = {values: values.filter((value) => value.figure !== null)};
  const failed = {values: values.filter((value) => value.figure === null)};
  const hasIntervals = drawn.values.some((value) => 'low' in value);
  const isLine = chart.kind === 'line';
  const isBar = chart.kind === 'bar';
  const figure = (field) => (
    {field, type: 'quantitative', scale: figureScale(chart), axis: {title: chart.figures.label}});
  const y = figure('figure');
  const interval = {y: figure('low'), y2: {field: 'high'}};
  const places = chart.series.map((_, place) => place);
  /** A channel that tells the series apart; without a range in the theme's colours. */
  const bySeries = (range) => ({
    ...nominal('series'), scale: range ? {domain: places, range} : {domain: places}, legend: null,
  });
  const tooltip = nominal('point');
  const color = bySeries();
  const sideBySide = isBar && places.length > 1 ? {xOffset: bySeries()} : {};
  const layers = [];
  const add = (data, mark, encoding, more = {}) => layers.push({data, ...more, mark, encoding});
  const addPoints = () => add(drawn, {type: 'point', filled: true, size: 50, opacity: 1},
      {y, color, shape: bySeries(pointShapes), opacity: faded(1)});
  const withInterval = {transform: [{filter: 'isValid(datum.low)'}]};
  if (isLine) {
    const all = {values};  // What has no figure leaves a gap.
    if (hasIntervals) add(all, {type: 'area', tooltip: null}, {...interval, color, opacity: faded(0.2)});
    add(all, {type: 'line', strokeWidth: 2, tooltip: null},
        {y, color, strokeDash: bySeries(lineDashes), opacity: faded(1)});
    addPoints();
  } else if (chart.kind === 'scatter') {
    const ofSeries = chart.slopes.length > 1 ? {color} : {};
    chart.slopes.forEach((_, place) => layers.push(...slopeLayers(chart, place, y, ofSeries)));
    if (hasIntervals) add(drawn, {type: 'rule', tooltip: null}, {...interval, color, opacity: faded(0.45)}, withInterval);
    addPoints();
  } else {
    // A logarithm has no 0 to start from.
    const y2 = chart.figures.scale === 'linear' ? {} : {y2: {datum: figureScale(chart).domain[0]}};
    add(drawn, {type: 'bar', cursor: 'pointer'}, {y, ...y2, color, opacity: faded(1), tooltip, ...sideBySide});
    if (hasIntervals) {
      add(drawn, {type: 'rule', style: 'interval', tooltip: null}, {...interval, ...sideBySide}, withInterval);
    }
  }
  for (const reference of chart.references) {
    add({values: [reference]}, {type: 'rule', style: 'reference', tooltip: null}, {x: null, y: figure('at')});
    // Above its line at the right.
    add({values: [reference]},
        {type: 'text', style: 'reference-label', align: 'right', baseline: 'bottom', dx: -4, dy: -3, tooltip: null},
        {x: {value: 'width'}, y: figure('at'), text: nominal('label')});
  }
  for (const cache of chart.caches) {
    add({values: [cache]}, {type: 'rule', style: 'reference', tooltip: null}, {});
    add({values: [cache]},
        {type: 'text', style: 'reference-label', align: 'left', baseline: 'top', dx: 4, dy: 3, tooltip: null},
        {y: {value: 0}, text: nominal('label')});
  }
  if (failed.values.length > 0) {
    add(failed, {type: 'text', text: '×', fontSize: 18, style: 'failed', cursor: 'pointer'},
        {y: {value: chartHeight - 8}, tooltip, ...sideBySide});
  }
  // Invisible, and larger than the points: a finger finds them.
  if (!isBar) add(drawn, {type: 'point', filled: true, size: 260, opacity: 0, cursor: 'pointer'}, {y, tooltip});
  return layers;
}

function heatmapLayers(chart, {values}) {
  const drawn = {values: values.filter((value) => value.figure !== null)};
  const failed = {values: values.filter((value) => value.figure === null)};
  const place = (name, domain) => ({
    field: name, type: 'ordinal', scale: {domain, padding: 0.04},
    axis: {...axisOf(name, chart[name]), labelOverlap: 'greedy', ticks: false, domain: false},
  });
  const x = place('x', chart.x.places);
  const y = place('y', chart.y.places.slice().reverse());  // What is larger stands higher.
  const [low, high] = chart.figures.extent;
  const isLog = hasLogarithm(chart.figures);
  const color = {
    field: 'figure', type: 'quantitative',
    scale: {scheme: 'viridis', domain: [low, high > low ? high : low + 1], nice: false,
            ...(isLog ? logarithm(chart.figures.scale) : {})},
    legend: {title: chart.figures.label, orient: 'top', direction: 'horizontal', gradientLength: 200},
  };
  const tooltip = nominal('point');
  const layers = [{data: drawn, mark: {type: 'rect', cursor: 'pointer'}, encoding: {x, y, color, tooltip}}];
  if (drawn.values.length <= mostCellsWithText) {
    // From this figure on the palette is bright enough for dark letters.
    const bright = isLog ? low * (high / low) ** 0.6 : low + (high - low) * 0.6;
    const letters = {condition: {test: {field: 'figure', gt: bright}, value: '#111'}, value: '#fff'};
    layers.push({data: drawn, mark: {type: 'text', style: 'cell', tooltip: null},
                 encoding: {x, y, text: nominal('text'), color: letters}});
  }
  if (failed.values.length > 0) {
    layers.push(
        {data: failed, mark: {type: 'rect', style: 'failed-cell', cursor: 'pointer'}, encoding: {x, y, tooltip}},
        {data: failed, mark: {type: 'text', text: '×', style: 'failed', tooltip: null}, encoding: {x, y}});
  }
  return layers;
}

/**
 * One panel of a chart as a Vega-Lite specification, without colours and fonts, which the page gives
 * it by its theme. Its width is its container's. The parameter `chosen` is the place of the series
 * that stands out, or null. A position along an axis of categories is the place of its tick.
 */
function vegaSpec(chart, panel) {
  const params = [{name: 'chosen', value: null}];
  for (const axis of ['x', 'y']) {
    params.push({name: `${axis}_places`, value: chart[axis].places}, {name: `${axis}_labels`, value: chart[axis].labels});
  }
  const spec = {width: 'container', description: chart.description, params};
  if (chart.kind !== 'heatmap') {
    const height = chart.kind === 'scatter' ? scatterHeight : chartHeight;
    return {...spec, height, layer: figureLayers(chart, panel), encoding: {x: xChannel(chart)}};
  }
  const height = Math.min(Math.max(chart.y.places.length * 34, 120), 560);
  return {...spec, height, layer: heatmapLayers(chart, panel)};
}
