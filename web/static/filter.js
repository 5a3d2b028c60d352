// @ts-check
// The language of filters, as on the screen: from:coder is:held since:2h parser.

const states = ['queued', 'held', 'typing', 'submitted', 'read', 'answered', 'failed', 'unconfirmed', 'expired'];
const groups = /** @type {Record<string, string[]>} */ ({
  pending: ['queued', 'typing'], waiting: ['queued', 'typing', 'held'],
  delivered: ['submitted', 'read', 'answered'], problem: ['failed', 'unconfirmed', 'expired'],
});
const types = ['information', 'request', 'response', 'coordination', 'native', 'direct', 'broadcast', 'thread', 'steering', 'system'];
const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** The values that begin with a text, or the one that is it. @param {string[]} values @param {string} text */
function begun(values, text) {
  const lower = text.toLowerCase();
  const exact = values.find(v => v.toLowerCase() === lower);
  return exact ? [exact] : values.filter(v => lower && v.toLowerCase().startsWith(lower));
}

/**
 * Reads a time in the past: 2h, 09:30, today, monday or 2026-01-31.
 * @param {string} word @param {Date} now @returns {{at: Date, day: boolean} | null}
 */
export function past(word, now) {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const back = (/** @type {number} */ n) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - n);
  if (word === 'today') return {at: midnight, day: true};
  if (word === 'yesterday') return {at: back(1), day: true};
  for (let n = 0; n < 7 && word.length >= 3; n++) {
    if (days[back(n).getDay()].startsWith(word)) return {at: back(n), day: true};
  }

  let m = /^(\d{1,4})([mhdw])$/.exec(word);
  if (m && Number(m[1]) > 0) {
    const unit = {m: 60e3, h: 3600e3, d: 86400e3, w: 7 * 86400e3}[m[2]] ?? 0;
    return {at: new Date(now.getTime() - Number(m[1]) * unit), day: false};
  }
  if ((m = /^(\d{1,2}):(\d\d)$/.exec(word)) && Number(m[1]) < 24 && Number(m[2]) < 60) {
    return {at: new Date(midnight.getTime() + (Number(m[1]) * 60 + Number(m[2])) * 60e3), day: false};
  }
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(word);
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(word);
  const [y, mo, d] = iso ? iso.slice(1).map(Number) : dotted ? dotted.slice(1).map(Number).reverse() : [0, 0, 0];
  const at = new Date(y, mo - 1, d);
  return y && at.getMonth() === mo - 1 && at.getDate() === d ? {at, day: true} : null;
}

/**
 * Parses a filter. A word with another prefix before its colon is text.
 * @param {string} text @param {string[]} names of agents @param {Date} now
 * @returns {{request: Record<string, any>, problem: string, asks: boolean}}
 */
export function parse(text, names, now = new Date()) {
  /** @type {Record<string, any>} */ const request = {begun: true};
  /** @type {string[]} */ const words = [];
  let problem = '';
  let asks = false;

  /** @param {string} place @param {string} value @param {string[]} values */
  const values = (place, value, values) => value.split(',').filter(Boolean).flatMap(v => {
    const some = begun(values, v);
    if (!some.length) problem = `${place}:${v} is not known.`;
    return some;
  });
  const people = () => [...names, 'you', 'parley'];
  const named = (/** @type {string[]} */ list) => list.map(n => n === 'you' ? 'operator' : n);

  for (const word of text.split(/\s+/).filter(Boolean)) {
    const at = word.indexOf(':');
    const place = word.slice(0, Math.max(0, at)).toLowerCase();
    const value = word.slice(at + 1);
    const known = ['is', 'state', 'from', 'to', 'agent', 'thread', 'since', 'until', 'on', 'has', 'type', 'priority'].includes(place);
    if (!known) { words.push(word); asks = true; continue; }
    if (!value) continue;
    asks = true;
    switch (place) {
      case 'is': case 'state':
        request.states = [...request.states ?? [], ...values(place, value, [...states, ...Object.keys(groups)]).flatMap(s => groups[s] ?? [s])]; break;
      case 'from': request.from = named(values(place, value, people())).join(','); break;
      case 'to': request.to = named(values(place, value, people())).join(','); break;
      case 'agent': request.agents = named(values(place, value, people())); break;
      case 'thread': request.thread = value; break;
      case 'has': request.has = values(place, value, ['file', 'question', 'reply']); break;
      case 'type': request.types = values(place, value, types); break;
      case 'priority': request.priorities = values(place, value, ['low', 'normal', 'high', 'urgent']); break;
      default: {
        const t = past(value.toLowerCase(), now);
        if (!t || place === 'on' && !t.day) {
          problem = place === 'on' ? 'on: wants a day such as today, monday or 2026-01-31.' : `${place}: wants a time such as 2h, 3d, 09:30, today, monday or 2026-01-31.`;
          break;
        }
        const end = new Date(t.at.getFullYear(), t.at.getMonth(), t.at.getDate() + 1, 0, 0, 0, -1);
        if (place !== 'until') request.since = t.at.toISOString();
        if (place === 'on' || place === 'until') request.until = (t.day ? end : t.at).toISOString();
      }
    }
  }
  if (words.length) request.query = words.join(' ');

  return {request, problem, asks};
}
