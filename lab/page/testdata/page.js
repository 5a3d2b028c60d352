// The page of a test: a daemon that answers what the test says, and what a person does.
import './dom.js';

/** What a daemon answers when nothing happens. */
const quiet = {
  get_needs: () => ({needs: [], matters: []}), check_inbox: () => ({messages: []}), get_agent_status: () => ({agents: []}),
  read_events: () => ({events: [], next: 1}), get_workspace_status: () => ({programs: ['claude']}), list_worktrees: () => ({worktrees: []}),
  find_messages: () => ({messages: []}), list_threads: () => ({threads: []}),
};

const answer = (status, body) => ({ok: status < 300, status, json: async () => body(), clone() { return this; }});

/** Refuses a call. */
export const refuse = (error_code, error_message, details = {}, status = 409) => { throw {status, body: {error_code, error_message, suggested_action: 'look again', details}}; };

export const daemon = globalThis.daemon = {
  answers: {...quiet}, calls: [], streams: [], broken: null,
  /** The arguments of the calls of an operation. */
  of: op => daemon.calls.filter(c => c.op === op).map(c => c.args),
  async ask(path, init = {}) {
    const op = path.replace(/^\/api\//, '').split('?')[0];
    if (String(init.headers?.Accept).includes('event-stream')) return daemon.stream(op, path, init.signal);
    const args = JSON.parse(init.body ?? '{}');
    daemon.calls.push({op, args});
    if (daemon.broken && path.startsWith('/api/')) return daemon.broken(init);
    if (op === '/page/mark') return answer(200, () => ({mark: daemon.mark ?? 'aaaa', version: '1.0'}));
    if (!daemon.answers[op]) throw new Error(`nobody answers ${op}`);
    try {
      const body = daemon.answers[op](args);
      return answer(200, () => body);
    } catch (e) {
      if (!e.status) throw e;
      return answer(e.status, () => e.body);
    }
  },
  stream(op, path, signal) {
    daemon.calls.push({op: `stream ${op}`, args: path});
    if (daemon.broken) return daemon.broken({signal});
    const s = {op, path, waits: [], said: []};
    s.say = x => { const w = s.waits.shift(); if (w) w.yes(x); else s.said.push(x); };
    daemon.streams.push(s);
    signal?.addEventListener('abort', () => { daemon.streams = daemon.streams.filter(x => x !== s); for (const w of s.waits) w.no(new Error('aborted')); });
    const read = () => s.said.length ? Promise.resolve(s.said.shift()) : new Promise((yes, no) => s.waits.push({yes, no}));
    s.beat = setInterval(() => s.say({value: ':\n\n'}), 15_000);
    return {ok: true, status: 200, body: {pipeThrough: () => ({getReader: () => ({read})})}};
  },
  /** Says something on the streams of an operation. */
  tells: (x, op = 'events') => { for (const s of daemon.streams.filter(s => s.op === op)) s.say({value: `data: ${JSON.stringify(x)}\n\n`}); },
  /** Loses the line of the streams. */
  loses: () => { for (const s of daemon.streams.splice(0)) { clearInterval(s.beat); s.say({done: true}); } },
};

let seq = 1;
/** An event that the daemon tells. */
export const event = (type, more = {}) => daemon.tells({seq: ++seq, type, time: new Date().toISOString(), ...more});

export const sleep = ms => new Promise(done => setTimeout(done, ms));

/** Waits for a fact, for a minute of the page's time. */
export async function until(fact, what = String(fact)) {
  for (let i = 0; i < 300; i++) {
    if (fact()) return;
    await sleep(i < 20 ? 50 : 200);
  }
  throw new Error(`not so: ${what}\nthe page shows:\n${shown()}`);
}

/** What the page shows. */
export const shown = (at = document.body) => at.text.replace(/\s+/g, ' ').trim();
export const $ = which => document.querySelector(which);
export const $$ = which => document.querySelectorAll(which);
export const shows = words => until(() => shown().includes(words), `it shows ${words}`);
export const button = (words, at = 'body') => $$(`${at} button`).find(b => shown(b).includes(words));

/** Taps a button once. */
export async function tap(words, at) {
  await until(() => button(words, at) && !button(words, at).disabled, `${at ?? 'the page'} has the button ${words}`);
  button(words, at).click();
  await sleep(50);
}

/** Taps a button, and again when it asks for that. */
export async function confirm(words, at) {
  await tap(words, at);
  await sleep(400);
  $(`${at ?? 'body'} .armed`).click();
  await sleep(50);
}

/** Writes into a box. */
export async function writes(which, text) {
  await until(() => $(which), `there is ${which}`);
  $(which).value = text;
  $(which).dispatchEvent({type: 'input'});
  await sleep(50);
}

export async function goes(view) {
  location.hash = `#/${view}`;
  await sleep(100);
}

export function equal(got, want, what = '') {
  const [g, w] = [got, want].map(x => JSON.stringify(x));
  if (g !== w) throw new Error(`${what} got ${g}, want ${w}\nthe page shows:\n${shown()}`);
}

/** Opens the page, signed in unless there is a code, with other answers of the daemon. */
export async function open(answers = {}, {watch = false, at = '', code = ''} = {}) {
  Object.assign(daemon.answers, answers);
  location.at = code ? `#${code}` : at && `#/${at}`;
  if (!code) sessionStorage.setItem('parley.session', JSON.stringify({key: 'key', key_id: 'me', workspace: '/home/ann/shop', watch, run: '1', ahead: 0}));
  globalThis.require = () => views; // the views are loaded when they are needed
  await import('../../../web/static/main.js');
  const views = await import('../../../web/static/views.js');
  await until(() => code || $('.dot.live'), 'the page is live');
  await sleep(1000);
}

/** A question of an agent, as the needs have it. */
export const question = (agent, more = {}) => ({kind: 'dialog', agent, agent_id: `id-${agent}`, text: 'asks', since: '2026-01-01T00:00:00Z', acts: [],
  dialog: {dialog_id: `d-${agent}`, question: 'May I go on?', lines: ['Bash(make)', 'May I go on?'], options: [{choice: '1', label: 'Yes'}, {choice: '2', label: 'No'}], ...more}});
export const needs = (...all) => ({needs: all, matters: all.map((_, i) => i)});
export const agent = (name, more = {}) => ({id: `id-${name}`, name, kind: 'terminal', state: 'idle', since: '2026-01-01T00:00:00Z', facts: [], ...more});
