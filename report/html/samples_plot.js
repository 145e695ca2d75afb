'use strict';

/** A point's samples in the order taken, with the median and its interval behind them. */
class SamplesPlot {
  constructor(points, point) {
    this.times = points.samples[point];
    this.clocks = points.clocks[point];
    this.marks = new Map(points.marks[point].map(([sample, mark]) => [sample, mark.replace(' ', '_')]));
    this.median = this.figure(points, point, 'time');
    this.low = this.figure(points, point, 'time_low');
    this.high = this.figure(points, point, 'time_high');
    [this.width, this.height, this.left, this.bottom] = [720, 200, 64, 26];
    const all = [...this.times, this.median, this.low, this.high].filter(Number.isFinite);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    const margin = (most - least) * 0.08 || Math.abs(most) * 0.01 || 1;
    [this.least, this.most] = [least - margin, most + margin];
  }

  figure(points, point, name) {
    const metric = points.metrics.find((each) => each.name === name && each.origin === 'measured');
    return metric ? metric.figures[point] : null;
  }

  x(sample) {
    const width = this.width - this.left - 32;
    return this.left + 12 + (this.times.length > 1 ? sample / (this.times.length - 1) : 0.5) * width;
  }

  y(time) {
    return 6 + (this.most - time) / (this.most - this.least) * (this.height - this.bottom - 6);
  }

  mark(sample) {
    const [x, y] = [this.x(sample).toFixed(1), this.y(this.times[sample]).toFixed(1)];
    const kind = this.marks.get(sample) || 'plain';
    const clock = this.clocks && this.clocks[sample] > 0 ? ` at ${this.clocks[sample]} MHz` : '';
    const words = kind === 'plain' ? '' : `, ${kind.replace('_', ' ')}`;
    const title = make('title', {}, `sample ${sample + 1}: ${formatFigure(this.times[sample])} us${clock}${words}`);
    if (kind === 'plain') return make('circle', {class: kind, cx: x, cy: y, r: 3}, title);
    return make('path', {class: kind, d: `M${x} ${y}${samplePaths[kind] || ''}`}, title);
  }

  element() {
    const right = this.width - 8;
    const floor = this.height - this.bottom;
    const texts = [this.most, (this.most + this.least) / 2, this.least].map((time, i) => {
      const value = [this.y(this.most) + 10, this.y(time) + 4, floor - 1][i];
      return make('text', {x: this.left - 8, y: value, 'text-anchor': 'end'}, formatFigure(time));
    });
    const nodes = [make('rect', {class: 'frame', x: this.left, y: 6, width: right - this.left, height: floor - 6}), ...texts];
    if (this.low > 0 && this.high > 0) {
      nodes.push(make('rect', {class: 'interval', x: this.left, width: right - this.left, y: this.y(this.high),
                               height: Math.max(this.y(this.low) - this.y(this.high), 1)}));
    }
    if (this.median > 0) {
      nodes.push(make('line', {class: 'median', x1: this.left, x2: right, y1: this.y(this.median), y2: this.y(this.median)}));
    }
    nodes.push(make('text', {x: this.left, y: this.height - 8}, 'us, by order of taking'));
    const marks = this.times.map((time, sample) => Number.isFinite(time) ? this.mark(sample) : null);
    return make('svg', {class: 'samples', viewBox: `0 0 ${this.width} ${this.height}`, role: 'img',
                        'aria-label': `${this.times.length} samples from ${formatFigure(Math.min(...this.times))} to ${formatFigure(Math.max(...this.times))} us`},
                ...nodes, ...marks);
  }

  legend() {
    const kinds = [...new Set(this.marks.values())];
    const words = {outlier: 'outlier (kept in the figures)', low_clock: 'taken at a low clock (left out)'};
    const entry = (kind, text) => make('span', {},
        make('svg', {class: 'samples', style: 'display: inline-block; width: 14px; vertical-align: -2px', viewBox: '-7 -7 14 14', 'aria-hidden': 'true'},
             kind === 'plain' ? make('circle', {class: kind, r: 3})
             : kind === 'median' ? make('path', {class: kind, d: 'M-7 0H7'})
             : make('path', {class: kind, d: `M0 0${samplePaths[kind] || ''}`})), ` ${text}`);
    return make('div', {class: 'sample-legend'}, entry('plain', 'sample'),
                this.median > 0 ? entry('median', 'median and its 95 % interval') : null,
                ...kinds.map((kind) => entry(kind, words[kind] || kind)));
  }
}

const samplePaths = {outlier: 'm-4-4l8 8m0-8l-8 8', low_clock: 'm0-4.5l4.5 8h-9z'};
