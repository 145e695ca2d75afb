'use strict';

/** Leaves of the series and runs those that have all of the words, the newest run of each alone. */
function setUpFinding() {
  const words = document.getElementById('words');
  const device = document.getElementById('device');
  const every = document.getElementById('every');
  const found = document.getElementById('found');
  const history = document.getElementById('history');
  const cards = [...document.querySelectorAll('.card')];
  const rows = [...document.querySelectorAll('.series')];
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (element) => (!device || !device.value || element.dataset.device === device.value) &&
        wanted.every((word) => element.dataset.words.includes(word));
    for (const row of rows) row.hidden = !fits(row);
    for (const card of cards) {
      card.hidden = !(fits(card) && (!every || every.checked || 'newest' in card.dataset));
    }
    if (history) history.hidden = rows.every((row) => row.hidden);
    found.textContent = `${cards.filter((card) => !card.hidden).length} of ${cards.length} runs`;
  };
  words.addEventListener('input', apply);
  if (device) device.addEventListener('change', apply);
  if (every) every.addEventListener('change', apply);
  document.getElementById('find').hidden = false;
  apply();
}

setUpTheme();
setUpFinding();
