// A document for components, as far as they use one, with a clock of its own. Nothing has a size or a style.
const blocks = new Set(['p', 'li', 'div', 'section', 'article', 'header', 'h1', 'h2', 'h3', 'button', 'a', 'span', 'option', 'label', 'summary', 'pre']);

class Target {
  constructor() { this.heard = []; }
  addEventListener(type, f, how) { this.heard.push({type: type.toLowerCase(), f, first: how === true || !!how?.capture}); }
  removeEventListener(type, f) { this.heard = this.heard.filter(h => h.f !== f || h.type !== type.toLowerCase()); }
  dispatchEvent(e) {
    e.target = this;
    e.preventDefault = () => { e.defaultPrevented = true; };
    e.stopPropagation = () => { e.stopped = true; };
    const way = [];
    for (let n = this; n; n = n.parentNode) way.push(n);
    if (this !== globalThis.window) way.push(globalThis.window);
    for (const first of [true, false]) {
      for (const n of first ? [...way].reverse() : e.bubbles === false ? [this] : way) {
        e.currentTarget = n;
        for (const h of [...n.heard]) if (h.type === e.type.toLowerCase() && h.first === first && !e.stopped) (h.f.handleEvent ?? h.f).call(n, e);
      }
    }
    return !e.defaultPrevented;
  }
}

class Node extends Target {
  constructor(type) { super(); this.nodeType = type; this.childNodes = []; this.parentNode = null; }
  get firstChild() { return this.childNodes[0] ?? null; }
  get lastChild() { return this.childNodes.at(-1) ?? null; }
  get nextSibling() { return this.parentNode?.childNodes[this.parentNode.childNodes.indexOf(this) + 1] ?? null; }
  get isConnected() { return document.contains(this); }
  insertBefore(n, before) {
    n.remove();
    this.childNodes.splice(before ? this.childNodes.indexOf(before) : this.childNodes.length, 0, n);
    n.parentNode = this;
    return n;
  }
  appendChild(n) { return this.insertBefore(n, null); }
  removeChild(n) { n.remove(); return n; }
  remove() {
    if (this.parentNode) this.parentNode.childNodes.splice(this.parentNode.childNodes.indexOf(this), 1);
    if (this.contains(document.activeElement)) document.activeElement = document.body;
    this.parentNode = null;
  }
  replaceChildren(...all) { for (const n of [...this.childNodes]) n.remove(); for (const n of all) this.appendChild(n); }
  contains(n) { for (; n; n = n.parentNode) if (n === this) return true; return false; }
  get textContent() { return this.nodeType === 3 ? this.data : this.childNodes.map(n => n.textContent).join(''); }
  get text() {
    if (this.nodeType === 3) return this.data;
    const inner = this.childNodes.map(n => n.text).join('');
    return blocks.has(this.localName) ? ` ${inner} ` : inner;
  }
  get all() { return this.childNodes.flatMap(n => n.nodeType === 1 ? [n, ...n.all] : []); }
  querySelectorAll(which) { return this.all.filter(n => n.matches(which)); }
  querySelector(which) { return this.querySelectorAll(which)[0] ?? null; }
}

const part = /^([a-z]\w*)|#([\w-]+)|\.([\w-]+)|\[([\w-]+)(?:([~^$]?)=["']?([^"'\]]*)["']?)?\]/g;

/** Whether an element is what one part of a selector names. */
const is = (n, which) => [...which.matchAll(part)].every(([, tag, id, kind, name, how, value]) => {
  if (tag) return n.localName === tag;
  if (id) return n.getAttribute('id') === id;
  if (kind) return n.className.split(' ').includes(kind);
  const v = n.getAttribute(name);
  return v !== null && (value === undefined || {'~': v.split(' ').includes(value), '^': v.startsWith(value), $: v.endsWith(value), '': v === value}[how]);
});

class Element extends Node {
  constructor(tag, space) {
    super(1);
    Object.assign(this, {localName: tag, namespaceURI: space, attributes: {}, disabled: false, checked: false, files: [],
      style: {setProperty() {}}});
    if (/^(input|textarea|select)$/.test(tag)) this.value = '';
  }
  setAttribute(k, v) { this.attributes[k] = String(v); }
  removeAttribute(k) { delete this.attributes[k]; }
  getAttribute(k) { return this.attributes[k] ?? null; }
  hasAttribute(k) { return k in this.attributes; }
  get className() { return this.attributes.class ?? ''; }
  get dataset() {
    const of = this.attributes;
    return new Proxy({}, {get: (_, k) => of[`data-${k}`], set: (_, k, v) => { of[`data-${k}`] = v; return true; }});
  }
  matches(which) {
    return which.split(',').some(one => {
      const parts = one.trim().split(/\s+/);
      if (!is(this, parts.pop())) return false;
      for (let n = this.parentNode; n && parts.length; n = n.parentNode) if (n.nodeType === 1 && is(n, parts.at(-1))) parts.pop();
      return !parts.length;
    });
  }
  closest(which) { for (let n = this; n?.nodeType === 1; n = n.parentNode) if (n.matches(which)) return n; return null; }
  focus() {
    if (document.activeElement === this) return;
    document.activeElement.blur?.();
    document.activeElement = this;
    this.dispatchEvent({type: 'focus'});
  }
  blur() {
    if (document.activeElement !== this) return;
    document.activeElement = document.body;
    this.dispatchEvent({type: 'blur'});
  }
  click() {
    if (this.disabled) return;
    this.focus();
    if (/^(checkbox|radio)$/.test(this.getAttribute('type'))) { this.checked = !this.checked; this.dispatchEvent({type: 'change'}); }
    this.dispatchEvent({type: 'click'});
    if (this.localName === 'a' && this.getAttribute('href')?.startsWith('#')) location.hash = this.getAttribute('href');
  }
  scrollIntoView() {}
  getBoundingClientRect() { return {top: 0, left: 0, width: 0, height: 0}; }
}

