// @ts-check
// What begins something: an agent from a profile, and a thread with its people.
import {call, callOnce} from './api.js';
import {act, Came} from './needs.js';
import {agents, readStatus, refresh, status} from './state.js';
import {Twice, html, useEffect, useState} from './parts.js';

/** A line to fill in. @param {{of: any, set: (x: any) => void, name: string, label: string, rows?: number, max?: number}} props */
export function Field({of, set, name, label, rows = 1, max = 200}) {
  const fill = (/** @type {any} */ e) => set({...of, [name]: e.target.value});
  return html`<label class="field">${label}${rows > 1 ? html`<textarea rows=${rows} maxlength=${max} dir="auto" value=${of[name] ?? ''} onInput=${fill}></textarea>`
    : html`<input value=${of[name] ?? ''} maxlength=${max} dir="auto" autocapitalize="off" autocomplete="off" onInput=${fill} />`}</label>`;
}

/** Starts an agent. The programs are those of profiles: any other is started in a terminal. */
export function Launch() {
  const [x, set] = useState(/** @type {any} */ ({}));
  useEffect(() => { readStatus(); }, []);
  const programs = status.value?.programs ?? [];
  const profile = x.profile ?? programs[0] ?? '';
  const name = (x.name ?? '').trim();
  const start = () => act({place: 'launch'}, async () => {
    const res = await call('launch_agent', {name, profile, role: x.role, prompt: x.prompt, ...(x.worktree ? {worktree: 'true'} : {})});
    await refresh();
    location.hash = `#/agent/${encodeURIComponent(res.name)}`;
  });
  return html`<section class="one form" aria-label="Start an agent"><h2>Start an agent</h2>
    <${Came} place="launch" />
    <p class="small"><a href="#/past">Go on with a conversation from before</a></p>
    ${status.value && !programs.length ? html`<p class="empty">No program that parley knows is installed where the daemon runs.</p>` : html`
      <label class="field">Program<select value=${profile} onChange=${(/** @type {any} */ e) => set({...x, profile: e.target.value})}>${programs.map((/** @type {string} */ p) => html`<option key=${p}>${p}</option>`)}</select></label>
      <${Field} of=${x} set=${set} name="name" label="Name" max=${32} />
      <${Field} of=${x} set=${set} name="role" label="What it is for" />
      <${Field} of=${x} set=${set} name="prompt" label="Its first message" rows=${3} max=${2000} />
      <label class="check"><input type="checkbox" checked=${!!x.worktree} onChange=${(/** @type {any} */ e) => set({...x, worktree: e.target.checked})} /> in a git worktree of its own</label>
      <div class="row"><${Twice} kind="main" act=${start} disabled=${!name || !profile} sure=${html`<b>Tap again</b> to start ${name}`}>Start<//></div>`}
  </section>`;
}

/** Chooses agents. @param {{chosen: string[], set: (names: string[]) => void, but?: string[]}} props */
export function People({chosen, set, but = []}) {
  const [text, setText] = useState('');
  const found = agents.value.map(a => a.name).filter(n => !but.includes(n) && !chosen.includes(n) && n.toLowerCase().includes(text.toLowerCase().trim()));
  const turn = (/** @type {string} */ n) => set(chosen.includes(n) ? chosen.filter(c => c !== n) : [...chosen, n]);
  return html`<div class="field"><span>People</span>
    ${agents.value.length > 12 ? html`<input type="search" aria-label="Find people" placeholder="Find by name" value=${text} onInput=${(/** @type {any} */ e) => setText(e.target.value)} />` : null}
    <div class="row">${[...chosen, ...found.slice(0, 12)].map(n => html`<button key=${n} type="button" aria-pressed=${chosen.includes(n)} onClick=${() => turn(n)}>${n}</button>`)}</div></div>`;
}

export function NewThread() {
  const [x, set] = useState(/** @type {any} */ ({}));
  const [people, setPeople] = useState(/** @type {string[]} */ ([]));
  const open = () => act({place: 'newthread'}, async () => {
    const res = await callOnce('create_thread', {title: x.title.trim(), participants: people, initial_message: x.text}, () => {});
    location.hash = `#/thread/${res.thread.thread_id}`;
  });
  return html`<section class="one form" aria-label="Open a thread"><h2>Open a thread</h2>
    <${Came} place="newthread" />
    <${Field} of=${x} set=${set} name="title" label="What it is about" />
    <${People} chosen=${people} set=${setPeople} />
    <${Field} of=${x} set=${set} name="text" label="The first post" rows=${3} max=${2000} />
    <div class="row"><${Twice} kind="main" act=${open} disabled=${!(x.title ?? '').trim() || !people.length} sure=${html`<b>Tap again</b> to open it with ${people.join(', ')}`}>Open<//></div></section>`;
}
