'use strict';

/** As reports write figures: four significant digits, larger integers in full. */
function formatFigure(value) {
  if (typeof value === 'string') return value;  // "nan", "inf"
  if (value === null || value === undefined) return '';
  if (value === 0) return '0';
  const scientific = value.toExponential(3);
  const magnitude = Math.abs(value);
  if (magnitude < 1e-9 || magnitude >= 1e15) {
    return scientific.replace(/e([+-])(\d)$/, 'e$10$2');
  }
  const exponent = Number(scientific.split('e')[1]);
  return value.toFixed(Math.max(3 - exponent, 0));
}

function formatThousands(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

function fractionOf(figure) {
  const point = figure.indexOf('.');
  return point < 0 || figure.includes('e') ? '' : figure.slice(point);
}

/** A figure as a node's children, so that decimal points stand below each other. */
function alignedFigure(figure, longest) {
  const fraction = fractionOf(figure);
  if (fraction.length >= longest || !/\d/.test(figure)) return [figure];
  const padding = (fraction === '' ? '.' : '').padEnd(longest - fraction.length, '0');
  return [figure, make('span', {class: 'pad', 'aria-hidden': 'true'}, padding)];
}

const packedDigits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';

/** Places in a list, as packed_column.h writes them. */
function unpackPlaces(packed) {
  if (Array.isArray(packed)) return packed;
  const values = new Map([...packedDigits].map((digit, value) => [digit.charCodeAt(0), value]));
  return Array.from({length: packed.text.length / packed.digits}, (_, point) => {
    let number = 0;
    for (let i = point * packed.digits; i < (point + 1) * packed.digits; ++i) {
      number = number * 64 + values.get(packed.text.charCodeAt(i));
    }
    return number - 1;
  });
}

function unpackFigures(packed) {
  if (Array.isArray(packed)) return packed;
  return unpackPlaces(packed.places).map((place) => packed.values[place]);
}

function unpackPoints(data) {
  for (const list of [...data.parameters, data.verdicts, data.reasons, data.stopped]) {
    list.at = unpackPlaces(list.at);
  }
  for (const metric of data.metrics) metric.figures = unpackFigures(metric.figures);
  for (const name of ['slower', 'measured_by']) data[name] = unpackFigures(data[name]);
  data.notes.at = unpackFigures(data.notes.at);
}

/** A column of the points' table, also what filters and details read. */
class Column {
  constructor(key, heading, group) {
    this.key = key;          // unique: "STRIDE", "bandwidth.measured"
    this.heading = heading;  // "bandwidth [GB/s]"
    this.group = group;      // in the list of columns
    this.isFigure = false;
    this.isShown = false;
  }

  /** Widths and fractions over all points, worked out when first needed. */
  measure(count) {
    if (this.width !== undefined) return;
    let width = 0;
    let fraction = 0;
    for (let point = 0; point < count; ++point) {
      const text = this.text(point);
      if (this.isFigure) fraction = Math.max(fraction, fractionOf(text).length);
      width = Math.max(width, text.length - fractionOf(text).length);
    }
    this.fraction = fraction;
    const words = this.heading.split(/[\s_]/).map((word) => word.length);
    this.width = Math.min(Math.max(width + fraction, ...words, this.heading.length / 2 + 1) + 1, 40);
  }
}

function parameterColumn(parameter) {
  const column = new Column(parameter.name, parameter.name, 'parameters');
  column.isFigure = parameter.numbers !== undefined;
  column.isShown = parameter.varies;
  column.text = (point) => parameter.at[point] < 0 ? '' : parameter.values[parameter.at[point]];
  column.value = (point) => {
    const place = parameter.at[point];
    if (place < 0) return null;
    return column.isFigure ? parameter.numbers[place] : place;
  };
  return column;
}

function metricHeading(metric) {
  let heading = metric.name + (metric.unit ? ` [${metric.unit}]` : '');
  if (metric.origin === 'hardware') heading += ', hardware counter';
  if (metric.origin === 'emulated') heading += ', emulated';
  return heading;
}

function metricColumn(metric) {
  const column = new Column(`${metric.name}.${metric.origin}`, metricHeading(metric), metric.origin);
  column.isFigure = true;
  column.isShown = metric.shown;
  column.name = metric.name;
  column.meaning = metric.meaning;
  column.better = metric.better;
  column.text = (point) => formatFigure(metric.figures[point]);
  column.value = (point) => {
    const figure = metric.figures[point];
    return figure === 'inf' ? Infinity : figure === '-inf' ? -Infinity
         : typeof figure === 'string' ? null : figure;
  };
  return column;
}

function textColumn(key, group, texts) {
  const column = new Column(key, key, group);
  column.text = (point) => texts.at[point] < 0 ? '' : texts.texts[texts.at[point]];
  column.value = (point) => column.text(point) || null;
  return column;
}

/** All points: what points_data.h says, with columns over it. */
class Points {
  constructor(data) {
    unpackPoints(data);
    Object.assign(this, data);
    this.failedPoints = new Set(data.failed);
    const verdict = textColumn('verdict', 'outcome', data.verdicts);
    // From the best to the worst, what failed after all others.
    verdict.value = (point) => {
      if (this.failedPoints.has(point)) return Number.MAX_VALUE;
      const slower = data.slower[point];
      return slower === 'inf' ? 1e300 : slower;
    };
    verdict.isShown = data.verdicts.texts.length > 0;
    const parameters = data.parameters.map(parameterColumn);
    const figures = [...data.metrics.map(metricColumn), verdict];
    // Beyond many parameters nobody finds the figures: then the first one leads, the pattern's name
    // where there are several, and the others follow.
    const areMany = parameters.filter((parameter) => parameter.isShown).length > 7;
    const leading = areMany ? parameters.splice(0, 1) : parameters.splice(0);
    this.columns = [
      ...leading, ...figures, ...parameters,
      textColumn('stopped_by', 'outcome', data.stopped), textColumn('reason', 'outcome', data.reasons)];
    this.columns = this.columns.filter((column) => column.group !== 'outcome' ||
                                                   column === verdict && verdict.isShown ||
                                                   column !== verdict && this.has(column));
    if (!this.columns.some((column) => column.isShown)) {
      for (const column of this.columns.slice(0, 6)) column.isShown = true;
    }
  }

  has(column) {
    for (let point = 0; point < this.count; ++point) if (column.text(point)) return true;
    return false;
  }

  /** "T = float, STRIDE = 4": what tells a point from the others. */
  describe(point) {
    const varying = this.parameters.filter((parameter) => parameter.varies);
    const told = varying.length > 0 ? varying : this.parameters;
    return told.filter((parameter) => parameter.at[point] >= 0)
        .map((parameter) => `${parameter.name} = ${parameter.values[parameter.at[point]]}`)
        .join(', ');
  }
}
