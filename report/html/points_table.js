'use strict';

const rowHeight = 30;
const rowsBeyond = 12;
const mostPrinted = 300;

/** The table of all points. Only the rows in sight are in the page. */
class PointsTable {
  constructor(points, open) {
    this.points = points;
    this.open = open;
    this.frame = document.getElementById('grid');
    this.order = Array.from({length: points.count}, (_, point) => point);
    this.sortedBy = points.columns.find((column) => column.key === points.sorted_by) || null;
    this.isDescending = false;
    this.filter = () => true;
    this.chosen = -1;
    this.active = 0;
    this.isWhole = false;
    this.frame.addEventListener('scroll', () => this.renderSoon(), {passive: true});
    this.frame.addEventListener('keydown', (event) => this.onKey(event));
    new ResizeObserver(() => this.renderSoon()).observe(this.frame);
    addEventListener('beforeprint', () => { this.isWhole = true; this.renderRows(true); });
    addEventListener('afterprint', () => { this.isWhole = false; this.renderRows(true); });
    this.build();
  }

  get shown() { return this.points.columns.filter((column) => column.isShown); }

  build() {
    const columns = this.shown;
    for (const column of columns) column.measure(this.points.count);
    const widths = columns.map((column) => make('col', {style: `width: calc(${column.width}ch + 1.7rem)`}));
    this.headings = columns.map((column) => make(
        'th', {scope: 'col', 'aria-sort': 'none', class: column.isFigure ? 'figure' : null, title: column.meaning},
        make('button', {type: 'button', click: () => this.sortBy(column)}, column.heading.replaceAll('_', '_\u200b'))));
    this.body = make('tbody');
    this.table = make('table', {'aria-label': 'All points'}, make('colgroup', {}, ...widths),
                      make('thead', {}, make('tr', {}, ...this.headings)), this.body);
    this.body.addEventListener('click', (event) => {
      const row = event.target.closest('tr[data-point]');
      if (row) this.open(Number(row.dataset.point));
    });
    this.frame.replaceChildren(this.table);
    this.update();
  }

  sortBy(column) {
    const highestFirst = column.isFigure && column.group !== 'parameters' && column.better !== 'lower';
    if (this.sortedBy === column) this.isDescending = !this.isDescending;
    else [this.sortedBy, this.isDescending] = [column, highestFirst];
    this.update();
  }

  setFilter(filter) {
    this.filter = filter;
    this.frame.scrollTop = 0;
    this.active = 0;
    this.update();
  }

  update() {
    const order = [];
    for (let point = 0; point < this.points.count; ++point) if (this.filter(point)) order.push(point);
    const column = this.sortedBy;
    if (column) {
      const sign = this.isDescending ? -1 : 1;
      const values = order.map((point) => ({point, value: column.value(point)}));
      const isMissing = (value) => value === null || value === undefined;
      values.sort((a, b) => {
        if (isMissing(a.value) || isMissing(b.value)) return isMissing(a.value) - isMissing(b.value);
        return a.value < b.value ? -sign : a.value > b.value ? sign : a.point - b.point;
      });
      this.order = values.map(({point}) => point);
    } else {
      this.order = order;
    }
    this.shown.forEach((each, i) => {
      const direction = this.isDescending ? 'descending' : 'ascending';
      this.headings[i].setAttribute('aria-sort', each === column ? direction : 'none');
    });
    this.table.setAttribute('aria-rowcount', this.order.length + 1);
    this.renderRows(true);
  }

