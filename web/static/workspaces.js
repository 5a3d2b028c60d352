// @ts-check
// The workspaces of this user on the daemon's machine, with what waits in each.
import {rest, saidOf, session, stream} from './api.js';
import {Since, html, useEffect, useState} from './parts.js';

/** How many agents have each state, or why that is not known. @param {any} w */
function doing(w) {
  if (w.problem) return w.problem;
  if (!w.running) return w.tmux_runs ? 'no daemon; its agents may still run' : 'not running';
  const counts = Object.entries(w.agents ?? {}).filter(([, n]) => n).sort(([a], [b]) => a < b ? -1 : 1);
  return counts.map(([state, n]) => `${n} ${state}`).join(', ') || 'no agents';
}

/** @param {{w: any}} props */
function Workspace({w}) {
  const here = w.workspace === session.value?.workspace;
  return html`<li data-workspace=${w.workspace}><div class="row"><b><bdi>${w.workspace}</bdi></b><span class="grow"></span>
      ${w.needs ? html`<span class="badge">${w.needs} ${w.needs === 1 ? 'needs' : 'need'} you</span>` : null}${w.paused ? html`<span class="badge">paused</span>` : null}</div>
    <div class="row small"><span class=${w.problem ? 'bad' : 'quiet'}>${doing(w)}</span><${Since} t=${w.last_used} /></div>
    ${here ? html`<p class="small quiet">This page shows it.</p>` : html`<p class="small">To open it: <code>${w.command} web</code></p>`}</li>`;
}

export function Workspaces() {
  const [all, set] = useState(/** @type {any[] | null} */ (null));
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let left = false, stop = new AbortController();
    const follow = async () => {
      while (!left) {
        stop = new AbortController();
        try {
          if (!document.hidden) await stream('/workspaces', () => {}, x => { set(x.workspaces); setProblem(''); }, stop);
        } catch (e) {
          if (!stop.signal.aborted) setProblem(saidOf(e));
        }
        await rest(document.hidden ? 60_000 : 2000);
      }
    };
    const hide = () => { if (document.hidden) stop.abort(); };
    document.addEventListener('visibilitychange', hide);
    follow();
    return () => { left = true; stop.abort(); document.removeEventListener('visibilitychange', hide); };
  }, []);

  return html`<section aria-label="Your workspaces"><h2>Your workspaces</h2>
    ${problem ? html`<p class="bad" role="alert">${problem}</p>` : null}
    ${all ? html`<ul class="rows workspaces">${all.map(w => html`<${Workspace} key=${w.workspace} w=${w} />`)}</ul>` : problem ? null : html`<p class="empty">Looking…</p>`}
    <p class="small quiet">Those on other machines are in <code>parley status --everywhere</code>.</p></section>`;
}
