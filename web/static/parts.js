// @ts-check
// Small pieces of the page.
import {html} from './npm/htm-preact.js';
import {useEffect, useLayoutEffect, useRef, useState} from './npm/hooks.js';
import {signal} from './npm/signals.js';
import {saidOf, session} from './api.js';
import {forget, hear, line} from './state.js';

export {html, useEffect, useLayoutEffect, useRef, useState};

/** The time, some seconds old at most. */
export const now = signal(Date.now());
setInterval(() => { if (!document.hidden) now.value = Date.now(); }, 5000);

/** How long ago a time is. @param {string | number | undefined} t */
export function ago(t) {
  if (!t) return '';
  const s = Math.max(0, Math.round((now.value - new Date(t).getTime()) / 1000));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m`;
  if (s < 48 * 3600) return `${Math.floor(s / 3600)}h`;
  return `${Math.floor(s / 86400)}d`;
}

/** @param {string | number} t */
export function clock(t) {
  const d = new Date(t);
  const today = d.toDateString() === new Date(now.value).toDateString();
  const time = d.toLocaleTimeString([], {hour: '2-digit', minute: '2-digit'});
  return today ? time : `${d.toLocaleDateString([], {month: 'short', day: 'numeric'})} ${time}`;
}

/** The order of names is that of their numbers. @param {string} a @param {string} b */
export const byName = (a, b) => a.localeCompare(b, undefined, {numeric: true});

/** A name in a few letters: its end tells it from others as well. @param {string} n @param {number} most */
export const shortened = (n, most) => n.length > most ? `${n.slice(0, Math.ceil(most * 2 / 3) - 1)}…${n.slice(-Math.floor(most / 3))}` : n;

/** @param {{t: string | number | undefined}} props */
export function Since({t}) {
  return t ? html`<time class="quiet" datetime=${new Date(t).toISOString()} title=${new Date(t).toLocaleString()}>${ago(t)}</time>` : null;
}

/** A name that others chose. It stands alone, so that its direction of writing changes nothing around it. */
export const Name = (/** @type {{children: any}} */ {children}) => html`<bdi class="name">${children}</bdi>`;

/**
 * What came of an act takes the focus that its button had, and comes into sight; not out of a box that is written in.
 * @param {number} at when it came
 */
export function useArrival(at) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (Date.now() - at > 3000 || /** @type {any} */ (document.activeElement)?.value) return;
    box.current?.focus({preventScroll: true});
    box.current?.scrollIntoView({block: 'nearest'});
  }, []);
  return box;
}

/**
 * Reads what is shown: at once, as the line comes back, and soon after events that concern it; not while nobody looks.
 * @param {() => Promise<any>} read @param {(e: any) => boolean} concerns @param {any} of what it is about
 * @param {number} [pause] in ms, from an event on: others follow
 * @returns {[string, () => Promise<void>]} why it cannot be read, in words, and what reads it again
 */
export function useReading(read, concerns, of, pause = 500) {
  const [problem, tell] = useState('');
  const again = () => read().then(() => tell(''), e => tell(saidOf(e)));
  useEffect(() => {
    let t = 0, missed = false;
    const due = () => { t = 0; missed = document.hidden; if (!missed) again(); };
    const off = hear(events => {
      if (!t && events.some(concerns)) t = setTimeout(due, pause);
    });
    const looked = () => { if (missed) due(); };
    document.addEventListener('visibilitychange', looked);
    again();
    return () => { off(); clearTimeout(t); document.removeEventListener('visibilitychange', looked); };
  }, [of, line.value.live]);
  return [problem, again];
}

/** Whether this session may change anything. */
export const may = () => !session.value?.watch;

/** How long after the first tap a second one counts. Before that, it is the same tap that bounced. */
const bounce = 350;

/**
 * A button that acts on the second tap.
 * @param {{act: () => any, children: any, sure?: any, kind?: string, disabled?: boolean, label?: string}} props
 */
export function Twice({act, children, sure, kind = '', disabled = false, label}) {
  const [armed, arm] = useState(0);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (!armed) return;
    const t = setTimeout(() => arm(0), 8000);
    return () => clearTimeout(t);
  }, [armed]);

  const tap = async () => {
    if (!armed) return arm(Date.now());
    if (Date.now() - armed < bounce || busy) return;
    setBusy(true);
    try {
      await act();
    } finally {
      setBusy(false);
      arm(0);
    }
  };

  const leave = () => { if (!busy) setTimeout(() => arm(0), 0); };
  return html`<button type="button" class=${`${kind} ${armed ? 'armed' : ''}`} disabled=${disabled || busy || !line.value.live}
    aria-label=${armed ? undefined : label} onClick=${tap} onBlur=${leave}
    onKeyDown=${(/** @type {KeyboardEvent} */ e) => { if (e.key === 'Escape' && armed) { e.stopPropagation(); arm(0); } }}>
    <span aria-live="polite">${busy ? 'Sending…' : armed ? sure ?? html`Tap again: ${children}` : children}</span></button>`;
}

/** Whether there is room for a bar at the side, and for a terminal in its width. */
export const broad = matchMedia('(min-width: 60rem)');

/** Whether there is room for what waits, and for a terminal beside it. */
export const roomy = matchMedia('(min-width: 80rem)');

/** The same for a component, which is drawn again when that changes. */
export function useBroad(media = broad) {
  const [wide, set] = useState(media.matches);
  useEffect(() => {
    const change = () => set(media.matches);
    media.addEventListener('change', change);
    return () => media.removeEventListener('change', change);
  }, []);
  return wide;
}

/**
 * A box to write in. Enter sends on a keyboard; on a phone it begins a new line.
 * @param {{send: (text: string) => any, label: string, hint?: string, verb?: string, children?: any, draft: string}} props
 */
export function Write({send, label, hint = '', verb = 'Send', children, draft}) {
  const key = `parley.draft.${draft}`;
  const [text, set] = useState(() => sessionStorage.getItem(key) ?? '');
  const length = [...text.trim()].length;
  const over = length - 2000;
  const box = useRef(/** @type {HTMLTextAreaElement | null} */ (null));

  const change = (/** @type {string} */ t) => {
    set(t);
    if (t) sessionStorage.setItem(key, t); else sessionStorage.removeItem(key);
  };
  const go = () => {
    const t = text.trim();
    if (!t || over > 0) return;
    change('');
    send(t);
  };
  const press = (/** @type {KeyboardEvent} */ e) => {
    const thumb = matchMedia('(pointer: coarse)').matches;
    if (e.key === 'Enter' && !e.isComposing && (e.ctrlKey || e.metaKey || !thumb && !e.shiftKey)) {
      e.preventDefault();
      go();
    }
  };

  useEffect(() => {
    const b = box.current;
    if (!b) return;
    b.style.height = 'auto';
    b.style.height = `${Math.min(b.scrollHeight + 2, 240)}px`;
  }, [text]);

  return html`<form class="write" onSubmit=${(/** @type {Event} */ e) => { e.preventDefault(); go(); }}>
    <textarea ref=${box} rows="1" aria-label=${label} placeholder=${hint || label} value=${text} dir="auto"
      onInput=${(/** @type {any} */ e) => change(e.target.value.trim() ? e.target.value : '')} onKeyDown=${press}></textarea>
    <button class="main" disabled=${!length || over > 0}>${verb}</button>
    ${children || length > 1600 ? html`<div class="row">${children}<span class="grow"></span>
      ${length > 1600 ? html`<span class=${over > 0 ? 'bad' : 'quiet'} role="status">${over > 0
        ? `${over} characters too many: put a long text into a file` : `${2000 - length} left`}</span>` : null}</div>` : null}
  </form>`;
}

const rungs = ['queued', 'typing', 'submitted', 'read', 'answered'];
const rungWords = /** @type {Record<string, string>} */ ({
  queued: 'accepted', typing: 'being typed', submitted: 'submitted', read: 'read', answered: 'answered', held: 'held',
  failed: 'failed', unconfirmed: 'without proof', expired: 'expired',
});

/** The ladder of a delivery: what is proven, and what is in the way. @param {{d: any, names?: boolean}} props */
export function Ladder({d, names = false}) {
  const reached = Math.max(rungs.indexOf(d.state), ...(d.steps ?? []).map((/** @type {any} */ s) => rungs.indexOf(s.state)));
  const why = d.state === 'held' || d.state === 'queued' || d.state === 'unconfirmed' || d.state === 'failed' || d.state === 'expired'
    ? d.waits_for || d.reason : '';
  const last = [...(d.steps ?? [])].reverse().find((/** @type {any} */ s) => s.state === d.state);
  return html`<div class=${`ladder ${d.state}`} role="status">
    ${names ? html`<${Name}>${d.agent}<//> ` : null}
    <span class="rungs" aria-hidden="true">${rungs.map((r, i) => html`<i class=${i <= reached ? 'on' : ''}></i>`)}</span>
    <span class="state" data-state=${d.state}>${rungWords[d.state] ?? d.state}</span>
    ${last ? html` <${Since} t=${last.at} />` : null}
    ${why ? html`<span class="why">${why}</span>` : last?.evidence ? html`<span class="quiet why">${last.evidence}</span>` : null}
  </div>`;
}

/** What was sent from here, with its receipt. @param {{m: any}} props */
export function Receipt({m}) {
  const settled = m.state === 'refused' || m.deliveries.length && m.deliveries.every((/** @type {any} */ d) => /^(read|answered|failed|expired)$/.test(d.state));
  return html`<li class="receipt">
    <p class="said" dir="auto">${m.text}</p>
    ${m.state === 'sending' ? html`<p class="quiet" role="status">Sending…</p>` : null}
    ${m.state === 'waiting' ? html`<p class="quiet" role="status">Waits for the daemon. It is sent once, when that is back.</p>` : null}
    ${m.state === 'refused' ? html`<p class="bad" role="alert">Not sent. ${m.words} ${m.action}</p>` : null}
    ${m.words && m.state === 'sent' ? html`<p class="bad" role="alert">${m.words}</p>` : null}
    ${m.deliveries.slice(0, 8).map((/** @type {any} */ d) => html`<${Ladder} d=${d} names=${m.deliveries.length > 1} />`)}
    ${m.deliveries.length > 8 ? html`<p class="quiet">and ${m.deliveries.length - 8} more</p>` : null}
    ${m.reply?.text ? html`<p class="said them" dir="auto">${m.reply.text}</p>` : null}
    <div class="row">${m.id ? html`<a href=${`#/message/${m.id}`}>Details</a>` : null}<span class="grow"></span>
      ${settled ? html`<button type="button" class="plain" onClick=${() => forget(m.key)}>Hide</button>` : null}</div>
  </li>`;
}
