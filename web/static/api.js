// @ts-check
// The way to the daemon: the session, calls of operations, and the stream of events.
import {ask as fetched, askSigned, exchange, first, forget, freshKey, restored as kept, secure, stored, take} from './early.js';
import {signal} from './npm/signals.js';

/**
 * @typedef {import('./early.js').Session} Session
 * @typedef {{seq: number, type: string, time: string} & Record<string, any>} Event
 */

/** Whether the session outlives this tab, on this device. */
export const stays = signal(false);

/** The session of this tab, or null. What it signs with is in no cookie, and not in here. */
export const session = signal(/** @type {Session | null} */ (restored()));

/** Why there is no session, in words. */
export const ended = signal('');

function restored() {
  try {
    const here = localStorage.getItem(stored);
    stays.value = here !== null && kept() === here;
    return JSON.parse(kept() ?? 'null');
  } catch {
    return null;
  }
}

/** Refused is an answer of the daemon that is an error: a code, what happened, and what to do. */
export class Refused extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(sentence(body?.error_message ?? `the daemon answered ${status}`));
    this.code = body?.error_code ?? '';
    this.action = sentence(body?.suggested_action ?? '');
    this.details = body?.details ?? {};
  }
}

/** Away says that the daemon could not be reached, so that it is not known whether a call arrived. */
export class Away extends Error {}

/** What to say of a call that failed, '' while the daemon cannot be reached. @param {any} e @returns {string} */
export function saidOf(e) {
  if (e instanceof Refused) return e.message;
  if (e instanceof Away) return '';
  throw e;
}

/** The names of agents, which are written as they are. @type {Set<string>} */ export const names = new Set();

/** @param {string} text */
export function sentence(text) {
  const t = text.trim();
  const first = t.split(' ')[0];
  const begun = /^[a-z]+,?$/.test(first) && !names.has(first) ? t.charAt(0).toUpperCase() + t.slice(1) : t;
  return t && begun + (/[.!?:]$/.test(t) ? '' : '.');
}

/** Whether the page is being left: the browser then ends its requests, which says nothing of the daemon. */
let left = false;
export const leaving = () => left;
addEventListener('pagehide', () => { left = true; });
addEventListener('pageshow', () => { left = false; wake(); });

/**
 * What a request means that ended without its answer, or in the midst of it.
 * @param {any} e @param {AbortSignal | null} [stop] of the caller
 */
const lost = (e, stop) => stop?.aborted ? e : new Away('The daemon cannot be reached.');

/** @param {string} path @param {RequestInit} init @param {AbortSignal} [stop] */
async function ask(path, init, stop) {
  try {
    return await (session.value && path !== '/page/mark' ? askSigned(session.value, path, init) : fetched(path, init));
  } catch (e) {
    throw lost(e, stop);
  }
}

/** The whole answer. @param {Response} answer @param {AbortSignal} [stop] @returns {Promise<any>} */
async function bodyOf(answer, stop) {
  try {
    return await answer.json();
  } catch (e) {
    throw lost(e, stop);
  }
}

/** What came with the session, by its operation. @type {Record<string, any>} */ let ready = {};

/** Turns a one-time code into the session of this tab. @param {string} code */
export async function enter(code) {
  if (!secure) {
    throw new Refused(0, {error_message: 'the browser signs nothing at this address, since it is not encrypted',
      suggested_action: 'Open the page by https, or forward its port with ssh -L and open it at 127.0.0.1.'});
  }
  const answer = await (take('session') ?? exchange(code)).catch(e => { throw lost(e); });
  if (!answer.ok) { // which says nothing of the session that there may be
    forget(freshKey());
    throw new Refused(answer.status, await answer.json().catch(() => null));
  }
  const {answers, time, ...entered} = await bodyOf(answer);
  const body = {...entered, key: freshKey(), ahead: time - Date.now()};
  ready = answers ?? {};
  sessionStorage.setItem(stored, JSON.stringify(body));
  if (stays.value) localStorage.setItem(stored, JSON.stringify(body));
  ended.value = '';
  session.value = body;
}

/** Keeps the session for other tabs and for later, on this device, or no longer. @param {boolean} on */
export function stay(on) {
  if (on) localStorage.setItem(stored, JSON.stringify(session.value)); else localStorage.removeItem(stored);
  stays.value = on;
}

/** Forgets the session of this tab. @param {string} why */
export function leave(why) {
  if (stays.value) stay(false);
  sessionStorage.removeItem(stored);
  if (session.value) forget(session.value.key);
  ended.value = why;
  session.value = null;
}

/** @param {Response} answer */
async function refusal(answer) {
  const body = await answer.json().catch(() => null);
  if (answer.status === 401 && session.value) leave('This session has ended: it was revoked, or not used for a day.');
  return new Refused(answer.status, body);
}

// A call that hangs would keep what waits for it from being read again.
const patience = 20_000;

/**
 * Calls an operation. Throws Refused, or Away.
 * @param {string} op @param {object} [args] @param {AbortSignal} [stop]
 * @returns {Promise<any>}
 */
export function call(op, args = {}, stop) {
  return whole(`/api/${op}`, {method: 'POST', body: JSON.stringify(args)}, stop);
}

/**
 * Calls an operation of the first view, which may have been asked before this module was here.
 * @param {string} op @returns {Promise<any>}
 */
