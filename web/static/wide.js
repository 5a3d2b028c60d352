// @ts-check
// A terminal as wide as it is, drawn by xterm.js in a frame of its own: that writes styles, which the page's policy forbids.
import {Away, Refused, call} from './api.js';
import {html, useEffect, useLayoutEffect, useRef, useState} from './parts.js';
import {Gone, Size, Terminal, watch} from './terminal.js';

const theme = {
  background: '#0b0d10', foreground: '#d7dae0', cursor: '#d7dae0', selectionBackground: '#3a4556',
  black: '#3b4048', red: '#e06c75', green: '#98c379', yellow: '#d7b36a', blue: '#61afef', magenta: '#c678dd', cyan: '#56b6c2', white: '#c5cad3',
  brightBlack: '#6b7280', brightRed: '#ef8a92', brightGreen: '#b5d99c', brightYellow: '#e8cd8f', brightBlue: '#8cc5f5', brightMagenta: '#d8a1e8',
  brightCyan: '#86d0d9', brightWhite: '#f2f4f7',
};

const keys = /** @type {Record<string, string>} */ ({
  '\r': 'Enter', '\t': 'Tab', '\x7f': 'BSpace', '\x1b': 'Escape', '\x1b[A': 'Up', '\x1b[B': 'Down', '\x1b[C': 'Right', '\x1b[D': 'Left',
  '\x1b[Z': 'BTab', '\x1b[H': 'Home', '\x1b[F': 'End', '\x1b[5~': 'PageUp', '\x1b[6~': 'PageDown', '\x1b[2~': 'IC', '\x1b[3~': 'DC',
  '\x1bOP': 'F1', '\x1bOQ': 'F2', '\x1bOR': 'F3', '\x1bOS': 'F4', '\x1b[15~': 'F5', '\x1b[17~': 'F6', '\x1b[18~': 'F7', '\x1b[19~': 'F8',
  '\x1b[20~': 'F9', '\x1b[21~': 'F10', '\x1b[23~': 'F11', '\x1b[24~': 'F12', '\x1b\r': 'M-Enter',
});

/**
 * What xterm.js says was typed, as a text or a key by its name; null for what is neither, such as several lines.
 * @param {string} data @returns {{text?: string, keys?: string[]} | null}
 */
