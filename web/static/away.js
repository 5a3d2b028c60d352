// @ts-check
// The page without its line, and the person without the page: the service worker, and notices that it shows.
import {Refused, call} from './api.js';

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

if ('serviceWorker' in navigator) {
  navigator.serviceWorker.addEventListener('message', e => {
    if (String(e.data?.path).startsWith('/#/')) location.hash = e.data.path.slice(1);
  });
}

/** Whether notices could be pushed to this browser. */
export const mayPush = () => isSecureContext && 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** This browser's subscription, or null. */
async function subscription() {
  const worker = mayPush() ? await navigator.serviceWorker.getRegistration('/') : undefined;
  return await worker?.pushManager.getSubscription() ?? null;
}

/** Whether notices are pushed to this browser. */
export const pushes = () => subscription().then(s => !!s && Notification.permission === 'granted', () => false);

// A push service that cannot be reached says nothing for minutes.
const patience = 20_000;

/**
 * Has notices pushed to this browser.
 * @returns {Promise<string>} why not, in words; '' if they are
 */
export async function pushOn() {
  if (await Notification.requestPermission() !== 'granted') return 'This browser shows no notices of this page: its settings for the page say so.';
  const {public_key: key} = await call('notify_device');
  const late = new Promise((_, no) => setTimeout(() => no(new Error('late')), patience));
  let made;
  try {
    const worker = await Promise.race([navigator.serviceWorker.ready, late]);
    made = await Promise.race([worker.pushManager.subscribe({userVisibleOnly: true, applicationServerKey: key}), late]);
  } catch {
    return "This browser's push service cannot be reached, so nothing is pushed here.";
  }
  try {
    const {endpoint, keys} = made.toJSON();
    await call('notify_device', {endpoint, p256dh: keys.p256dh, auth: keys.auth});
  } catch (e) {
    await made.unsubscribe();
    if (e instanceof Refused) return `${e.message} ${e.action}`;
    throw e;
  }
  return '';
}

/** Ends that, here and at the daemon. */
export async function pushOff() {
  const s = await subscription();
  if (!s) return;
  await s.unsubscribe();
  await call('notify_device', {endpoint: s.endpoint, remove: true});
}

const stored = 'parley.seen';

/** When there was a line last, also before this page was opened. */
export const lastSeen = () => Number(localStorage.getItem(stored)) || Date.now();

/** Notes that there is a line now. */
export const seen = () => localStorage.setItem(stored, String(Date.now()));
