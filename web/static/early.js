// @ts-check
// The session's key, and what the page asks for before its other parts are here: the session of a link's code, and what
// waits. The key stays in the browser: it signs each request, and what is sent is of no use to whoever hears it.

/**
 * A session: its public key, and what its requests are signed for: a run of the daemon, and the daemon's clock.
 * @typedef {{key: string, key_id: string, watch: boolean, workspace: string, run: string, ahead: number}} Session
 */

/** Where a session is kept. */
export const stored = 'parley.session';

/** Takes the one-time code of a link from the address bar, where nobody should read it. */
export function takeCode() {
  const hash = location.hash.slice(1);
  if (!hash.startsWith('parley_')) return '';
  history.replaceState(null, '', '/');
  return hash;
}

/** The code that the page was opened with. */
export const code = takeCode();

/** The session of this tab, or of this device, as it is kept; null if there is none. */
export function restored() {
  try {
    return sessionStorage.getItem(stored) ?? localStorage.getItem(stored);
  } catch {
    return null;
  }
}

/** @param {string} path @param {RequestInit} init */
export function ask(path, init) {
  return fetch(path, {cache: 'no-store', credentials: 'omit', redirect: 'error', ...init});
}

/** What the first view needs, by its operation. */
export const first = /** @type {Record<string, object>} */ ({get_needs: {}, check_inbox: {limit: 10}});

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);
const coded = (/** @type {ArrayBuffer | Uint8Array<ArrayBuffer>} */ b) => btoa(String.fromCharCode(...new Uint8Array(b)))
  .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
/** @param {string | ArrayBuffer} x */
const digest = x => crypto.subtle.digest('SHA-256', typeof x === 'string' ? bytes(x) : x);
const curve = {name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256'};

/**
 * Does something with the private keys of this browser, by their public ones.
 * @param {IDBTransactionMode} mode @param {(keys: IDBObjectStore) => IDBRequest} does @returns {Promise<any>}
 */
const keys = (mode, does) => new Promise((done, failed) => {
  const open = indexedDB.open('parley');
  open.onupgradeneeded = () => open.result.createObjectStore('keys');
  open.onerror = () => failed(open.error);
  open.onsuccess = () => {
    const asked = does(open.result.transaction('keys', mode).objectStore('keys'));
    open.result.close(); // once that is done
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => failed(asked.error);
  };
});

/** Forgets the private key of a session. @param {string} key */
export const forget = key => keys('readwrite', k => k.delete(key)).catch(() => {});

/** The private keys that this page has used, by their public ones. @type {Map<string, Promise<CryptoKey>>} */
const known = new Map();

/** Whether the browser lends keys: by https and on its own machine alone. */
export const secure = Boolean(globalThis.crypto?.subtle);

/** @param {Session} s @param {string} path @param {RequestInit} init */
async function signed(s, path, init) {
  if (!known.has(s.key)) known.set(s.key, keys('readonly', k => k.get(s.key)));
  const key = await known.get(s.key)?.catch(() => { known.delete(s.key); });
  const time = Date.now() + (s.ahead || 0), nonce = coded(crypto.getRandomValues(new Uint8Array(16)));
  const sent = await digest(/** @type {string | ArrayBuffer} */ (init.body ?? ''));
  const text = ['parley', init.method ?? 'GET', location.host, path, s.run, time, nonce, coded(sent)].join('\n');
  const sum = key ? coded(await crypto.subtle.sign(curve, key, bytes(text))) : ''; // without its key it has ended
  return ask(path, {...init, headers: {'Content-Type': 'application/json', ...init.headers, // what is large, such as a file, is compared at its end
    'Content-Digest': `sha-256=:${btoa(String.fromCharCode(...new Uint8Array(sent)))}:`,
    Authorization: `Parley ${[s.key, s.run, time, nonce, sum].join('.')}`}});
}

/** Asks with a session. A daemon that has begun anew says what is to be signed for it. @param {Session} s @param {string} path @param {RequestInit} init */
export async function askSigned(s, path, init) {
  const answer = await signed(s, path, init);
  const {run, time} = answer.status === 401 ? (await answer.clone().json().catch(() => null))?.details ?? {} : {};
  if (!run) return answer;
  Object.assign(s, {run, ahead: time - Date.now()});
  for (const place of [sessionStorage, localStorage]) {
    if (JSON.parse(place.getItem(stored) ?? 'null')?.key === s.key) place.setItem(stored, JSON.stringify(s));
  }
  return signed(s, path, init);
}

/** The public key of the session that a code becomes. */ let fresh = '';
export const freshKey = () => fresh;

/**
 * Turns a one-time code into a session, and asks at once what that wants to know. The code itself is not sent.
 * @param {string} code
 */
export async function exchange(code) {
  const pair = await crypto.subtle.generateKey(curve, false, ['sign', 'verify']);
  const key = fresh = coded(await crypto.subtle.exportKey('raw', pair.publicKey));
  known.set(key, Promise.resolve(pair.privateKey));
  await keys('readwrite', k => k.put(pair.privateKey, key));
  const mac = {name: 'HMAC', hash: 'SHA-256'};
  const secret = await crypto.subtle.importKey('raw', await digest(code), mac, false, ['sign']);
  const proof = coded(await crypto.subtle.sign(mac, secret, bytes(`session\n${key}`)));
  return signed(/** @type {any} */ ({key, run: ''}), '/session', {
    method: 'POST', body: JSON.stringify({code_id: code.slice(0, 15), proof, calls: first}),
  });
}

// A request that hangs would keep the first view from being read again.
const patience = 20_000;

/** @type {Map<string, Promise<Response>>} */ const asked = new Map();

/** Takes the answer to what was asked early, undefined if it was not, or has been taken. @param {string} what */
export function take(what) {
  const answer = asked.get(what);
  asked.delete(what);
  return answer;
}

/** @param {string} what @param {Promise<Response>} answer */
function keep(what, answer) {
  answer.catch(() => {}); // whoever takes it hears of that
  asked.set(what, answer);
}

/** @param {Session} s */
function look(s) {
  for (const [op, args] of Object.entries(first)) {
    keep(op, askSigned(s, `/api/${op}`, {
      method: 'POST', body: JSON.stringify(args), signal: AbortSignal.timeout(patience),
    }));
  }
}

if (code && secure) {
  keep('session', exchange(code));
} else if (!code) {
  try {
    const s = JSON.parse(restored() ?? '');
    if (s.key) look(s);
  } catch { /* there is no session */ }
}
