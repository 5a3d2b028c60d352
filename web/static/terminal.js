// @ts-check
// A terminal as text: what the screen shows, with its colours. It is never parsed as markup.
import {Refused, call, rest, sentence, session, stream} from './api.js';
import {act} from './needs.js';
import {matters} from './state.js';
import {Twice, broad, clock, html, may, useEffect, useRef, useState} from './parts.js';

// ---- colours: classes for the 256 of a palette, made once

const base = [
  '#3b4048', '#e06c75', '#98c379', '#d7b36a', '#61afef', '#c678dd', '#56b6c2', '#c5cad3',
  '#6b7280', '#ef8a92', '#b5d99c', '#e8cd8f', '#8cc5f5', '#d8a1e8', '#86d0d9', '#f2f4f7',
];

/** @param {number} n */
function colourOf(n) {
  if (n < 16) return base[n];
  if (n > 231) return `rgb(${Array(3).fill(8 + (n - 232) * 10).join(' ')})`;
  const level = (/** @type {number} */ i) => i && 55 + i * 40;
  const c = n - 16;
  return `rgb(${level(Math.floor(c / 36))} ${level(Math.floor(c / 6) % 6)} ${level(c % 6)})`;
}

let sheeted = false;
function addSheet() {
  if (sheeted) return;
  sheeted = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(Array.from({length: 256}, (_, n) => `.f${n}{color:${colourOf(n)}}.b${n}{background:${colourOf(n)}}`).join('\n'));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/** @typedef {{f: string, b: string, on: Set<string>}} Style a colour is a class's number, or "r g b" */

const marks = /** @type {Record<number, string>} */ ({1: 'bold', 2: 'dim', 3: 'italic', 4: 'under', 7: 'swap', 9: 'strike'});
const unmarks = /** @type {Record<number, string[]>} */ ({22: ['bold', 'dim'], 23: ['italic'], 24: ['under'], 27: ['swap'], 29: ['strike']});

/** Applies the parameters of one SGR sequence. @param {string} params @param {Style} s */
function apply(params, s) {
  // A part such as 5:3 is no number: it is skipped, not read as two.
  const p = (params || '0').split(';').map(x => x === '' ? 0 : /^\d+$/.test(x) ? Number(x) : -1);
  for (let i = 0; i < p.length; i++) {
    const n = p[i];
    if (n === 0) { s.f = s.b = ''; s.on.clear(); }
    else if (marks[n]) s.on.add(marks[n]);
    else if (unmarks[n]) unmarks[n].forEach(m => s.on.delete(m));
    else if (n >= 30 && n <= 37) s.f = String(n - 30);
    else if (n >= 90 && n <= 97) s.f = String(n - 82);
    else if (n >= 40 && n <= 47) s.b = String(n - 40);
    else if (n >= 100 && n <= 107) s.b = String(n - 92);
    else if (n === 39) s.f = '';
    else if (n === 49) s.b = '';
    else if (n === 38 || n === 48) {
      const at = n === 38 ? 'f' : 'b';
      if (p[i + 1] === 5) { s[at] = String(p[i + 2] & 255); i += 2; }
      else if (p[i + 1] === 2) { s[at] = p.slice(i + 2, i + 5).map(x => x & 255).join(' '); i += 4; }
    }
  }
}

/** @typedef {{text: string, cls: string, style: any}} Run */
/** @typedef {{text: string, start: string, runs: Run[], end: Style}} Row */

/** @param {Style} s */
const named = s => `${s.f}|${s.b}|${[...s.on]}`;

/** The runs of a row: texts with their looks. Anything but colours is dropped. @param {string} line @param {Style} s changes */
function runs(line, s) {
  /** @type {Run[]} */ const out = [];
  for (const part of line.split(/(\x1b\[[0-9;:]*m)/)) {
    const sgr = /^\x1b\[([0-9;:]*)m$/.exec(part);
    if (sgr) { apply(sgr[1], s); continue; }
    // eslint-disable-next-line no-control-regex
    const text = part.replace(/\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|[\x00-\x08\x0b-\x1f\x7f]/g, '');
    if (!text) continue;
    const [f, b] = s.on.has('swap') ? [s.b || '0', s.f || '15'] : [s.f, s.b];
    const style = {};
    const cls = [...s.on].filter(m => m !== 'swap');
    if (f.includes(' ')) Object.assign(style, {color: `rgb(${f})`}); else if (f) cls.push(`f${f}`);
    if (b.includes(' ')) Object.assign(style, {background: `rgb(${b})`}); else if (b) cls.push(`b${b}`);
    out.push({text, cls: cls.join(' '), style});
  }
  return out;
}

/**
 * The rows of a screen. tmux says only what changes, so a style goes on from row to row. What stays as it was before is
 * not read again. @param {string[]} lines @param {Row[]} before @returns {Row[]}
 */
export function rowsOf(lines, before = []) {
  /** @type {Style} */ let s = {f: '', b: '', on: new Set()};
  return lines.map((text, i) => {
    const start = named(s);
    let row = before[i];
    if (row?.text !== text || row.start !== start) {
      const at = {...s, on: new Set(s.on)};
      row = {text, start, runs: runs(text, at), end: at};
    }
    s = {...row.end, on: new Set(row.end.on)};
    return row;
  });
}

/** @param {{row: Row}} props */
function Line({row}) {
  // A rule as wide as the terminal would wrap into several on a phone.
  const rule = /^(\x1b\[[0-9;:]*m|[\s\u2500-\u257f_=-])*$/.test(row.text) ? 'rule' : undefined;
  if (!row.runs.length) return html`<div class=${rule}>${' '}</div>`;
  return html`<div class=${rule}>${row.runs.map(r => html`<span class=${r.cls || undefined} style=${r.style}>${r.text}</span>`)}</div>`;
}

/** Rows with their colours. @param {{lines: string[]}} props */
export function Rows({lines}) {
  const last = useRef(/** @type {Row[]} */ ([]));
  addSheet();
  last.current = rowsOf(lines, last.current);
  return last.current.map((row, i) => html`<${Line} key=${i} row=${row} />`);
}

/**
 * The terminals that are shown, by agent: how many lines above their screens, and who is told. They share one stream, of
 * the lines that change: a browser has six connections to the daemon at most.
 * @type {Map<string, Map<(screen: any, gone: string) => void, number>>}
 */
const shown = new Map();
let followed = new AbortController();
let turn = 0;

/** @param {any} c a change @param {Map<string, any>} screens */
function takeChange(c, screens) {
  const before = screens.get(c.agent);
  const screen = c.gone ? before : {...c.screen, lines: Array.from({length: c.count}, (_, i) => c.changed[i] ?? before?.lines[i + (c.up ?? 0)] ?? '')};
  if (screen) screens.set(c.agent, screen);
  for (const tell of shown.get(c.agent)?.keys() ?? []) tell(screen, c.gone ? sentence(c.gone) : '');
}

/** Follows what is shown now, instead of what was. */
async function followShown() {
  followed.abort();
  const stop = followed = new AbortController(), mine = ++turn;
  await rest(50); // a view shows several
  while (mine === turn && shown.size && !document.hidden && session.value) {
    const above = Math.max(...[...shown.values()].flatMap(all => [...all.values()]));
    const screens = new Map();
    try {
      const names = [...shown.keys()].map(encodeURIComponent).join(',');
      await stream(`/api/read_terminal?agent=${names}${above ? `&history=${above}` : ''}`, () => {}, c => takeChange(c, screens), stop);
    } catch (e) {
      if (mine === turn && e instanceof Refused) {
        for (const all of shown.values()) for (const tell of all.keys()) tell(null, e.message);
      }
    }
    if (mine === turn) await rest(2000);
  }
}
document.addEventListener('visibilitychange', followShown);

/**
 * Tells how a terminal looks, as it changes while the page is shown. @param {string} agent @param {number} history
 * @param {(screen: any, gone: string) => void} tell with null for a screen that was not read @returns {() => void} what ends it
 */
export function watch(agent, history, tell) {
  if (!shown.has(agent)) shown.set(agent, new Map());
  shown.get(agent)?.set(tell, history);
  followShown();
  return () => {
    shown.get(agent)?.delete(tell);
    if (!shown.get(agent)?.size) shown.delete(agent);
    followShown();
  };
}

/**
 * The screen of a terminal while it is shown, and in words why there is none now.
 * @param {string} agent @param {number} history @param {boolean} [on] @returns {[any, string]}
 */
export function useScreen(agent, history, on = true) {
  const [screen, setScreen] = useState(/** @type {any} */ (null));
  const [gone, setGone] = useState('');
  useEffect(() => on ? watch(agent, history, (now, why) => { if (now) setScreen(now); setGone(why); }) : undefined, [agent, history, on]);
  return [screen, gone];
}

/** What a terminal says of itself: that it is gone, and what it showed last. @param {{gone: string, at?: string}} props */
export function Gone({gone, at}) {
  return gone ? html`<p class="note" role="status">${gone}${at ? html` This is what it showed at ${clock(at)}.` : null}</p>` : null;
}

const bar = {Esc: 'Escape', Tab: 'Tab', '←': 'Left', '↑': 'Up', '↓': 'Down', '→': 'Right', Enter: 'Enter', 'Ctrl-C': 'C-c'};

/**
 * Keys of a phone for a terminal, each by two taps. They go there while the question that was seen is open, or none.
 * @param {{agent: string}} props
 */
function KeyBar({agent}) {
  const seen = matters.value.find(n => n.agent === agent && n.dialog)?.dialog.dialog_id ?? 'none';
  const press = (/** @type {string} */ key) => act({agent}, () => call('type_in_terminal', {agent, keys: [key], dialog_id: seen}).then(() => {}));
  return html`<div class="keys" role="group" aria-label="Keys">${Object.entries(bar).map(([words, key]) => html`<${Twice} key=${key + seen} label=${key} act=${() => press(key)} sure=${`${words}?`}>${words}<//>`)}</div>`;
}

/** An agent's terminal as text, read only. @param {{agent: string}} props */
export function Terminal({agent}) {
  const [history, setHistory] = useState(0);
  const [screen, gone] = useScreen(agent, history);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const low = useRef(true);

  useEffect(() => {
    const b = box.current;
    if (b && low.current) b.scrollTop = b.scrollHeight;
  }, [screen]);

  const scrolled = () => {
    const b = box.current;
    if (b) low.current = b.scrollHeight - b.scrollTop - b.clientHeight < 24;
  };
  return html`<section class="terminal" aria-label=${`Terminal of ${agent}`}>
    <${Gone} gone=${gone} at=${screen?.at} />
    <pre ref=${box} tabindex="0" onScroll=${scrolled} class=${gone ? 'past' : ''} aria-label="Screen"><${Rows} lines=${screen?.lines ?? []} /></pre>
    ${screen?.takes_keys && !gone && !broad.matches && may() ? html`<${KeyBar} agent=${agent} />` : null}
    <div class="row"><${Size} screen=${screen} /><span class="grow"></span>
      <button type="button" class="plain" onClick=${() => { low.current = !!history; setHistory(history ? 0 : 1000); }}>${history ? 'Only the screen' : 'Earlier lines'}</button></div>
  </section>`;
}

/** @param {{screen: any}} props */
export function Size({screen}) {
  return screen ? html`<span class="quiet">${screen.width} × ${screen.height}${screen.title ? html` · <bdi>${screen.title}</bdi>` : null}</span>`
    : html`<span class="quiet">Reading the terminal…</span>`;
}
