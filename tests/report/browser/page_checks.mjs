// What a reader sees and does. Each function takes a puppeteer page and tells `told(holds, what)`.

const rows = (page) => page.$$eval('#grid tbody tr[data-point]', (all) => all.map(
    (row) => [...row.children].map((cell) => cell.textContent)));

/** The figures of a column in sight, without what only pads them. */
const column = (page, heading) => page.evaluate((wanted) => {
  const headings = [...document.querySelectorAll('#grid thead th')];
  const place = headings.findIndex((th) => th.textContent.replaceAll('\u200b', '').startsWith(wanted));
  return [...document.querySelectorAll('#grid tbody tr[data-point]')].map((row) => {
    const cell = row.children[place].cloneNode(true);
    cell.querySelectorAll('.pad').forEach((pad) => pad.remove());
    return cell.textContent;
  });
}, heading);

const clickHeading = (page, heading) => page.evaluate((wanted) => {
  const th = [...document.querySelectorAll('#grid thead th')].find(
      (each) => each.textContent.replaceAll('\u200b', '').startsWith(wanted));
  th.querySelector('button').click();
  return th.getAttribute('aria-sort');
}, heading);

async function filter(page, text) {
  await page.$eval('#filter', (input, value) => {
    input.value = value;
    input.dispatchEvent(new Event('input'));
  }, text);
  await new Promise((resolve) => setTimeout(resolve, 300));
  return page.$eval('#filter-result', (result) => result.textContent);
}

/** Contrast of two colours such as "rgb(1, 2, 3)", as WCAG 2 defines it. */
function contrast(a, b) {
  const luminance = (color) => {
    const [r, g, b] = color.match(/[\d.]+/g).map(Number).map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

/** Cards in sight after these words are written. */
const find = (page, text) => page.$eval('#words', (input, value) => {
  input.value = value;
  input.dispatchEvent(new Event('input'));
  return [...document.querySelectorAll('.card')].filter((card) => card.checkVisibility()).length;
}, text);

/** A page over many runs. */
export async function useIndex(page, told) {
  told(await page.evaluate(() => window.sweepWasHere === undefined), 'a text of a database has run');
  told(await find(page, '') === 1, 'the newest run stands alone');
  await page.click('#every');
  told(await find(page, '') === 2, 'every run is there');
  told(await find(page, 'h200 STRIDE worse') === 1, 'one run has all words');
  told(await find(page, 'nothing') === 0, 'no run has other words');
  told(await page.$eval('#found', (output) => output.textContent) === '0 of 2 runs', 'says how many');
  await find(page, '');
  const height = await page.$eval('svg.course .worse', (mark) => mark.getBoundingClientRect().height);
  told(height > 5, `the mark of what got worse is ${height} pixels high`);
}

export async function checkPage(page, told, theme) {
  const seen = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    room: document.documentElement.clientWidth,
    charts: document.querySelectorAll('figure.chart .plot').length,
    drawn: [...document.querySelectorAll('figure.chart .plot')].filter((plot) => plot.querySelector('svg .mark-group')).length,
    marks: [...document.querySelectorAll('figure.chart')].map((figure) => figure.querySelectorAll('.plot [role="graphics-symbol"], .plot .role-mark path').length),
    paper: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.body).color,
    quiet: getComputedStyle(document.querySelector('.tile dt, .dim')).color,
    axis: [...document.querySelectorAll('.role-axis-label text')].slice(0, 1).map((text) => getComputedStyle(text).fill)[0],
    wide: [...document.querySelectorAll('main *')].filter((element) => {
      const box = element.getBoundingClientRect();
      return box.right > document.documentElement.clientWidth + 1 && !element.closest('.scroll, .grid, pre, svg, #columns, .unseen');
    }).map((element) => `${element.tagName}.${element.className}`).slice(0, 3),
    lang: document.documentElement.lang,
    title: document.title,
  }));
  told(seen.width <= seen.room, `the page scrolls sideways: ${seen.width} of ${seen.room}`);
  told(seen.wide.length === 0, `does not fit: ${seen.wide.join(', ')}`);
  told(seen.drawn === seen.charts, `${seen.drawn} of ${seen.charts} plots are drawn`);
  told(seen.marks.every((marks) => marks > 0), `a chart has no marks: ${seen.marks}`);
  told(seen.lang === 'en' && seen.title !== '', 'has a language and a title');
  const brightness = seen.paper.match(/\d+/g).map(Number).reduce((a, b) => a + b);
  told(theme === 'dark' ? brightness < 200 : brightness > 600, `the paper is ${seen.paper}`);
  told(contrast(seen.ink, seen.paper) > 7, `ink on paper has a contrast of ${contrast(seen.ink, seen.paper)}`);
  told(contrast(seen.quiet, seen.paper) > 4.5, `quiet ink has a contrast of ${contrast(seen.quiet, seen.paper)}`);
  if (seen.axis) told(contrast(seen.axis, seen.paper) > 4.5, `axis labels are ${seen.axis} on ${seen.paper}`);
}

