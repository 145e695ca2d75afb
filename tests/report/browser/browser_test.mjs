// node browser_test.mjs CHROMIUM PAGES: opens the reports in the folder PAGES from the disk, wide and
// narrow, light and dark, and uses them as a reader does. Prints what is off; exits with 1 then.
import {mkdirSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import puppeteer from 'puppeteer-core';
import {checkPage, useTable, useCharts, useDetail, checkHostile, useLarge, useIndex} from './page_checks.mjs';

const [chromium, folder] = process.argv.slice(2);
const screenshots = process.env.SWEEP_SCREENSHOTS;
if (screenshots) mkdirSync(screenshots, {recursive: true});

let checks = 0;
const failures = [];

/** Counts a check; a failed one is told and the others go on. */
function check(holds, what) {
  ++checks;
  if (!holds) failures.push(what);
}

/** A page that tells all that it must not do. */
async function openPage(browser, file, size, theme) {
  const page = await browser.newPage();
  const name = `${file} at ${size.width}x${size.height}, ${theme}`;
  page.setDefaultTimeout(20000);
  await page.setViewport(size);
  await page.emulateMediaFeatures([
    {name: 'prefers-color-scheme', value: theme}, {name: 'prefers-reduced-motion', value: 'reduce'}]);
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) check(false, `${name}: console: ${message.text()}`);
  });
  page.on('pageerror', (error) => check(false, `${name}: ${error.message}`));
  page.on('dialog', (dialog) => { check(false, `${name}: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => {
    const isOwn = /^(file|data|blob):/.test(request.url());
    check(isOwn, `${name}: asks for ${request.url()}`);
  });
  const began = Date.now();
  await page.goto(pathToFileURL(join(folder, file)).href, {waitUntil: 'load'});
  await page.waitForFunction(
      () => !document.getElementById('charts-data') || document.documentElement.dataset.charts === 'drawn');
  return {page, name, took: Date.now() - began};
}

async function main() {
  const browser = await puppeteer.launch({
    executablePath: chromium, headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars']});
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith('.html')).sort();
    check(files.length > 0, `${folder} has no pages`);
    for (const file of files) {
      for (const size of [{width: 1280, height: 800}, {width: 390, height: 844}]) {
        for (const theme of ['light', 'dark']) {
          if (file === 'large.html' && theme === 'dark') continue;
          const {page, name, took} = await openPage(browser, file, size, theme);
          const told = (holds, what) => check(holds, `${name}: ${what}`);
          await checkPage(page, told, theme);
          if (file === 'hostile.html') await checkHostile(page, told);
          if (screenshots) {
            const picture = `${file.replace('.html', '')}-${size.width}-${theme}.png`;
            await page.screenshot({path: join(screenshots, picture), fullPage: file !== 'large.html'});
          }
          if (file === 'stride.html') {
            await useTable(page, told);
            await useCharts(page, told);
          }
          if (file === 'compared.html') await useDetail(page, told);
          if (file === 'index.html') await useIndex(page, told);
          if (file === 'large.html') await useLarge(page, told, took);
          await page.close();
        }
      }
    }
  } finally {
    await browser.close();
  }
}

await main();
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${checks} checks, ${failures.length} failed`);
process.exit(failures.length > 0 ? 1 : 0);
