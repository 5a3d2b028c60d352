// @ts-check
// Who is signed in: the sessions of the page by their devices, each of which can be ended.
import {call, session} from './api.js';
import {Came, act} from './needs.js';
import {Since, Twice, html, useReading, useState} from './parts.js';

const rights = /** @type {Record<string, string>} */ ({
  page: 'may do what you may', watch: 'may only look', page_code: 'a link that was not opened', watch_code: 'a link that was not opened; may only look',
});

/** @param {{k: any, again: () => any}} props */
function Session({k, again}) {
  const end = () => act({place: 'sessions'}, () => call('revoke_key', {key_id: k.key_id}).then(() => ({said: 'That session has ended.'}))).then(again);
  return html`<li data-session=${k.key_id}><div class="row"><b><bdi>${k.device ?? (k.origin.endsWith('code') ? 'Nobody yet' : 'Not seen since the daemon began')}</bdi></b>${k.key_id === session.value?.key_id ? html`<span class="badge">this one</span>` : null}<span class="grow"></span>
      <${Twice} act=${end} sure=${html`<b>Tap again</b>: it is signed out`}>End<//></div>
    <div class="row small quiet">${k.address ? html`<span>${k.address}</span>` : null}<span>${rights[k.origin]}</span>${k.last_used ? html`<span>used <${Since} t=${k.last_used} /> ago</span>` : null}
      <span>made <${Since} t=${k.created_at} /> ago</span></div></li>`;
}

export function Sessions() {
  const [all, set] = useState(/** @type {any[] | null} */ (null));
  const [problem, again] = useReading(async () => set((await call('list_keys', {agent: 'operator'})).keys
    .filter((/** @type {any} */ k) => rights[k.origin] && !(Date.parse(k.expires_at) < Date.now()))
    .sort((/** @type {any} */ a, /** @type {any} */ b) => (b.last_used ?? b.created_at) < (a.last_used ?? a.created_at) ? -1 : 1)), e => e.type === 'page_opened', '');
  return html`<section aria-label="Who is signed in"><h2>Who is signed in</h2>
    ${problem ? html`<p class="bad" role="alert">${problem}</p>` : null}
    <${Came} place="sessions" />
    <ul class="rows workspaces">${(all ?? []).map(k => html`<${Session} key=${k.key_id} k=${k} again=${again} />`)}</ul>
    <p class="small quiet">A session ends after a day without use. <code>parley key rotate operator</code> ends all.</p></section>`;
}
