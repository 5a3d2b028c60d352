// @ts-check
// What the daemon says, as signals. Everything is read again when the stream says that it has changed, and never else;
// events are taken at once and drawn at most ten times a second.
import {batch, computed, effect, signal} from './npm/signals.js';
import {Away, Refused, build, call, callOnce, leaving, look, mark, names, rest, saidOf, sentence, session, stream} from './api.js';
import {lastSeen, seen} from './away.js';

/** @typedef {import('./api.js').Event} Event */

export const agents = signal(/** @type {any[]} */ ([]));
/** The needs, without those that are parts of another one, and without what is between agents. */
export const matters = signal(/** @type {any[]} */ ([]));
export const letters = signal(/** @type {any[]} */ ([]));
/** The threads, null before they are read. */
export const threads = signal(/** @type {any[] | null} */ (null));
export const worktrees = signal(/** @type {Record<string, any>} */ ({}));
/** Whether what waits for the person was read, and whether the agents were. */
export const loaded = signal(false);
export const teamRead = signal(false);
/** Whether the events up to now are known, of which rows show the last words: rows that are drawn before grow under a finger. */
export const heard = signal(false);

/** The way to the daemon: live, or offline since a time. */
export const line = signal({live: false, since: Date.now(), tried: false});
/** The version of the daemon that answers now, and that of the one that this page came from. */
export const versions = signal({first: '', now: '', old: false});
/** The last message from or to each agent, or in a thread, by id. */
export const lastWords = signal(/** @type {Record<string, string>} */ ({}));
/** The number of the last event that was taken. */
export const seq = signal(0);
/** What was sent from here, the newest first. */
export const sent = signal(/** @type {any[]} */ ([]));
/** What followed on answers, the newest first. */
export const outcomes = signal(/** @type {any[]} */ ([]));
/** That a link was opened on another device, in words. */
export const opened = signal('');
/** What the daemon says of itself and of the workspace, null before it is read. */
export const status = signal(/** @type {any} */ (null));
/** What could not be read, in words. */
export const trouble = signal('');

/** How many matters wait for the person. */
export const waiting = computed(() => matters.value.length + letters.value.length);

/** @param {string} ref a name or an id */
export const agentOf = ref => agents.value.find(a => a.id === ref || a.name === ref);

let asking = false;
let again = false;

/** Reads what waits for the person. @param {boolean} inbox whether their messages, too */
async function readNeeds(inbox) {
  const [need, box] = await Promise.all(!loaded.value ? [look('get_needs'), look('check_inbox')]
    : [call('get_needs'), inbox ? call('check_inbox', {limit: 50}) : null]);
  batch(() => {
    matters.value = need.matters?.map((/** @type {number} */ i) => need.needs[i]) ?? need.needs; // none of an older daemon
    if (box) letters.value = box.messages.filter((/** @type {any} */ m) => !m.read);
    loaded.value = true;
    trouble.value = '';
    if (!line.value.tried) line.value = {live: true, since: Date.now(), tried: true};
  });
}

async function readTeam() {
  const team = await call('get_agent_status');
  for (const a of team.agents) names.add(a.name);
  batch(() => {
    agents.value = team.agents.filter((/** @type {any} */ a) => a.kind !== 'human' && a.state !== 'terminated');
    teamRead.value = true;
  });
}

/**
 * Reads what waits for the person, with their messages and the agents unless told otherwise; while that runs, it is
 * asked for once more at most. For the first time, what waits comes before the rest.
 */
export async function refresh({needs = true, inbox = true, team = true} = {}) {
  if (asking) { again = true; return; }
  asking = true;
  try {
    if (!loaded.value) await readNeeds(true).then(readTeam);
    else await Promise.all([needs ? readNeeds(inbox) : null, team ? readTeam() : null]);
  } catch (e) {
    trouble.value = saidOf(e);
  } finally {
    asking = false;
    if (again) { again = false; soon(); }
  }
}

let due = 0;
let asked = 0;
let inboxDue = false;
let teamDue = true;
let teamAsked = 0;

/**
 * Reads again soon, at most once a second, what may have changed. A large team, whose states are known from the events,
 * is read more seldom. @param {{inbox?: boolean, team?: boolean}} [what]
 */
