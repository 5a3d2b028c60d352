// @ts-check
// Who did what over time, with an arrow for each message. It is zoomed by keys, by its buttons, by the wheel with Ctrl,
// and by two fingers.
import {Away, Refused, call} from './api.js';
import {byName, clock, html, shortened, useEffect, useRef, useState} from './parts.js';
import {announces} from './state.js';
import {Picture, duration, groupOf, groups} from './picture.js';

const row = 22;
const phone = matchMedia('(max-width: 40rem)');

/** The sizes of the picture: as wide as it is shown on a phone, so that its letters can be read there. */
const sizes = () => phone.matches ? {width: 360, left: 100, letters: 12, mostTicks: 3} : {width: 1000, left: 120, letters: 16, mostTicks: 9};
const shortest = 10_000; // ms that are shown at least
const mostArrows = 300;

/** @typedef {{from: number, to: number}} Span of time, in ms */

/**
 * A part of a whole, nearer or farther around a place in it, within its bounds.
 * @param {Span} now @param {Span} whole @param {number} by below 1 is nearer @param {number} at 0 to 1
 */
export function zoomed(now, whole, by, at = .5) {
  const length = Math.min(whole.to - whole.from, Math.max(shortest, (now.to - now.from) * by));
  const from = now.from + (now.to - now.from - length) * at;
  return moved({from, to: from + length}, whole, 0);
}

/** @param {Span} now @param {Span} whole @param {number} by parts of what is shown */
export function moved(now, whole, by) {
  const length = now.to - now.from;
  const from = Math.max(whole.from, Math.min(whole.to - length, now.from + by * length));
  return {from, to: from + length};
}

/** What zooms and moves: the span that is shown, null for all of it. @param {Span} whole */
function useZoom(whole) {
  const [part, set] = useState(/** @type {Span | null} */ (null));
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const act = useRef((/** @type {(now: Span) => Span} */ _) => {});
  act.current = change => set(now => {
    const next = change(now ?? whole);
    return next.to - next.from >= whole.to - whole.from ? null : next;
  });
  const whole_ = useRef(whole);
  whole_.current = whole;

  useEffect(() => {
    const b = box.current;
    if (!b) return;
    const at = (/** @type {number} */ x) => {
      const {width, left} = sizes();
      const r = b.querySelector('svg')?.getBoundingClientRect();
      return r ? Math.max(0, Math.min(1, ((x - r.left) / r.width * width - left) / (width - left))) : .5;
    };
    const wheel = (/** @type {WheelEvent} */ e) => {
      if (!e.ctrlKey && !e.metaKey) return; // the page scrolls; a pinch on a touchpad has Ctrl
      e.preventDefault();
      act.current(now => zoomed(now, whole_.current, Math.exp(Math.max(-1, Math.min(1, e.deltaY / 100))), at(e.clientX)));
    };
    let apart = 0;
    const touch = (/** @type {TouchEvent} */ e) => {
      if (e.touches.length !== 2) { apart = 0; return; }
      const [a, c] = e.touches, now = Math.hypot(a.clientX - c.clientX, a.clientY - c.clientY), before = apart;
      apart = now;
      e.preventDefault(); // from the first touch on, or the browser zooms the page
      if (!before || !now) return;
      act.current(part => zoomed(part, whole_.current, before / now, at((a.clientX + c.clientX) / 2)));
    };
    b.addEventListener('wheel', wheel, {passive: false});
    for (const kind of /** @type {const} */ (['touchstart', 'touchmove', 'touchend'])) b.addEventListener(kind, touch, {passive: false});
    return () => {
      b.removeEventListener('wheel', wheel);
      for (const kind of /** @type {const} */ (['touchstart', 'touchmove', 'touchend'])) b.removeEventListener(kind, touch);
    };
  }, []);

  const nearer = () => act.current(now => zoomed(now, whole, .5));
  const farther = () => act.current(now => zoomed(now, whole, 2));
  const move = (/** @type {number} */ by) => act.current(now => moved(now, whole, by));
  const keys = (/** @type {KeyboardEvent} */ e) => {
    const does = /** @type {Record<string, () => void>} */ ({'+': nearer, '=': nearer, '-': farther, 0: () => set(null)});
    if (part) Object.assign(does, {ArrowLeft: () => move(-.25), ArrowRight: () => move(.25)});
    if (e.ctrlKey || e.metaKey || e.altKey || !does[e.key]) return;
    e.preventDefault();
    does[e.key]();
  };
  return {shown: part ? moved(part, whole, 0) : whole, part, box, keys, nearer, farther, all: () => set(null)};
}

/** The messages of the last events. @param {any} h what is read again with it */
function useMessages(h) {
  const [messages, set] = useState(/** @type {any[]} */ ([]));
  useEffect(() => {
    const stop = new AbortController();
    call('read_events', {last: 1000, limit: 1000}, stop.signal).then(
      r => set(r.events.filter((/** @type {any} */ e) => announces(e) && e.sender && e.recipient)),
      e => { if (!stop.signal.aborted && !(e instanceof Refused || e instanceof Away)) throw e; },
    );
    return () => stop.abort();
  }, [h]);
  return messages;
}

