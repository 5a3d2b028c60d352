// @ts-check
// Several terminals at once, as cheap text. Only those in sight are read.
import {agents, teamRead} from './state.js';
import {Name, html, useEffect, useRef, useState} from './parts.js';
import {State, inOrder} from './agents.js';
import {Asks} from './needs.js';
import {Rows, useScreen} from './terminal.js';

/** @param {{a: any}} props */
function Tile({a}) {
  const [seen, setSeen] = useState(false);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [screen, gone] = useScreen(a.name, 0, seen);
  useEffect(() => {
    if (!box.current) return;
    const o = new IntersectionObserver(all => setSeen(all[all.length - 1].isIntersecting));
    o.observe(box.current);
    return () => o.disconnect();
  }, []);
  // The end of what is written, where the program stands.
  const lines = screen ? screen.lines.slice(-18) : [];
  return html`<li ref=${box}><a class="tile" href=${`#/agent/${encodeURIComponent(a.name)}`}>
    <span class="row small"><${Name}>${a.name}<//><${State} a=${a} /></span>
    <pre aria-hidden="true" class=${gone ? 'past' : ''}><${Rows} lines=${lines} /></pre></a><${Asks} agent=${a.name} /></li>`;
}

export function Tiles() {
  const shown = inOrder().filter(a => a.kind === 'terminal');
  return html`<section aria-label="Terminals">
    <p class="row small"><a class="way-over" href="#/agents">As a list</a></p>
    ${shown.length ? html`<ul class="tiles">${shown.map(a => html`<${Tile} key=${a.id} a=${a} />`)}</ul>`
      : html`<p class="empty">${!teamRead.value ? 'Reading…' : agents.value.length ? 'No agent has a terminal.' : 'There are no agents yet.'}</p>`}
  </section>`;
}
