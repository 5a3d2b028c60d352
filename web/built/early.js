// early.js
var stored = "parley.session";
function takeCode() {
  const hash = location.hash.slice(1);
  if (!hash.startsWith("parley_")) return "";
  history.replaceState(null, "", "/");
  return hash;
}
var code = takeCode();
function restored() {
  try {
    return sessionStorage.getItem(stored) ?? localStorage.getItem(stored);
  } catch {
    return null;
  }
}
function ask(path, init) {
  return fetch(path, { cache: "no-store", credentials: "omit", redirect: "error", ...init });
}
var first = (
  /** @type {Record<string, object>} */
  { get_needs: {}, check_inbox: { limit: 10 } }
);
var bytes = (text) => new TextEncoder().encode(text);
var coded = (b) => btoa(String.fromCharCode(...new Uint8Array(b))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
var digest = (x) => crypto.subtle.digest("SHA-256", typeof x === "string" ? bytes(x) : x);
var curve = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
var keys = (mode, does) => new Promise((done, failed) => {
  const open = indexedDB.open("parley");
  open.onupgradeneeded = () => open.result.createObjectStore("keys");
  open.onerror = () => failed(open.error);
  open.onsuccess = () => {
    const asked2 = does(open.result.transaction("keys", mode).objectStore("keys"));
    open.result.close();
    asked2.onsuccess = () => done(asked2.result);
    asked2.onerror = () => failed(asked2.error);
  };
});
var forget = (key) => keys("readwrite", (k) => k.delete(key)).catch(() => {
});
var known = /* @__PURE__ */ new Map();
var secure = Boolean(globalThis.crypto?.subtle);
async function signed(s, path, init) {
  if (!known.has(s.key)) known.set(s.key, keys("readonly", (k) => k.get(s.key)));
  const key = await known.get(s.key)?.catch(() => {
    known.delete(s.key);
  });
  const time = Date.now() + (s.ahead || 0), nonce = coded(crypto.getRandomValues(new Uint8Array(16)));
  const sent = await digest(
    /** @type {string | ArrayBuffer} */
    init.body ?? ""
  );
  const text = ["parley", init.method ?? "GET", location.host, path, s.run, time, nonce, coded(sent)].join("\n");
  const sum = key ? coded(await crypto.subtle.sign(curve, key, bytes(text))) : "";
  return ask(path, { ...init, headers: {
    "Content-Type": "application/json",
    ...init.headers,
    // what is large, such as a file, is compared at its end
    "Content-Digest": `sha-256=:${btoa(String.fromCharCode(...new Uint8Array(sent)))}:`,
    Authorization: `Parley ${[s.key, s.run, time, nonce, sum].join(".")}`
  } });
}
async function askSigned(s, path, init) {
  const answer = await signed(s, path, init);
  const { run, time } = answer.status === 401 ? (await answer.clone().json().catch(() => null))?.details ?? {} : {};
  if (!run) return answer;
  Object.assign(s, { run, ahead: time - Date.now() });
  for (const place of [sessionStorage, localStorage]) {
    if (JSON.parse(place.getItem(stored) ?? "null")?.key === s.key) place.setItem(stored, JSON.stringify(s));
  }
  return signed(s, path, init);
}
var fresh = "";
var freshKey = () => fresh;
async function exchange(code2) {
  const pair = await crypto.subtle.generateKey(curve, false, ["sign", "verify"]);
  const key = fresh = coded(await crypto.subtle.exportKey("raw", pair.publicKey));
  known.set(key, Promise.resolve(pair.privateKey));
  await keys("readwrite", (k) => k.put(pair.privateKey, key));
  const mac = { name: "HMAC", hash: "SHA-256" };
  const secret = await crypto.subtle.importKey("raw", await digest(code2), mac, false, ["sign"]);
  const proof = coded(await crypto.subtle.sign(mac, secret, bytes(`session
${key}`)));
  return signed(
    /** @type {any} */
    { key, run: "" },
    "/session",
    {
      method: "POST",
      body: JSON.stringify({ code_id: code2.slice(0, 15), proof, calls: first })
    }
  );
}
var patience = 2e4;
var asked = /* @__PURE__ */ new Map();
function take(what) {
  const answer = asked.get(what);
  asked.delete(what);
  return answer;
}
function keep(what, answer) {
  answer.catch(() => {
  });
  asked.set(what, answer);
}
function look(s) {
  for (const [op, args] of Object.entries(first)) {
    keep(op, askSigned(s, `/api/${op}`, {
      method: "POST",
      body: JSON.stringify(args),
      signal: AbortSignal.timeout(patience)
    }));
  }
}
if (code && secure) {
  keep("session", exchange(code));
} else if (!code) {
  try {
    const s = JSON.parse(restored() ?? "");
    if (s.key) look(s);
  } catch {
  }
}
export {
  ask,
  askSigned,
  code,
  exchange,
  first,
  forget,
  freshKey,
  restored,
  secure,
  stored,
  take,
  takeCode
};