/** Who did what. @param {{h: any}} props */
export function Timeline({h}) {
  const {width, left, letters, mostTicks} = sizes();
  const to = Date.parse(h.until);
  const team = [...h.agents].sort((x, y) => byName(x.agent, y.agent));
  // A young team fills the picture.
  const begun = Math.min(to - 60_000, ...team.flatMap((/** @type {any} */ a) => a.spans.map((/** @type {any} */ s) => Date.parse(s.from))));
  const zoom = useZoom({from: Math.max(Date.parse(h.since), begun - (to - begun) * .02), to});
  const {from, to: end} = zoom.shown;
  useEffect(() => { if (zoom.box.current) zoom.box.current.scrollLeft = zoom.box.current.scrollWidth; }, [h.since]);
  const x = (/** @type {number} */ t) => left + (t - from) / (end - from) * (width - left);

  const messages = useMessages(h).map(m => ({...m, at: Date.parse(m.time)})).filter(m => m.at >= from && m.at <= end);
  const names = team.map((/** @type {any} */ a) => a.agent);
  for (const m of messages) for (const n of [m.sender, m.recipient]) if (!names.includes(n) && names.length < team.length + 5) names.push(n);
  const arrows = messages.filter(m => names.includes(m.sender) && names.includes(m.recipient) && m.sender !== m.recipient).slice(-mostArrows);

  const seconds = (end - from) / 1000;
  const step = 1000 * ([2, 5, 15, 30, 60, 120, 300, 900, 1800, 3600, 7200, 14400, 28800].find(s => seconds / s <= mostTicks) ?? 86400);
  const ticks = [];
  for (let t = Math.ceil(from / step) * step; t < end; t += step) ticks.push(t);
  const written = (/** @type {number} */ t) => step < 60_000 ? new Date(t).toLocaleTimeString() : clock(t);
  const height = names.length * row + 26;

  const table = team.map((/** @type {any} */ a) => {
    const s = /** @type {Record<string, number>} */ ({});
    for (const p of a.spans) {
      const long = Math.min(end, Date.parse(p.to)) - Math.max(from, Date.parse(p.from));
      if (long > 0) s[groupOf(p.state)] = (s[groupOf(p.state)] ?? 0) + long / 1000;
    }
    return [a.agent, ...Object.keys(groups).map(g => Math.round(s[g] ?? 0)), '', ''];
  });
  const said = arrows.map(m => [m.sender, '', '', '', '', m.time, m.recipient]);
  return html`<${Picture} title="Who did what" name="timeline" head=${['agent', ...Object.values(groups).map(([w]) => `${w}, s`), 'wrote at', 'to']} rows=${[...table, ...said]}>
    <div class="row small legend">${Object.values(groups).map(([w, c]) => html`<span><svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" rx="2" fill=${c} /></svg> ${w}</span>`)}
      <span>↓ a message</span><span class="grow"></span>
      <span class="row" role="group" aria-label="Zoom"><button type="button" class="plain" aria-label="Nearer" onClick=${zoom.nearer}>+</button>
        <button type="button" class="plain" aria-label="Farther" disabled=${!zoom.part} onClick=${zoom.farther}>−</button>
        <button type="button" class="plain" disabled=${!zoom.part} onClick=${zoom.all}>All</button></span></div>
    <div ref=${zoom.box} class="scrolls" tabindex="0" role="img" onKeyDown=${zoom.keys} data-arrows=${arrows.length}
      aria-label=${`What each agent did from ${written(from)} to ${written(end)}; plus and minus zoom, the arrow keys move; the numbers are below`}>
    <svg viewBox=${`0 0 ${width} ${height}`} class="timeline">
      ${ticks.map(t => html`<g key=${t}><line x1=${x(t)} x2=${x(t)} y1="0" y2=${height - 18} stroke="currentColor" stroke-opacity=".15" />
        <text x=${x(t)} y=${height - 4} font-size="11" text-anchor=${x(t) > width - 40 ? 'end' : 'middle'} fill="currentColor" fill-opacity=".7">${written(t)}</text></g>`)}
      ${names.map((/** @type {string} */ n, /** @type {number} */ i) => html`<g key=${n}>
        <text x=${left - 8} y=${i * row + 15} font-size="12" text-anchor="end" fill="currentColor">${shortened(n, letters)}</text>
        ${(team[i]?.spans ?? []).map((/** @type {any} */ s) => {
          const g = groupOf(s.state), x0 = Math.max(left, x(Date.parse(s.from))), x1 = Math.min(width, x(Date.parse(s.to)));
          // A wait is higher than the rest: it is told apart without its colour.
          return g && x1 > left && x0 < width ? html`<rect x=${x0} y=${i * row + (g === 'waits' ? 2 : g === 'idle' ? 10 : 5)} width=${Math.max(1, x1 - x0)} height=${g === 'waits' ? 18 : g === 'idle' ? 3 : 12}
            fill=${groups[g][1]}><title>${n}: ${groups[g][0]}, ${duration((Date.parse(s.to) - Date.parse(s.from)) / 1000)}</title></rect>` : null;
        })}</g>`)}
      ${arrows.map(m => {
        const y0 = names.indexOf(m.sender) * row + 11, y1 = names.indexOf(m.recipient) * row + 11, tip = y1 > y0 ? -6 : 6, at = x(m.at);
        return html`<g key=${m.seq} class="arrow"><title>${m.sender} → ${m.recipient}: ${m.message_preview}</title>
          <line x1=${at} x2=${at} y1=${y0} y2=${y1 + tip} stroke="currentColor" stroke-width="1.2" /><circle cx=${at} cy=${y0} r="2" fill="currentColor" />
          <path d=${`M${at} ${y1} l-3.5 ${tip} h7 z`} fill="currentColor" /></g>`;
      })}
    </svg></div><//>`;
}
