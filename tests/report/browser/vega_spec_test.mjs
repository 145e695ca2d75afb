// vega_spec_test.mjs SCRIPT: what the page's script makes of a chart (chart_data) for Vega-Lite.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

const vegaSpec = new Function(`${readFileSync(process.argv[2], 'utf8')}\nreturn vegaSpec;`)();

/** Two series over three strides; the last point of each failed, the second has an interval. */
const lineChart = () => ({
  kind: 'line', description: 'A line chart.',
  x: {label: 'STRIDE', scale: 'log2', places: [1, 2, 1024], labels: ['1', '2', '1 Ki']},
  y: {label: '', scale: 'linear', places: [], labels: []},
  figures: {label: 'bandwidth [GB/s]', scale: 'linear', extent: [100, 500], from_zero: true},
  references: [{at: 500, label: 'theoretical peak, 500 GB/s'}],
  series: [{name: 'float'}, {name: 'double'}],
  caches: [],
  panels: [{
    values: [0, 1].flatMap((series) => [
      {x: 1, point: 0, figure: 100, series}, {x: 2, point: 1, figure: 200, low: 195, high: 205, series},
      {x: 1024, point: 2, figure: null, series},
    ]),
  }],
});

const specOf = (chart) => vegaSpec(chart, chart.panels[0]);
const layers = (spec, mark) => spec.layer.filter((layer) => layer.mark.type === mark);

const tests = {
  'a line has its marks and a gap where a point failed'() {
    const spec = specOf(lineChart());
    const [line] = layers(spec, 'line');
    assert.equal(line.data.values.length, 6);
    assert.equal(line.data.values[2].figure, null);
    assert.equal(spec.width, 'container');
    assert.equal(spec.description, 'A line chart.');
    assert.deepEqual(spec.params[0], {name: 'chosen', value: null});
  },
  'the axis of figures begins at zero where it should'() {
    const chart = lineChart();
    assert.deepEqual(layers(specOf(chart), 'line')[0].encoding.y.scale.domain, [0, 500]);
    chart.figures.from_zero = false;
    assert.deepEqual(layers(specOf(chart), 'line')[0].encoding.y.scale.domain, [100, 500]);
  },
  'a logarithmic axis has its base and the labels of the report'() {
    const {encoding: {x}, params} = specOf(lineChart());
    assert.equal(x.scale.type, 'log');
    assert.equal(x.scale.base, 2);
    assert.deepEqual(x.axis.values, [1, 2, 1024]);
    assert.deepEqual(params.find(({name}) => name === 'x_labels').value, ['1', '2', '1 Ki']);
  },
  'intervals, references and failures have layers'() {
    const chart = lineChart();
    const spec = specOf(chart);
    assert.equal(layers(spec, 'area').length, 1);
    assert.equal(layers(spec, 'rule').length, 1);
    const [crosses] = spec.layer.filter((layer) => layer.mark.style === 'failed');
    assert.deepEqual(crosses.data.values.map(({point}) => point), [2, 2]);
    chart.references = [];
    for (const value of chart.panels[0].values) { delete value.low; delete value.high; }
    assert.equal(layers(specOf(chart), 'area').length, 0);
    assert.equal(layers(specOf(chart), 'rule').length, 0);
  },
  'bars stand side by side and on zero'() {
    const chart = lineChart();
    chart.kind = 'bar';
    chart.x.scale = 'category';
    chart.figures.from_zero = false;
    const [bar] = layers(specOf(chart), 'bar');
    assert.equal(bar.encoding.xOffset.field, 'series');
    assert.equal(bar.encoding.y.scale.domain[0], 0);
    assert.ok(!('y2' in bar.encoding));
  },
  'bars over a logarithm begin where its axis does'() {
    const chart = lineChart();
    chart.kind = 'bar';
    chart.figures.scale = 'log10';
    const {y, y2} = layers(specOf(chart), 'bar')[0].encoding;
    assert.equal(y.scale.domain[0], 50);
    assert.equal(y2.datum, 50);
  },
  'a heatmap has its larger rows above'() {
    const chart = lineChart();
    chart.kind = 'heatmap';
    chart.x.scale = 'category';
    chart.y = {label: 'BLOCK', scale: 'category', places: [0, 1], labels: ['128', '256']};
    const spec = specOf(chart);
    const [cells, failed] = layers(spec, 'rect');
    assert.deepEqual(cells.encoding.y.scale.domain, [1, 0]);
    assert.equal(cells.encoding.color.scale.scheme, 'viridis');
    assert.equal(failed.data.values.length, 2);
  },
  'a scatter chart has two axes of figures, and a line where they are equal'() {
    const chart = lineChart();
    chart.kind = 'scatter';
    chart.figures.scale = 'log10';
    chart.x = {label: 'time', scale: 'log10', places: [], labels: [], extent: [100, 500], from_zero: true};
    chart.slopes = [{factor: 1, label: 'y = x'}];
    const spec = specOf(chart);
    const {x} = spec.encoding;
    assert.equal(x.type, 'quantitative');
    assert.equal(x.scale.type, 'log');
    assert.deepEqual(x.scale.domain, layers(spec, 'point')[0].encoding.y.scale.domain);
    const [diagonal] = layers(spec, 'line');
    assert.deepEqual(diagonal.data.values.map((end) => [end.x, end.figure]), x.scale.domain.map((at) => [at, at]));
    assert.ok(layers(spec, 'rule').some(({encoding: {y2}}) => y2 && y2.field === 'high'));
    chart.slopes = [];
    assert.equal(layers(specOf(chart), 'line').length, 0);
  },
  'lines through the origin end where the panel does'() {
    const chart = lineChart();
    chart.kind = 'scatter';
    chart.x = {label: 'x', scale: 'linear', places: [], labels: [], extent: [0, 10], from_zero: true};
    chart.slopes = [{factor: 100, label: 'steep'}, {factor: 10, label: 'flat'}, {factor: 0, label: 'none'}];
    const lines = layers(specOf(chart), 'line');
    assert.deepEqual(lines.map(({data}) => data.values.map((end) => [end.x, end.figure])),
        [[[0, 0], [5, 500]], [[0, 0], [10, 100]]]);
    assert.ok(lines.every(({encoding}) => encoding.color));
    assert.equal(layers(specOf(chart), 'text').filter(({mark}) => mark.style === 'reference-label').length, 3);
    for (const slope of chart.slopes) slope.label = '';
    assert.equal(layers(specOf(chart), 'line').length, 2);
    assert.equal(layers(specOf(chart), 'text').filter(({mark}) => mark.style === 'reference-label').length, 1);
  },
  'sizes of caches are lines from top to bottom'() {
    const chart = lineChart();
    const before = layers(specOf(chart), 'rule').length;
    chart.caches = [{x: 8, label: 'L1 8'}, {x: 64, label: 'L2 64'}];
    const rules = layers(specOf(chart), 'rule');
    assert.equal(rules.length, before + 2);
    assert.deepEqual(rules.slice(-2).map(({data}) => data.values[0].x), [8, 64]);
  },
  'no text is part of an expression'() {
    const chart = lineChart();
    chart.x.labels[0] = '"); alert(1); ("';
    chart.x.label = 'HOSTILE';
    assert.equal(specOf(chart).encoding.x.axis.labelExpr, 'x_labels[indexof(x_places, datum.value)]');
  },
};
for (const [name, test] of Object.entries(tests)) {
  try {
    test();
  } catch (error) {
    console.error(`${name}: ${error.message}`);
    process.exitCode = 1;
  }
}
