// @ts-check
// The service worker: it opens the page without a line to the daemon, and shows notices while no page is open. It
// keeps the files of one build, and nothing of what the daemon says.

const worker = /** @type {any} */ (self);
const base = '/page/MARK/';
const kept = `parley ${base}`;
const files = ['FILES'];

// How long the daemon may take to send the page, until the kept one opens.
const patience = 5000;

worker.addEventListener('install', (/** @type {any} */ e) => {
  worker.skipWaiting(); // the paths of a build are its own: nothing is mixed
  e.waitUntil(caches.open(kept).then(c => c.addAll(files.map(f => base + f))));
});

worker.addEventListener('activate', (/** @type {any} */ e) => {
  e.waitUntil(caches.keys()
    .then(names => Promise.all(names.filter(n => n.startsWith('parley ') && n !== kept).map(n => caches.delete(n))))
    .then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (/** @type {any} */ e) => {
  const {origin, pathname} = new URL(e.request.url);
  if (origin !== location.origin || e.request.method !== 'GET') return;
  if (e.request.mode === 'navigate' && pathname === '/') e.respondWith(open());
  else if (pathname.startsWith(base)) e.respondWith(caches.match(e.request).then(found => found ?? fetch(e.request)));
});

/** The page of the daemon, or the kept one while it cannot be reached. */
async function open() {
  try {
    const fresh = await fetch('/', {cache: 'no-cache', credentials: 'omit', signal: AbortSignal.timeout(patience)});
    if (fresh.status < 500) return fresh;
  } catch { /* there is no line */ }
  return await caches.match(`${base}index.html`) ?? Response.error();
}

worker.addEventListener('push', (/** @type {any} */ e) => {
  let notice = /** @type {any} */ ({});
  try {
    notice = e.data.json();
  } catch { /* it was not the daemon: something is shown, as the browser wants it */ }
  const path = String(notice.path ?? '').startsWith('/#/') ? notice.path : '/#/needs';
  e.waitUntil(worker.registration.showNotification(String(notice.title ?? 'parley'), {
    body: String(notice.text ?? 'Something needs you.'), tag: String(notice.tag ?? ''), data: {path}, icon: `${base}icon-192.png`,
  }));
});

worker.addEventListener('notificationclick', (/** @type {any} */ e) => {
  e.notification.close();
  e.waitUntil(show(e.notification.data?.path ?? '/#/needs'));
});

/** Brings the page to the front at a path, or opens it. @param {string} path */
async function show(path) {
  for (const page of await worker.clients.matchAll({type: 'window'})) {
    await page.focus();
    page.postMessage({path});
    return;
  }
  await worker.clients.openWindow(path);
}
