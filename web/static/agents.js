// @ts-check
// The agents, and one of them: its terminal, what it was told, and a box to write to it.
import {call, upload} from './api.js';
import {agentOf, agents, heard, lastWords, letters, matters, readStatus, refresh, send, sent, status, teamRead, worktrees} from './state.js';
import {Name, Receipt, Since, Twice, Write, ago, byName, html, may, roomy, shortened, useBroad, useReading, useState} from './parts.js';
import {Row} from './messages.js';
import {Asks, Shown, act} from './needs.js';
import {Terminal} from './terminal.js';
import {Wide} from './wide.js';

/** What an agent does, by its state. */
export const words = /** @type {Record<string, string>} */ ({
  starting: 'starts', idle: 'idle', busy: 'works', waiting: 'asks', drafting: 'has a draft', blocked: 'blocked',
  unknown: 'screen not known', exited: 'ended', unreachable: 'terminal lost', terminated: 'stopped',
});

/** What an agent is doing, in a word. @param {any} a */
export const doing = a => a.kind === 'terminal' || a.state !== 'idle' ? words[a.state] ?? a.state
  : a.kind === 'responder' ? 'answers by a model' : 'mailbox';

/** Whether it has a question open. @param {any} a */
const asks = a => a.state === 'waiting' || matters.value.some(n => n.agent_id === a.id && n.kind === 'dialog');

/** Whether a person must act at its terminal. What it owes or has used is no trouble of its. @param {any} a */
const troubled = a => /blocked|unknown|exited|unreachable|drafting/.test(a.state)
  || matters.value.some(n => n.agent_id === a.id && !/dialog|budget|overdue|owes_answer/.test(n.kind));

/** What lists say of an agent, beside what the row says. @param {{a: any}} props */
const Facts = ({a}) => html`${(a.facts ?? []).filter((/** @type {string} */ f) => f !== doing(a)).map((/** @type {string} */ f) => html`<span key=${f} class="quiet" dir="auto">${f}</span>`)}`;

/** @param {{a: any}} props */
function Branch({a}) {
  if (!a.worktree) return null;
  const w = worktrees.value[a.id];
  return html`<span class="quiet branch"><bdi>${a.worktree.branch}</bdi>${w && !w.problem ? ` ↑${w.ahead} ↓${w.behind}${w.dirty ? ` ±${w.dirty}` : ''}` : null}</span>`;
}

/** The state of an agent, with a mark whose shape tells it as well. @param {{a: any}} props */
export function State({a}) {
  return html`<span class=${`status ${a.state} ${asks(a) || troubled(a) ? 'waits' : ''}`}><i aria-hidden="true"></i>${doing(a)}</span>`;
}

/** What an agent waits for: its question with the options, if that is open. @param {any} a */
function aboutOf(a) {
  const d = matters.value.find(n => n.agent_id === a.id && n.dialog?.question)?.dialog;
  return d ? [d.question, ...d.options.map((/** @type {any} */ o) => `${o.choice} ${o.label}`)].join('  ') : a.waits_for || a.held_reason || '';
}