function soon({inbox = true, team = true} = {}) {
  inboxDue ||= inbox;
  teamDue ||= team;
  if (due) return;
  due = setTimeout(() => {
    due = 0;
    asked = Date.now();
    const now = {inbox: inboxDue, team: teamDue && asked - teamAsked >= agents.value.length * 150};
    inboxDue = false;
    if (now.team) { teamDue = false; teamAsked = asked; }
    refresh(now);
  }, Math.max(300, asked + 1000 - Date.now()));
}

/** Takes the states of agents from events. @param {Event[]} events */
function takeStates(events) {
  const last = new Map(events.filter(e => e.type === 'agent_updated' && e.state).map(e => [e.agent_id, e]));
  if (!agents.value.some(a => last.has(a.id))) return;
  agents.value = agents.value.map(a => {
    const e = last.get(a.id);
    return e && e.state !== a.state ? {...a, state: e.state, since: e.time} : a;
  }).filter(a => a.state !== 'terminated');
}

/** Whether an event may be of a message to the person. @param {Event} e */
const toMe = e => e.message_id && (!e.recipient || e.recipient === 'operator' || e.sender === 'operator');

export const readStatus = () => call('get_workspace_status').then(s => { status.value = s; }, saidOf);

let gitAsked = 0;
let gitDue = 0;

/** Reads the worktrees again after what agents have done: git is asked, so it is done seldom. */
function worktreesSoon() {
  gitDue ||= setTimeout(() => { gitDue = 0; if (!document.hidden) readWorktrees(); }, Math.max(1000, gitAsked + 30_000 - Date.now()));
}

/** Reads the worktrees. */
export async function readWorktrees() {
  if (!agents.value.some(a => a.worktree)) return;
  gitAsked = Date.now();
  try {
    const res = await call('list_worktrees');
    worktrees.value = Object.fromEntries(res.worktrees.map((/** @type {any} */ w) => [w.agent_id, w]));
  } catch { /* the branch is shown without its numbers */ }
}

export async function readThreads() {
  try {
    threads.value = (await call('list_threads', {limit: 100})).threads;
  } catch { /* the next event asks again */ }
}

// ---- events

/** @type {Event[]} */ let taken = [];
let drawing = 0;
let took = 0;
/** @type {Set<(events: Event[]) => void>} */ const hearers = new Set();

/** Calls a function with the events of each tenth of a second. @param {(events: Event[]) => void} f */
export function hear(f) {
  hearers.add(f);
  return () => { hearers.delete(f); };
}

/** Takes what the stream says: an event, or that something else has changed. @param {any} e */
function take(e) {
  if (e.changed) {
    const [needs, team] = ['needs', 'team'].map(what => e.changed.includes(what));
    if (!document.hidden) refresh({needs, inbox: false, team});
    return;
  }
  if (e.seq <= seq.peek() || taken.length && e.seq <= taken[taken.length - 1].seq) return;
  taken.push(e);
  if (!drawing) drawing = setTimeout(draw, 100);
}

function draw() {
  drawing = 0;
  const events = taken;
  taken = [];
  if (!events.length) return;
  remember(events);
  seq.value = events[events.length - 1].seq;
  Object.assign(document.documentElement.dataset, {seq: seq.value, taken: took += events.length}); // for who measures it
  for (const f of [...hearers]) f(events);
  const entered = events.filter(e => e.type === 'page_opened' && !e.detail.includes(session.value?.key_id)).at(-1);
  if (events.some(e => e.type === 'communication_updated')) readStatus();
  if (entered) opened.value = sentence(entered.detail);
  for (const m of sent.value) {
    if (m.id && events.some(e => e.message_id === m.id || e.in_reply_to === m.id)) follow(m);
  }
  takeStates(events);
  if (events.some(e => e.type === 'agent_updated')) worktreesSoon();
  soon({inbox: events.some(toMe)});
}

