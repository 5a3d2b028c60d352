// @ts-check
// What the pictures of the team are made of: a frame with a table and what saves both, and words for states.
import {clock, html, useRef} from './parts.js';

/** What the states of agents mean for a person, with a colour that is told from the others in both themes. */
export const groups = /** @type {Record<string, [string, string]>} */ ({
  works: ['worked', '#3b82c4'], waits: ['waited for you', '#d9a420'], blocked: ['blocked', '#c4473b'], idle: ['idle', '#8b939e'],
});
/** @param {string} state */
export const groupOf = state => ({busy: 'works', starting: 'works', waiting: 'waits', idle: 'idle'})[state] ?? (state === 'terminated' ? '' : 'blocked');

/** @param {number} s */
export function duration(s) {
  if (s < 90) return `${Math.round(s)} s`;
  return s < 5400 ? `${Math.round(s / 60)} min` : `${(s / 3600).toFixed(1)} h`;
}

/** @param {string} name @param {string} type @param {string} text */
function save(name, type, text) {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(new Blob([text], {type}));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}

/** @param {any} v a cell; one that a table program would take for a formula is text */
const cell = v => /^[=+\-@\t\r]/.test(String(v)) && typeof v !== 'number' ? `"'${String(v).replace(/"/g, '""')}"`
  : /[",\n]/.test(String(v)) ? `"${String(v).replace(/"/g, '""')}"` : String(v);

/** A cell as a person reads it. @param {any} c */
function shownCell(c) {
  if (typeof c === 'number') return c.toLocaleString();
  return /^\d{4}-\d\d-\d\dT\d\d:/.test(c) ? html`<time datetime=${c}>${clock(c)}</time>` : html`<bdi>${c}</bdi>`;
}

/** A picture with its table. @param {{title: string, name: string, head: string[], rows: any[][], children: any}} props */
export function Picture({title, name, head, rows, children}) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const svg = () => {
    const s = box.current?.querySelector('svg:not(.legend svg)')?.cloneNode(true);
    if (!(s instanceof SVGElement)) return;
    s.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    s.setAttribute('font-family', 'sans-serif');
    s.setAttribute('color', '#1d2024');
    save(`${name}.svg`, 'image/svg+xml', new XMLSerializer().serializeToString(s));
  };
  const csv = () => save(`${name}.csv`, 'text/csv', [head, ...rows].map(r => r.map(cell).join(',')).join('\n') + '\n');
  return html`<figure class="picture"><figcaption class="row"><h2>${title}</h2><span class="grow"></span>
      <span class="row together"><button type="button" class="plain" onClick=${svg}>SVG</button><button type="button" class="plain" onClick=${csv}>CSV</button></span></figcaption>
    <div ref=${box} class="drawn">${children}</div>
    <details><summary>Numbers</summary><div class="numbers" tabindex="0"><table><thead><tr>${head.map(h => html`<th scope="col">${h}</th>`)}</tr></thead>
      <tbody>${rows.slice(0, 500).map(r => html`<tr>${r.map(c => html`<td>${shownCell(c)}</td>`)}</tr>`)}</tbody></table></div></details></figure>`;
}
