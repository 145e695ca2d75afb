'use strict';

const binaryUnits = {Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30};

/** "64", "1.5", "64Mi", "64 Mi"; NaN for anything else. */
function parseNumber(text) {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(Ki|Mi|Gi)?%?$/i.exec(text.trim());
  if (!match) return NaN;
  const unit = match[2] ? match[2][0].toUpperCase() + 'i' : '';
  return Number(match[1]) * (binaryUnits[unit] || 1);
}

/** Words divided at spaces; quotes keep spaces, and those around an operator do not divide. */
function splitTerms(text) {
  const joined = text.replace(/\s*(<=|>=|!=|==|=|<|>)\s*/g, '$1');
  return joined.match(/(?:"[^"]*"|[^\s"])+/g) || [];
}

function findColumn(points, name) {
  const is = (column, same) => same(column.key) || (column.name && same(column.name));
  return points.columns.find((column) => is(column, (key) => key === name)) ||
         points.columns.find((column) => is(column, (key) => key.toLowerCase() === name.toLowerCase()));
}

function suggestion(points, name) {
  const lower = name.toLowerCase();
  const near = points.columns.find((column) => column.key.toLowerCase().startsWith(lower.slice(0, 3)));
  return near ? `; did you mean ${near.name || near.key}?` : '';
}

const comparisons = {
  '<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b,
};

/** A condition such as T=float,double or bandwidth>2000. */
function condition(points, name, operator, wanted) {
  const column = findColumn(points, name);
  if (!column) throw new Error(`there is no column ${name}${suggestion(points, name)}`);
  if (operator in comparisons) {
    const limit = parseNumber(wanted);
    if (Number.isNaN(limit)) throw new Error(`${wanted || 'nothing'} is no number to compare ${name} with`);
    if (!column.isFigure) throw new Error(`${name} has no numbers to compare`);
    return (point) => {
      const value = column.value(point);
      return value !== null && value !== undefined && comparisons[operator](value, limit);
    };
  }
  const choices = wanted.split(',').map((choice) => {
    const text = choice.trim().toLowerCase();
    const number = parseNumber(text);
    return (point) => {
      const shown = column.text(point).toLowerCase();
      if (shown === text) return true;
      if (column.isFigure) return column.value(point) === number;
      return column.group === 'outcome' && text !== '' && shown.includes(text);
    };
  });
  const isOne = (point) => choices.some((choice) => choice(point));
  return operator === '!=' ? (point) => !isOne(point) : isOne;
}

function word(points, text) {
  const wanted = text.toLowerCase();
  return (point) => points.columns.some((column) => column.group !== 'measured' &&
      column.group !== 'hardware' && column.group !== 'emulated' &&
      column.text(point).toLowerCase().includes(wanted));
}

/** A predicate over points; throws an Error that says what is wrong with the text. */
function compileFilter(points, text) {
  const terms = splitTerms(text).map((whole) => {
    const isNot = whole.length > 1 && whole.startsWith('-') && !/^-[\d.]/.test(whole);
    const term = (isNot ? whole.slice(1) : whole).replaceAll('"', '');
    const match = /^([^<>=!]+)(<=|>=|!=|==|=|<|>)(.*)$/.exec(term);
    const holds = match ? condition(points, match[1], match[2], match[3]) : word(points, term);
    return isNot ? (point) => !holds(point) : holds;
  });
  return (point) => terms.every((term) => term(point));
}
