// @ts-check
// The page: signing in, the way between its views, and what is said of the line to the daemon.
import {render} from './npm/preact.js';
import {effect, signal} from './npm/signals.js';
import {Away, Refused, call, ended, enter, leave, session, stay, stays} from './api.js';
import {line, loaded, opened, readStatus, status, tellOutcome, trouble, versions, waiting} from './state.js';
import {keepPage, mayPush, pushOff, pushOn, pushes} from './away.js';
import {code as given, takeCode} from './early.js';
import {Twice, broad, clock, html, may, useBroad, useEffect, useState} from './parts.js';
import {Needs, act} from './needs.js';

/** The one-time code of the link. */
const code = signal(given);

/** What is shown: the parts of #/view/what. */
const route = signal(readRoute());
function readRoute() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [view, ...rest] = path.split('/');
  try {
    return {view: view || 'needs', what: decodeURIComponent(rest.join('/')), query: decodeURIComponent(query)};
  } catch {
    return {view: 'needs', what: '', query: ''};
  }
}
addEventListener('hashchange', () => {
  const fresh = takeCode();
  if (fresh) { code.value = fresh; signIn(); }
  route.value = readRoute();
  if (route.value.view !== 'thread') scrollTo(0, 0);
});

const entering = signal('');
async function signIn() {
  if (!code.value) return;
  entering.value = 'Signing in…';
  try {
    await enter(code.value);
    code.value = '';
    entering.value = '';
  } catch (e) {
    if (e instanceof Away) { entering.value = 'The daemon cannot be reached. Is the way to it open?'; return; }
    if (!(e instanceof Refused)) throw e;
    code.value = '';
    entering.value = '';
    if (!session.value) leave(`${e.message} ${e.action}`);
    else { location.hash = '#/needs'; tellOutcome({said: e.message, bad: true, action: 'You stay signed in.'}); }
  }
}
signIn();

function Door() {
  if (entering.value === 'Signing in…') {
    return html`<div class="frame"><header class="bar"><div class="row top"><h1>parley</h1></div></header><main><p class="empty" role="status">${entering.value}</p></main></div>`;
  }
  return html`<main class="door">
    <h1>parley</h1>
    ${entering.value ? html`<p role="status">${entering.value}</p>` : ended.value ? html`<p role="alert">${ended.value}</p>` : null}
    ${code.value ? html`<button class="main" onClick=${signIn}>Try again</button>` : null}
    ${!code.value ? html`<p>To open the team here, run this in a terminal and follow its link:</p><pre>parley web</pre>
      <p class="quiet">The link works once. Each tab has a session of its own.</p>` : null}
  </main>`;
}

/** The other views, null until they are loaded. */
const others = signal(/** @type {any} */ (null));
let loading = false;
let failures = 0;

/** Loads the other views, again and again while there is no line. A browser does not try one address twice. */
async function loadViews() {
  if (others.value || loading) return;
  loading = true;
  try {
    const at = failures ? `./views.js?${failures}` : './views.js';
    const m = /** @type {any} */ (await import(at));
    others.value = m;
    keepPage();
  } catch {
    setTimeout(loadViews, Math.min(1000 * 2 ** failures++, 15_000));
  }
  loading = false;
}

// They come after what waits, unless one of them is to be seen.
effect(() => {
  if (!session.value) return;
  if (route.value.view !== 'needs' || broad.matches) loadViews();
  else if (loaded.value) setTimeout(loadViews, 500);
});

const views = [['needs', 'Needs'], ['agents', 'Agents'], ['traffic', 'Traffic'], ['threads', 'Threads'], ['pictures', 'Pictures']];
const parents = /** @type {Record<string, string>} */ ({tiles: 'agents', launch: 'agents', past: 'agents', review: 'agents', agent: 'agents', newthread: 'threads', message: 'traffic', planned: 'traffic', thread: 'threads'});