/** @param {{a: any}} props */
function AgentRow({a}) {
  const about = aboutOf(a);
  return html`<li data-agent=${a.name}><a class="agent" href=${`#/agent/${encodeURIComponent(a.name)}`}>
    <span class="row"><${Name}>${a.name}<//><${State} a=${a} /><${Since} t=${a.kind === 'terminal' ? a.since : a.last_active} /><span class="grow"></span>
      <span class="quiet small">${a.overdue_replies ? html`<span class="bad">${a.overdue_replies} late</span> ` : null}${a.queued ? `${a.queued} queued` : null}</span></span>
    <span class="row small"><${Facts} a=${a} /><${Branch} a=${a} /></span>
    ${about ? html`<span class="line" dir="auto">${about}</span>` : null}
    ${lastWords.value[a.id] ? html`<span class="line quiet" dir="auto">${lastWords.value[a.id]}</span>` : null}
  </a></li>`;
}

const groups = ['Asking', 'In trouble', 'Working', 'Idle', 'Without a terminal'];

/** Those that wait for a person come first, then those that work: the place of an agent's group. @param {any} a */
const order = a => asks(a) ? 0 : troubled(a) ? 1 : a.kind !== 'terminal' ? 4 : /busy|starting/.test(a.state) ? 2 : 3;
export const inOrder = () => [...agents.value].sort((x, y) => order(x) - order(y) || byName(x.name, y.name));

/** Those in whose row a text stands, the best match first: in the name's beginning, in the name, elsewhere. @param {string} text */
function found(text) {
  const words = text.toLowerCase().trim();
  /** @param {any} a */
  const rank = a => {
    const at = a.name.toLowerCase().indexOf(words);
    const row = [doing(a), ...a.facts ?? [], a.worktree?.branch, aboutOf(a), lastWords.value[a.id]].join(' ');
    return at >= 0 ? Math.min(at, 1) : row.toLowerCase().includes(words) ? 2 : 3;
  };
  return inOrder().filter(a => rank(a) < 3).sort((x, y) => rank(x) - rank(y));
}

/** @param {{of: any[]}} props */
const Rows = ({of}) => html`<ul class="agents" aria-label="Agents">${of.map(a => html`<${AgentRow} key=${a.id} a=${a} />`)}</ul>`;

export function Agents() {
  const [text, setText] = useState('');
  const [chosen, choose] = useState('');
  const room = useBroad(roomy);
  if (teamRead.value && !agents.value.length) {
    return html`<p class="empty">There are no agents yet. ${may() ? html`<a href="#/launch">Start one</a>` : null}</p>`;
  }
  const shown = heard.value ? found(text) : [], whom = text ? `the ${shown.length} that are shown` : 'all agents';
  const write = (/** @type {string} */ t) => send('broadcast_message', {text: t, ...(text ? {recipients: shown.map(a => a.name)} : {})}, {to: whom, place: 'agents'});
  const look = (/** @type {any} */ e) => choose(e.target.closest('[data-agent]')?.dataset.agent ?? chosen);
  return html`<section aria-label="Agents"><div onFocusCapture=${look} onMouseOver=${look}><p class="row small"><a class="way-over desk" href="#/tiles">As terminals</a>
      ${may() ? html`<a class="way-over" href="#/launch">Start an agent</a>` : null}</p>
    ${agents.value.length > 5 ? html`<label class="filter"><span class="hidden">Find</span><input type="search" id="filter" value=${text} placeholder="Find by name, role, state…"
      autocapitalize="off" autocomplete="off" spellcheck=${false} onInput=${(/** @type {any} */ e) => setText(e.target.value)} /></label>` : null}
    ${may() && shown.length > 1 ? html`<details class="more"><summary>Write to ${whom}</summary><${Write} draft="to.all" send=${write} label=${`Write to ${whom}`} /></details>` : null}
    <ul class="receipts">${sent.value.filter(m => m.place === 'agents').map(m => html`<${Receipt} key=${m.key} m=${m} />`)}</ul>
    ${text && !shown.length ? html`<p class="empty">No agent matches.</p>` : null}
    ${shown.length < 20 ? html`<${Rows} of=${shown} />` : groups.map((g, i) => ({g, of: shown.filter(a => order(a) === i)})).filter(x => x.of.length).map(x =>
      html`<details key=${x.g} class="group" open><summary>${x.g} <span class="quiet">${x.of.length}</span></summary><${Rows} of=${x.of} /></details>`)}</div>
    ${room && shown.length ? html`<${Shown} of=${shown.map(a => a.name)} chosen=${chosen} Terminal=${Terminal} />` : null}</section>`;
}

/** The agents in the side bar. @param {{current: string}} props */
export function Side({current}) {
  return html`<ul class="side" aria-label="Agents">${inOrder().map(a => html`<li key=${a.id}><a href=${`#/agent/${encodeURIComponent(a.name)}`}
    title=${a.name} aria-current=${current === a.name ? 'page' : undefined}><${Name}>${shortened(a.name, 16)}<//><${State} a=${a} /></a></li>`)}</ul>`;
}

/** The last messages from or to an agent. @param {{name: string}} props */
function Talk({name}) {
  const [list, set] = useState(/** @type {any[] | null} */ (null));
  useReading(async () => set((await call('find_messages', {agents: [name], limit: 20})).messages), e => e.message_id, name);
  if (!list?.length) return list ? html`<p class="quiet">No messages yet.</p>` : null;
  return html`<ul class="rows">${list.map(m => html`<${Row} key=${m.message_id} m=${m} />`)}</ul>`;
}

/** Gives an agent a file of this device. @param {{name: string}} props */
function Attach({name}) {
  const give = (/** @type {any} */ e) => {
    const file = e.target.files[0];
    e.target.value = '';
    if (file) act({agent: name}, () => upload(file, {recipient: name}).then(res => ({said: res.message})));
  };
  return html`<label class="attach">Attach a file<input type="file" class="hidden" onChange=${give} /></label>`;
}

/** What ends an agent's program, for when one is away from the desk. @param {{a: any}} props */
function Ends({a}) {
  const name = a.name;
  const [to, setTo] = useState('');
  const others = (status.value?.programs ?? []).filter((/** @type {string} */ p) => p !== a.profile);
  const next = to || others[0];
  const end = (/** @type {string} */ op, /** @type {string} */ said) => act({agent: name}, () => call(op, {agent: name}).then(() => ({said})));
  const handOff = () => act({agent: name}, async () => {
    const res = await call('handoff_agent', {agent: name, to: next, record: true});
    await refresh();
    return {said: `${res.profile ?? next} goes on for ${res.from}.`};
  });
  return html`<details class="more" onToggle=${() => readStatus()}><summary>Restart, hand over, stop</summary><div class="row">
    <${Twice} act=${() => end('restart_agent', 'Its program was started again.')} sure=${html`<b>Tap again</b>: its program ends, and starts again`}>Restart<//>
    ${next ? html`<select aria-label="The program that goes on" value=${next} onChange=${(/** @type {any} */ e) => setTo(e.target.value)}>${others.map((/** @type {string} */ p) => html`<option key=${p}>${p}</option>`)}</select>
    <${Twice} act=${handOff} sure=${html`<b>Tap again</b>: its program ends, and ${next} goes on with its work`}>Hand over<//>` : null}
    <${Twice} act=${() => end('stop_agent', 'It has left the team.')} sure=${html`<b>Tap again</b>: its program ends`}>Stop<//></div></details>`;
}

/** @param {{name: string}} props */
export function Agent({name}) {
  const a = agentOf(name);
  const wide = useBroad();
  const [how, setHow] = useState(/** @type {any} */ ({}));
  const steer = how.steer && a?.kind === 'terminal';
  const choice = (/** @type {string} */ key, /** @type {string} */ words) => html`<label class="check"><input type="checkbox" checked=${!!how[key]}
    onChange=${(/** @type {any} */ e) => setHow({...how, [key]: e.target.checked})} /> ${words}</label>`;
  const asksNow = matters.value.filter(n => n.agent === name).length + letters.value.filter(m => m.sender === name).length;
  const mine = sent.value.filter(m => m.place === name);
  const write = (/** @type {string} */ text) => steer
    ? send('steer_agent', {agent: name, text, kind: 'GUIDANCE'}, {to: name, place: name})
    : send('send_message', {to: [name], text, urgent: !!how.urgent, ...(how.answer ? {response_deadline: '30 minutes'} : {})}, {to: name, place: name});

  return html`<section class="one" aria-label=${name}>
    <header class="row"><h2><${Name}>${name}<//></h2>
      ${a ? html`<${State} a=${a} /><${Since} t=${a.kind === 'terminal' ? a.since : a.last_active} />` : teamRead.value ? html`<span class="quiet">not in the team</span>` : null}<span class="grow"></span>
      ${a && a.kind === 'terminal' ? html`<a href=${`#/review/${encodeURIComponent(name)}`}>Changes</a>` : null}
      ${asksNow ? html`<a class="asks" href=${`#/needs/${encodeURIComponent(name)}`}>waits for you</a>` : null}</header>
    ${a ? html`<p class="row small"><${Facts} a=${a} /><${Branch} a=${a} />
      ${a.evidence ? html`<span class="quiet">${a.evidence}</span>` : null}</p>` : null}
    ${a?.waits_for || a?.held_reason ? html`<p dir="auto">${a.waits_for || a.held_reason}</p>` : null}
    <${Asks} agent=${name} />
    <div class="two">
      ${!a || a.kind === 'terminal' || a.kind === 'responder' ? html`<${wide ? Wide : Terminal} key=${name} agent=${name} />`
        : html`<p class="quiet">A mailbox has no terminal: its program reads its messages over the API.${a.last_active ? ` It called last ${ago(a.last_active)} ago.` : ''}</p>`}
      <div class="talk">
        ${may() && a ? html`<${Write} key=${name} draft=${`to.${name}`} send=${write} label=${steer ? `Guide ${name}` : `Write to ${name}`} verb=${steer ? 'Steer' : 'Send'}>
          ${a.kind === 'terminal' ? choice('steer', 'as guidance') : null}${steer ? null : html`${choice('urgent', 'urgent')}${choice('answer', 'wants an answer in 30 minutes')}`}<${Attach} name=${name} /><//>` : null}
        ${mine.length ? html`<ul class="receipts">${mine.map(m => html`<${Receipt} key=${m.key} m=${m} />`)}</ul>` : null}
        ${may() && a?.kind === 'terminal' ? html`<${Ends} a=${a} />` : null}
        <h3>Messages</h3><${Talk} name=${name} />
      </div>
    </div>
  </section>`;
}