export function strokes(data) {
  const arrow = /^\x1b\[1;([2-8])([A-DHF])$/.exec(data);
  if (keys[data]) return {keys: [keys[data]]};
  if (arrow) {
    const held = Number(arrow[1]) - 1;
    const way = {A: 'Up', B: 'Down', C: 'Right', D: 'Left', H: 'Home', F: 'End'}[arrow[2]];
    return {keys: [`${held & 4 ? 'C-' : ''}${held & 2 ? 'M-' : ''}${held & 1 ? 'S-' : ''}${way}`]};
  }
  if (/^[\x01-\x1a]$/.test(data)) return {keys: [`C-${String.fromCharCode(data.charCodeAt(0) + 96)}`]};
  if (/^\x1b[a-z0-9]$/.test(data)) return {keys: [`M-${data[1]}`]};
  // eslint-disable-next-line no-control-regex
  return /[\x00-\x1f\x7f]/.test(data) ? null : {text: data};
}

const page = new URL('./xterm-frame.html', import.meta.url).href;
const large = 'parley.large'; // where it is kept that letters are to be large

/** View is one terminal that is shown: it reads the screen, and types. */
class View {
  /** @param {HTMLIFrameElement} frame @param {string} agent @param {(x: object) => void} tell */
  constructor(frame, agent, tell) {
    const inside = /** @type {any} */ (frame.contentWindow);
    const box = inside.document.querySelector('main');
    this.frame = frame; this.box = box; this.agent = agent; this.tell = tell;
    this.term = new inside.Terminal({
      cols: 80, rows: 12, scrollback: 2000, disableStdin: true, fontSize: 13, theme, cursorBlink: false, minimumContrastRatio: 4.5,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'), smoothScrollDuration: 0,
    });
    this.term.open(box);
    this.term.onData((/** @type {string} */ d) => this.typed(d));
    this.term.attachCustomKeyEventHandler((/** @type {KeyboardEvent} */ e) => {
      if (e.key !== 'Escape' || !e.shiftKey) return true;
      if (e.type === 'keydown') this.tell({typing: false});
      return false;
    });
    this.term.onScroll(() => { if (this.back && this.low()) this.live(); });
    this.wheel = (/** @type {WheelEvent} */ e) => { if (e.deltaY < 0 && !this.back && !this.box.scrollTop) this.lookBack(); };
    box.addEventListener('wheel', this.wheel, {passive: true});
    this.sizes = new ResizeObserver(() => this.fit());
    this.sizes.observe(box);
    this.shown = ''; this.timer = 0; this.back = false; this.over = false; this.typing = false;
    /** @type {{text?: string, keys?: string[]}[]} */ this.queue = [];
    this.sending = false;
    this.screen = /** @type {any} */ (null);
    this.unwatch = watch(agent, 0, (s, gone) => this.take(s, gone));
  }

  low() { const b = this.term.buffer.active; return b.viewportY >= b.baseY; }

  end() {
    this.over = true;
    this.unwatch();
    clearTimeout(this.timer);
    this.sizes.disconnect();
    this.box.removeEventListener('wheel', this.wheel);
    this.term.dispose();
  }

  /** Makes the letters as large as the columns leave room for, or as one reads them well: then it scrolls sideways. */
  fit() {
    const fits = Math.max(7.5, Math.min(14, Math.floor((this.box.clientWidth - 16) / this.term.cols / 0.602 * 4) / 4));
    const size = localStorage.getItem(large) ? Math.max(14, fits) : fits;
    if (this.term.options.fontSize !== size) this.term.options.fontSize = size;
    const over = this.box.offsetHeight - this.box.clientHeight; // a bar to scroll sideways
    this.frame.style.height = `${this.term.element.querySelector('.xterm-screen').offsetHeight + 20 + over}px`;
  }

  /** Draws the screen as it is told, or was read. @param {any} s @param {string} [gone] */
  take(s, gone = '') {
    if (this.over || this.back) return;
    if (s) { this.screen = s; this.draw(s); }
    this.tell(gone ? {gone, typing: false} : {screen: s, gone});
  }

  /** Reads the screen at once, after a key. */
  async read() {
    try {
      this.take(await call('read_terminal', {agent: this.agent, colours: true}));
    } catch (e) {
      if (!(e instanceof Refused || e instanceof Away)) throw e; // what follows it says that
    }
  }

  /** @param {any} s a screen */
  draw(s) {
    const shown = JSON.stringify([s.lines, s.cursor_x, s.cursor_y, s.width, s.height, s.cursor_hidden]);
    if (shown === this.shown) return;
    this.shown = shown;
    // What is below all that was ever written is left out.
    const same = this.term.cols === s.width, height = Math.max(same ? this.term.rows : 0, s.lines.length, s.cursor_y + 1, 12);
    const tall = Math.min(s.height, height), first = !same || this.term.rows !== tall;
    if (first) { this.term.resize(s.width, tall); this.fit(); }
    // A row is cleared in the style of what stands in it: the style goes on to the next row.
    const rows = s.lines.map((/** @type {string} */ l, /** @type {number} */ i) => `\x1b[${i + 1}H\x1b7\x1b[0m\x1b[2K\x1b8${l}`).join('');
    const rest = s.lines.length < s.height ? `\x1b[0m\x1b[${s.lines.length + 1}H\x1b[J` : '';
    this.term.write(`\x1b[?2026h\x1b[0m${rows}${rest}\x1b[0m\x1b[${s.cursor_y + 1};${s.cursor_x + 1}H\x1b[?25${s.cursor_hidden ? 'l' : 'h'}\x1b[?2026l`,
      () => { if (first && !this.over) this.box.scrollTop = this.box.scrollHeight; });
  }

  /** Shows earlier lines, which stand still until one is back at the end. */
  async lookBack() {
    if (this.back || this.over) return;
    this.back = true;
    try {
      const s = await call('read_terminal', {agent: this.agent, colours: true, history: 2000});
      if (this.over) return;
      this.term.reset();
      this.term.write(s.lines.join('\r\n'), () => {
        this.term.scrollLines(-Math.max(3, Math.floor(this.term.rows / 3)));
        this.tell({back: true});
      });
    } catch (e) {
      this.back = false;
      if (!(e instanceof Refused || e instanceof Away)) throw e;
    }
  }

  live() {
    this.back = false;
    this.shown = '';
    this.term.reset();
    this.tell({back: false});
    this.read();
  }

  /** @param {boolean} on */
  types(on) {
    this.typing = on;
    this.term.options.disableStdin = !on;
    this.term.options.cursorBlink = on;
    if (on) this.term.focus(); // what was typed before it is off still goes there
  }

  /** @param {string} data */
  typed(data) {
    if (!this.typing) return;
    const s = strokes(data);
    if (!s) return this.tell({refused: 'That has several lines, or keys that are not known here. Send a long text as a message.'});
    const last = this.queue[this.queue.length - 1];
    if (last && s.text && !last.keys) last.text = (last.text ?? '') + s.text;
    else if (last && s.keys && (last.keys?.length ?? 0) < 32) last.keys = [...last.keys ?? [], ...s.keys];
    else this.queue.push(s);
    this.send();
  }

  /** Types what waits, in its order. What cannot be typed ends the typing: nothing is typed twice. */
  async send() {
    if (this.sending) return;
    this.sending = true;
    try {
      for (let s; (s = this.queue.shift());) {
        await call('type_in_terminal', {agent: this.agent, ...s});
        this.tell({refused: ''});
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.read(), 40);
      }
    } catch (e) {
      if (!(e instanceof Refused || e instanceof Away)) throw e;
      this.queue = [];
      this.tell({typing: false, refused: e instanceof Refused ? `${e.message} ${e.action}` : 'The line was lost. Look at what arrived before you go on.'});
    } finally {
      this.sending = false;
    }
  }
}

