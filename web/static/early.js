// @ts-check
// What the page asks for before its other parts are here: the session of a link's code, and what waits.

/** @typedef {{key: string, key_id: string, watch: boolean, workspace: string}} Session */

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

/** @param {string | undefined} key */
export const withKey = key => ({Authorization: `Bearer ${key ?? ''}`, 'Content-Type': 'application/json'});

/** What the first view needs, by its operation. */
export const first = /** @type {Record<string, object>} */ ({get_needs: {}, check_inbox: {limit: 10}});

/** Turns a one-time code into a session, and asks at once what that wants to know. @param {string} code */
export const exchange = code => ask('/session', {
  method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({code, calls: first}),
});

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

/** @param {string} key */
function look(key) {
  for (const [op, args] of Object.entries(first)) {
    keep(op, ask(`/api/${op}`, {
      method: 'POST', body: JSON.stringify(args), headers: withKey(key), signal: AbortSignal.timeout(patience),
    }));
  }
}

if (code) {
  keep('session', exchange(code));
} else {
  try {
    look(JSON.parse(restored() ?? '').key);
  } catch { /* there is no session */ }
}
