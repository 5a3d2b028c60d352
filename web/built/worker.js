// worker.js
var worker = (
  /** @type {any} */
  self
);
var base = "/page/MARK/";
var kept = `parley ${base}`;
var files = ["FILES"];
var patience = 5e3;
worker.addEventListener("install", (e) => {
  worker.skipWaiting();
  e.waitUntil(caches.open(kept).then((c) => c.addAll(files.map((f) => base + f))));
});
worker.addEventListener("activate", (e) => {
  e.waitUntil(caches.keys().then((names) => Promise.all(names.filter((n) => n.startsWith("parley ") && n !== kept).map((n) => caches.delete(n)))).then(() => worker.clients.claim()));
});
worker.addEventListener("fetch", (e) => {
  const { origin, pathname } = new URL(e.request.url);
  if (origin !== location.origin || e.request.method !== "GET") return;
  if (e.request.mode === "navigate" && pathname === "/") e.respondWith(open());
  else if (pathname.startsWith(base)) e.respondWith(caches.match(e.request).then((found) => found ?? fetch(e.request)));
});
async function open() {
  try {
    const fresh = await fetch("/", { cache: "no-cache", credentials: "omit", signal: AbortSignal.timeout(patience) });
    if (fresh.status < 500) return fresh;
  } catch {
  }
  return await caches.match(`${base}index.html`) ?? Response.error();
}
worker.addEventListener("push", (e) => {
  let notice = (
    /** @type {any} */
    {}
  );
  try {
    notice = e.data.json();
  } catch {
  }
  const path = String(notice.path ?? "").startsWith("/#/") ? notice.path : "/#/needs";
  e.waitUntil(worker.registration.showNotification(String(notice.title ?? "parley"), {
    body: String(notice.text ?? "Something needs you."),
    tag: String(notice.tag ?? ""),
    data: { path },
    icon: `${base}icon-192.png`
  }));
});
worker.addEventListener("notificationclick", (e) => {
  e.notification.close();
  e.waitUntil(show(e.notification.data?.path ?? "/#/needs"));
});
async function show(path) {
  for (const page of await worker.clients.matchAll({ type: "window" })) {
    await page.focus();
    page.postMessage({ path });
    return;
  }
  await worker.clients.openWindow(path);
}
