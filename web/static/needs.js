// @ts-check
// What waits for the person: questions first. An answer goes to the question that was seen, or nowhere.
import {Away, Refused, call, stay, stays} from './api.js';
import {agentOf, dropOutcome, letters, line, loaded, matters, outcomes, refresh, send, sent, tellOutcome} from './state.js';
import {Name, Receipt, Since, Twice, Write, html, may, roomy, useArrival, useBroad, useEffect, useState} from './parts.js';

/** @param {any} n a need, or a letter */
const keyOf = n => [n.kind, n.agent_id, n.message_id, n.dialog?.dialog_id].join('.');

/** Where a card stands among those that wait: what comes of it is shown there. @param {any} n a need, or a letter */
const spotOf = n => Math.max(0, [...matters.value, ...letters.value].findIndex(x => keyOf(x) === keyOf(n)));

/** @param {any} e @param {{agent?: string, place?: string, spot: number}} at */
function tellFailure(e, at) {
  if (!(e instanceof Refused || e instanceof Away)) throw e;
  const changed = e instanceof Refused && e.code === 'DIALOG_CHANGED';
  tellOutcome({
    ...at, bad: true,
    said: changed && e.details.sent?.length ? `The question changed while you answered: only ${e.details.sent.join(', ')} was sent.`
      : changed ? 'The question changed before your answer, so nothing was sent.'
      : e instanceof Away ? 'The line was lost. Look at the question again: your answer may have arrived.' : e.message,
    action: changed ? 'What is open now stands below.' : e instanceof Refused ? e.action : '',
  });
}

/**
 * Does what a card offers, and tells there what came of it; or in another place of the page.
 * @param {any} n a need, a letter, or {place} @param {() => Promise<object | void>} does returns the outcome, if there is one to tell,
 * with what takes it back, if that can be
 */
export async function act(n, does) {
  const at = {agent: n.agent ?? n.sender, place: n.place, spot: spotOf(n)};
  try {
    const came = await does();
    if (came) tellOutcome({...at, said: 'Done.', ...came});
  } catch (e) {
    tellFailure(e, at);
  }
  await refresh();
}

