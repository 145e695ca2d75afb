'use strict';
for (const table of document.querySelectorAll('table.sortable')) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const up = head.getAttribute('aria-sort') !== 'ascending';
      for (const each of heads) each.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      const key = row => row.cells[column].dataset.v ?? row.cells[column].textContent;
      const rows = [...body.rows].map(row => ({row, key: key(row), number: parseFloat(key(row))}));
      const numeric = head.classList.contains('n');
      rows.sort((a, b) => {
        if (!numeric) return (up ? 1 : -1) * a.key.localeCompare(b.key);
        if (Number.isNaN(a.number) || Number.isNaN(b.number)) {
          return Number.isNaN(a.number) - Number.isNaN(b.number);
        }
        return up ? a.number - b.number : b.number - a.number;
      });
      body.append(...rows.map(each => each.row));
    });
  });
}
const filter = document.querySelector('#filter');
if (filter) {
  filter.hidden = false;
  const rows = [...document.querySelectorAll('#all tbody tr')];
  const names = document.querySelector('#all tbody').dataset.names.split('\n');
  const texts = rows.map(row => [...row.cells].map((cell, i) => names[i] +
    '=' + cell.textContent).join(' ').toLowerCase());
  filter.addEventListener('input', () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row, i) => { row.hidden = !words.every(word => texts[i].includes(word)); });
  });
}