export async function useTable(page, told) {
  const all = await rows(page);
  told(all.length > 10, `the table has ${all.length} rows`);
  await clickHeading(page, 'bandwidth');
  const sort = await page.$eval('#grid thead th[aria-sort="descending"]', (th) => th.textContent);
  told(sort.startsWith('bandwidth'), `sorted by ${sort}`);
  const figures = (await column(page, 'bandwidth')).filter(Boolean).map(Number);
  told(figures.every((figure, i) => i === 0 || figure <= figures[i - 1]), `bandwidths fall: ${figures}`);
  await clickHeading(page, 'bandwidth');
  const rising = (await column(page, 'bandwidth')).filter(Boolean).map(Number);
  told(rising.every((figure, i) => i === 0 || figure >= rising[i - 1]), `bandwidths rise: ${rising}`);
  await clickHeading(page, 'time');
  const times = (await column(page, 'time')).filter(Boolean).map(Number);
  told(times.every((time, i) => i === 0 || time >= times[i - 1]), `the shortest times stand first: ${times}`);
  await clickHeading(page, 'bandwidth');
  await clickHeading(page, 'bandwidth');
  const ends = await column(page, 'bandwidth');
  told(ends[ends.length - 1] === '' || !ends.includes(''), 'what is missing stands last');

  told((await filter(page, 'T=float STRIDE<=2')).startsWith('4 of '), 'a filter of two conditions');
  const strides = (await column(page, 'STRIDE')).map(Number);
  told(strides.length === 4 && strides.every((stride) => stride <= 2), `filtered strides: ${strides}`);
  told((await filter(page, 'double bandwidth > 1000')).startsWith('4 of '), 'a word and a condition');
  told((await filter(page, 'STRIDE=1,8 -T=double')).startsWith('4 of '), 'a list, and a minus');
  told((await filter(page, 'verdict=failed')).startsWith('3 of '), 'failed points');
  told((await filter(page, 'stridee=1')).includes('there is no column stridee'), 'an unknown column');
  told((await filter(page, 'no such word')).startsWith('0 of '), 'a word that no point has');
  told((await filter(page, '')).startsWith('16 of '), 'no filter');

  const before = await page.$$eval('#grid thead th', (all) => all.length);
  await page.$eval('#columns', (menu) => { menu.open = true; });
  await page.$$eval('#columns input', (boxes) => boxes.find((box) => !box.checked).click());
  told(await page.$$eval('#grid thead th', (all) => all.length) === before + 1, 'a column is added');
  await page.$eval('#columns', (menu) => { menu.open = false; });

  await page.focus('#grid tbody tr[tabindex="0"]');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  told(await page.$eval('#detail', (dialog) => dialog.open), 'the keyboard opens a point');
  await page.keyboard.press('Escape');
  told(!await page.$eval('#detail', (dialog) => dialog.open), 'Escape closes it');
}

export async function useCharts(page, told) {
  const plots = await page.$$('figure.chart .plot');
  told(plots.length > 0, 'the sweep has charts');
  const mark = await page.evaluateHandle(() => [...document.querySelectorAll('figure.chart .plot path')].find(
      (path) => path.__data__ && path.__data__.datum && Number.isInteger(path.__data__.datum.point) &&
                path.getAttribute('opacity') === '0'));
  const element = mark.asElement();
  told(element !== null, 'a mark can be pointed at');
  if (!element) return;
  await element.evaluate((path) => path.scrollIntoView({block: 'center'}));
  await new Promise((resolve) => setTimeout(resolve, 250));
  const box = await element.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await new Promise((resolve) => setTimeout(resolve, 150));
  const tooltip = await page.$eval('#tooltip', (each) => ({hidden: each.hidden, text: each.textContent}));
  told(!tooltip.hidden && tooltip.text.includes('STRIDE') && tooltip.text.includes('bandwidth'),
       `the tooltip says ${JSON.stringify(tooltip)}`);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  told(await page.$eval('#detail', (dialog) => dialog.open), 'a click on a mark opens its point');
  told(await page.$eval('#grid tr.is-chosen', () => true).catch(() => false), 'and chooses its row');
  await page.keyboard.press('Escape');

  const button = await page.$('.legend button');
  told(button !== null, 'there is a legend');
  if (!button) return;
  const faded = () => page.$$eval('figure.chart:first-of-type .plot path', (paths) => paths.filter(
      (path) => Number(path.getAttribute('opacity')) > 0 && Number(path.getAttribute('opacity')) < 0.2).length);
  const before = await faded();
  await button.click();
  await new Promise((resolve) => setTimeout(resolve, 200));
  told(await button.evaluate((each) => each.getAttribute('aria-pressed')) === 'true', 'a series is chosen');
  told(await faded() > before, 'the others fade');
  await button.click();
  await new Promise((resolve) => setTimeout(resolve, 200));
  told(await faded() === before, 'and come back');

  const theme = await page.$('#theme');
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const papers = new Set([await paper()]);
  for (let i = 0; i < 3; ++i) {
    await theme.click();
    papers.add(await paper());
  }
  told(papers.size === 2, 'the theme can be changed');
}