function View() {
  const {view, what, query} = route.value;
  if (view === 'needs') return html`<${Needs} about=${what} Beside=${others.value?.Terminal} />`;
  if (!others.value) return html`<p class="empty">Reading…</p>`;
  const {Agent, Agents, Health, Launch, Message, NewThread, Past, Pictures, Planned, Review, Sessions, Thread, Threads, Tiles, Traffic, Workspaces} = others.value;
  switch (view) {
    case 'agents': return html`<${Agents} />`;
    case 'pictures': return html`<${Pictures} />`;
    case 'workspaces': return may() ? html`<${Workspaces} />` : null;
    case 'health': return html`<${Health} />`;
    case 'launch': return may() ? html`<${Launch} />` : null;
    case 'past': return may() ? html`<${Past} />` : null;
    case 'planned': return html`<${Planned} />`;
    case 'newthread': return may() ? html`<${NewThread} />` : null;
    case 'sessions': return may() ? html`<${Sessions} />` : null;
    case 'review': return html`<${Review} key=${what} name=${what} />`;
    case 'tiles': return html`<${Tiles} />`;
    case 'agent': return html`<${Agent} key=${what} name=${what} />`;
    case 'traffic': return html`<${Traffic} filter=${query} />`;
    case 'message': return html`<${Message} key=${what} id=${what} />`;
    case 'threads': return html`<${Threads} />`;
    case 'thread': return html`<${Thread} key=${what} id=${what} />`;
  }
  return html`<${Needs} about="" Beside=${others.value.Terminal} />`;
}

/** Pauses all messages, or lets them go on. @param {boolean} paused @returns {Promise<any>} */
const pause = paused => call('pause_communication', {paused}).then(res => { readStatus(); return {said: res.message, undo: () => pause(!paused)}; });

/** What is wrong with the line, in words. */
function Notices() {
  const v = versions.value;
  return html`<div class="notices" aria-live="polite">
    ${line.value.tried && !line.value.live ? html`<p class="note offline">Offline since ${clock(line.value.since)}. ${loaded.value ? 'What you see is from then; what you send waits.' : ''}</p>` : null}
    ${v.old ? html`<p class="note another">The daemon is of another version than this page: parley ${v.now}${v.first && v.first !== v.now ? html`, not ${v.first}` : null}.
      <button type="button" class="plain" onClick=${() => location.reload()}>Load it again <kbd>r</kbd></button></p>` : null}
    ${status.value?.paused ? html`<p class="note">Messages are paused since ${clock(status.value.paused.since)}${status.value.paused.reason ? `: ${status.value.paused.reason}` : ''}.
      ${may() ? html`<button type="button" class="plain" onClick=${() => act({}, () => pause(false))}>Let them go on</button>` : null}</p>` : null}
    ${opened.value && may() && route.value.view !== 'sessions' ? html`<p class="note opened">${opened.value} <a href="#/sessions" onClick=${() => { opened.value = ''; }}>Who is signed in</a>
      <button type="button" class="plain" onClick=${() => { opened.value = ''; }}>Done</button></p>` : null}
    ${trouble.value ? html`<p class="note bad">${trouble.value}</p>` : null}
  </div>`;
}

/** Whether this device is told while the page is closed. */
function Pushed() {
  const [on, set] = useState(false);
  const [said, say] = useState('');
  useEffect(() => { pushes().then(set); }, []);
  const turn = async (/** @type {any} */ e) => {
    const wanted = e.target.checked;
    set(wanted);
    say(wanted ? 'Asking the browser…' : '');
    try {
      const why = wanted ? await pushOn() : await pushOff() ?? '';
      say(why || (wanted ? 'You are told here what needs you, also when this page is closed.' : ''));
    } catch (x) {
      if (!(x instanceof Refused || x instanceof Away)) throw x;
      say(x.message);
    }
    set(await pushes());
  };
  return html`<label class="check"><input type="checkbox" data-push checked=${on} onChange=${turn} /> Notices on this device</label>
    ${said ? html`<p class="quiet" role="status">${said}</p>` : null}`;
}

