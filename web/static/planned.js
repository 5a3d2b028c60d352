// @ts-check
// The messages that are planned: when each comes, and what came of the last time.
import {call} from './api.js';
import {Came, act} from './needs.js';
import {Name, Twice, clock, html, may, useReading, useState} from './parts.js';

/** @param {{s: any, again: () => any}} props */
function Schedule({s, again}) {
  const change = (/** @type {string} */ action) => call('change_schedule', {schedule_id: s.schedule_id, action}).then(res => ({said: res.message}));
  const [now, back] = s.state === 'paused' ? ['resume', 'pause'] : ['pause', 'resume'];
  const turn = () => act({place: 'planned'}, async () => ({...await change(now), undo: () => change(back).finally(again)})).then(again);
  const to = s.message.thread_id ? html`<a href=${`#/thread/${s.message.thread_id}`}>a thread</a>` : html`<${Name}>${(s.message.to ?? []).map((/** @type {string} */ n) => n.toUpperCase() === 'ALL' ? 'everyone' : n).join(', ')}<//>`;
  const l = s.last;
  return html`<li data-schedule=${s.schedule_id}><div class="row"><b>${s.state === 'active' ? html`next ${clock(s.next)}` : s.state}</b><span class="quiet">to ${to}</span></div>
    <div class="said" dir="auto">${s.message.text}</div>
    <div class="row small quiet">${s.every ? html`<span>${s.every} in ${s.zone}</span>` : null}${s.name ? html`<span><bdi>${s.name}</bdi></span>` : null}<span>from <${Name}>${s.owner}<//></span>
      ${s.start ? html`<span>starts who is stopped</span>` : null}${l ? html`<span>last ${clock(l.due)}: ${l.message_id ? html`<a href=${`#/message/${l.message_id}`}>${l.outcome}</a>` : l.outcome}${l.late ? ', late' : ''}${l.reason ? `, ${l.reason}` : ''}</span>` : null}</div>
    ${may() ? html`<div class="row">${s.next ? html`<button type="button" onClick=${turn}>${s.state === 'paused' ? 'Resume' : 'Pause'}</button>` : null}
      <${Twice} act=${() => act({place: 'planned'}, () => change('remove')).then(again)} sure=${html`<b>Tap again</b>: it is removed; its messages stay`}>Remove<//></div>` : null}</li>`;
}

export function Planned() {
  const [all, set] = useState(/** @type {any[] | null} */ (null));
  const [problem, again] = useReading(async () => set((await call('list_schedules', {})).schedules), e => e.message_id, '');
  return html`<section aria-label="Planned messages"><h2>Planned messages</h2>
    <${Came} place="planned" />
    ${problem ? html`<p class="bad" role="alert">${problem}</p>` : null}
    ${!all ? html`<p class="empty">Looking…</p>` : all.length ? html`<ul class="rows workspaces">${all.map(s => html`<${Schedule} key=${s.schedule_id} s=${s} again=${again} />`)}</ul>`
      : html`<p class="empty">Nothing is planned. <code>parley send NAME TEXT --at 18:00</code>, or <code>--every "weekdays 9:00"</code>.</p>`}</section>`;
}
