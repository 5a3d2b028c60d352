// @ts-check
// What an agent has changed: comments on its lines become one message, and its branch is merged, kept or removed.
import {Away, Refused, call} from './api.js';
import {agentOf, readWorktrees, refresh, send, sent, tellOutcome, worktrees} from './state.js';
import {Name, Receipt, Twice, clock, html, may, useEffect, useRef, useState} from './parts.js';

/** @typedef {{text: string, kind: string, at: number, head: number, hunk: number}} Line a line of the diff, and the numbers of those that lead to it */
/** @typedef {{name: string, lines: Line[], added: number, taken: number}} File */

/** The files of a diff. @param {string} diff @returns {File[]} */
export function filesOf(diff) {
  /** @type {File[]} */ const files = [];
  let head = -1, hunk = -1;
  diff.replace(/\n$/, '').split('\n').forEach((text, at) => {
    if (text.startsWith('diff --git ')) {
      files.push({name: text.slice(text.indexOf(' b/') + 3), lines: [], added: 0, taken: 0});
      head = at; hunk = -1;
      return;
    }
    const f = files[files.length - 1];
    if (!f) return;
    if (text.startsWith('@@ ')) {
      hunk = at;
      f.lines.push({text, kind: 'part', at, head, hunk});
    } else if (hunk >= 0) {
      const kind = text[0] === '+' ? 'new' : text[0] === '-' ? 'old' : '';
      if (kind === 'new') f.added++;
      if (kind === 'old') f.taken++;
      f.lines.push({text, kind, at, head, hunk});
    } else if (/^(new file|deleted file|rename|Binary|similarity)/.test(text)) {
      f.lines.push({text, kind: 'part', at, head, hunk});
    }
  });
  return files;
}

/**
 * The sheet that the daemon reads comments from: the lines that lead to each commented one, and the comment below it.
 * @param {string} diff @param {Record<string, string>} comments by the numbers of lines
 */
export function sheetOf(diff, comments) {
  const all = diff.split('\n');
  const where = new Map(filesOf(diff).flatMap(f => f.lines).map(l => [l.at, l]));
  /** @type {string[]} */ const out = [];
  let last = -1;
  for (const at of Object.keys(comments).map(Number).sort((a, b) => a - b)) {
    const l = where.get(at);
    if (!l || !comments[at].trim()) continue;
    for (const i of [l.head, l.hunk]) if (i > last) { out.push(all[i]); last = i; }
    while (last < at) out.push(all[++last]);
    out.push(...comments[at].trim().split('\n').map(t => `> ${t}`));
  }
  return out.join('\n') + '\n';
}

/** @param {{f: File, comments: Record<string, string>, set: (at: number, text: string | null) => void, open: boolean}} props */
function File({f, comments, set, open}) {
  const noted = f.lines.filter(l => comments[l.at] !== undefined).length;
  const [all, setAll] = useState(false);
  const shown = all ? f.lines : f.lines.slice(0, 400);
  const pick = (/** @type {any} */ e) => {
    const at = e.target.closest('[data-at]')?.dataset.at;
    if (at && may() && !String(getSelection())) set(Number(at), comments[at] ?? '');
  };
  // One stop for the keyboard: up and down choose a line, Enter comments it.
  const press = (/** @type {KeyboardEvent} */ e) => {
    const at = /** @type {HTMLElement} */ (e.target);
    if (!at.dataset.at) return;
    const rows = [...at.parentElement?.querySelectorAll(':scope > [data-at]') ?? []];
    const to = rows[rows.indexOf(at) + ({ArrowDown: 1, ArrowUp: -1}[e.key] ?? 0)];
    if (e.key === 'Enter') { e.preventDefault(); pick(e); }
    if (to !== at && /^Arrow(Up|Down)$/.test(e.key)) { e.preventDefault(); /** @type {HTMLElement} */ (to)?.focus(); }
  };
  return html`<details class="file" open=${open}><summary><bdi>${f.name}</bdi> <span class="quiet">+${f.added} −${f.taken}${noted ? ` · ${noted} commented` : ''}</span></summary>
    <div class="diff" onClick=${pick} onKeyDown=${press}>${shown.map((l, i) => html`
      <div key=${l.at} class=${`dl ${l.kind}`} data-at=${l.at} tabindex=${i ? -1 : 0}>${l.text || ' '}</div>
      ${comments[l.at] !== undefined ? html`<${Note} key=${`n${l.at}`} text=${comments[l.at]} set=${(/** @type {string | null} */ t) => set(l.at, t)} />` : null}`)}</div>
    ${all || f.lines.length <= 400 ? null : html`<button type="button" class="plain" onClick=${() => setAll(true)}>${f.lines.length - 400} more lines</button>`}</details>`;
}

/** @param {{text: string, set: (t: string | null) => void}} props */
function Note({text, set}) {
  const box = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useEffect(() => { if (!text) box.current?.focus({preventScroll: true}); }, []);
  return html`<div class="comment"><textarea ref=${box} rows="2" dir="auto" aria-label="Your comment" value=${text}
    onInput=${(/** @type {any} */ e) => set(e.target.value)}></textarea>
    <button type="button" class="plain" onClick=${() => set(null)}>Remove</button></div>`;
}

