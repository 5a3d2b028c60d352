// @ts-check
// Messages: the traffic with its filter, one message with what became of it, and the threads.
import {call, saidOf} from './api.js';
import {announces, lastWords, readThreads, refresh, send, sent, threads} from './state.js';
import {People} from './begin.js';
import {Came, act} from './needs.js';
import {Ladder, Name, Receipt, Since, Twice, Write, clock, html, may, useEffect, useReading, useRef, useState} from './parts.js';

/** @param {any} m a found message */
const toWhom = m => m.thread_title || (m.recipient_count > 1 ? `${m.recipient_count} agents` : m.recipients?.[0] ?? '');

/** The states of a message's deliveries, in words. @param {any} m */
function statesOf(m) {
  const all = Object.entries(m.states ?? {});
  return all.map(([s, n]) => all.length > 1 || n > 1 ? `${n} ${s}` : s).join(', ');
}

/** A message in a list. @param {{m: any}} props */
export function Row({m}) {
  const states = statesOf(m);
  const bad = /failed|unconfirmed|expired/.test(states);
  return html`<li><a class="message" href=${`#/message/${m.message_id}`}>
    <span class="row small"><time class="quiet" datetime=${m.timestamp}>${clock(m.timestamp)}</time>
      <span class="way"><${Name}>${m.sender}<//> <span class="quiet">→</span> <${Name}>${toWhom(m)}<//></span>
      ${m.kind === 'steering' ? html`<span class="quiet">guidance</span>` : null}<span class="grow"></span>
      <span class=${`${bad ? 'bad' : 'quiet'} ${states.includes(',') ? 'several' : ''}`}>${states}</span></span>
    <span class="line" dir="auto">${m.snippet || m.content?.text}</span>
  </a></li>`;
}

const all = '1970-01-01T00:00:00Z';

/** @param {{filter: string}} props */
export function Traffic({filter}) {
  const [text, setText] = useState(filter);
  const [wanted, want] = useState(filter);
  const [list, set] = useState(/** @type {any[] | null} */ (null));
  const [more, setMore] = useState(false);
  const [problem, setProblem] = useState('');
  const run = useRef(0);

  const ask = async (/** @type {string} */ t, /** @type {string} */ before) => {
    const mine = ++run.current;
    try {
      const res = await call('find_messages', {...(t.trim() ? {filter: t} : {since: all}), limit: 60, ...(before ? {before} : {})});
      if (mine !== run.current) return;
      setProblem('');
      set(old => before ? [...(old ?? []), ...res.messages].slice(-600) : res.messages);
      setMore(res.has_more || res.truncated);
    } catch (e) {
      if (mine === run.current) setProblem(saidOf(e));
    }
  };

  useEffect(() => {
    const t = setTimeout(() => {
      history.replaceState(null, '', text ? `#/traffic?${encodeURIComponent(text)}` : '#/traffic');
      want(text);
    }, list ? 250 : 0);
    return () => clearTimeout(t);
  }, [text]);
  useReading(() => ask(wanted, ''), e => e.message_id && scrollY < 200, wanted);

  return html`<section aria-label="Traffic">
    <label class="filter"><span class="hidden">Filter</span><input type="search" id="filter" value=${text} placeholder="from:coder is:held since:2h"
      autocapitalize="off" autocomplete="off" spellcheck=${false} onInput=${(/** @type {any} */ e) => setText(e.target.value)} /></label>
    <p class="row small"><a class="way-over" href="#/planned">Planned messages</a></p>
    ${problem ? html`<p class="bad" role="status">${problem}</p>` : null}
    ${list && !list.length ? html`<p class="empty">${text ? 'No message matches.' : 'No message yet.'}</p>` : null}
    <ul class="rows" aria-label="Messages">${(list ?? []).map(m => html`<${Row} key=${m.message_id} m=${m} />`)}</ul>
    ${more && list ? html`<button type="button" onClick=${() => ask(text, list[list.length - 1].message_id)}>Older</button>` : null}
  </section>`;
}