export async function useDetail(page, told) {
  await page.$eval('#grid tbody tr[data-point="0"]', (row) => row.click());
  const detail = await page.$eval('#detail', (dialog) => ({
    open: dialog.open,
    text: dialog.textContent,
    plain: dialog.querySelectorAll('svg.samples circle.plain').length,
    outliers: dialog.querySelectorAll('svg.samples[role] path.outlier').length,
    slow: dialog.querySelectorAll('svg.samples[role] path.low_clock').length,
    fits: dialog.scrollWidth <= dialog.clientWidth,
  }));
  told(detail.open, 'a click on a row opens its point');
  told(detail.plain >= 1 && detail.outliers === 1 && detail.slow === 1, `samples: ${JSON.stringify(detail)}`);
  told(detail.fits, 'the detail does not scroll sideways');
  for (const part of ['Measured', 'Samples', 'Counts', 'Parameters', 'hardware', 'emulated', 'ratio']) {
    told(detail.text.includes(part), `the detail has ${part}`);
  }
  const first = await page.$eval('#detail-heading', (heading) => heading.textContent);
  await page.keyboard.press('ArrowRight');
  const second = await page.$eval('#detail-heading', (heading) => heading.textContent);
  await page.keyboard.press('ArrowRight');
  const third = await page.$eval('#detail-heading', (heading) => heading.textContent);
  told(new Set([first, second, third]).size === 3, `keys go from point to point: ${first}; ${second}; ${third}`);
  await page.keyboard.press('Escape');
}

export async function checkHostile(page, told) {
  const seen = await page.evaluate(() => ({
    ran: Boolean(window.sweepWasHere),
    scripts: [...document.scripts].filter((script) => !script.type).length,
    images: [...document.images].filter((image) => !image.src.startsWith('data:image/svg+xml;base64,')).length,
    handlers: [...document.querySelectorAll('*')].filter((element) => element.onclick || element.onerror || element.onload).length,
    text: document.body.textContent,
  }));
  told(!seen.ran, 'a text of the database has run');
  told(seen.scripts <= 2 && seen.images === 0 && seen.handlers === 0, `has become part of the page: ${JSON.stringify({...seen, text: ''})}`);
  told(seen.text.includes('<script>window.sweepWasHere'), 'the text stands there letter for letter');
  await page.$eval('#grid tbody tr[data-point]', (row) => row.click());
  told(await page.$eval('#detail', (dialog) => dialog.textContent.includes('<img src=x')), 'the detail shows texts as they are');
  told(!await page.evaluate(() => Boolean(window.sweepWasHere)), 'a text of the detail has run');
  await page.keyboard.press('Escape');
}

export async function useLarge(page, told, took) {
  // Much more than it takes: the machine may be busy.
  told(took < 15000, `took ${took} ms to load`);
  const inPage = () => page.$$eval('#grid tbody tr[data-point]', (all) => all.length);
  told(await inPage() < 120, `${await inPage()} rows are in the page`);
  await page.$eval('#grid', (grid) => { grid.scrollTop = grid.scrollHeight; });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const last = await page.$$eval('#grid tbody tr[data-point]', (all) => all[all.length - 1].getAttribute('aria-rowindex'));
  told(last === '10001', `the last row is ${last}`);
  told(await inPage() < 120, 'rows out of sight leave the page');
  const began = Date.now();
  await clickHeading(page, 'bandwidth');
  told((await filter(page, 'T=float BLOCK>=512 bandwidth>100')).includes(' of 10,000 points'), 'filters 10,000 points');
  told(Date.now() - began < 5000, `sorting and filtering took ${Date.now() - began} ms`);
}