function Menu() {
  const [open, set] = useState(false);
  const out = async () => {
    const id = session.value?.key_id;
    try {
      if (may() && await pushes()) await pushOff();
      if (!session.value?.watch) await call('revoke_key', {key_id: id});
    } catch { /* it ends by itself */ }
    leave('You have signed out.');
  };
  return html`<div class="menu"><button type="button" class="plain" aria-expanded=${open} aria-label="Session" onClick=${() => set(!open)}>⋯</button>
    ${open ? html`<div class="card sheet"><p><bdi>${session.value?.workspace}</bdi></p>
      <p class="quiet">parley ${versions.value.now}</p><p class="quiet">${session.value?.watch ? 'This session may only look.' : 'This session may do what you may.'}</p>
      <label class="check"><input type="checkbox" checked=${stays.value} onChange=${(/** @type {any} */ e) => stay(e.target.checked)} /> Stay signed in on this device</label>
      ${may() ? html`<p><a href="#/workspaces" onClick=${() => set(false)}>Your workspaces</a> <kbd>W</kbd></p>
        <p><a href="#/sessions" onClick=${() => set(false)}>Who is signed in</a></p>` : null}
      <p><a href="#/health" onClick=${() => set(false)}>Health, files and usage</a></p>
      ${may() && !status.value?.paused ? html`<${Twice} act=${() => act({}, () => pause(true)).then(() => set(false))} sure=${html`<b>Tap again</b>: no message is typed until you let them go on`}>Pause all messages<//>` : null}
      ${may() && mayPush() ? html`<${Pushed} />` : null}
      <button type="button" onClick=${out}>Sign out</button></div>` : null}</div>`;
}

function App() {
  const wide = useBroad();
  if (!session.value) return html`<${Door} />`;
  const {view, what} = route.value;
  const shown = parents[view] ?? (['workspaces', 'sessions', 'health'].includes(view) || views.some(([v]) => v === view) ? view : 'needs');
  const place = session.value.workspace.split('/').pop();
  return html`
    <a class="skip" href="#view" onClick=${(/** @type {Event} */ e) => { e.preventDefault(); document.getElementById('view')?.focus(); }}>To the content</a>
    <div class="frame">
      <header class="bar"><div class="row top"><h1><bdi>${place}</bdi></h1>
          ${session.value.watch ? html`<span class="badge">only looking</span>` : null}
          <span class=${`dot ${line.value.live ? 'live' : ''}`}></span><span class=${line.value.live ? 'hidden' : 'quiet'}>${line.value.live ? 'live' : line.value.tried ? 'offline' : ''}</span><span class="grow"></span><${Menu} /></div>
        <nav aria-label="Views"><ul>${views.map(([v, name]) => html`<li key=${v}><a href=${`#/${v}`} aria-current=${shown === v ? 'page' : undefined}>${name}
          ${v === 'needs' && waiting.value ? html`<b class="count">${waiting.value}<span class="hidden"> for you</span></b>` : null}</a></li>`)}</ul></nav>
        ${wide && others.value ? html`<${others.value.Side} current=${view === 'agent' ? what : ''} />` : null}</header>
      <main id="view" tabindex="-1"><${Notices} />${loaded.value || view !== 'needs' ? html`<${View} />` : html`<p class="empty">${line.value.tried && !line.value.live ? 'What waits for you is shown as soon as the daemon can be reached.' : 'Reading…'}</p>`}</main>
    </div>`;
}

effect(() => {
  const place = session.value?.workspace.split('/').pop();
  document.title = `${waiting.value && session.value ? `(${waiting.value}) ` : ''}${place ? `${place} · ` : ''}parley`;
});

// 1 to 5 choose a view, W your workspaces, / goes to the filter, Escape up; r loads a page again that is old.
addEventListener('keydown', e => {
  const at = /** @type {HTMLElement} */ (e.target);
  if (e.ctrlKey || e.metaKey || e.altKey || at.closest('input, textarea, select')) return;
  const i = ['1', '2', '3', '4', '5'].indexOf(e.key);
  if (i >= 0) location.hash = `#/${views[i][0]}`;
  if (e.key === 'W' && session.value && may()) location.hash = '#/workspaces';
  if (e.key === 'Escape' && parents[route.value.view]) location.hash = `#/${parents[route.value.view]}`;
  if (e.key === 'r' && versions.value.old) location.reload();
  if (e.key === '/') {
    e.preventDefault();
    if (!document.getElementById('filter')) location.hash = '#/traffic';
    setTimeout(() => document.getElementById('filter')?.focus(), 60);
  }
});

const app = document.getElementById('app');
if (app) {
  app.replaceChildren(); // what stood there until now
  render(html`<${App} />`, app);
}
