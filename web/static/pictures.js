// @ts-check
// Pictures of the team, drawn by hand: each has its numbers as a table, and both can be saved.
import {call} from './api.js';
import {Picture, duration, groups} from './picture.js';
import {Timeline} from './timeline.js';
import {byName, clock, html, shortened, useEffect, useReading, useRef, useState} from './parts.js';

/** Who wrote to whom. @param {{h: any}} props */
function Matrix({h}) {
  const names = /** @type {string[]} */ ([]);
  for (const p of h.pairs) for (const n of [p.sender, p.recipient]) if (!names.includes(n) && names.length < 60) names.push(n);
  names.sort(byName);
  const most = Math.max(1, ...h.pairs.map((/** @type {any} */ p) => p.messages));
  const size = Math.max(14, Math.min(34, 700 / Math.max(1, names.length))), left = 20 + 6.5 * Math.min(15, Math.max(0, ...names.map(n => n.length)));
  const shown = h.pairs.filter((/** @type {any} */ p) => names.includes(p.sender) && names.includes(p.recipient));
  return html`<${Picture} title="Who wrote to whom" name="who-to-whom" head=${['from', 'to', 'messages', 'held']}
      rows=${h.pairs.map((/** @type {any} */ p) => [p.sender, p.recipient, p.messages, p.held])}>
    ${shown.length ? html`<div class="scrolls" tabindex="0" role="img" aria-label="How many messages each pair exchanged; the numbers are below"><svg
        width=${left + names.length * size + 60} height=${left + names.length * size} class="matrix">
      ${names.map((n, i) => html`<g key=${n}><text x=${left - 6} y=${left + (i + .68) * size} font-size="11" text-anchor="end" fill="currentColor">${shortened(n, 15)}</text>
        <text transform=${`translate(${left + (i + .62) * size} ${left - 6}) rotate(-60)`} font-size="11" fill="currentColor">${shortened(n, 15)}</text>
        <line x1=${left} x2=${left + names.length * size} y1=${left + i * size} y2=${left + i * size} stroke="currentColor" stroke-opacity=".12" />
        <line y1=${left} y2=${left + names.length * size} x1=${left + i * size} x2=${left + i * size} stroke="currentColor" stroke-opacity=".12" /></g>`)}
      ${shown.map((/** @type {any} */ p) => html`<g key=${`${p.sender} ${p.recipient}`}><rect x=${left + names.indexOf(p.recipient) * size + 1} y=${left + names.indexOf(p.sender) * size + 1} width=${size - 2} height=${size - 2}
          fill=${p.held ? groups.waits[1] : groups.works[1]} fill-opacity=${.2 + .8 * Math.log(1 + p.messages) / Math.log(1 + most)}><title>${p.sender} → ${p.recipient}: ${p.messages}${p.held ? `, ${p.held} held` : ''}</title></rect>
          ${size > 22 ? html`<text x=${left + (names.indexOf(p.recipient) + .5) * size} y=${left + (names.indexOf(p.sender) + .66) * size} font-size="11" text-anchor="middle" fill="currentColor">${p.messages}</text>` : null}</g>`)}
    </svg></div><p class="small quiet">Rows write to columns. Yellow: some of it was held.</p>` : html`<p class="quiet">Nothing was written.</p>`}<//>`;
}

/** How long questions stood open. @param {{h: any}} props */
function Answers({h}) {
  const all = h.answered.map((/** @type {any} */ a) => a.seconds).sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
  const bounds = [10, 30, 60, 180, 600, 1800, 3600, Infinity];
  const words = ['10 s', '30 s', '1 min', '3 min', '10 min', '30 min', '1 h', 'longer'];
  const counts = bounds.map((b, i) => all.filter((/** @type {number} */ s) => s <= b && s > (bounds[i - 1] ?? -1)).length);
  const most = Math.max(1, ...counts);
  return html`<${Picture} title="From a question to your answer" name="answers" head=${['answered', 'agent', 'seconds']}
      rows=${h.answered.map((/** @type {any} */ a) => [a.at, a.agent, Math.round(a.seconds)])}>
    ${all.length ? html`<p class="small quiet">${all.length} answered; half of them within ${duration(all[Math.floor((all.length - 1) / 2)])}.</p>
      <div role="img" aria-label="How many questions were answered within which time; the numbers are below"><svg viewBox="0 0 480 130" class="bars">${counts.map((n, i) => html`<g key=${i}>
        <rect x=${i * 60 + 8} width="44" y=${100 - n / most * 80} height=${n / most * 80} rx="2" fill=${groups.waits[1]} />
        ${n ? html`<text x=${i * 60 + 30} y=${94 - n / most * 80} font-size="11" text-anchor="middle" fill="currentColor">${n}</text>` : null}
        <text x=${i * 60 + 30} y="118" font-size="11" text-anchor="middle" fill="currentColor" fill-opacity=".7">${words[i]}</text></g>`)}</svg></div>`
      : html`<p class="quiet">No question was answered in this time.</p>`}<//>`;
}