/** @param {{need: any}} props */
function Dialog({need}) {
  const d = need.dialog;
  const [text, setText] = useState('');
  const [all, setAll] = useState(false);
  const others = matters.value.filter(n => n !== need && n.dialog?.dialog_id === d.dialog_id); // it stands for all that a question says
  const say = async (/** @type {any} */ o, /** @type {string} */ typed) => {
    for (const n of all ? [need, ...others] : [need]) {
      await act(n, async () => {
        const res = await call('answer_dialog', {agent: n.agent, dialog_id: d.dialog_id, choice: o?.choice ?? '', text: typed});
        return {said: res.message, then: res.dialog?.question, screen: res.screen};
      });
    }
  };
  const lines = d.lines.slice(0, d.lines.at(-1) === d.question ? -1 : undefined); // it is the title
  const takesText = d.takes_text || d.options.some((/** @type {any} */ o) => o.takes_text);

  return html`
    ${lines.length ? html`<pre class="asked" tabindex="0" aria-label="All that the question says">${lines.join('\n')}</pre>` : null}
    ${d.secret ? html`<p>It asks for a secret, which parley never types. Answer in the agent's terminal.</p>` : null}
    ${may() && !d.secret ? html`
      ${others.length ? html`<label class="check"><input type="checkbox" checked=${all} onChange=${(/** @type {any} */ e) => setAll(e.target.checked)} />
        The same answer for ${others.map(n => n.agent).join(', ')}</label>` : null}
      ${takesText ? html`<label class="field">Your words<input value=${text} maxlength="2000" dir="auto" enterkeyhint="done"
        onInput=${(/** @type {any} */ e) => setText(e.target.value)} /></label>` : null}
      <div class="options">
        ${d.options.map((/** @type {any} */ o) => html`<${Twice} key=${d.dialog_id + o.choice} kind="option"
            act=${() => say(o, o.takes_text ? text.trim() : '')} disabled=${o.takes_text && !text.trim()}
            sure=${html`<b>Tap again</b> to ${!o.several ? 'choose' : o.ticked ? 'untick' : 'tick'}: ${o.label}`}>
            <b class="choice">${o.choice}</b> <span>${o.several ? html`<span role="img" aria-label=${o.ticked ? 'ticked' : 'not ticked'}>${o.ticked ? '☑' : '☐'}</span> ` : null}${o.label}${o.detail ? html`<small>${o.detail}</small>` : null}</span><//>`)}
        ${d.takes_text ? html`<${Twice} kind="option" act=${() => say(null, text.trim())} disabled=${!text.trim()}
          sure=${html`<b>Tap again</b> to type it`}>Type your words<//>` : null}
      </div>` : null}
    ${d.hints ? html`<p class="quiet small" dir="auto">It says: ${d.hints}</p>` : null}
    ${d.secret ? null : html`<${Keys} need=${need} />`}`;
}

const keys = ['Enter', 'Escape', 'Up', 'Down', 'Left', 'Right', 'Tab', 'Space', 'y', 'n', '1', '2', '3'];

/** Keys for a screen, beside the options of its question or where none are known. @param {{need: any}} props */
function Keys({need}) {
  const [seen, setSeen] = useState(/** @type {any} */ (null));
  const look = () => act(need, async () => setSeen(await call('answer_dialog', {agent: need.agent})));
  // The keys stay under the thumb: what came of one is told below them.
  const press = (/** @type {string} */ k) => act(need, async () => {
    const below = spotOf(need) + 1;
    const res = await call('answer_dialog', {agent: need.agent, dialog_id: seen.screen_id, keys: [k]});
    return {said: res.message, then: res.dialog?.question, spot: below, still: true};
  }).then(look);
  const lines = seen?.screen ?? (need.dialog ? null : need.screen ?? []);
  return html`${lines ? html`<pre class="asked" tabindex="0" aria-label="The screen">${lines.join('\n')}</pre>` : null}
    ${!may() ? null : !seen ? html`<button type="button" onClick=${look}>Answer with keys</button>`
      : seen.screen_id ? html`<div class="keys">${keys.map(k => html`<${Twice} key=${k} act=${() => press(k)} sure=${`${k}?`}>${k}<//>`)}</div>`
      : html`<p class="quiet">Its screen takes no keys from here now.</p>`}`;
}

/** What an agent asks, where one looks at the agent. @param {{agent: string}} props */
export function Asks({agent}) {
  return html`${outcomes.value.filter(o => !o.place && o.agent === agent).map(o => html`<${Outcome} key=${o.key} o=${o} />`)}
    ${matters.value.filter(n => n.agent === agent && n.kind === 'dialog').map(n => html`<${Need} key=${n.dialog?.dialog_id ?? 'keys'} need=${n} />`)}`;
}

/** @param {string} words */
const capital = words => words.charAt(0).toUpperCase() + words.slice(1);

/** @param {{need: any}} props */
function Need({need: n}) {
  const run = async (/** @type {any} */ a) => {
    let said = a.done;
    for (const args of a.arguments) {
      const res = await call(a.operation, args);
      said ||= res.message;
    }
    return {said: said || `${capital(a.words)}: done.`, undo: a.undo && (() => run(a.undo))};
  };
  const acts = (n.acts ?? []).filter((/** @type {any} */ a) => a.operation); // a person does the others in its terminal
  const title = n.dialog?.question || n.text;
  return html`<article class="card waits" aria-label=${`${n.agent}: ${title}`} data-kind=${n.kind}
      data-about=${`${n.agent} ${n.message_id ?? ''}`} tabindex="-1">
    <header><a href=${n.agent_id ? `#/agent/${encodeURIComponent(n.agent)}` : undefined}><${Name}>${n.agent}<//></a>
      ${n.also?.length ? html`<span title=${n.also.join(', ')}>and ${n.also.slice(0, 3).join(', ')}${n.also.length > 3 ? ` and ${n.also.length - 3} more` : ''}</span>` : null}
      <span class="kind">${n.kind === 'dialog' ? 'asks' : n.kind.replace('_', ' ')}</span><span class="grow"></span><${Since} t=${n.since} /></header>
    <h2 dir="auto">${title}</h2>
    ${n.dialog ? html`<${Dialog} key=${n.dialog.dialog_id} need=${n} />`
      : n.kind === 'dialog' ? html`<${Keys} key=${n.agent} need=${n} />` : html`
      ${n.screen?.length ? html`<pre class="asked" tabindex="0" aria-label="The screen">${n.screen.join('\n')}</pre>` : null}
      ${n.draft ? html`<figure class="draft"><figcaption>In its composer stands:</figcaption><pre class="asked" dir="auto">${n.draft}</pre></figure>` : null}
      ${n.suggested_action ? html`<p class="quiet" dir="auto">${n.suggested_action}</p>` : null}
      ${may() ? html`<div class="row">${acts.map((/** @type {any} */ a) => html`<${Twice} key=${a.words} act=${() => act(n, () => run(a))}
        sure=${a.ask ? html`<b>Tap again.</b> ${a.ask}` : undefined}>${capital(a.words)}<//>`)}</div>` : null}`}
    <footer class="row">${n.agent_id ? html`<a href=${`#/agent/${encodeURIComponent(n.agent)}`}>Terminal</a>` : null}
      ${n.message_id ? html`<a href=${`#/message/${n.message_id}`}>Message</a>` : null}</footer>
  </article>`;
}

/** @param {{m: any}} props */
function Letter({m}) {
  const reply = (/** @type {string} */ text) =>
    send('respond_to_message', {message_id: m.message_id, text}, {to: m.sender, place: 'needs', spot: spotOf(m)}).then(() => refresh());
  const read = () => act(m, () => call('mark_message_read', {message_ids: [m.message_id]}).then(() => {}));
  return html`<article class="card waits" aria-label=${`Message from ${m.sender}`} data-kind="letter" data-about=${`${m.sender} ${m.message_id}`} tabindex="-1">
    <header><a href=${`#/agent/${encodeURIComponent(m.sender)}`}><${Name}>${m.sender}<//></a>
      <span class="kind">${m.response_deadline ? 'wants an answer' : 'writes to you'}</span><span class="grow"></span><${Since} t=${m.timestamp} /></header>
    <p class="said" dir="auto">${m.content}</p>
    ${may() && m.sender !== 'parley' ? html`<${Write} draft=${`reply.${m.message_id}`} send=${reply} label=${`Answer ${m.sender}`} verb="Answer">
      <button type="button" class="plain" onClick=${read} disabled=${!line.value.live}>Mark read</button><//>`
      : may() ? html`<button type="button" class="plain" onClick=${read} disabled=${!line.value.live}>Mark read</button>` : null}
  </article>`;
}

/** @param {{o: any}} props */
function Outcome({o}) {
  return html`<article ref=${useArrival(o.still ? 0 : o.at)} tabindex="-1" class=${`card outcome ${o.bad ? 'failed' : ''}`} role=${o.bad ? 'alert' : 'status'}>
    <header><${Name}>${o.agent || 'parley'}<//><span class="grow"></span><${Since} t=${o.at} />
      <button type="button" class="plain" onClick=${() => dropOutcome(o.key)}>Done</button></header>
    <p dir="auto">${o.said}</p>
    ${o.action ? html`<p class="quiet" dir="auto">${o.action}</p>` : null}
    ${o.undo ? html`<p><button type="button" onClick=${() => { dropOutcome(o.key); act(o, o.undo); }}>Undo</button></p>` : null}
    ${o.then ? html`<p class="quiet" dir="auto">Then: ${o.then}</p>` : null}
    ${o.screen?.length ? html`<details><summary>Its screen after that</summary><pre class="asked">${o.screen.join('\n')}</pre></details>` : null}
  </article>`;
}

/** What came of what was done in a place of the page. @param {{place: string}} props */
export const Came = ({place}) => html`${outcomes.value.filter(o => o.place === place).map(o => html`<${Outcome} key=${o.key} o=${o} />`)}`;

/** What was sent in answer to a letter. @param {{m: any}} props */
const Answered = ({m}) => html`<ul ref=${useArrival(m.at)} tabindex="-1" class="receipts card"><${Receipt} m=${m} /></ul>`;

/** The terminal of the agent that is looked at, or of the first of them. Its place is there before what draws it. @param {{of: string[], chosen: string, Terminal: any}} props */
export function Shown({of, chosen, Terminal}) {
  const all = of.filter(name => agentOf(name)?.kind === 'terminal');
  const name = all.includes(chosen) ? chosen : all[0];
  return html`<div class="beside">${name && Terminal ? html`<h2><a href=${`#/agent/${encodeURIComponent(name)}`}><${Name}>${name}<//></a></h2><${Terminal} key=${name} agent=${name} />` : null}</div>`;
}

/** @param {{about: string, Beside?: any}} props the agent or the message of a link, and what draws a terminal */
export function Needs({about = '', Beside}) {
  const shown = outcomes.value.filter(o => !o.place);
  const room = useBroad(roomy);
  const [chosen, choose] = useState('');
  const look = (/** @type {any} */ e) => choose(e.target.closest('[data-about]')?.dataset.about.split(' ')[0] ?? chosen);
  useEffect(() => {
    if (!about || !loaded.value) return;
    const card = /** @type {HTMLElement | null} */ (document.querySelector(`[data-about~="${CSS.escape(about)}"]`));
    card?.scrollIntoView({block: 'start'});
    card?.focus({preventScroll: true});
  }, [about, loaded.value]);
  const over = about && loaded.value && !matters.value.some(n => n.agent === about || n.message_id === about)
    && !letters.value.some(m => m.message_id === about || m.sender === about);
  const nothing = loaded.value && !matters.value.length && !letters.value.length;
  const cards = [...matters.value.map(n => html`<${Need} key=${keyOf(n)} need=${n} />`),
    ...letters.value.map(m => html`<${Letter} key=${keyOf(m)} m=${m} />`)];
  // What came of a card stands where that was: the next one follows.
  const came = [...shown.map(o => ({...o, drawn: html`<${Outcome} key=${o.key} o=${o} />`})),
    ...sent.value.filter(m => m.place === 'needs').map(m => ({...m, drawn: html`<${Answered} key=${m.key} m=${m} />`}))]
    .sort((a, b) => a.at - b.at).map(c => ({at: Math.min(c.spot ?? 0, cards.length), drawn: c.drawn}));
  return html`<section class="needs" aria-label="What waits for you"><div onFocusCapture=${look}>
    ${over && !shown.length ? html`<p class="note" role="status">What the link was about does not wait for you any more.</p>` : null}
    ${nothing ? html`<p class="empty">Nothing waits for you.</p>` : null}
    ${[...cards, null].flatMap((card, i) => [...came.filter(c => c.at === i).map(c => c.drawn), card])}
    ${!stays.value && matchMedia('(pointer: coarse)').matches ? html`<p class="note">Only this tab is signed in.
      <button type="button" class="plain" onClick=${() => stay(true)}>Stay signed in on this device</button></p>` : null}
  </div>${room && cards.length ? html`<${Shown} of=${[...matters.value.map(n => n.agent), ...letters.value.map(m => m.sender)]} chosen=${chosen} Terminal=${Beside} />` : null}</section>`;
}