/** @param {{id: string}} props */
export function Message({id}) {
  const [m, set] = useState(/** @type {any} */ (null));
  const [story, setStory] = useState(/** @type {any} */ (null));
  const [said, say] = useState(''); // of what was done here
  const [problem, read] = useReading(async () => set(await call('get_message_status', {message_id: id})), e => e.message_id === id, id);

  const explain = () => call('explain_message', {message_id: id}).then(res => setStory(res.story), e => say(saidOf(e)));
  const retry = async () => {
    await call('retry_delivery', {message_id: id}).then(res => say(res.message), e => say(saidOf(e)));
    await Promise.all([read(), refresh()]);
  };

  if (problem && !m) return html`<p class="empty">${problem}</p>`;
  if (!m) return html`<p class="empty">Reading the message…</p>`;
  const o = m.message_object;
  const stuck = m.deliveries.some((/** @type {any} */ d) => d.reason_code !== 'native' && /queued|held|failed|unconfirmed|expired/.test(d.state));
  return html`<article class="one" aria-label=${`Message from ${o.sender}`}>
    <header class="row"><h2><${Name}>${o.sender}<//> <span class="quiet">→</span> <${Name}>${o.thread_title || (m.deliveries.length === 1 ? m.deliveries[0].agent : `${m.deliveries.length} agents`)}<//></h2>
      <span class="grow"></span><${Since} t=${o.timestamp} /></header>
    <p class="said whole" dir="auto">${o.text}</p>
    <p class="row small quiet"><span>${o.message_type}</span>${o.priority !== 'normal' ? html`<span>${o.priority}</span>` : null}
      ${o.in_reply_to ? html`<a href=${`#/message/${o.in_reply_to}`}>what it answers</a>` : null}${o.thread_id ? html`<a href=${`#/thread/${o.thread_id}`}>its thread</a>` : null}</p>
    <h3>What became of it</h3>
    ${m.deliveries.slice(0, 60).map((/** @type {any} */ d) => html`<${Ladder} key=${d.agent_id} d=${d} names=${true} />`)}
    ${said || problem ? html`<p role="status">${said || problem}</p>` : null}
    <div class="row">${story ? null : html`<button type="button" onClick=${explain}>The whole story</button>`}
      ${navigator.clipboard ? html`<button type="button" onClick=${() => navigator.clipboard.writeText(o.text).then(() => say('Copied.'), () => say('The browser does not copy.'))}>Copy</button>` : null}
      ${may() && stuck ? html`<${Twice} act=${retry}>Try again<//>` : null}</div>
    ${story ? html`<pre class="asked" tabindex="0" aria-label="The whole story">${story.join('\n')}</pre>` : null}
  </article>`;
}

export function Threads() {
  useReading(readThreads, e => e.thread_id, '');
  if (!threads.value) return html`<p class="empty">Reading the threads…</p>`;
  const begin = may() ? html`<p class="row small"><a class="way-over" href="#/newthread">Open a thread</a></p>` : null;
  if (!threads.value.length) return html`${begin}<p class="empty">There are no threads yet.</p>`;
  return html`${begin}<ul class="rows" aria-label="Threads">${threads.value.map(t => html`<li key=${t.thread_id}><a class="message" href=${`#/thread/${t.thread_id}`}>
    <span class="row small"><${Name}>${t.title}<//><span class="quiet">${t.participant_names.length} take part</span><span class="grow"></span><${Since} t=${t.last_message_at} /></span>
    ${lastWords.value[t.thread_id] ? html`<span class="line quiet" dir="auto">${lastWords.value[t.thread_id]}</span>` : null}</a></li>`)}</ul>`;
}

/** Who takes part in a thread, and whether its messages go. @param {{about: any, read: () => any}} props */
function Manage({about, read}) {
  const id = about.thread_id;
  const [chosen, choose] = useState(/** @type {string[]} */ ([]));
  const does = (/** @type {string} */ op, /** @type {object} */ args) => () => call(op, {thread_id: id, ...args}).then(res => ({said: res.message}));
  const add = (/** @type {string} */ n) => does('add_participant_to_thread', {agent_id_to_add: n});
  const remove = (/** @type {string} */ n) => does('remove_participant_from_thread', {agent_id_to_remove: n});
  const control = (/** @type {string} */ action) => does('control_conversation', {action});
  /** @param {() => Promise<any>} f @param {() => Promise<any>} [back] what takes it back */
  const change = (f, back) => act({place: id}, () => f().then(came => ({...came, undo: back && (() => back().finally(read))}))).then(read);
  const all = () => chosen.reduce((before, n) => before.then(() => change(add(n), remove(n))), Promise.resolve()).then(() => choose([]));
  return html`<details class="more"><summary>People, mute, cool</summary>
    <div class="row">${about.participant_names.filter((/** @type {string} */ n) => n !== 'operator').map((/** @type {string} */ n) => html`<${Twice} key=${n}
      act=${() => change(remove(n), add(n))}>Remove ${n}<//>`)}</div>
    <${People} chosen=${chosen} set=${choose} but=${about.participant_names} />
    <div class="row"><${Twice} act=${all} disabled=${!chosen.length}>Add ${chosen.join(', ') || 'those chosen'}<//></div>
    <div class="row"><${Twice} act=${() => change(control('cool'))}>Cool for ten minutes<//><${Twice} act=${() => change(control('mute'), control('unmute'))}>Mute<//>
      <${Twice} act=${() => change(control('unmute'), control('mute'))}>Unmute<//><${Twice} act=${() => change(control('release'))}>Release what is held<//></div></details>`;
}

/** A thread, live: the newest post last. @param {{id: string}} props */
export function Thread({id}) {
  const [about, setAbout] = useState(/** @type {any} */ (null));
  const [posts, set] = useState(/** @type {any[]} */ ([]));
  const end = useRef(/** @type {HTMLElement | null} */ (null));
  const [problem, read] = useReading(async () => {
    const [d, list] = await Promise.all([call('get_thread_details', {thread_id: id}), call('find_messages', {thread: id, limit: 60})]);
    setAbout(d.thread);
    set(list.messages.reverse());
  }, e => e.thread_id === id && announces(e) || e.type === 'thread_updated', id);
  useEffect(() => { end.current?.scrollIntoView({block: 'end'}); }, [posts.length]);

  if (problem && !about) return html`<p class="empty">${problem}</p>`;
  if (!about) return html`<p class="empty">Reading the thread…</p>`;
  const mine = sent.value.filter(m => m.place === id && m.state !== 'sent');
  return html`<section class="one thread" aria-label=${about.title}>
    <header><h2 dir="auto">${about.title}</h2><p class="quiet small">${about.participant_names.join(', ')}</p></header>
    <ol class="posts">${posts.map(m => html`<li key=${m.message_id} class=${m.sender === 'operator' ? 'mine' : ''}>
      <span class="row small"><${Name}>${m.sender === 'operator' ? 'you' : m.sender}<//><time class="quiet" datetime=${m.timestamp}>${clock(m.timestamp)}</time></span>
      <p class="said" dir="auto">${m.content?.text || m.snippet}</p></li>`)}</ol>
    ${mine.length ? html`<ul class="receipts">${mine.map(m => html`<${Receipt} key=${m.key} m=${m} />`)}</ul>` : null}
    <${Came} place=${id} />
    ${may() ? html`<${Manage} about=${about} read=${read} />` : null}
    ${may() ? html`<div class="dock"><${Write} key=${id} draft=${`thread.${id}`} label="Write to the thread" send=${(/** @type {string} */ text) => send('send_message', {thread_id: id, text}, {to: about.title, place: id}).then(read)} /></div>` : null}
    <div ref=${end}></div>
  </section>`;
}