/** What the programs used, by the hour or the day, and agent. @param {{h: any}} props */
function Used({h}) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => { if (box.current) box.current.scrollLeft = box.current.scrollWidth; }, [h.since]); // what is new
  const daily = Date.parse(h.until) - Date.parse(h.since) > 25 * 3600e3;
  const zero = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const column = (/** @type {string} */ hour) => {
    const d = new Date(hour);
    const day = `${zero(d.getMonth() + 1)}-${zero(d.getDate())}`;
    return daily ? day : `${day} ${zero(d.getHours())}:00`;
  };
  /** @type {Map<string, Map<string, {tokens: number, cost: number}>>} */ const columns = new Map();
  for (let t = Math.floor(Date.parse(h.since) / 3600e3) * 3600e3; t <= Date.parse(h.until); t += 3600e3) columns.set(column(new Date(t).toISOString()), new Map());
  for (const u of h.used) {
    const c = columns.get(column(u.hour)) ?? new Map();
    const sum = c.get(u.agent) ?? {tokens: 0, cost: 0};
    sum.tokens += u.input_tokens + u.cached_tokens + u.cache_write_tokens + u.output_tokens;
    sum.cost += u.cost;
    c.set(u.agent, sum);
    columns.set(column(u.hour), c);
  }
  const shown = [...columns];
  const priced = h.used.some((/** @type {any} */ u) => u.cost);
  const of = (/** @type {{tokens: number, cost: number}} */ s) => priced ? s.cost : s.tokens;
  const totals = shown.map(([, c]) => [...c.values()].reduce((n, s) => n + of(s), 0));
  const most = Math.max(1e-9, ...totals);
  const names = [...new Set(h.used.map((/** @type {any} */ u) => u.agent))].sort(byName);
  const hue = (/** @type {string} */ n) => `hsl(${Math.round(names.indexOf(n) * 360 / Math.max(1, names.length))} 45% 55%)`;
  const wide = shown.length > 12 ? 32 : 60, short = (/** @type {number} */ n) => n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e3 ? `${Math.round(n / 1e3)}k` : String(n);
  return html`<${Picture} title=${priced ? 'What it cost' : 'Tokens that were used'} name="usage" head=${[daily ? 'day' : 'hour', 'agent', 'tokens', 'cost']}
      rows=${shown.flatMap(([at, c]) => [...c].map(([n, s]) => [at, n, s.tokens, Math.round(s.cost * 100) / 100]))}>
    ${names.length ? html`<div class="row small legend">${names.slice(0, 12).map(n => html`<span key=${n}><svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" rx="2" fill=${hue(n)} /></svg> <bdi>${n}</bdi></span>`)}
        ${names.length > 12 ? html`<span>and ${names.length - 12} more</span>` : null}</div>
      <div ref=${box} class="scrolls" tabindex="0" role="img" aria-label=${`What was used in each ${daily ? 'day' : 'hour'}; the numbers are below`}><svg width=${Math.max(480, shown.length * wide)} height="150" class="columns">${shown.map(([at, c], i) => {
      let y = 120;
      return html`<g key=${at}>${[...c].sort().map(([n, s]) => {
        const height = of(s) / most * 100;
        y -= height;
        return html`<rect key=${n} x=${i * wide + 3} width=${wide - 6} y=${y} height=${height} fill=${hue(n)}><title>${n}, ${at}: ${s.tokens.toLocaleString()} tokens${s.cost ? `, $${s.cost.toFixed(2)}` : ''}</title></rect>`;
      })}${totals[i] ? html`<text x=${(i + .5) * wide} y=${y - 5} font-size="10" text-anchor="middle" fill="currentColor">${priced ? `$${totals[i].toFixed(totals[i] < 10 ? 2 : 0)}` : short(totals[i])}</text>` : null}
      <text x=${(i + .5) * wide} y="136" font-size="10" text-anchor="middle" fill="currentColor" fill-opacity=".7">${daily ? at : at.slice(6, wide < 60 ? 8 : 11)}</text></g>`;
    })}</svg></div>` : html`<p class="quiet">Nothing is known of what the programs used in this time.</p>`}<//>`;
}