export async function look(op) {
  const {[op]: came, ...rest} = ready;
  ready = rest;
  if (came) return came;
  const asked = take(op);
  if (!asked) return call(op, first[op]);
  const answer = await asked.catch(e => { throw lost(e); });
  if (!answer.ok) throw await refusal(answer);
  return bodyOf(answer);
}

/**
 * Sends a file, with the fields that say whose it is. @param {File} file @param {Record<string, string>} fields @returns {Promise<any>}
 */
export async function upload(file, fields) {
  const form = new FormData();
  for (const [name, value] of Object.entries({...fields, idempotency_key: onceKey()})) form.append(name, value);
  form.append('file', file);
  const packed = new Response(form);
  return whole('/api/files', {method: 'POST', body: await packed.arrayBuffer(), headers: {'Content-Type': packed.headers.get('Content-Type') ?? ''}}, undefined,
    patience + file.size / 10); // 10 kB a second
}

/** Saves a stored file on this device. @param {string} id @param {string} name */
export async function download(id, name) {
  const answer = await ask(`/api/files/${id}`, {method: 'GET'});
  if (!answer.ok) throw await refusal(answer);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Operations that only read: one may be given up, and called again. */
const reading = /^\/api\/((get|read|list|find|search|explain)_|check_inbox$|team_history$)/;

/** Ends what is being read over a line that is dead. */
let dead = new AbortController();

/** @param {string} path @param {RequestInit} init @param {AbortSignal} [stop] @param {number} [within] in ms */
async function whole(path, init, stop, within = patience) {
  const ends = [AbortSignal.timeout(within)];
  if (stop) ends.push(stop);
  if (init.method === 'GET' || reading.test(path)) ends.push(dead.signal);
  const answer = await ask(path, {...init, signal: AbortSignal.any(ends)}, stop);
  if (!answer.ok) throw await refusal(answer);
  return bodyOf(answer, stop);
}

// What slept, or had no line, does not wait until each old connection is found to be dead: a browser has six of them at
// most, and a sleeping page's clocks stand still.
for (const [on, kind] of /** @type {[EventTarget, string][]} */ ([[window, 'online'], [window, 'offline'], [document, 'resume']])) {
  on.addEventListener(kind, () => {
    dead.abort();
    dead = new AbortController();
    wake();
  });
}

/** A key with which a call may be repeated: it is done once. */
export function onceKey() {
  return 'web-' + Array.from(crypto.getRandomValues(new Uint8Array(16)), b => b.toString(16).padStart(2, '0')).join('');
}

/**
 * Calls an operation that takes an idempotency key, again and again while the daemon is away.
 * @param {string} op @param {object} args @param {() => void} waits is called when it has to wait
 */
export async function callOnce(op, args, waits) {
  const whole = {...args, idempotency_key: onceKey()};
  for (let after = 500; ; after = Math.min(after * 2, 5000)) {
    try {
      return await call(op, whole);
    } catch (e) {
      if (!(e instanceof Away) && /** @type {any} */ (e).code !== 'DAEMON_UNAVAILABLE' || !session.value) throw e;
      waits();
      await rest(after);
    }
  }
}

let wake = () => {};
/** Waits, but no longer than until the browser is back. @param {number} ms */
export function rest(ms) {
  return new Promise(done => {
    const t = setTimeout(done, ms);
    wake = () => { clearTimeout(t); done(undefined); };
  });
}
document.addEventListener('visibilitychange', () => { if (!document.hidden) wake(); });

/** The mark of the build that this page is of: a part of the path of its files. */
export const mark = new URL(import.meta.url).pathname.split('/').at(-2) ?? '';

/** The build that answers now, or Away. @returns {Promise<{mark: string, version: string}>} */
export async function build() {
  const answer = await ask('/page/mark', {});
  if (!answer.ok) throw await refusal(answer);
  return bodyOf(answer);
}

// A quiet stream has a heartbeat every 15 seconds. One that is silent for longer is dead, and so is one that does not
// begin.
const silence = 40_000;
const beginning = 10_000;

/**
 * Takes what a stream says until it ends.
 * @param {string} path @param {() => void} opened @param {(e: any) => void} take @param {AbortController} [stop]
 */
export async function stream(path, opened, take, stop = new AbortController()) {
  let watch = setTimeout(() => stop.abort(), beginning);
  dead.signal.addEventListener('abort', () => stop.abort(), {signal: stop.signal});
  try {
    const answer = await ask(path, {
      headers: {Accept: 'text/event-stream'}, signal: stop.signal,
    });
    if (!answer.ok || !answer.body) throw await refusal(answer);
    clearTimeout(watch);
    watch = setTimeout(() => stop.abort(), silence);
    opened();

    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return;
      clearTimeout(watch);
      watch = setTimeout(() => stop.abort(), silence);
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) deliver(block, take);
    }
  } finally {
    clearTimeout(watch);
    stop.abort();
  }
}

/** @param {string} block @param {(e: any) => void} take */
function deliver(block, take) {
  const data = block.split('\n').filter(l => l.startsWith('data: ')).map(l => l.slice(6)).join('\n');
  if (!data) return;
  const e = JSON.parse(data);
  if (e.error_code === 'UNAUTHENTICATED') leave('This session has ended: it was revoked.');
  else if (!e.error_code) take(e);
}
