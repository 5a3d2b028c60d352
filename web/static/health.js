// @ts-check
// How the daemon is, what is stored, and what models used.
import {words} from './agents.js';
import {call, download} from './api.js';
import {Came, act} from './needs.js';
import {readStatus, status} from './state.js';
import {Name, Since, Twice, html, may, useReading, useState} from './parts.js';

/** @param {number} n */
const size = n => n < 1e6 ? `${Math.ceil(n / 1000)} kB` : `${(n / 1e6).toFixed(1)} MB`;

/** @param {Record<string, number>} of @param {Record<string, string>} [words] */
const counts = (of, words) => Object.entries(of ?? {}).filter(([, n]) => n).map(([k, n]) => `${n} ${words?.[k] ?? k}`).join(', ') || 'none';

/** @param {{files: any[]}} props */
function Files({files}) {
  const save = (/** @type {any} */ f) => act({place: 'health'}, () => download(f.file_id, f.filename));
  return html`<h3>Files</h3>${files.length ? html`<ul class="rows workspaces">${files.map(f => html`<li key=${f.file_id}><div class="row"><bdi>${f.filename}</bdi><span class="quiet small">${size(f.size)}, from <${Name}>${f.sender}<//></span>
      <${Since} t=${f.created_at} /><span class="grow"></span><button type="button" onClick=${() => save(f)}>Save</button></div></li>`)}</ul>` : html`<p class="quiet">None.</p>`}`;
}

/** @param {{usage: any}} props */
function Used({usage}) {
  const models = /** @type {Record<string, any>} */ ({});
  for (const p of usage.programs) {
    for (const d of p.days) {
      const m = models[d.model] ??= {tokens: 0, cost: 0};
      m.tokens += d.input_tokens + d.cached_tokens + d.cache_write_tokens + d.output_tokens;
      m.cost += d.cost ?? 0;
    }
  }
  const budgets = [['all together', usage.budget], ...usage.programs.map((/** @type {any} */ p) => [p.agent, p.budget])].filter(([, b]) => b);
  return html`<h3>Used by models</h3>
    ${Object.keys(models).length ? html`<table><thead><tr><th>model</th><th>tokens</th><th>cost</th></tr></thead><tbody>${Object.entries(models).map(([m, u]) => html`<tr key=${m}><td><bdi>${m}</bdi></td>
      <td>${u.tokens.toLocaleString()}</td><td>${u.cost ? `$${u.cost.toFixed(2)}` : ''}</td></tr>`)}</tbody></table>` : html`<p class="quiet">Nothing is known to be used.</p>`}
    ${budgets.map(([who, b]) => html`<p key=${who}><bdi>${who}</bdi>: ${b.percent} % of the budget, ${b.used}</p>`)}`;
}

export function Health() {
  const [x, set] = useState(/** @type {any} */ (null));
  const [problem] = useReading(async () => {
    const [{files}, usage, {hosts}] = await Promise.all([call('list_files', {limit: 50}), call('usage'), call('list_hosts'), readStatus()]);
    set({files, usage, hosts});
  }, e => e.type === 'communication_updated', '');
  const s = status.value;
  const test = () => act({place: 'health'}, () => call('send_test_notice').then(res => ({said: res.message ?? 'A test notice was sent.'})));
  if (!s || !x) return html`<p class="empty">${problem || 'Reading…'}</p>`;
  return html`<section class="one" aria-label="Health"><h2>Health</h2>
    <${Came} place="health" />
    ${(s.warnings ?? []).map((/** @type {string} */ w) => html`<p key=${w} class="note bad" dir="auto">${w}</p>`)}
    <p>parley ${s.version}, since <${Since} t=${s.started_at} />. tmux ${s.tmux_version}.</p>
    <p>Agents: ${counts(s.agents, words)}. On the way: ${counts(s.deliveries)}.</p>
    ${(s.notices ?? []).map((/** @type {any} */ n) => html`<p key=${n.way} class=${n.works ? '' : 'bad'}>Notices by ${n.way}: ${n.works ? `${n.sent} sent` : n.problem}</p>`)}
    ${may() && s.notices?.length ? html`<div class="row"><${Twice} act=${test}>Send a test notice<//></div>` : null}
    ${x.hosts.length > 1 ? html`<h3>Machines</h3><ul class="rows workspaces">${x.hosts.map((/** @type {any} */ h) => html`<li key=${h.name}><b>${h.name}</b> <span class=${h.away ? 'bad' : 'quiet'}>${h.away ? 'away' : `${h.agents.length} agents`}</span></li>`)}</ul>` : null}
    <${Used} usage=${x.usage} /><${Files} files=${x.files} />
    <p class="small quiet">More is in <code>parley doctor</code>, which looks at this user's files.</p></section>`;
}