// ---- time: the next timer is always due

let timers = [], count = 0;
globalThis.setTimeout = (f, ms = 0, again = 0) => { timers.push({id: ++count, at: Date.now() + ms, f, again}); return count; };
globalThis.setInterval = (f, ms) => setTimeout(f, ms, ms);
globalThis.clearTimeout = globalThis.clearInterval = id => { timers = timers.filter(t => t.id !== id); };
globalThis.requestAnimationFrame = f => setTimeout(f, 16);
globalThis.cancelAnimationFrame = clearTimeout;
/** Runs the next timer, and says whether there was one. */
globalThis.runNext = () => {
  const next = timers.reduce((a, b) => b.at < a.at ? b : a, timers[0]);
  if (!next) return false;
  clearTimeout(next.id);
  setTime(Math.max(Date.now(), next.at));
  if (next.again) timers.push({...next, at: Date.now() + next.again});
  next.f();
  return true;
};

// ---- what a window has

class Signal extends Target {
  constructor() { super(); this.aborted = false; }
}
globalThis.AbortController = class {
  constructor() { this.signal = new Signal(); }
  abort() { if (!this.signal.aborted) { this.signal.aborted = true; this.signal.dispatchEvent({type: 'abort'}); } }
};
globalThis.AbortSignal = {timeout: () => new Signal(), any(all) {
  const one = new AbortController();
  for (const s of all) s.addEventListener('abort', () => one.abort());
  return one.signal;
}};

const kept = () => {
  const all = new Map();
  return {getItem: k => all.get(k) ?? null, setItem: (k, v) => { all.set(k, String(v)); }, removeItem: k => { all.delete(k); }};
};

const window = globalThis.window = new Target();
globalThis.addEventListener = window.addEventListener.bind(window);
globalThis.removeEventListener = window.removeEventListener.bind(window);
globalThis.dispatchEvent = window.dispatchEvent.bind(window);
globalThis.scrollTo = () => {};
globalThis.scrollY = 0;
globalThis.isSecureContext = false;
globalThis.queueMicrotask = f => { Promise.resolve().then(f); };
globalThis.matchMedia = which => Object.assign(new Target(), {matches: !!globalThis.wide && which.includes('min-width')});
globalThis.sessionStorage = kept();
globalThis.localStorage = kept();
globalThis.navigator = {onLine: true};
globalThis.CSSStyleSheet = class { constructor() { this.cssRules = []; } insertRule() {} replaceSync() {} };
globalThis.CSS = {escape: x => x};
globalThis.TextDecoderStream = class {};
globalThis.TextEncoder = class { encode(x) { return x; } };
globalThis.URL = class { constructor(x) { this.pathname = x.replace(/^\w+:\/\/[^/]+/, ''); } };
globalThis.crypto = {randomUUID: () => `id-${++count}`, getRandomValues: x => x};
globalThis.IntersectionObserver = class { constructor(f) { this.f = f; } observe() { setTimeout(() => this.f([{isIntersecting: true}])); } disconnect() {} };
globalThis.history = {replaceState: (_, __, to) => { if (to.startsWith('#')) location.at = to; else location.at = ''; }};
globalThis.location = {
  at: '', host: '127.0.0.1', reloads: 0,
  get hash() { return this.at; },
  set hash(to) { this.at = to.startsWith('#') ? to : `#${to}`; setTimeout(() => dispatchEvent({type: 'hashchange'})); },
  reload() { this.reloads++; },
};

const document = globalThis.document = new Node(9);
document.createElementNS = (space, tag) => new Element(tag, space);
document.createElement = tag => new Element(tag, '');
document.createTextNode = data => Object.assign(new Node(3), {data});
document.getElementById = id => document.querySelector(`#${id}`);
document.hidden = false;
document.documentElement = document.appendChild(new Element('html', ''));
document.body = document.activeElement = document.documentElement.appendChild(new Element('body', ''));
document.body.appendChild(new Element('div', '')).setAttribute('id', 'app');
document.adoptedStyleSheets = [];
