'use strict';

/** All about one point, in a dialog. */
class PointDetail {
  constructor(points) {
    this.points = points;
    this.dialog = document.getElementById('detail');
    this.dialog.addEventListener('click', (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    this.dialog.addEventListener('close', () => { if (this.table) this.table.focusActive(); });
    this.dialog.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowLeft') this.step(-1);
      if (event.key === 'ArrowRight') this.step(1);
    });
  }

  open(point) {
    this.point = point;
    this.table.choose(point);
    const label = this.dialog.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null;
    this.dialog.replaceChildren(this.head(), this.body());
    if (!this.dialog.open) this.dialog.showModal();
    else (this.dialog.querySelector(`button[aria-label="${label}"]`) || this.dialog.querySelector('[autofocus]')).focus();
    this.dialog.scrollTop = 0;
  }

  step(places) {
    const neighbour = this.table.neighbour(this.point, places);
    if (neighbour >= 0) this.open(neighbour);
  }

  head() {
    const {points, point} = this;
    const verdict = points.verdicts.at[point] < 0 ? '' : points.verdicts.texts[points.verdicts.at[point]];
    const from = points.measured_by[point];
    const parts = [verdict, from !== null ? `measured by run ${from}` : ''].filter(Boolean);
    const button = (label, text, click, more = {}) => make(
        'button', {type: 'button', 'aria-label': label, title: label, click, ...more}, text);
    return make('div', {class: 'detail-head'},
                make('h3', {id: 'detail-heading'}, points.describe(point) || 'The point',
                     make('span', {class: 'verdict'}, parts.join('; '))),
                button('The one before in the table', '\u2190', () => this.step(-1)),
                button('The next one in the table', '\u2192', () => this.step(1)),
                button('Close', '\u2715', () => this.dialog.close(), {autofocus: ''}));
  }

  body() {
    const {points, point} = this;
    const body = make('div', {class: 'detail-body'});
    const reason = points.reasons.at[point];
    if (points.failedPoints.has(point)) {
      body.append(make('h4', {}, 'Failed'),
                  make('pre', {class: 'reason'}, reason < 0 ? 'no reason is known' : points.reasons.texts[reason]));
    }
    body.append(...this.figures(), ...this.samples(), ...this.counts(), ...this.notes(), ...this.parameters());
    return body;
  }

  /** A list of names and texts. */
  list(entries) {
    return make('dl', {}, ...entries.map(([name, text, title]) =>
      make('div', {title}, make('dt', {}, name), make('dd', {}, text))));
  }

  parameters() {
    const {points, point} = this;
    const there = points.parameters.filter((parameter) => parameter.at[point] >= 0);
    return [make('h4', {}, 'Parameters'),
            this.list(there.map((parameter) => [parameter.name, parameter.values[parameter.at[point]]]))];
  }

  figures() {
    const {points, point} = this;
    const there = points.metrics.filter((metric) => metric.origin === 'measured' && metric.figures[point] !== null);
    if (there.length === 0) return [];
    return [make('h4', {}, 'Measured'), this.list(there.map((metric) => [
      metric.name, `${formatFigure(metric.figures[point])} ${metric.unit}`.trim(), metric.meaning]))];
  }

  samples() {
    const {points, point} = this;
    if (!points.samples) {
      if (!points.samples_left_out) return [];
      return [make('p', {class: 'caption'}, 'The page of so large a run has no samples; the JSON has them.')];
    }
    if (points.samples[point].length === 0) return [];
    const plot = new SamplesPlot(points, point);
    const stopped = points.stopped.at[point] < 0 ? '' : points.stopped.texts[points.stopped.at[point]];
    const words = {noise: 'since they were as free of noise as asked', samples: 'at the limit of samples',
                   seconds: 'at the limit of time', 'cut-off': 'since the search gave the point up as too slow'};
    const ended = stopped ? ` Sampling ended ${words[stopped] || `by ${stopped}`}.` : '';
    return [make('h4', {}, 'Samples'), plot.element(), plot.legend(),
            make('p', {class: 'caption'}, `${points.samples[point].length} samples.${ended}`)];
  }

  counts() {
    const {points, point} = this;
    const rows = [];
    const names = new Set(points.metrics.filter((metric) => metric.origin !== 'measured' && metric.figures[point] !== null)
                              .map((metric) => metric.name));
    for (const name of names) {
      const of = (origin) => points.metrics.find((metric) => metric.name === name && metric.origin === origin);
      const [hardware, emulated] = [of('hardware'), of('emulated')];
      const figure = (metric) => metric && metric.figures[point] !== null ? metric.figures[point] : undefined;
      const [a, b] = [figure(hardware), figure(emulated)];
      const ratio = typeof a === 'number' && typeof b === 'number' && a !== 0 ? b / a : undefined;
      const differs = hardware && hardware.disagrees && hardware.disagrees.includes(point);
      const metric = hardware || emulated;
      rows.push(make('tr', {title: metric.meaning},
                     make('th', {scope: 'row'}, name + (metric.unit ? ` [${metric.unit}]` : '')),
                     make('td', {class: 'figure'}, formatFigure(a) || '\u2013'),
                     make('td', {class: 'figure'}, formatFigure(b) || '\u2013'),
                     make('td', {class: `figure${differs ? ' differs' : ''}`, title: hardware && hardware.tolerance},
                          ratio === undefined ? '' : ratio.toFixed(3) + (differs ? ' \u2260' : ''))));
    }
    if (rows.length === 0) return [];
    const heading = (text, isFigure = true) => make('th', {scope: 'col', class: isFigure ? 'figure' : null}, text);
    return [make('h4', {}, 'Counts'),
            make('div', {class: 'scroll'},
                 make('table', {}, make('thead', {}, make('tr', {}, heading('metric', false), heading('hardware'),
                                                          heading('emulated'), heading('ratio'))),
                      make('tbody', {}, ...rows)))];
  }

  notes() {
    const {points, point} = this;
    const notes = points.notes.at[point].filter((place) => place >= 0);
    if (notes.length === 0) return [];
    return [make('h4', {}, 'Notes'), make('ul', {}, ...notes.map((place) => make('li', {}, points.notes.texts[place])))];
  }
}
