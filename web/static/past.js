// @ts-check
// The conversations that programs had before, of all directories. An agent goes on with one of them.
import {call, saidOf} from './api.js';
import {Came, act} from './needs.js';
import {agents, refresh} from './state.js';
import {Since, Twice, html, useEffect, useState} from './parts.js';

/** A name after a program that no agent has. @param {string} program */
function freeName(program) {
  let name = program;
  for (let n = 2; agents.value.some(a => a.name === name); n++) name = `${program}-${n}`;
  return name;
}

/** @param {{s: any}} props */
function Conversation({s}) {
  const name = freeName(s.program);
  const go = () => act({place: 'past'}, async () => {
    const res = await call('launch_agent', {name, session: s.id});
    await refresh();
    location.hash = `#/agent/${encodeURIComponent(res.name)}`;
  });
  const no = s.agent ? html`the conversation of <a href=${`#/agent/${encodeURIComponent(s.agent)}`}>${s.agent}</a>` : s.refused;
  return html`<li data-session=${s.id}><div class="row"><b><bdi>${s.first_words}</bdi></b><span class="grow"></span>
      ${no ? null : html`<${Twice} act=${go} sure=${html`<b>Tap again</b>: ${name} goes on with it`}>Go on<//>`}</div>
    ${s.excerpt && s.excerpt !== s.first_words ? html`<div class="small"><bdi>${s.excerpt}</bdi></div>` : null}
    <div class="row small quiet"><span>${s.program}</span><span><bdi>${s.dir}</bdi></span>${s.branch ? html`<span><bdi>${s.branch}</bdi></span>` : null}
      <${Since} t=${s.last_active} />${no ? html`<span>${no}</span>` : null}</div></li>`;
}

export function Past() {
  const [words, setWords] = useState('');
  const [found, set] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let over = false;
    const look = () => call('list_sessions', {query: words.trim(), limit: 50}).then(res => {
      if (over) return;
      set(res);
      setProblem('');
      if (res.read < res.of) t = setTimeout(look, 1000);
    }, e => { if (!over) setProblem(saidOf(e)); });
    let t = setTimeout(look, found ? 300 : 0);
    return () => { over = true; clearTimeout(t); };
  }, [words]);

  return html`<section aria-label="Conversations from before"><h2>Conversations from before</h2>
    <${Came} place="past" />
    <input type="search" aria-label="Words that were said" placeholder="Words that were said" dir="auto" maxlength="200" value=${words} onInput=${(/** @type {any} */ e) => setWords(e.target.value)} />
    ${problem ? html`<p class="bad" role="alert">${problem}</p>` : null}
    ${!found ? html`<p class="empty">Looking…</p>` : found.sessions.length ? html`<ul class="rows workspaces">${found.sessions.map((/** @type {any} */ s) => html`<${Conversation} key=${s.program + s.id} s=${s} />`)}</ul>`
      : html`<p class="empty">No conversation was found.</p>`}
    ${found && found.read < found.of ? html`<p class="small quiet">${found.read} of ${found.of} were read so far, the newest first.</p>` : null}
    ${found?.more ? html`<p class="small quiet">There are older ones: give words that were said in them.</p>` : null}</section>`;
}