/** Files that several agents changed. @param {{h: any}} props */
function Shared({h}) {
  const shown = h.shared.slice(0, 40), names = /** @type {string[]} */ ([...new Set(shown.flatMap((/** @type {any} */ f) => f.agents))].sort(byName));
  const left = 14 + 6.2 * Math.min(40, Math.max(10, ...shown.map((/** @type {any} */ f) => f.name.length))), size = 22;
  const top = 20 + 6 * Math.min(15, Math.max(0, ...names.map(n => n.length)));
  const words = (/** @type {any} */ f) => `${f.apart ? 'in worktrees of their own' : 'in one directory'}, ${f.until ? `until ${clock(f.until)}` : 'still'}`;
  return html`<${Picture} title="Files that several changed" name="shared-files" head=${['file', 'agents', 'where', 'since', 'until']}
      rows=${h.shared.map((/** @type {any} */ f) => [f.name, f.agents.join(' '), f.apart ? 'worktrees of their own' : 'one directory', f.since, f.until ?? ''])}>
    ${shown.length ? html`<div class="scrolls" tabindex="0" role="img" aria-label="Which agents changed the same files; the numbers are below"><svg
        width=${left + names.length * size + 60} height=${top + shown.length * size} class="matrix">
      ${names.map((n, i) => html`<g key=${n}><text transform=${`translate(${left + (i + .62) * size} ${top - 6}) rotate(-60)`} font-size="11" fill="currentColor">${shortened(n, 15)}</text></g>`)}
      ${shown.map((/** @type {any} */ f, /** @type {number} */ i) => html`<g key=${i}><title>${f.name}: ${f.agents.join(', ')}, ${words(f)}</title>
        <text x=${left - 6} y=${top + (i + .68) * size} font-size="11" text-anchor="end" fill="currentColor">${shortened(f.name, 40)}</text>
        <line x1=${left} x2=${left + names.length * size} y1=${top + i * size} y2=${top + i * size} stroke="currentColor" stroke-opacity=".12" />
        ${f.agents.map((/** @type {string} */ a) => html`<circle key=${a} cx=${left + (names.indexOf(a) + .5) * size} cy=${top + (i + .5) * size} r="6"
          fill=${f.until ? 'none' : groups[f.apart ? 'waits' : 'blocked'][1]} stroke=${groups[f.apart ? 'waits' : 'blocked'][1]} stroke-width="2" />`)}</g>`)}
    </svg></div><p class="small quiet">Filled: it is so now. Yellow: in worktrees of their own, so merging may conflict. Red: in one directory.</p>`
      : html`<p class="quiet">No file was changed by several at one time.</p>`}<//>`;
}

export function Pictures() {
  const [hours, setHours] = useState(8);
  const [h, set] = useState(/** @type {any} */ (null));
  const [problem] = useReading(() => call('team_history', {hours}).then(set), () => true, hours, 5000);

  return html`<section class="pictures" aria-label="Pictures of the team">
    <div class="row" role="group" aria-label="How far back">${[1, 4, 8, 24, 168].map(n => html`<button type="button" class="plain" aria-pressed=${hours === n} onClick=${() => setHours(n)}>${n < 168 ? `${n} h` : 'a week'}</button>`)}</div>
    ${problem ? html`<p class="bad" role="alert">${problem}</p>` : null}
    ${!h ? html`<p class="empty">Reading…</p>` : html`${h.truncated ? html`<p class="note">More happened than is shown: it begins later.</p>` : null}
      <${Timeline} h=${h} /><${Answers} h=${h} /><${Matrix} h=${h} /><${Shared} h=${h} /><${Used} h=${h} />`}
  </section>`;
}