/** Merge, keep and remove, with the daemon's guards. @param {{name: string, w: any}} props */
function Finish({name, w}) {
  const [refused, setRefused] = useState(/** @type {any} */ (null));
  const finish = async (/** @type {any} */ how) => {
    try {
      const res = await call('finish_worktree', {agent: name, ...how});
      setRefused(null);
      const merged = res.merged === 'nothing' ? `${res.worktree.branch} had nothing to merge. ` : res.merged ? `${res.worktree.branch} is merged into ${res.worktree.base}. ` : '';
      tellOutcome({agent: name, said: `${merged}${res.removed ? 'Its worktree is removed.' : `Its worktree stays in ${res.worktree.path}.`} The agent has stopped.`});
      location.hash = '#/needs';
    } catch (e) {
      if (!(e instanceof Refused || e instanceof Away)) throw e;
      setRefused({how, words: e.message, action: e instanceof Refused ? e.action : 'Look at its state before you try again.', force: e instanceof Refused && e.details.needs_force !== undefined});
    }
    await Promise.all([refresh(), readWorktrees()]);
  };
  const stops = ' It stops the agent.';
  return html`<div class="finish"><div class="row">
      <${Twice} act=${() => finish({merge: true})} sure=${html`<b>Tap again</b> to merge into ${w.base}.${stops}`}>Merge<//>
      <${Twice} act=${() => finish({merge: true, remove: true})} sure=${html`<b>Tap again</b> to merge and remove the worktree.${stops}`}>Merge and remove<//>
      <${Twice} act=${() => finish({remove: true})} sure=${html`<b>Tap again</b> to remove the worktree.${stops}`}>Remove<//></div>
    ${refused ? html`<div class="card failed" role="alert"><p>${refused.words}</p><p class="quiet">${refused.action}</p>
      <div class="row">${refused.force ? html`<${Twice} act=${() => finish({...refused.how, force: true})}>Remove it all the same<//>` : null}
      ${refused.how.remove && !refused.how.merge && !refused.force ? html`<${Twice} act=${() => finish({remove: true, discard: true})} sure=${html`<b>Tap again</b>: the work is gone for good`}>Throw the work away<//>` : null}
      <button type="button" class="plain" onClick=${() => setRefused(null)}>Keep it</button></div></div>` : null}</div>`;
}

/** @param {number} n */
const counted = n => n === 1 ? '1 comment' : `${n} comments`;

/** @param {{name: string}} props */
export function Review({name}) {
  const a = agentOf(name);
  const w = a && worktrees.value[a.id];
  const [diff, setDiff] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState('');
  const key = `parley.review.${name}`;
  const [kept, setKept] = useState(() => JSON.parse(sessionStorage.getItem(key) ?? '{}'));
  /** Comments belong to the diff that they were written on: one that has changed begins again. */
  const comments = kept.of === diff?.diff ? kept.comments ?? {} : {};
  const written = Object.values(comments).filter((/** @type {any} */ t) => t.trim()).length;

  const read = async () => {
    try {
      setDiff({...await call('diff_agent', {agent: name}), at: Date.now()});
      setProblem('');
    } catch (e) {
      if (e instanceof Refused) setProblem(`${e.message} ${e.action}`); else if (!(e instanceof Away)) throw e;
    }
  };
  useEffect(() => { read(); readWorktrees(); }, [name]);

  const keep = (/** @type {any} */ c) => {
    const next = {of: diff.diff, comments: c};
    setKept(next);
    try {
      if (Object.keys(c).length) sessionStorage.setItem(key, JSON.stringify(next)); else sessionStorage.removeItem(key);
    } catch { /* a very long diff: the comments are kept as long as the page is open */ }
  };
  const set = (/** @type {number} */ at, /** @type {string | null} */ text) => {
    const c = {...comments};
    if (text === null) delete c[at]; else c[at] = text;
    keep(c);
  };
  const go = async () => {
    const ok = await send('review_agent', /** @type {any} */ ({agent: name, sheet: sheetOf(diff.diff, comments)}), {to: name, place: `review.${name}`, text: counted(written)});
    if (ok) keep({});
  };

  if (problem) return html`<p class="empty">${problem}</p>`;
  if (!diff) return html`<p class="empty">Reading the changes…</p>`;
  const files = filesOf(diff.diff);
  const mine = sent.value.filter(m => m.place === `review.${name}`);
  return html`<section class="one review" aria-label=${`Changes of ${name}`}>
    <header class="row"><h2>Changes of <${Name}>${name}<//></h2><span class="grow"></span>
      <span class="quiet small">as of ${clock(diff.at)}</span><button type="button" class="plain" disabled=${!!written} onClick=${read}>Read again</button></header>
    <p class="row small quiet"><span>since ${diff.since.slice(0, 10)}</span>${w && !w.problem ? html`<span class="branch"><bdi>${w.branch}</bdi> ↑${w.ahead} ↓${w.behind} ±${w.dirty}</span>` : null}
      <a href=${`#/agent/${encodeURIComponent(name)}`}>Terminal</a></p>
    ${may() && w ? html`<${Finish} name=${name} w=${w} />` : null}
    ${may() && w?.dirty ? html`<div class="row"><${Twice} act=${() => send('send_message', {to: [name], text: 'Please commit your work now, with a message that says what and why.'}, {to: name, place: `review.${name}`, text: 'Please commit your work now.'})}>Ask it to commit<//></div>` : null}
    ${mine.length ? html`<ul class="receipts">${mine.map(m => html`<${Receipt} key=${m.key} m=${m} />`)}</ul>` : null}
    ${!files.length ? html`<p class="empty">It has changed nothing.</p>` : html`${may() ? html`<p class="quiet small">Tap a line to comment it.</p>` : null}
      ${files.map((f, i) => html`<${File} key=${f.name} f=${f} comments=${comments} set=${set} open=${f.lines.length <= 400 && i < 20} />`)}`}
    ${diff.truncated ? html`<p class="quiet">The diff is longer than what is shown here.</p>` : null}
    ${written ? html`<div class="dock row"><span>${counted(written)}</span><span class="grow"></span>
      <${Twice} kind="main" act=${go} sure=${html`Tap again to send to ${name}`}>Send as one message<//></div>` : null}
  </section>`;
}
