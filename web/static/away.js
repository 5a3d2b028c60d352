// @ts-check
// The page without its line, and the person without the page: the service worker.

const script = '/page/worker.js';

/** Lets the page open without a line, where the browser does that. */
export async function keepPage() {
  if (!isSecureContext || !('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register(scriptURL(), {scope: '/', updateViaCache: 'none'});
  } catch { /* there is no line now, or the browser keeps nothing: the page works without it */ }
}

/** The address of the service worker, for a browser that takes no text for it. Nothing else comes of the policy. */
function scriptURL() {
  const types = /** @type {any} */ (window).trustedTypes;
  return types ? types.createPolicy('parley-worker', {createScriptURL: () => script}).createScriptURL('') : script;
}

const stored = 'parley.seen';

/** When there was a line last, also before this page was opened. */
export const lastSeen = () => Number(localStorage.getItem(stored)) || Date.now();

/** Notes that there is a line now. */
export const seen = () => localStorage.setItem(stored, String(Date.now()));