/** @param {Event[]} events */
function remember(events) {
  const words = {...lastWords.value};
  for (const e of events) {
    if (!e.message_preview || !announces(e)) continue;
    const to = e.recipient || e.thread_title || (e.recipient_count > 1 ? `${e.recipient_count} agents` : 'all');
    if (e.sender_agent_id) words[e.sender_agent_id] = `→ ${to}: ${e.message_preview}`;
    if (e.recipient_agent_id && e.sender !== 'parley') words[e.recipient_agent_id] = `← ${e.sender}: ${e.message_preview}`;
    if (e.thread_id) words[e.thread_id] = `${e.sender}: ${e.message_preview}`;
  }
  lastWords.value = words;
}

/** Whether an event announces a message. @param {Event} e */
export const announces = e => /^agent_(direct|broadcast|thread)|^thread_created$/.test(e.type);

/** Follows the events, for as long as there is a session. */
async function followEvents() {
  let pause = 250;
  if (!loaded.value) await refresh();
  while (session.value) {
    try {
      if (!seq.value) {
        const past = await call('read_events', {last: 300});
        remember(past.events);
        seq.value = past.next;
        heard.value = true;
      }
      await stream(`/api/events?after=${seq.value}`, () => {
        pause = 250;
        line.value = {live: true, since: Date.now(), tried: true};
        seen();
        refresh();
        readWorktrees();
        readStatus();
        build().then(now => {
          const old = now.mark !== mark;
          versions.value = {first: versions.value.first || (old ? '' : now.version), now: now.version, old};
        }, () => {});
      }, take);
    } catch (e) {
      if (e instanceof Refused && session.value) trouble.value = e.message;
    }
    if (!leaving() && (line.value.live || !line.value.tried)) line.value = {live: false, since: lastSeen(), tried: true};
    if (!session.value) return;
    heard.value = true; // as far as it can be for now
    await rest(pause);
    pause = Math.min(pause * 2, 4000);
  }
}

let following = '';
effect(() => {
  const key = session.value?.key ?? '';
  if (key === following) return;
  following = key;
  if (key) followEvents();
});

// When the line was there last, for a page that opens without one.
setInterval(() => { if (line.value.live) seen(); }, 5000);

document.addEventListener('visibilitychange', () => { if (!document.hidden && line.value.live) { refresh(); readWorktrees(); } });

// ---- what is sent from here

/** @param {any} m @param {object} change */
function alter(m, change) {
  sent.value = sent.value.map(x => x.key === m.key ? {...x, ...change} : x);
}

let count = 0;

/**
 * Sends a message, and follows it. It is sent once, however often the line is lost.
 * @param {string} op @param {Record<string, any>} args @param {{to: string, place: string, spot?: number, text?: string}} about
 */
export async function send(op, args, about) {
  const m = {key: ++count, at: Date.now(), text: args.text, ...about, state: 'sending', words: '', deliveries: []};
  sent.value = [m, ...sent.value].slice(0, 50);
  try {
    const res = await callOnce(op, args, () => alter(m, {state: 'waiting'}));
    const id = res.message_id || res.response_message_id;
    alter(m, {state: 'sent', id, deliveries: res.deliveries ?? [], reply: res.reply, words: res.success === false ? res.error : ''});
    if (id) await follow({...m, id});
    return true;
  } catch (e) {
    if (!(e instanceof Refused || e instanceof Away)) throw e;
    alter(m, {state: 'refused', words: e.message, action: e instanceof Refused ? e.action : ''});
    return false;
  }
}

/** @param {number} key */
export function forget(key) { sent.value = sent.value.filter(m => m.key !== key); }

/** @param {any} m */
async function follow(m) {
  try {
    const res = await call('get_message_status', {message_id: m.id});
    alter(m, {deliveries: res.deliveries});
  } catch { /* the next event asks again */ }
}

/** @param {object} o what came of an act; the next one of its agent takes the place of one that is still on the way */
export function tellOutcome(o) {
  const whole = /** @type {any} */ ({key: ++count, at: Date.now(), ...o});
  outcomes.value = [whole, ...outcomes.value.filter(x => !x.still || x.agent !== whole.agent)].slice(0, 5);
}
/** @param {number} key */
export function dropOutcome(key) { outcomes.value = outcomes.value.filter(o => o.key !== key); }
