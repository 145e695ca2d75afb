'use strict';

/** An element with attributes (functions are listeners) and children; texts stay texts. */
function make(tag, attributes = {}, ...children) {
  const svg = ['svg', 'g', 'path', 'rect', 'circle', 'line', 'text', 'title'].includes(tag);
  const element = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag)
                      : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** What stands in one of the page's <script type="application/json"> elements, or null. */
function pageData(id) {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent) : null;
}

function remembered(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}

function remember(name, value) {
  try { localStorage.setItem(name, value); } catch { /* Some browsers refuse it to a file. */ }
}

function setUpTheme() {
  const button = document.getElementById('theme');
  const themes = ['auto', 'light', 'dark'];
  const apply = (theme) => {
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  let theme = themes.includes(remembered('sweep-theme')) ? remembered('sweep-theme') : 'auto';
  apply(theme);
  button.hidden = false;
  button.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    remember('sweep-theme', theme);
    apply(theme);
  });
}

/** Without a clipboard, as some browsers have none for a file, the text is selected. */
function setUpCopying() {
  for (const button of document.querySelectorAll('button.copy')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const code = button.previousElementSibling;
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = 'Selected';
      }
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
  }
}