  renderSoon() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => { this.isWaiting = false; this.renderRows(false); });
  }

  renderRows(isNew) {
    const inSight = Math.ceil(this.frame.clientHeight / rowHeight) || 20;
    let first = Math.max(Math.floor(this.frame.scrollTop / rowHeight) - rowsBeyond, 0);
    let end = Math.min(first + inSight + 2 * rowsBeyond, this.order.length);
    if (this.isWhole) [first, end] = [0, Math.min(this.order.length, mostPrinted)];
    if (!isNew && first === this.first && end === this.end) return;
    [this.first, this.end] = [first, end];
    const hadFocus = this.body.contains(document.activeElement);
    const columns = this.shown;
    const rows = [];
    for (let place = first; place < end; ++place) rows.push(this.row(place, columns));
    const below = this.isWhole ? 0 : this.order.length - end;
    const above = this.isWhole ? 0 : first;
    this.body.replaceChildren(this.spacer(above, columns), ...rows, this.spacer(below, columns));
    if (this.order.length === 0) {
      this.body.replaceChildren(make('tr', {}, make('td', {class: 'empty', colspan: columns.length}, 'No point is like that.')));
    }
    if (hadFocus) this.focusActive();
  }

  spacer(rows, columns) {
    if (rows === 0) return '';
    return make('tr', {class: 'spacer', 'aria-hidden': 'true'},
                make('td', {colspan: columns.length, style: `height: ${rows * rowHeight}px`}));
  }

  row(place, columns) {
    const point = this.order[place];
    const slower = this.points.slower[point];
    const isBest = slower === 0 && this.points.verdicts.texts[this.points.verdicts.at[point]].startsWith('best');
    const kind = this.points.failedPoints.has(point) ? 'is-failed' : isBest ? 'is-best' : '';
    const chosen = point === this.chosen ? ' is-chosen' : '';
    const cells = columns.map((column) => {
      const text = column.text(point);
      return column.isFigure ? make('td', {class: 'figure'}, ...alignedFigure(text, column.fraction))
                             : make('td', {title: text.length > 38 ? text : null}, text);
    });
    return make('tr', {'data-point': point, 'aria-rowindex': place + 2, class: kind + chosen,
                       tabindex: place === this.active ? 0 : -1}, ...cells);
  }

  onKey(event) {
    if (!this.body.contains(event.target)) return;
    const page = Math.max(Math.floor(this.frame.clientHeight / rowHeight) - 2, 1);
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
                   Home: -this.order.length, End: this.order.length};
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.open(this.order[this.active]);
    } else if (event.key in steps) {
      event.preventDefault();
      this.show(Math.min(Math.max(this.active + steps[event.key], 0), this.order.length - 1));
      this.focusActive();
    }
  }

  /** Scrolls to a place of the order and makes it the one that keys go on from. */
  show(place) {
    this.active = place;
    const head = this.headings[0].offsetHeight;
    const top = place * rowHeight;
    const height = this.frame.clientHeight - head;
    if (top < this.frame.scrollTop) this.frame.scrollTop = top;
    if (top + rowHeight > this.frame.scrollTop + height) this.frame.scrollTop = top + rowHeight - height;
    this.renderRows(true);
  }

  focusActive() {
    const row = this.body.querySelector(`tr[aria-rowindex="${this.active + 2}"]`);
    if (row) row.focus({preventScroll: true});
  }

  choose(point) {
    this.chosen = point;
    const place = this.order.indexOf(point);
    if (place >= 0) this.show(place);
    else this.renderRows(true);
  }

  /** The point so many places after this one in the order, or -1. */
  neighbour(point, step) {
    const place = this.order.indexOf(point) + step;
    return place >= 0 && place < this.order.length ? this.order[place] : -1;
  }
}

function setUpFilter(points, table) {
  const input = document.getElementById('filter');
  const result = document.getElementById('filter-result');
  let timer = 0;
  const apply = () => {
    try {
      table.setFilter(compileFilter(points, input.value));
      const found = formatThousands(table.order.length);
      result.textContent = `${found} of ${formatThousands(points.count)} points`;
      result.className = '';
      input.removeAttribute('aria-invalid');
    } catch (error) {
      result.textContent = error.message;
      result.className = 'wrong';
      input.setAttribute('aria-invalid', 'true');
    }
  };
  input.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(apply, 120); });
  apply();
}

function setUpColumns(points, table) {
  const choices = document.querySelector('#columns .choices');
  let group = '';
  for (const column of points.columns) {
    if (column.group !== group) choices.append(make('p', {}, group = column.group));
    const box = make('input', {type: 'checkbox', change: () => {
      if (!box.checked && table.shown.length === 1) box.checked = true;
      column.isShown = box.checked;
      if (!column.isShown && table.sortedBy === column) table.sortedBy = null;
      table.build();
    }});
    box.checked = column.isShown;
    choices.append(make('label', {title: column.meaning}, box, ` ${column.name || column.heading}`));
  }
  const menu = document.getElementById('columns');
  addEventListener('click', (event) => { if (!menu.contains(event.target)) menu.open = false; });
  menu.addEventListener('keydown', (event) => { if (event.key === 'Escape') menu.open = false; });
}