/** An agent's terminal in its whole width. Until its parts are loaded, and where they cannot be, as text. @param {{agent: string}} props */
export function Wide({agent}) {
  const [x, set] = useState(/** @type {any} */ ({}));
  const [ready, setReady] = useState(false);
  const frame = useRef(/** @type {HTMLIFrameElement | null} */ (null));
  const view = useRef(/** @type {View | null} */ (null));
  const loaded = () => {
    try {
      setReady(!!(/** @type {any} */ (frame.current?.contentWindow).Terminal));
    } catch { /* without a line stands there what the browser says of that */ }
  };
  useEffect(() => {
    if (!ready || !frame.current) return;
    const v = new View(frame.current, agent, more => set((/** @type {any} */ old) => ({...old, ...more})));
    view.current = v;
    return () => { view.current = null; v.end(); };
  }, [ready, agent]);
  // Before anything says that keys go there: those that follow at once are typed too.
  useLayoutEffect(() => { view.current?.types(!!x.typing); }, [x.typing]);

  const enlarge = () => {
    if (localStorage.getItem(large)) localStorage.removeItem(large); else localStorage.setItem(large, 'yes');
    view.current?.fit();
    set({...x});
  };

  return html`${ready ? null : html`<${Terminal} agent=${agent} />`}<section hidden=${!ready} class=${`terminal wide ${x.typing ? 'typing' : ''}`} aria-label=${`Terminal of ${agent}`}>
    <${Gone} gone=${x.gone} at=${x.screen?.at} />
    <iframe ref=${frame} src=${page} onLoad=${loaded} title=${`Screen of ${agent}`} class=${`screen ${x.gone ? 'past' : ''}`}></iframe>
    ${x.refused ? html`<p class="bad" role="alert">${x.refused}</p>` : null}
    <div class="row"><${Size} screen=${x.screen} /><span class="grow"></span>
      ${x.typing ? html`<span role="status">Your keys go to <b>${agent}</b>; messages wait for them. Shift-Escape ends it.</span>` : null}
      ${x.screen?.takes_keys && !x.gone ? html`<label class="check"><input type="checkbox" role="switch" checked=${!!x.typing}
        onChange=${(/** @type {any} */ e) => { if (x.back) view.current?.live(); set({...x, typing: e.target.checked, refused: ''}); }} /> Type here</label>` : null}
      <button type="button" class="plain" aria-pressed=${!!localStorage.getItem(large)} onClick=${enlarge}>Large letters</button>
      <button type="button" class="plain" onClick=${() => x.back ? view.current?.live() : view.current?.lookBack()}>${x.back ? 'Go on live' : 'Earlier lines'}</button></div>
  </section>`;
}
