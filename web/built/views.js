import {
  A,
  Asks,
  Away,
  Came,
  F,
  Ladder,
  Name,
  Receipt,
  Refused,
  Shown,
  Since,
  T,
  Twice,
  Write,
  act,
  agentOf,
  agents,
  ago,
  announces,
  broad,
  byName,
  call,
  callOnce,
  clock,
  d,
  download,
  heard,
  lastWords,
  letters,
  m,
  matters,
  may,
  readStatus,
  readThreads,
  readWorktrees,
  refresh,
  rest,
  roomy,
  saidOf,
  send,
  sent,
  sentence,
  session,
  shortened,
  status,
  stream,
  teamRead,
  tellOutcome,
  threads,
  upload,
  useBroad,
  useReading,
  worktrees
} from "./shared.js";

// begin.js
function Field({ of, set, name, label, rows = 1, max = 200 }) {
  const fill = (e) => set({ ...of, [name]: e.target.value });
  return m`<label class="field">${label}${rows > 1 ? m`<textarea rows=${rows} maxlength=${max} dir="auto" value=${of[name] ?? ""} onInput=${fill}></textarea>` : m`<input value=${of[name] ?? ""} maxlength=${max} dir="auto" autocapitalize="off" autocomplete="off" onInput=${fill} />`}</label>`;
}
function Launch() {
  const [x, set] = d(
    /** @type {any} */
    {}
  );
  A(() => {
    readStatus();
  }, []);
  const programs = status.value?.programs ?? [];
  const profile = x.profile ?? programs[0] ?? "";
  const name = (x.name ?? "").trim();
  const start = () => act({ place: "launch" }, async () => {
    const res = await call("launch_agent", { name, profile, role: x.role, prompt: x.prompt, ...x.worktree ? { worktree: "true" } : {} });
    await refresh();
    location.hash = `#/agent/${encodeURIComponent(res.name)}`;
  });
  return m`<section class="one form" aria-label="Start an agent"><h2>Start an agent</h2>
    <${Came} place="launch" />
    <p class="small"><a href="#/past">Go on with a conversation from before</a></p>
    ${status.value && !programs.length ? m`<p class="empty">No program that parley knows is installed where the daemon runs.</p>` : m`
      <label class="field">Program<select value=${profile} onChange=${(e) => set({ ...x, profile: e.target.value })}>${programs.map((p) => m`<option key=${p}>${p}</option>`)}</select></label>
      <${Field} of=${x} set=${set} name="name" label="Name" max=${32} />
      <${Field} of=${x} set=${set} name="role" label="What it is for" />
      <${Field} of=${x} set=${set} name="prompt" label="Its first message" rows=${3} max=${2e3} />
      <label class="check"><input type="checkbox" checked=${!!x.worktree} onChange=${(e) => set({ ...x, worktree: e.target.checked })} /> in a git worktree of its own</label>
      <div class="row"><${Twice} kind="main" act=${start} disabled=${!name || !profile} sure=${m`<b>Tap again</b> to start ${name}`}>Start<//></div>`}
  </section>`;
}
function People({ chosen, set, but = [] }) {
  const [text, setText] = d("");
  const found2 = agents.value.map((a) => a.name).filter((n) => !but.includes(n) && !chosen.includes(n) && n.toLowerCase().includes(text.toLowerCase().trim()));
  const turn2 = (n) => set(chosen.includes(n) ? chosen.filter((c) => c !== n) : [...chosen, n]);
  return m`<div class="field"><span>People</span>
    ${agents.value.length > 12 ? m`<input type="search" aria-label="Find people" placeholder="Find by name" value=${text} onInput=${(e) => setText(e.target.value)} />` : null}
    <div class="row">${[...chosen, ...found2.slice(0, 12)].map((n) => m`<button key=${n} type="button" aria-pressed=${chosen.includes(n)} onClick=${() => turn2(n)}>${n}</button>`)}</div></div>`;
}
function NewThread() {
  const [x, set] = d(
    /** @type {any} */
    {}
  );
  const [people, setPeople] = d(
    /** @type {string[]} */
    []
  );
  const open = () => act({ place: "newthread" }, async () => {
    const res = await callOnce("create_thread", { title: x.title.trim(), participants: people, initial_message: x.text }, () => {
    });
    location.hash = `#/thread/${res.thread.thread_id}`;
  });
  return m`<section class="one form" aria-label="Open a thread"><h2>Open a thread</h2>
    <${Came} place="newthread" />
    <${Field} of=${x} set=${set} name="title" label="What it is about" />
    <${People} chosen=${people} set=${setPeople} />
    <${Field} of=${x} set=${set} name="text" label="The first post" rows=${3} max=${2e3} />
    <div class="row"><${Twice} kind="main" act=${open} disabled=${!(x.title ?? "").trim() || !people.length} sure=${m`<b>Tap again</b> to open it with ${people.join(", ")}`}>Open<//></div></section>`;
}

// messages.js
var toWhom = (m2) => m2.thread_title || (m2.recipient_count > 1 ? `${m2.recipient_count} agents` : m2.recipients?.[0] ?? "");
function statesOf(m2) {
  const all2 = Object.entries(m2.states ?? {});
  return all2.map(([s, n]) => all2.length > 1 || n > 1 ? `${n} ${s}` : s).join(", ");
}
function Row({ m: m2 }) {
  const states = statesOf(m2);
  const bad = /failed|unconfirmed|expired/.test(states);
  return m`<li><a class="message" href=${`#/message/${m2.message_id}`}>
    <span class="row small"><time class="quiet" datetime=${m2.timestamp}>${clock(m2.timestamp)}</time>
      <span class="way"><${Name}>${m2.sender}<//> <span class="quiet">→</span> <${Name}>${toWhom(m2)}<//></span>
      ${m2.kind === "steering" ? m`<span class="quiet">guidance</span>` : null}<span class="grow"></span>
      <span class=${`${bad ? "bad" : "quiet"} ${states.includes(",") ? "several" : ""}`}>${states}</span></span>
    <span class="line" dir="auto">${m2.snippet || m2.content?.text}</span>
  </a></li>`;
}
var all = "1970-01-01T00:00:00Z";
function Traffic({ filter }) {
  const [text, setText] = d(filter);
  const [wanted, want] = d(filter);
  const [list, set] = d(
    /** @type {any[] | null} */
    null
  );
  const [more, setMore] = d(false);
  const [problem, setProblem] = d("");
  const run = T(0);
  const ask = async (t, before) => {
    const mine = ++run.current;
    try {
      const res = await call("find_messages", { ...t.trim() ? { filter: t } : { since: all }, limit: 60, ...before ? { before } : {} });
      if (mine !== run.current) return;
      setProblem("");
      set((old) => before ? [...old ?? [], ...res.messages].slice(-600) : res.messages);
      setMore(res.has_more || res.truncated);
    } catch (e) {
      if (mine === run.current) setProblem(saidOf(e));
    }
  };
  A(() => {
    const t = setTimeout(() => {
      history.replaceState(null, "", text ? `#/traffic?${encodeURIComponent(text)}` : "#/traffic");
      want(text);
    }, list ? 250 : 0);
    return () => clearTimeout(t);
  }, [text]);
  useReading(() => ask(wanted, ""), (e) => e.message_id && scrollY < 200, wanted);
  return m`<section aria-label="Traffic">
    <label class="filter"><span class="hidden">Filter</span><input type="search" id="filter" value=${text} placeholder="from:coder is:held since:2h"
      autocapitalize="off" autocomplete="off" spellcheck=${false} onInput=${(e) => setText(e.target.value)} /></label>
    <p class="row small"><a class="way-over" href="#/planned">Planned messages</a></p>
    ${problem ? m`<p class="bad" role="status">${problem}</p>` : null}
    ${list && !list.length ? m`<p class="empty">${text ? "No message matches." : "No message yet."}</p>` : null}
    <ul class="rows" aria-label="Messages">${(list ?? []).map((m2) => m`<${Row} key=${m2.message_id} m=${m2} />`)}</ul>
    ${more && list ? m`<button type="button" onClick=${() => ask(text, list[list.length - 1].message_id)}>Older</button>` : null}
  </section>`;
}
function Message({ id }) {
  const [m2, set] = d(
    /** @type {any} */
    null
  );
  const [story, setStory] = d(
    /** @type {any} */
    null
  );
  const [said, say] = d("");
  const [problem, read] = useReading(async () => set(await call("get_message_status", { message_id: id })), (e) => e.message_id === id, id);
  const explain = () => call("explain_message", { message_id: id }).then((res) => setStory(res.story), (e) => say(saidOf(e)));
  const retry = async () => {
    await call("retry_delivery", { message_id: id }).then((res) => say(res.message), (e) => say(saidOf(e)));
    await Promise.all([read(), refresh()]);
  };
  if (problem && !m2) return m`<p class="empty">${problem}</p>`;
  if (!m2) return m`<p class="empty">Reading the message…</p>`;
  const o = m2.message_object;
  const stuck = m2.deliveries.some((d2) => d2.reason_code !== "native" && /queued|held|failed|unconfirmed|expired/.test(d2.state));
  return m`<article class="one" aria-label=${`Message from ${o.sender}`}>
    <header class="row"><h2><${Name}>${o.sender}<//> <span class="quiet">→</span> <${Name}>${o.thread_title || (m2.deliveries.length === 1 ? m2.deliveries[0].agent : `${m2.deliveries.length} agents`)}<//></h2>
      <span class="grow"></span><${Since} t=${o.timestamp} /></header>
    <p class="said whole" dir="auto">${o.text}</p>
    <p class="row small quiet"><span>${o.message_type}</span>${o.priority !== "normal" ? m`<span>${o.priority}</span>` : null}
      ${o.in_reply_to ? m`<a href=${`#/message/${o.in_reply_to}`}>what it answers</a>` : null}${o.thread_id ? m`<a href=${`#/thread/${o.thread_id}`}>its thread</a>` : null}</p>
    <h3>What became of it</h3>
    ${m2.deliveries.slice(0, 60).map((d2) => m`<${Ladder} key=${d2.agent_id} d=${d2} names=${true} />`)}
    ${said || problem ? m`<p role="status">${said || problem}</p>` : null}
    <div class="row">${story ? null : m`<button type="button" onClick=${explain}>The whole story</button>`}
      ${navigator.clipboard ? m`<button type="button" onClick=${() => navigator.clipboard.writeText(o.text).then(() => say("Copied."), () => say("The browser does not copy."))}>Copy</button>` : null}
      ${may() && stuck ? m`<${Twice} act=${retry}>Try again<//>` : null}</div>
    ${story ? m`<pre class="asked" tabindex="0" aria-label="The whole story">${story.join("\n")}</pre>` : null}
  </article>`;
}
function Threads() {
  useReading(readThreads, (e) => e.thread_id, "");
  if (!threads.value) return m`<p class="empty">Reading the threads…</p>`;
  const begin = may() ? m`<p class="row small"><a class="way-over" href="#/newthread">Open a thread</a></p>` : null;
  if (!threads.value.length) return m`${begin}<p class="empty">There are no threads yet.</p>`;
  return m`${begin}<ul class="rows" aria-label="Threads">${threads.value.map((t) => m`<li key=${t.thread_id}><a class="message" href=${`#/thread/${t.thread_id}`}>
    <span class="row small"><${Name}>${t.title}<//><span class="quiet">${t.participant_names.length} take part</span><span class="grow"></span><${Since} t=${t.last_message_at} /></span>
    ${lastWords.value[t.thread_id] ? m`<span class="line quiet" dir="auto">${lastWords.value[t.thread_id]}</span>` : null}</a></li>`)}</ul>`;
}
function Manage({ about, read }) {
  const id = about.thread_id;
  const [chosen, choose] = d(
    /** @type {string[]} */
    []
  );
  const does = (op, args) => () => call(op, { thread_id: id, ...args }).then((res) => ({ said: res.message }));
  const add = (n) => does("add_participant_to_thread", { agent_id_to_add: n });
  const remove = (n) => does("remove_participant_from_thread", { agent_id_to_remove: n });
  const control = (action) => does("control_conversation", { action });
  const change = (f, back) => act({ place: id }, () => f().then((came) => ({ ...came, undo: back && (() => back().finally(read)) }))).then(read);
  const all2 = () => chosen.reduce((before, n) => before.then(() => change(add(n), remove(n))), Promise.resolve()).then(() => choose([]));
  return m`<details class="more"><summary>People, mute, cool</summary>
    <div class="row">${about.participant_names.filter((n) => n !== "operator").map((n) => m`<${Twice} key=${n}
      act=${() => change(remove(n), add(n))}>Remove ${n}<//>`)}</div>
    <${People} chosen=${chosen} set=${choose} but=${about.participant_names} />
    <div class="row"><${Twice} act=${all2} disabled=${!chosen.length}>Add ${chosen.join(", ") || "those chosen"}<//></div>
    <div class="row"><${Twice} act=${() => change(control("cool"))}>Cool for ten minutes<//><${Twice} act=${() => change(control("mute"), control("unmute"))}>Mute<//>
      <${Twice} act=${() => change(control("unmute"), control("mute"))}>Unmute<//><${Twice} act=${() => change(control("release"))}>Release what is held<//></div></details>`;
}
function Thread({ id }) {
  const [about, setAbout] = d(
    /** @type {any} */
    null
  );
  const [posts, set] = d(
    /** @type {any[]} */
    []
  );
  const end = T(
    /** @type {HTMLElement | null} */
    null
  );
  const [problem, read] = useReading(async () => {
    const [d2, list] = await Promise.all([call("get_thread_details", { thread_id: id }), call("find_messages", { thread: id, limit: 60 })]);
    setAbout(d2.thread);
    set(list.messages.reverse());
  }, (e) => e.thread_id === id && announces(e) || e.type === "thread_updated", id);
  A(() => {
    end.current?.scrollIntoView({ block: "end" });
  }, [posts.length]);
  if (problem && !about) return m`<p class="empty">${problem}</p>`;
  if (!about) return m`<p class="empty">Reading the thread…</p>`;
  const mine = sent.value.filter((m2) => m2.place === id && m2.state !== "sent");
  return m`<section class="one thread" aria-label=${about.title}>
    <header><h2 dir="auto">${about.title}</h2><p class="quiet small">${about.participant_names.join(", ")}</p></header>
    <ol class="posts">${posts.map((m2) => m`<li key=${m2.message_id} class=${m2.sender === "operator" ? "mine" : ""}>
      <span class="row small"><${Name}>${m2.sender === "operator" ? "you" : m2.sender}<//><time class="quiet" datetime=${m2.timestamp}>${clock(m2.timestamp)}</time></span>
      <p class="said" dir="auto">${m2.content?.text || m2.snippet}</p></li>`)}</ol>
    ${mine.length ? m`<ul class="receipts">${mine.map((m2) => m`<${Receipt} key=${m2.key} m=${m2} />`)}</ul>` : null}
    <${Came} place=${id} />
    ${may() ? m`<${Manage} about=${about} read=${read} />` : null}
    ${may() ? m`<div class="dock"><${Write} key=${id} draft=${`thread.${id}`} label="Write to the thread" send=${(text) => send("send_message", { thread_id: id, text }, { to: about.title, place: id }).then(read)} /></div>` : null}
    <div ref=${end}></div>
  </section>`;
}

// terminal.js
var base = [
  "#3b4048",
  "#e06c75",
  "#98c379",
  "#d7b36a",
  "#61afef",
  "#c678dd",
  "#56b6c2",
  "#c5cad3",
  "#6b7280",
  "#ef8a92",
  "#b5d99c",
  "#e8cd8f",
  "#8cc5f5",
  "#d8a1e8",
  "#86d0d9",
  "#f2f4f7"
];
function colourOf(n) {
  if (n < 16) return base[n];
  if (n > 231) return `rgb(${Array(3).fill(8 + (n - 232) * 10).join(" ")})`;
  const level = (i) => i && 55 + i * 40;
  const c = n - 16;
  return `rgb(${level(Math.floor(c / 36))} ${level(Math.floor(c / 6) % 6)} ${level(c % 6)})`;
}
var sheeted = false;
function addSheet() {
  if (sheeted) return;
  sheeted = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(Array.from({ length: 256 }, (_, n) => `.f${n}{color:${colourOf(n)}}.b${n}{background:${colourOf(n)}}`).join("\n"));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
var marks = (
  /** @type {Record<number, string>} */
  { 1: "bold", 2: "dim", 3: "italic", 4: "under", 7: "swap", 9: "strike" }
);
var unmarks = (
  /** @type {Record<number, string[]>} */
  { 22: ["bold", "dim"], 23: ["italic"], 24: ["under"], 27: ["swap"], 29: ["strike"] }
);
function apply(params, s) {
  const p = (params || "0").split(";").map((x) => x === "" ? 0 : /^\d+$/.test(x) ? Number(x) : -1);
  for (let i = 0; i < p.length; i++) {
    const n = p[i];
    if (n === 0) {
      s.f = s.b = "";
      s.on.clear();
    } else if (marks[n]) s.on.add(marks[n]);
    else if (unmarks[n]) unmarks[n].forEach((m2) => s.on.delete(m2));
    else if (n >= 30 && n <= 37) s.f = String(n - 30);
    else if (n >= 90 && n <= 97) s.f = String(n - 82);
    else if (n >= 40 && n <= 47) s.b = String(n - 40);
    else if (n >= 100 && n <= 107) s.b = String(n - 92);
    else if (n === 39) s.f = "";
    else if (n === 49) s.b = "";
    else if (n === 38 || n === 48) {
      const at = n === 38 ? "f" : "b";
      if (p[i + 1] === 5) {
        s[at] = String(p[i + 2] & 255);
        i += 2;
      } else if (p[i + 1] === 2) {
        s[at] = p.slice(i + 2, i + 5).map((x) => x & 255).join(" ");
        i += 4;
      }
    }
  }
}
var named = (s) => `${s.f}|${s.b}|${[...s.on]}`;
function runs(line, s) {
  const out = [];
  for (const part of line.split(/(\x1b\[[0-9;:]*m)/)) {
    const sgr = /^\x1b\[([0-9;:]*)m$/.exec(part);
    if (sgr) {
      apply(sgr[1], s);
      continue;
    }
    const text = part.replace(/\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|[\x00-\x08\x0b-\x1f\x7f]/g, "");
    if (!text) continue;
    const [f, b] = s.on.has("swap") ? [s.b || "0", s.f || "15"] : [s.f, s.b];
    const style = {};
    const cls = [...s.on].filter((m2) => m2 !== "swap");
    if (f.includes(" ")) Object.assign(style, { color: `rgb(${f})` });
    else if (f) cls.push(`f${f}`);
    if (b.includes(" ")) Object.assign(style, { background: `rgb(${b})` });
    else if (b) cls.push(`b${b}`);
    out.push({ text, cls: cls.join(" "), style });
  }
  return out;
}
function rowsOf(lines, before = []) {
  let s = { f: "", b: "", on: /* @__PURE__ */ new Set() };
  return lines.map((text, i) => {
    const start = named(s);
    let row2 = before[i];
    if (row2?.text !== text || row2.start !== start) {
      const at = { ...s, on: new Set(s.on) };
      row2 = { text, start, runs: runs(text, at), end: at };
    }
    s = { ...row2.end, on: new Set(row2.end.on) };
    return row2;
  });
}
function Line({ row: row2 }) {
  const rule = /^(\x1b\[[0-9;:]*m|[\s\u2500-\u257f_=-])*$/.test(row2.text) ? "rule" : void 0;
  if (!row2.runs.length) return m`<div class=${rule}>${" "}</div>`;
  return m`<div class=${rule}>${row2.runs.map((r) => m`<span class=${r.cls || void 0} style=${r.style}>${r.text}</span>`)}</div>`;
}
function Rows({ lines }) {
  const last = T(
    /** @type {Row[]} */
    []
  );
  addSheet();
  last.current = rowsOf(lines, last.current);
  return last.current.map((row2, i) => m`<${Line} key=${i} row=${row2} />`);
}
var shown = /* @__PURE__ */ new Map();
var followed = new AbortController();
var turn = 0;
function takeChange(c, screens) {
  const before = screens.get(c.agent);
  const screen = c.gone ? before : { ...c.screen, lines: Array.from({ length: c.count }, (_, i) => c.changed[i] ?? before?.lines[i + (c.up ?? 0)] ?? "") };
  if (screen) screens.set(c.agent, screen);
  for (const tell of shown.get(c.agent)?.keys() ?? []) tell(screen, c.gone ? sentence(c.gone) : "");
}
async function followShown() {
  followed.abort();
  const stop = followed = new AbortController(), mine = ++turn;
  await rest(50);
  while (mine === turn && shown.size && !document.hidden && session.value) {
    const above = Math.max(...[...shown.values()].flatMap((all2) => [...all2.values()]));
    const screens = /* @__PURE__ */ new Map();
    try {
      const names = [...shown.keys()].map(encodeURIComponent).join(",");
      await stream(`/api/read_terminal?agent=${names}${above ? `&history=${above}` : ""}`, () => {
      }, (c) => takeChange(c, screens), stop);
    } catch (e) {
      if (mine === turn && e instanceof Refused) {
        for (const all2 of shown.values()) for (const tell of all2.keys()) tell(null, e.message);
      }
    }
    if (mine === turn) await rest(2e3);
  }
}
document.addEventListener("visibilitychange", followShown);
function watch(agent, history2, tell) {
  if (!shown.has(agent)) shown.set(agent, /* @__PURE__ */ new Map());
  shown.get(agent)?.set(tell, history2);
  followShown();
  return () => {
    shown.get(agent)?.delete(tell);
    if (!shown.get(agent)?.size) shown.delete(agent);
    followShown();
  };
}
function useScreen(agent, history2, on = true) {
  const [screen, setScreen] = d(
    /** @type {any} */
    null
  );
  const [gone, setGone] = d("");
  A(() => on ? watch(agent, history2, (now, why) => {
    if (now) setScreen(now);
    setGone(why);
  }) : void 0, [agent, history2, on]);
  return [screen, gone];
}
function Gone({ gone, at }) {
  return gone ? m`<p class="note" role="status">${gone}${at ? m` This is what it showed at ${clock(at)}.` : null}</p>` : null;
}
var bar = { Esc: "Escape", Tab: "Tab", "←": "Left", "↑": "Up", "↓": "Down", "→": "Right", Enter: "Enter", "Ctrl-C": "C-c" };
function KeyBar({ agent }) {
  const seen = matters.value.find((n) => n.agent === agent && n.dialog)?.dialog.dialog_id ?? "none";
  const press = (key) => act({ agent }, () => call("type_in_terminal", { agent, keys: [key], dialog_id: seen }).then(() => {
  }));
  return m`<div class="keys" role="group" aria-label="Keys">${Object.entries(bar).map(([words2, key]) => m`<${Twice} key=${key + seen} label=${key} act=${() => press(key)} sure=${`${words2}?`}>${words2}<//>`)}</div>`;
}
function Terminal({ agent }) {
  const [history2, setHistory] = d(0);
  const [screen, gone] = useScreen(agent, history2);
  const box = T(
    /** @type {HTMLElement | null} */
    null
  );
  const low = T(true);
  A(() => {
    const b = box.current;
    if (b && low.current) b.scrollTop = b.scrollHeight;
  }, [screen]);
  const scrolled = () => {
    const b = box.current;
    if (b) low.current = b.scrollHeight - b.scrollTop - b.clientHeight < 24;
  };
  return m`<section class="terminal" aria-label=${`Terminal of ${agent}`}>
    <${Gone} gone=${gone} at=${screen?.at} />
    <pre ref=${box} tabindex="0" onScroll=${scrolled} class=${gone ? "past" : ""} aria-label="Screen"><${Rows} lines=${screen?.lines ?? []} /></pre>
    ${screen?.takes_keys && !gone && !broad.matches && may() ? m`<${KeyBar} agent=${agent} />` : null}
    <div class="row"><${Size} screen=${screen} /><span class="grow"></span>
      <button type="button" class="plain" onClick=${() => {
    low.current = !!history2;
    setHistory(history2 ? 0 : 1e3);
  }}>${history2 ? "Only the screen" : "Earlier lines"}</button></div>
  </section>`;
}
function Size({ screen }) {
  return screen ? m`<span class="quiet">${screen.width} × ${screen.height}${screen.title ? m` · <bdi>${screen.title}</bdi>` : null}</span>` : m`<span class="quiet">Reading the terminal…</span>`;
}

// wide.js
var theme = {
  background: "#0b0d10",
  foreground: "#d7dae0",
  cursor: "#d7dae0",
  selectionBackground: "#3a4556",
  black: "#3b4048",
  red: "#e06c75",
  green: "#98c379",
  yellow: "#d7b36a",
  blue: "#61afef",
  magenta: "#c678dd",
  cyan: "#56b6c2",
  white: "#c5cad3",
  brightBlack: "#6b7280",
  brightRed: "#ef8a92",
  brightGreen: "#b5d99c",
  brightYellow: "#e8cd8f",
  brightBlue: "#8cc5f5",
  brightMagenta: "#d8a1e8",
  brightCyan: "#86d0d9",
  brightWhite: "#f2f4f7"
};
var keys = (
  /** @type {Record<string, string>} */
  {
    "\r": "Enter",
    "	": "Tab",
    "": "BSpace",
    "\x1B": "Escape",
    "\x1B[A": "Up",
    "\x1B[B": "Down",
    "\x1B[C": "Right",
    "\x1B[D": "Left",
    "\x1B[Z": "BTab",
    "\x1B[H": "Home",
    "\x1B[F": "End",
    "\x1B[5~": "PageUp",
    "\x1B[6~": "PageDown",
    "\x1B[2~": "IC",
    "\x1B[3~": "DC",
    "\x1BOP": "F1",
    "\x1BOQ": "F2",
    "\x1BOR": "F3",
    "\x1BOS": "F4",
    "\x1B[15~": "F5",
    "\x1B[17~": "F6",
    "\x1B[18~": "F7",
    "\x1B[19~": "F8",
    "\x1B[20~": "F9",
    "\x1B[21~": "F10",
    "\x1B[23~": "F11",
    "\x1B[24~": "F12",
    "\x1B\r": "M-Enter"
  }
);
function strokes(data) {
  const arrow = /^\x1b\[1;([2-8])([A-DHF])$/.exec(data);
  if (keys[data]) return { keys: [keys[data]] };
  if (arrow) {
    const held = Number(arrow[1]) - 1;
    const way = { A: "Up", B: "Down", C: "Right", D: "Left", H: "Home", F: "End" }[arrow[2]];
    return { keys: [`${held & 4 ? "C-" : ""}${held & 2 ? "M-" : ""}${held & 1 ? "S-" : ""}${way}`] };
  }
  if (/^[\x01-\x1a]$/.test(data)) return { keys: [`C-${String.fromCharCode(data.charCodeAt(0) + 96)}`] };
  if (/^\x1b[a-z0-9]$/.test(data)) return { keys: [`M-${data[1]}`] };
  return /[\x00-\x1f\x7f]/.test(data) ? null : { text: data };
}
var page = new URL("./xterm-frame.html", import.meta.url).href;
var large = "parley.large";
var View = class {
  /** @param {HTMLIFrameElement} frame @param {string} agent @param {(x: object) => void} tell */
  constructor(frame, agent, tell) {
    const inside = (
      /** @type {any} */
      frame.contentWindow
    );
    const box = inside.document.querySelector("main");
    this.frame = frame;
    this.box = box;
    this.agent = agent;
    this.tell = tell;
    this.term = new inside.Terminal({
      cols: 80,
      rows: 12,
      scrollback: 2e3,
      disableStdin: true,
      fontSize: 13,
      theme,
      cursorBlink: false,
      minimumContrastRatio: 4.5,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--mono"),
      smoothScrollDuration: 0
    });
    this.term.open(box);
    this.term.onData((d2) => this.typed(d2));
    this.term.attachCustomKeyEventHandler((e) => {
      if (e.key !== "Escape" || !e.shiftKey) return true;
      if (e.type === "keydown") this.tell({ typing: false });
      return false;
    });
    this.term.onScroll(() => {
      if (this.back && this.low()) this.live();
    });
    this.wheel = (e) => {
      if (e.deltaY < 0 && !this.back && !this.box.scrollTop) this.lookBack();
    };
    box.addEventListener("wheel", this.wheel, { passive: true });
    this.sizes = new ResizeObserver(() => this.fit());
    this.sizes.observe(box);
    this.shown = "";
    this.timer = 0;
    this.back = false;
    this.over = false;
    this.typing = false;
    this.queue = [];
    this.sending = false;
    this.screen = /** @type {any} */
    null;
    this.unwatch = watch(agent, 0, (s, gone) => this.take(s, gone));
  }
  low() {
    const b = this.term.buffer.active;
    return b.viewportY >= b.baseY;
  }
  end() {
    this.over = true;
    this.unwatch();
    clearTimeout(this.timer);
    this.sizes.disconnect();
    this.box.removeEventListener("wheel", this.wheel);
    this.term.dispose();
  }
  /** Makes the letters as large as the columns leave room for, or as one reads them well: then it scrolls sideways. */
  fit() {
    const fits = Math.max(7.5, Math.min(14, Math.floor((this.box.clientWidth - 16) / this.term.cols / 0.602 * 4) / 4));
    const size2 = localStorage.getItem(large) ? Math.max(14, fits) : fits;
    if (this.term.options.fontSize !== size2) this.term.options.fontSize = size2;
    const over = this.box.offsetHeight - this.box.clientHeight;
    this.frame.style.height = `${this.term.element.querySelector(".xterm-screen").offsetHeight + 20 + over}px`;
  }
  /** Draws the screen as it is told, or was read. @param {any} s @param {string} [gone] */
  take(s, gone = "") {
    if (this.over || this.back) return;
    if (s) {
      this.screen = s;
      this.draw(s);
    }
    this.tell(gone ? { gone, typing: false } : { screen: s, gone });
  }
  /** Reads the screen at once, after a key. */
  async read() {
    try {
      this.take(await call("read_terminal", { agent: this.agent, colours: true }));
    } catch (e) {
      if (!(e instanceof Refused || e instanceof Away)) throw e;
    }
  }
  /** @param {any} s a screen */
  draw(s) {
    const shown2 = JSON.stringify([s.lines, s.cursor_x, s.cursor_y, s.width, s.height, s.cursor_hidden]);
    if (shown2 === this.shown) return;
    this.shown = shown2;
    const same = this.term.cols === s.width, height = Math.max(same ? this.term.rows : 0, s.lines.length, s.cursor_y + 1, 12);
    const tall = Math.min(s.height, height), first = !same || this.term.rows !== tall;
    if (first) {
      this.term.resize(s.width, tall);
      this.fit();
    }
    const rows = s.lines.map((l, i) => `\x1B[${i + 1}H\x1B7\x1B[0m\x1B[2K\x1B8${l}`).join("");
    const rest2 = s.lines.length < s.height ? `\x1B[0m\x1B[${s.lines.length + 1}H\x1B[J` : "";
    this.term.write(
      `\x1B[?2026h\x1B[0m${rows}${rest2}\x1B[0m\x1B[${s.cursor_y + 1};${s.cursor_x + 1}H\x1B[?25${s.cursor_hidden ? "l" : "h"}\x1B[?2026l`,
      () => {
        if (first && !this.over) this.box.scrollTop = this.box.scrollHeight;
      }
    );
  }
  /** Shows earlier lines, which stand still until one is back at the end. */
  async lookBack() {
    if (this.back || this.over) return;
    this.back = true;
    try {
      const s = await call("read_terminal", { agent: this.agent, colours: true, history: 2e3 });
      if (this.over) return;
      this.term.reset();
      this.term.write(s.lines.join("\r\n"), () => {
        this.term.scrollLines(-Math.max(3, Math.floor(this.term.rows / 3)));
        this.tell({ back: true });
      });
    } catch (e) {
      this.back = false;
      if (!(e instanceof Refused || e instanceof Away)) throw e;
    }
  }
  live() {
    this.back = false;
    this.shown = "";
    this.term.reset();
    this.tell({ back: false });
    this.read();
  }
  /** @param {boolean} on */
  types(on) {
    this.typing = on;
    this.term.options.disableStdin = !on;
    this.term.options.cursorBlink = on;
    if (on) this.term.focus();
  }
  /** @param {string} data */
  typed(data) {
    if (!this.typing) return;
    const s = strokes(data);
    if (!s) return this.tell({ refused: "That has several lines, or keys that are not known here. Send a long text as a message." });
    const last = this.queue[this.queue.length - 1];
    if (last && s.text && !last.keys) last.text = (last.text ?? "") + s.text;
    else if (last && s.keys && (last.keys?.length ?? 0) < 32) last.keys = [...last.keys ?? [], ...s.keys];
    else this.queue.push(s);
    this.send();
  }
  /** Types what waits, in its order. What cannot be typed ends the typing: nothing is typed twice. */
  async send() {
    if (this.sending) return;
    this.sending = true;
    try {
      for (let s; s = this.queue.shift(); ) {
        await call("type_in_terminal", { agent: this.agent, ...s });
        this.tell({ refused: "" });
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.read(), 40);
      }
    } catch (e) {
      if (!(e instanceof Refused || e instanceof Away)) throw e;
      this.queue = [];
      this.tell({ typing: false, refused: e instanceof Refused ? `${e.message} ${e.action}` : "The line was lost. Look at what arrived before you go on." });
    } finally {
      this.sending = false;
    }
  }
};
function Wide({ agent }) {
  const [x, set] = d(
    /** @type {any} */
    {}
  );
  const [ready, setReady] = d(false);
  const frame = T(
    /** @type {HTMLIFrameElement | null} */
    null
  );
  const view = T(
    /** @type {View | null} */
    null
  );
  const loaded = () => {
    try {
      setReady(!!/** @type {any} */
      (frame.current?.contentWindow).Terminal);
    } catch {
    }
  };
  A(() => {
    if (!ready || !frame.current) return;
    const v = new View(frame.current, agent, (more) => set((old) => ({ ...old, ...more })));
    view.current = v;
    return () => {
      view.current = null;
      v.end();
    };
  }, [ready, agent]);
  F(() => {
    view.current?.types(!!x.typing);
  }, [x.typing]);
  const enlarge = () => {
    if (localStorage.getItem(large)) localStorage.removeItem(large);
    else localStorage.setItem(large, "yes");
    view.current?.fit();
    set({ ...x });
  };
  return m`${ready ? null : m`<${Terminal} agent=${agent} />`}<section hidden=${!ready} class=${`terminal wide ${x.typing ? "typing" : ""}`} aria-label=${`Terminal of ${agent}`}>
    <${Gone} gone=${x.gone} at=${x.screen?.at} />
    <iframe ref=${frame} src=${page} onLoad=${loaded} title=${`Screen of ${agent}`} class=${`screen ${x.gone ? "past" : ""}`}></iframe>
    ${x.refused ? m`<p class="bad" role="alert">${x.refused}</p>` : null}
    <div class="row"><${Size} screen=${x.screen} /><span class="grow"></span>
      ${x.typing ? m`<span role="status">Your keys go to <b>${agent}</b>; messages wait for them. Shift-Escape ends it.</span>` : null}
      ${x.screen?.takes_keys && !x.gone ? m`<label class="check"><input type="checkbox" role="switch" checked=${!!x.typing}
        onChange=${(e) => {
    if (x.back) view.current?.live();
    set({ ...x, typing: e.target.checked, refused: "" });
  }} /> Type here</label>` : null}
      <button type="button" class="plain" aria-pressed=${!!localStorage.getItem(large)} onClick=${enlarge}>Large letters</button>
      <button type="button" class="plain" onClick=${() => x.back ? view.current?.live() : view.current?.lookBack()}>${x.back ? "Go on live" : "Earlier lines"}</button></div>
  </section>`;
}

// agents.js
var words = (
  /** @type {Record<string, string>} */
  {
    starting: "starts",
    idle: "idle",
    busy: "works",
    waiting: "asks",
    drafting: "has a draft",
    blocked: "blocked",
    unknown: "screen not known",
    exited: "ended",
    unreachable: "terminal lost",
    terminated: "stopped"
  }
);
var doing = (a) => a.kind === "terminal" || a.state !== "idle" ? words[a.state] ?? a.state : a.kind === "responder" ? "answers by a model" : "mailbox";
var asks = (a) => a.state === "waiting" || matters.value.some((n) => n.agent_id === a.id && n.kind === "dialog");
var troubled = (a) => /blocked|unknown|exited|unreachable|drafting/.test(a.state) || matters.value.some((n) => n.agent_id === a.id && !/dialog|budget|overdue|owes_answer/.test(n.kind));
var Facts = ({ a }) => m`${(a.facts ?? []).filter((f) => f !== doing(a)).map((f) => m`<span key=${f} class="quiet" dir="auto">${f}</span>`)}`;
function Branch({ a }) {
  if (!a.worktree) return null;
  const w = worktrees.value[a.id];
  return m`<span class="quiet branch"><bdi>${a.worktree.branch}</bdi>${w && !w.problem ? ` ↑${w.ahead} ↓${w.behind}${w.dirty ? ` ±${w.dirty}` : ""}` : null}</span>`;
}
function State({ a }) {
  return m`<span class=${`status ${a.state} ${asks(a) || troubled(a) ? "waits" : ""}`}><i aria-hidden="true"></i>${doing(a)}</span>`;
}
function aboutOf(a) {
  const d2 = matters.value.find((n) => n.agent_id === a.id && n.dialog?.question)?.dialog;
  return d2 ? [d2.question, ...d2.options.map((o) => `${o.choice} ${o.label}`)].join("  ") : a.waits_for || a.held_reason || "";
}
function AgentRow({ a }) {
  const about = aboutOf(a);
  return m`<li data-agent=${a.name}><a class="agent" href=${`#/agent/${encodeURIComponent(a.name)}`}>
    <span class="row"><${Name}>${a.name}<//><${State} a=${a} /><${Since} t=${a.kind === "terminal" ? a.since : a.last_active} /><span class="grow"></span>
      <span class="quiet small">${a.overdue_replies ? m`<span class="bad">${a.overdue_replies} late</span> ` : null}${a.queued ? `${a.queued} queued` : null}</span></span>
    <span class="row small"><${Facts} a=${a} /><${Branch} a=${a} /></span>
    ${about ? m`<span class="line" dir="auto">${about}</span>` : null}
    ${lastWords.value[a.id] ? m`<span class="line quiet" dir="auto">${lastWords.value[a.id]}</span>` : null}
  </a></li>`;
}
var groups = ["Asking", "In trouble", "Working", "Idle", "Without a terminal"];
var order = (a) => asks(a) ? 0 : troubled(a) ? 1 : a.kind !== "terminal" ? 4 : /busy|starting/.test(a.state) ? 2 : 3;
var inOrder = () => [...agents.value].sort((x, y) => order(x) - order(y) || byName(x.name, y.name));
function found(text) {
  const words2 = text.toLowerCase().trim();
  const rank = (a) => {
    const at = a.name.toLowerCase().indexOf(words2);
    const row2 = [doing(a), ...a.facts ?? [], a.worktree?.branch, aboutOf(a), lastWords.value[a.id]].join(" ");
    return at >= 0 ? Math.min(at, 1) : row2.toLowerCase().includes(words2) ? 2 : 3;
  };
  return inOrder().filter((a) => rank(a) < 3).sort((x, y) => rank(x) - rank(y));
}
var Rows2 = ({ of }) => m`<ul class="agents" aria-label="Agents">${of.map((a) => m`<${AgentRow} key=${a.id} a=${a} />`)}</ul>`;
function Agents() {
  const [text, setText] = d("");
  const [chosen, choose] = d("");
  const room = useBroad(roomy);
  if (teamRead.value && !agents.value.length) {
    return m`<p class="empty">There are no agents yet. ${may() ? m`<a href="#/launch">Start one</a>` : null}</p>`;
  }
  const shown2 = heard.value ? found(text) : [], whom = text ? `the ${shown2.length} that are shown` : "all agents";
  const write = (t) => send("broadcast_message", { text: t, ...text ? { recipients: shown2.map((a) => a.name) } : {} }, { to: whom, place: "agents" });
  const look = (e) => choose(e.target.closest("[data-agent]")?.dataset.agent ?? chosen);
  return m`<section aria-label="Agents"><div onFocusCapture=${look} onMouseOver=${look}><p class="row small"><a class="way-over desk" href="#/tiles">As terminals</a>
      ${may() ? m`<a class="way-over" href="#/launch">Start an agent</a>` : null}</p>
    ${agents.value.length > 5 ? m`<label class="filter"><span class="hidden">Find</span><input type="search" id="filter" value=${text} placeholder="Find by name, role, state…"
      autocapitalize="off" autocomplete="off" spellcheck=${false} onInput=${(e) => setText(e.target.value)} /></label>` : null}
    ${may() && shown2.length > 1 ? m`<details class="more"><summary>Write to ${whom}</summary><${Write} draft="to.all" send=${write} label=${`Write to ${whom}`} /></details>` : null}
    <ul class="receipts">${sent.value.filter((m2) => m2.place === "agents").map((m2) => m`<${Receipt} key=${m2.key} m=${m2} />`)}</ul>
    ${text && !shown2.length ? m`<p class="empty">No agent matches.</p>` : null}
    ${shown2.length < 20 ? m`<${Rows2} of=${shown2} />` : groups.map((g, i) => ({ g, of: shown2.filter((a) => order(a) === i) })).filter((x) => x.of.length).map((x) => m`<details key=${x.g} class="group" open><summary>${x.g} <span class="quiet">${x.of.length}</span></summary><${Rows2} of=${x.of} /></details>`)}</div>
    ${room && shown2.length ? m`<${Shown} of=${shown2.map((a) => a.name)} chosen=${chosen} Terminal=${Terminal} />` : null}</section>`;
}
function Side({ current }) {
  return m`<ul class="side" aria-label="Agents">${inOrder().map((a) => m`<li key=${a.id}><a href=${`#/agent/${encodeURIComponent(a.name)}`}
    title=${a.name} aria-current=${current === a.name ? "page" : void 0}><${Name}>${shortened(a.name, 16)}<//><${State} a=${a} /></a></li>`)}</ul>`;
}
function Talk({ name }) {
  const [list, set] = d(
    /** @type {any[] | null} */
    null
  );
  useReading(async () => set((await call("find_messages", { agents: [name], limit: 20 })).messages), (e) => e.message_id, name);
  if (!list?.length) return list ? m`<p class="quiet">No messages yet.</p>` : null;
  return m`<ul class="rows">${list.map((m2) => m`<${Row} key=${m2.message_id} m=${m2} />`)}</ul>`;
}
function Attach({ name }) {
  const give = (e) => {
    const file = e.target.files[0];
    e.target.value = "";
    if (file) act({ agent: name }, () => upload(file, { recipient: name }).then((res) => ({ said: res.message })));
  };
  return m`<label class="attach">Attach a file<input type="file" class="hidden" onChange=${give} /></label>`;
}
function Ends({ a }) {
  const name = a.name;
  const [to, setTo] = d("");
  const others = (status.value?.programs ?? []).filter((p) => p !== a.profile);
  const next = to || others[0];
  const end = (op, said) => act({ agent: name }, () => call(op, { agent: name }).then(() => ({ said })));
  const handOff = () => act({ agent: name }, async () => {
    const res = await call("handoff_agent", { agent: name, to: next, record: true });
    await refresh();
    return { said: `${res.profile ?? next} goes on for ${res.from}.` };
  });
  return m`<details class="more" onToggle=${() => readStatus()}><summary>Restart, hand over, stop</summary><div class="row">
    <${Twice} act=${() => end("restart_agent", "Its program was started again.")} sure=${m`<b>Tap again</b>: its program ends, and starts again`}>Restart<//>
    ${next ? m`<select aria-label="The program that goes on" value=${next} onChange=${(e) => setTo(e.target.value)}>${others.map((p) => m`<option key=${p}>${p}</option>`)}</select>
    <${Twice} act=${handOff} sure=${m`<b>Tap again</b>: its program ends, and ${next} goes on with its work`}>Hand over<//>` : null}
    <${Twice} act=${() => end("stop_agent", "It has left the team.")} sure=${m`<b>Tap again</b>: its program ends`}>Stop<//></div></details>`;
}
function Agent({ name }) {
  const a = agentOf(name);
  const wide = useBroad();
  const [how, setHow] = d(
    /** @type {any} */
    {}
  );
  const steer = how.steer && a?.kind === "terminal";
  const choice = (key, words2) => m`<label class="check"><input type="checkbox" checked=${!!how[key]}
    onChange=${(e) => setHow({ ...how, [key]: e.target.checked })} /> ${words2}</label>`;
  const asksNow = matters.value.filter((n) => n.agent === name).length + letters.value.filter((m2) => m2.sender === name).length;
  const mine = sent.value.filter((m2) => m2.place === name);
  const write = (text) => steer ? send("steer_agent", { agent: name, text, kind: "GUIDANCE" }, { to: name, place: name }) : send("send_message", { to: [name], text, urgent: !!how.urgent, ...how.answer ? { response_deadline: "30 minutes" } : {} }, { to: name, place: name });
  return m`<section class="one" aria-label=${name}>
    <header class="row"><h2><${Name}>${name}<//></h2>
      ${a ? m`<${State} a=${a} /><${Since} t=${a.kind === "terminal" ? a.since : a.last_active} />` : teamRead.value ? m`<span class="quiet">not in the team</span>` : null}<span class="grow"></span>
      ${a && a.kind === "terminal" ? m`<a href=${`#/review/${encodeURIComponent(name)}`}>Changes</a>` : null}
      ${asksNow ? m`<a class="asks" href=${`#/needs/${encodeURIComponent(name)}`}>waits for you</a>` : null}</header>
    ${a ? m`<p class="row small"><${Facts} a=${a} /><${Branch} a=${a} />
      ${a.evidence ? m`<span class="quiet">${a.evidence}</span>` : null}</p>` : null}
    ${a?.waits_for || a?.held_reason ? m`<p dir="auto">${a.waits_for || a.held_reason}</p>` : null}
    <${Asks} agent=${name} />
    <div class="two">
      ${!a || a.kind === "terminal" || a.kind === "responder" ? m`<${wide ? Wide : Terminal} key=${name} agent=${name} />` : m`<p class="quiet">A mailbox has no terminal: its program reads its messages over the API.${a.last_active ? ` It called last ${ago(a.last_active)} ago.` : ""}</p>`}
      <div class="talk">
        ${may() && a ? m`<${Write} key=${name} draft=${`to.${name}`} send=${write} label=${steer ? `Guide ${name}` : `Write to ${name}`} verb=${steer ? "Steer" : "Send"}>
          ${a.kind === "terminal" ? choice("steer", "as guidance") : null}${steer ? null : m`${choice("urgent", "urgent")}${choice("answer", "wants an answer in 30 minutes")}`}<${Attach} name=${name} /><//>` : null}
        ${mine.length ? m`<ul class="receipts">${mine.map((m2) => m`<${Receipt} key=${m2.key} m=${m2} />`)}</ul>` : null}
        ${may() && a?.kind === "terminal" ? m`<${Ends} a=${a} />` : null}
        <h3>Messages</h3><${Talk} name=${name} />
      </div>
    </div>
  </section>`;
}

// health.js
var size = (n) => n < 1e6 ? `${Math.ceil(n / 1e3)} kB` : `${(n / 1e6).toFixed(1)} MB`;
var counts = (of, words2) => Object.entries(of ?? {}).filter(([, n]) => n).map(([k, n]) => `${n} ${words2?.[k] ?? k}`).join(", ") || "none";
function Files({ files }) {
  const save2 = (f) => act({ place: "health" }, () => download(f.file_id, f.filename));
  return m`<h3>Files</h3>${files.length ? m`<ul class="rows workspaces">${files.map((f) => m`<li key=${f.file_id}><div class="row"><bdi>${f.filename}</bdi><span class="quiet small">${size(f.size)}, from <${Name}>${f.sender}<//></span>
      <${Since} t=${f.created_at} /><span class="grow"></span><button type="button" onClick=${() => save2(f)}>Save</button></div></li>`)}</ul>` : m`<p class="quiet">None.</p>`}`;
}
function Used({ usage }) {
  const models = (
    /** @type {Record<string, any>} */
    {}
  );
  for (const p of usage.programs) {
    for (const d2 of p.days) {
      const m2 = models[d2.model] ??= { tokens: 0, cost: 0 };
      m2.tokens += d2.input_tokens + d2.cached_tokens + d2.cache_write_tokens + d2.output_tokens;
      m2.cost += d2.cost ?? 0;
    }
  }
  const budgets = [["all together", usage.budget], ...usage.programs.map((p) => [p.agent, p.budget])].filter(([, b]) => b);
  return m`<h3>Used by models</h3>
    ${Object.keys(models).length ? m`<table><thead><tr><th>model</th><th>tokens</th><th>cost</th></tr></thead><tbody>${Object.entries(models).map(([m2, u]) => m`<tr key=${m2}><td><bdi>${m2}</bdi></td>
      <td>${u.tokens.toLocaleString()}</td><td>${u.cost ? `$${u.cost.toFixed(2)}` : ""}</td></tr>`)}</tbody></table>` : m`<p class="quiet">Nothing is known to be used.</p>`}
    ${budgets.map(([who, b]) => m`<p key=${who}><bdi>${who}</bdi>: ${b.percent} % of the budget, ${b.used}</p>`)}`;
}
function Health() {
  const [x, set] = d(
    /** @type {any} */
    null
  );
  const [problem] = useReading(async () => {
    const [{ files }, usage, { hosts }] = await Promise.all([call("list_files", { limit: 50 }), call("usage"), call("list_hosts"), readStatus()]);
    set({ files, usage, hosts });
  }, (e) => e.type === "communication_updated", "");
  const s = status.value;
  const test = () => act({ place: "health" }, () => call("send_test_notice").then((res) => ({ said: res.message ?? "A test notice was sent." })));
  if (!s || !x) return m`<p class="empty">${problem || "Reading…"}</p>`;
  return m`<section class="one" aria-label="Health"><h2>Health</h2>
    <${Came} place="health" />
    ${(s.warnings ?? []).map((w) => m`<p key=${w} class="note bad" dir="auto">${w}</p>`)}
    <p>parley ${s.version}, since <${Since} t=${s.started_at} />. tmux ${s.tmux_version}.</p>
    <p>Agents: ${counts(s.agents, words)}. On the way: ${counts(s.deliveries)}.</p>
    ${(s.notices ?? []).map((n) => m`<p key=${n.way} class=${n.works ? "" : "bad"}>Notices by ${n.way}: ${n.works ? `${n.sent} sent` : n.problem}</p>`)}
    ${may() && s.notices?.length ? m`<div class="row"><${Twice} act=${test}>Send a test notice<//></div>` : null}
    ${x.hosts.length > 1 ? m`<h3>Machines</h3><ul class="rows workspaces">${x.hosts.map((h) => m`<li key=${h.name}><b>${h.name}</b> <span class=${h.away ? "bad" : "quiet"}>${h.away ? "away" : `${h.agents.length} agents`}</span></li>`)}</ul>` : null}
    <${Used} usage=${x.usage} /><${Files} files=${x.files} />
    <p class="small quiet">More is in <code>parley doctor</code>, which looks at this user's files.</p></section>`;
}

// past.js
function freeName(program) {
  let name = program;
  for (let n = 2; agents.value.some((a) => a.name === name); n++) name = `${program}-${n}`;
  return name;
}
function Conversation({ s }) {
  const name = freeName(s.program);
  const go = () => act({ place: "past" }, async () => {
    const res = await call("launch_agent", { name, session: s.id });
    await refresh();
    location.hash = `#/agent/${encodeURIComponent(res.name)}`;
  });
  const no = s.agent ? m`the conversation of <a href=${`#/agent/${encodeURIComponent(s.agent)}`}>${s.agent}</a>` : s.refused;
  return m`<li data-session=${s.id}><div class="row"><b><bdi>${s.first_words}</bdi></b><span class="grow"></span>
      ${no ? null : m`<${Twice} act=${go} sure=${m`<b>Tap again</b>: ${name} goes on with it`}>Go on<//>`}</div>
    ${s.excerpt && s.excerpt !== s.first_words ? m`<div class="small"><bdi>${s.excerpt}</bdi></div>` : null}
    <div class="row small quiet"><span>${s.program}</span><span><bdi>${s.dir}</bdi></span>${s.branch ? m`<span><bdi>${s.branch}</bdi></span>` : null}
      <${Since} t=${s.last_active} />${no ? m`<span>${no}</span>` : null}</div></li>`;
}
function Past() {
  const [words2, setWords] = d("");
  const [found2, set] = d(
    /** @type {any} */
    null
  );
  const [problem, setProblem] = d("");
  A(() => {
    let over = false;
    const look = () => call("list_sessions", { query: words2.trim(), limit: 50 }).then((res) => {
      if (over) return;
      set(res);
      setProblem("");
      if (res.read < res.of) t = setTimeout(look, 1e3);
    }, (e) => {
      if (!over) setProblem(saidOf(e));
    });
    let t = setTimeout(look, found2 ? 300 : 0);
    return () => {
      over = true;
      clearTimeout(t);
    };
  }, [words2]);
  return m`<section aria-label="Conversations from before"><h2>Conversations from before</h2>
    <${Came} place="past" />
    <input type="search" aria-label="Words that were said" placeholder="Words that were said" dir="auto" maxlength="200" value=${words2} onInput=${(e) => setWords(e.target.value)} />
    ${problem ? m`<p class="bad" role="alert">${problem}</p>` : null}
    ${!found2 ? m`<p class="empty">Looking…</p>` : found2.sessions.length ? m`<ul class="rows workspaces">${found2.sessions.map((s) => m`<${Conversation} key=${s.program + s.id} s=${s} />`)}</ul>` : m`<p class="empty">No conversation was found.</p>`}
    ${found2 && found2.read < found2.of ? m`<p class="small quiet">${found2.read} of ${found2.of} were read so far, the newest first.</p>` : null}
    ${found2?.more ? m`<p class="small quiet">There are older ones: give words that were said in them.</p>` : null}</section>`;
}

// picture.js
var groups2 = (
  /** @type {Record<string, [string, string]>} */
  {
    works: ["worked", "#3b82c4"],
    waits: ["waited for you", "#d9a420"],
    blocked: ["blocked", "#c4473b"],
    idle: ["idle", "#8b939e"]
  }
);
var groupOf = (state) => ({ busy: "works", starting: "works", waiting: "waits", idle: "idle" })[state] ?? (state === "terminated" ? "" : "blocked");
function duration(s) {
  if (s < 90) return `${Math.round(s)} s`;
  return s < 5400 ? `${Math.round(s / 60)} min` : `${(s / 3600).toFixed(1)} h`;
}
function save(name, type, text) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(new Blob([text], { type }));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1e4);
}
var cell = (v) => /^[=+\-@\t\r]/.test(String(v)) && typeof v !== "number" ? `"'${String(v).replace(/"/g, '""')}"` : /[",\n]/.test(String(v)) ? `"${String(v).replace(/"/g, '""')}"` : String(v);
function shownCell(c) {
  if (typeof c === "number") return c.toLocaleString();
  return /^\d{4}-\d\d-\d\dT\d\d:/.test(c) ? m`<time datetime=${c}>${clock(c)}</time>` : m`<bdi>${c}</bdi>`;
}
function Picture({ title, name, head, rows, children }) {
  const box = T(
    /** @type {HTMLElement | null} */
    null
  );
  const svg = () => {
    const s = box.current?.querySelector("svg:not(.legend svg)")?.cloneNode(true);
    if (!(s instanceof SVGElement)) return;
    s.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    s.setAttribute("font-family", "sans-serif");
    s.setAttribute("color", "#1d2024");
    save(`${name}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(s));
  };
  const csv = () => save(`${name}.csv`, "text/csv", [head, ...rows].map((r) => r.map(cell).join(",")).join("\n") + "\n");
  return m`<figure class="picture"><figcaption class="row"><h2>${title}</h2><span class="grow"></span>
      <span class="row together"><button type="button" class="plain" onClick=${svg}>SVG</button><button type="button" class="plain" onClick=${csv}>CSV</button></span></figcaption>
    <div ref=${box} class="drawn">${children}</div>
    <details><summary>Numbers</summary><div class="numbers" tabindex="0"><table><thead><tr>${head.map((h) => m`<th scope="col">${h}</th>`)}</tr></thead>
      <tbody>${rows.slice(0, 500).map((r) => m`<tr>${r.map((c) => m`<td>${shownCell(c)}</td>`)}</tr>`)}</tbody></table></div></details></figure>`;
}

// timeline.js
var row = 22;
var phone = matchMedia("(max-width: 40rem)");
var sizes = () => phone.matches ? { width: 360, left: 100, letters: 12, mostTicks: 3 } : { width: 1e3, left: 120, letters: 16, mostTicks: 9 };
var shortest = 1e4;
var mostArrows = 300;
function zoomed(now, whole, by, at = 0.5) {
  const length = Math.min(whole.to - whole.from, Math.max(shortest, (now.to - now.from) * by));
  const from = now.from + (now.to - now.from - length) * at;
  return moved({ from, to: from + length }, whole, 0);
}
function moved(now, whole, by) {
  const length = now.to - now.from;
  const from = Math.max(whole.from, Math.min(whole.to - length, now.from + by * length));
  return { from, to: from + length };
}
function useZoom(whole) {
  const [part, set] = d(
    /** @type {Span | null} */
    null
  );
  const box = T(
    /** @type {HTMLElement | null} */
    null
  );
  const act2 = T((_) => {
  });
  act2.current = (change) => set((now) => {
    const next = change(now ?? whole);
    return next.to - next.from >= whole.to - whole.from ? null : next;
  });
  const whole_ = T(whole);
  whole_.current = whole;
  A(() => {
    const b = box.current;
    if (!b) return;
    const at = (x) => {
      const { width, left } = sizes();
      const r = b.querySelector("svg")?.getBoundingClientRect();
      return r ? Math.max(0, Math.min(1, ((x - r.left) / r.width * width - left) / (width - left))) : 0.5;
    };
    const wheel = (e) => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      act2.current((now) => zoomed(now, whole_.current, Math.exp(Math.max(-1, Math.min(1, e.deltaY / 100))), at(e.clientX)));
    };
    let apart = 0;
    const touch = (e) => {
      if (e.touches.length !== 2) {
        apart = 0;
        return;
      }
      const [a, c] = e.touches, now = Math.hypot(a.clientX - c.clientX, a.clientY - c.clientY), before = apart;
      apart = now;
      e.preventDefault();
      if (!before || !now) return;
      act2.current((part2) => zoomed(part2, whole_.current, before / now, at((a.clientX + c.clientX) / 2)));
    };
    b.addEventListener("wheel", wheel, { passive: false });
    for (
      const kind of
      /** @type {const} */
      ["touchstart", "touchmove", "touchend"]
    ) b.addEventListener(kind, touch, { passive: false });
    return () => {
      b.removeEventListener("wheel", wheel);
      for (
        const kind of
        /** @type {const} */
        ["touchstart", "touchmove", "touchend"]
      ) b.removeEventListener(kind, touch);
    };
  }, []);
  const nearer = () => act2.current((now) => zoomed(now, whole, 0.5));
  const farther = () => act2.current((now) => zoomed(now, whole, 2));
  const move = (by) => act2.current((now) => moved(now, whole, by));
  const keys2 = (e) => {
    const does = (
      /** @type {Record<string, () => void>} */
      { "+": nearer, "=": nearer, "-": farther, 0: () => set(null) }
    );
    if (part) Object.assign(does, { ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25) });
    if (e.ctrlKey || e.metaKey || e.altKey || !does[e.key]) return;
    e.preventDefault();
    does[e.key]();
  };
  return { shown: part ? moved(part, whole, 0) : whole, part, box, keys: keys2, nearer, farther, all: () => set(null) };
}
function useMessages(h) {
  const [messages, set] = d(
    /** @type {any[]} */
    []
  );
  A(() => {
    const stop = new AbortController();
    call("read_events", { last: 1e3, limit: 1e3 }, stop.signal).then(
      (r) => set(r.events.filter((e) => announces(e) && e.sender && e.recipient)),
      (e) => {
        if (!stop.signal.aborted && !(e instanceof Refused || e instanceof Away)) throw e;
      }
    );
    return () => stop.abort();
  }, [h]);
  return messages;
}
function Timeline({ h }) {
  const { width, left, letters: letters2, mostTicks } = sizes();
  const to = Date.parse(h.until);
  const team = [...h.agents].sort((x2, y) => byName(x2.agent, y.agent));
  const begun = Math.min(to - 6e4, ...team.flatMap((a) => a.spans.map((s) => Date.parse(s.from))));
  const zoom = useZoom({ from: Math.max(Date.parse(h.since), begun - (to - begun) * 0.02), to });
  const { from, to: end } = zoom.shown;
  A(() => {
    if (zoom.box.current) zoom.box.current.scrollLeft = zoom.box.current.scrollWidth;
  }, [h.since]);
  const x = (t) => left + (t - from) / (end - from) * (width - left);
  const messages = useMessages(h).map((m2) => ({ ...m2, at: Date.parse(m2.time) })).filter((m2) => m2.at >= from && m2.at <= end);
  const names = team.map((a) => a.agent);
  for (const m2 of messages) for (const n of [m2.sender, m2.recipient]) if (!names.includes(n) && names.length < team.length + 5) names.push(n);
  const arrows = messages.filter((m2) => names.includes(m2.sender) && names.includes(m2.recipient) && m2.sender !== m2.recipient).slice(-mostArrows);
  const seconds = (end - from) / 1e3;
  const step = 1e3 * ([2, 5, 15, 30, 60, 120, 300, 900, 1800, 3600, 7200, 14400, 28800].find((s) => seconds / s <= mostTicks) ?? 86400);
  const ticks = [];
  for (let t = Math.ceil(from / step) * step; t < end; t += step) ticks.push(t);
  const written = (t) => step < 6e4 ? new Date(t).toLocaleTimeString() : clock(t);
  const height = names.length * row + 26;
  const table = team.map((a) => {
    const s = (
      /** @type {Record<string, number>} */
      {}
    );
    for (const p of a.spans) {
      const long = Math.min(end, Date.parse(p.to)) - Math.max(from, Date.parse(p.from));
      if (long > 0) s[groupOf(p.state)] = (s[groupOf(p.state)] ?? 0) + long / 1e3;
    }
    return [a.agent, ...Object.keys(groups2).map((g) => Math.round(s[g] ?? 0)), "", ""];
  });
  const said = arrows.map((m2) => [m2.sender, "", "", "", "", m2.time, m2.recipient]);
  return m`<${Picture} title="Who did what" name="timeline" head=${["agent", ...Object.values(groups2).map(([w]) => `${w}, s`), "wrote at", "to"]} rows=${[...table, ...said]}>
    <div class="row small legend">${Object.values(groups2).map(([w, c]) => m`<span><svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" rx="2" fill=${c} /></svg> ${w}</span>`)}
      <span>↓ a message</span><span class="grow"></span>
      <span class="row" role="group" aria-label="Zoom"><button type="button" class="plain" aria-label="Nearer" onClick=${zoom.nearer}>+</button>
        <button type="button" class="plain" aria-label="Farther" disabled=${!zoom.part} onClick=${zoom.farther}>−</button>
        <button type="button" class="plain" disabled=${!zoom.part} onClick=${zoom.all}>All</button></span></div>
    <div ref=${zoom.box} class="scrolls" tabindex="0" role="img" onKeyDown=${zoom.keys} data-arrows=${arrows.length}
      aria-label=${`What each agent did from ${written(from)} to ${written(end)}; plus and minus zoom, the arrow keys move; the numbers are below`}>
    <svg viewBox=${`0 0 ${width} ${height}`} class="timeline">
      ${ticks.map((t) => m`<g key=${t}><line x1=${x(t)} x2=${x(t)} y1="0" y2=${height - 18} stroke="currentColor" stroke-opacity=".15" />
        <text x=${x(t)} y=${height - 4} font-size="11" text-anchor=${x(t) > width - 40 ? "end" : "middle"} fill="currentColor" fill-opacity=".7">${written(t)}</text></g>`)}
      ${names.map((n, i) => m`<g key=${n}>
        <text x=${left - 8} y=${i * row + 15} font-size="12" text-anchor="end" fill="currentColor">${shortened(n, letters2)}</text>
        ${(team[i]?.spans ?? []).map((s) => {
    const g = groupOf(s.state), x0 = Math.max(left, x(Date.parse(s.from))), x1 = Math.min(width, x(Date.parse(s.to)));
    return g && x1 > left && x0 < width ? m`<rect x=${x0} y=${i * row + (g === "waits" ? 2 : g === "idle" ? 10 : 5)} width=${Math.max(1, x1 - x0)} height=${g === "waits" ? 18 : g === "idle" ? 3 : 12}
            fill=${groups2[g][1]}><title>${n}: ${groups2[g][0]}, ${duration((Date.parse(s.to) - Date.parse(s.from)) / 1e3)}</title></rect>` : null;
  })}</g>`)}
      ${arrows.map((m2) => {
    const y0 = names.indexOf(m2.sender) * row + 11, y1 = names.indexOf(m2.recipient) * row + 11, tip = y1 > y0 ? -6 : 6, at = x(m2.at);
    return m`<g key=${m2.seq} class="arrow"><title>${m2.sender} → ${m2.recipient}: ${m2.message_preview}</title>
          <line x1=${at} x2=${at} y1=${y0} y2=${y1 + tip} stroke="currentColor" stroke-width="1.2" /><circle cx=${at} cy=${y0} r="2" fill="currentColor" />
          <path d=${`M${at} ${y1} l-3.5 ${tip} h7 z`} fill="currentColor" /></g>`;
  })}
    </svg></div><//>`;
}

// pictures.js
function Matrix({ h }) {
  const names = (
    /** @type {string[]} */
    []
  );
  for (const p of h.pairs) for (const n of [p.sender, p.recipient]) if (!names.includes(n) && names.length < 60) names.push(n);
  names.sort(byName);
  const most = Math.max(1, ...h.pairs.map((p) => p.messages));
  const size2 = Math.max(14, Math.min(34, 700 / Math.max(1, names.length))), left = 20 + 6.5 * Math.min(15, Math.max(0, ...names.map((n) => n.length)));
  const shown2 = h.pairs.filter((p) => names.includes(p.sender) && names.includes(p.recipient));
  return m`<${Picture} title="Who wrote to whom" name="who-to-whom" head=${["from", "to", "messages", "held"]}
      rows=${h.pairs.map((p) => [p.sender, p.recipient, p.messages, p.held])}>
    ${shown2.length ? m`<div class="scrolls" tabindex="0" role="img" aria-label="How many messages each pair exchanged; the numbers are below"><svg
        width=${left + names.length * size2 + 60} height=${left + names.length * size2} class="matrix">
      ${names.map((n, i) => m`<g key=${n}><text x=${left - 6} y=${left + (i + 0.68) * size2} font-size="11" text-anchor="end" fill="currentColor">${shortened(n, 15)}</text>
        <text transform=${`translate(${left + (i + 0.62) * size2} ${left - 6}) rotate(-60)`} font-size="11" fill="currentColor">${shortened(n, 15)}</text>
        <line x1=${left} x2=${left + names.length * size2} y1=${left + i * size2} y2=${left + i * size2} stroke="currentColor" stroke-opacity=".12" />
        <line y1=${left} y2=${left + names.length * size2} x1=${left + i * size2} x2=${left + i * size2} stroke="currentColor" stroke-opacity=".12" /></g>`)}
      ${shown2.map((p) => m`<g key=${`${p.sender} ${p.recipient}`}><rect x=${left + names.indexOf(p.recipient) * size2 + 1} y=${left + names.indexOf(p.sender) * size2 + 1} width=${size2 - 2} height=${size2 - 2}
          fill=${p.held ? groups2.waits[1] : groups2.works[1]} fill-opacity=${0.2 + 0.8 * Math.log(1 + p.messages) / Math.log(1 + most)}><title>${p.sender} → ${p.recipient}: ${p.messages}${p.held ? `, ${p.held} held` : ""}</title></rect>
          ${size2 > 22 ? m`<text x=${left + (names.indexOf(p.recipient) + 0.5) * size2} y=${left + (names.indexOf(p.sender) + 0.66) * size2} font-size="11" text-anchor="middle" fill="currentColor">${p.messages}</text>` : null}</g>`)}
    </svg></div><p class="small quiet">Rows write to columns. Yellow: some of it was held.</p>` : m`<p class="quiet">Nothing was written.</p>`}<//>`;
}
function Answers({ h }) {
  const all2 = h.answered.map((a) => a.seconds).sort((a, b) => a - b);
  const bounds = [10, 30, 60, 180, 600, 1800, 3600, Infinity];
  const words2 = ["10 s", "30 s", "1 min", "3 min", "10 min", "30 min", "1 h", "longer"];
  const counts2 = bounds.map((b, i) => all2.filter((s) => s <= b && s > (bounds[i - 1] ?? -1)).length);
  const most = Math.max(1, ...counts2);
  return m`<${Picture} title="From a question to your answer" name="answers" head=${["answered", "agent", "seconds"]}
      rows=${h.answered.map((a) => [a.at, a.agent, Math.round(a.seconds)])}>
    ${all2.length ? m`<p class="small quiet">${all2.length} answered; half of them within ${duration(all2[Math.floor((all2.length - 1) / 2)])}.</p>
      <div role="img" aria-label="How many questions were answered within which time; the numbers are below"><svg viewBox="0 0 480 130" class="bars">${counts2.map((n, i) => m`<g key=${i}>
        <rect x=${i * 60 + 8} width="44" y=${100 - n / most * 80} height=${n / most * 80} rx="2" fill=${groups2.waits[1]} />
        ${n ? m`<text x=${i * 60 + 30} y=${94 - n / most * 80} font-size="11" text-anchor="middle" fill="currentColor">${n}</text>` : null}
        <text x=${i * 60 + 30} y="118" font-size="11" text-anchor="middle" fill="currentColor" fill-opacity=".7">${words2[i]}</text></g>`)}</svg></div>` : m`<p class="quiet">No question was answered in this time.</p>`}<//>`;
}
function Used2({ h }) {
  const box = T(
    /** @type {HTMLElement | null} */
    null
  );
  A(() => {
    if (box.current) box.current.scrollLeft = box.current.scrollWidth;
  }, [h.since]);
  const daily = Date.parse(h.until) - Date.parse(h.since) > 25 * 36e5;
  const zero = (n) => String(n).padStart(2, "0");
  const column = (hour) => {
    const d2 = new Date(hour);
    const day = `${zero(d2.getMonth() + 1)}-${zero(d2.getDate())}`;
    return daily ? day : `${day} ${zero(d2.getHours())}:00`;
  };
  const columns = /* @__PURE__ */ new Map();
  for (let t = Math.floor(Date.parse(h.since) / 36e5) * 36e5; t <= Date.parse(h.until); t += 36e5) columns.set(column(new Date(t).toISOString()), /* @__PURE__ */ new Map());
  for (const u of h.used) {
    const c = columns.get(column(u.hour)) ?? /* @__PURE__ */ new Map();
    const sum = c.get(u.agent) ?? { tokens: 0, cost: 0 };
    sum.tokens += u.input_tokens + u.cached_tokens + u.cache_write_tokens + u.output_tokens;
    sum.cost += u.cost;
    c.set(u.agent, sum);
    columns.set(column(u.hour), c);
  }
  const shown2 = [...columns];
  const priced = h.used.some((u) => u.cost);
  const of = (s) => priced ? s.cost : s.tokens;
  const totals = shown2.map(([, c]) => [...c.values()].reduce((n, s) => n + of(s), 0));
  const most = Math.max(1e-9, ...totals);
  const names = [...new Set(h.used.map((u) => u.agent))].sort(byName);
  const hue = (n) => `hsl(${Math.round(names.indexOf(n) * 360 / Math.max(1, names.length))} 45% 55%)`;
  const wide = shown2.length > 12 ? 32 : 60, short = (n) => n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e3 ? `${Math.round(n / 1e3)}k` : String(n);
  return m`<${Picture} title=${priced ? "What it cost" : "Tokens that were used"} name="usage" head=${[daily ? "day" : "hour", "agent", "tokens", "cost"]}
      rows=${shown2.flatMap(([at, c]) => [...c].map(([n, s]) => [at, n, s.tokens, Math.round(s.cost * 100) / 100]))}>
    ${names.length ? m`<div class="row small legend">${names.slice(0, 12).map((n) => m`<span key=${n}><svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" rx="2" fill=${hue(n)} /></svg> <bdi>${n}</bdi></span>`)}
        ${names.length > 12 ? m`<span>and ${names.length - 12} more</span>` : null}</div>
      <div ref=${box} class="scrolls" tabindex="0" role="img" aria-label=${`What was used in each ${daily ? "day" : "hour"}; the numbers are below`}><svg width=${Math.max(480, shown2.length * wide)} height="150" class="columns">${shown2.map(([at, c], i) => {
    let y = 120;
    return m`<g key=${at}>${[...c].sort().map(([n, s]) => {
      const height = of(s) / most * 100;
      y -= height;
      return m`<rect key=${n} x=${i * wide + 3} width=${wide - 6} y=${y} height=${height} fill=${hue(n)}><title>${n}, ${at}: ${s.tokens.toLocaleString()} tokens${s.cost ? `, $${s.cost.toFixed(2)}` : ""}</title></rect>`;
    })}${totals[i] ? m`<text x=${(i + 0.5) * wide} y=${y - 5} font-size="10" text-anchor="middle" fill="currentColor">${priced ? `$${totals[i].toFixed(totals[i] < 10 ? 2 : 0)}` : short(totals[i])}</text>` : null}
      <text x=${(i + 0.5) * wide} y="136" font-size="10" text-anchor="middle" fill="currentColor" fill-opacity=".7">${daily ? at : at.slice(6, wide < 60 ? 8 : 11)}</text></g>`;
  })}</svg></div>` : m`<p class="quiet">Nothing is known of what the programs used in this time.</p>`}<//>`;
}
function Shared({ h }) {
  const shown2 = h.shared.slice(0, 40), names = (
    /** @type {string[]} */
    [...new Set(shown2.flatMap((f) => f.agents))].sort(byName)
  );
  const left = 14 + 6.2 * Math.min(40, Math.max(10, ...shown2.map((f) => f.name.length))), size2 = 22;
  const top = 20 + 6 * Math.min(15, Math.max(0, ...names.map((n) => n.length)));
  const words2 = (f) => `${f.apart ? "in worktrees of their own" : "in one directory"}, ${f.until ? `until ${clock(f.until)}` : "still"}`;
  return m`<${Picture} title="Files that several changed" name="shared-files" head=${["file", "agents", "where", "since", "until"]}
      rows=${h.shared.map((f) => [f.name, f.agents.join(" "), f.apart ? "worktrees of their own" : "one directory", f.since, f.until ?? ""])}>
    ${shown2.length ? m`<div class="scrolls" tabindex="0" role="img" aria-label="Which agents changed the same files; the numbers are below"><svg
        width=${left + names.length * size2 + 60} height=${top + shown2.length * size2} class="matrix">
      ${names.map((n, i) => m`<g key=${n}><text transform=${`translate(${left + (i + 0.62) * size2} ${top - 6}) rotate(-60)`} font-size="11" fill="currentColor">${shortened(n, 15)}</text></g>`)}
      ${shown2.map((f, i) => m`<g key=${i}><title>${f.name}: ${f.agents.join(", ")}, ${words2(f)}</title>
        <text x=${left - 6} y=${top + (i + 0.68) * size2} font-size="11" text-anchor="end" fill="currentColor">${shortened(f.name, 40)}</text>
        <line x1=${left} x2=${left + names.length * size2} y1=${top + i * size2} y2=${top + i * size2} stroke="currentColor" stroke-opacity=".12" />
        ${f.agents.map((a) => m`<circle key=${a} cx=${left + (names.indexOf(a) + 0.5) * size2} cy=${top + (i + 0.5) * size2} r="6"
          fill=${f.until ? "none" : groups2[f.apart ? "waits" : "blocked"][1]} stroke=${groups2[f.apart ? "waits" : "blocked"][1]} stroke-width="2" />`)}</g>`)}
    </svg></div><p class="small quiet">Filled: it is so now. Yellow: in worktrees of their own, so merging may conflict. Red: in one directory.</p>` : m`<p class="quiet">No file was changed by several at one time.</p>`}<//>`;
}
function Pictures() {
  const [hours, setHours] = d(8);
  const [h, set] = d(
    /** @type {any} */
    null
  );
  const [problem] = useReading(() => call("team_history", { hours }).then(set), () => true, hours, 5e3);
  return m`<section class="pictures" aria-label="Pictures of the team">
    <div class="row" role="group" aria-label="How far back">${[1, 4, 8, 24, 168].map((n) => m`<button type="button" class="plain" aria-pressed=${hours === n} onClick=${() => setHours(n)}>${n < 168 ? `${n} h` : "a week"}</button>`)}</div>
    ${problem ? m`<p class="bad" role="alert">${problem}</p>` : null}
    ${!h ? m`<p class="empty">Reading…</p>` : m`${h.truncated ? m`<p class="note">More happened than is shown: it begins later.</p>` : null}
      <${Timeline} h=${h} /><${Answers} h=${h} /><${Matrix} h=${h} /><${Shared} h=${h} /><${Used2} h=${h} />`}
  </section>`;
}

// planned.js
function Schedule({ s, again }) {
  const change = (action) => call("change_schedule", { schedule_id: s.schedule_id, action }).then((res) => ({ said: res.message }));
  const [now, back] = s.state === "paused" ? ["resume", "pause"] : ["pause", "resume"];
  const turn2 = () => act({ place: "planned" }, async () => ({ ...await change(now), undo: () => change(back).finally(again) })).then(again);
  const to = s.message.thread_id ? m`<a href=${`#/thread/${s.message.thread_id}`}>a thread</a>` : m`<${Name}>${(s.message.to ?? []).map((n) => n.toUpperCase() === "ALL" ? "everyone" : n).join(", ")}<//>`;
  const l = s.last;
  return m`<li data-schedule=${s.schedule_id}><div class="row"><b>${s.state === "active" ? m`next ${clock(s.next)}` : s.state}</b><span class="quiet">to ${to}</span></div>
    <div class="said" dir="auto">${s.message.text}</div>
    <div class="row small quiet">${s.every ? m`<span>${s.every} in ${s.zone}</span>` : null}${s.name ? m`<span><bdi>${s.name}</bdi></span>` : null}<span>from <${Name}>${s.owner}<//></span>
      ${s.start ? m`<span>starts who is stopped</span>` : null}${l ? m`<span>last ${clock(l.due)}: ${l.message_id ? m`<a href=${`#/message/${l.message_id}`}>${l.outcome}</a>` : l.outcome}${l.late ? ", late" : ""}${l.reason ? `, ${l.reason}` : ""}</span>` : null}</div>
    ${may() ? m`<div class="row">${s.next ? m`<button type="button" onClick=${turn2}>${s.state === "paused" ? "Resume" : "Pause"}</button>` : null}
      <${Twice} act=${() => act({ place: "planned" }, () => change("remove")).then(again)} sure=${m`<b>Tap again</b>: it is removed; its messages stay`}>Remove<//></div>` : null}</li>`;
}
function Planned() {
  const [all2, set] = d(
    /** @type {any[] | null} */
    null
  );
  const [problem, again] = useReading(async () => set((await call("list_schedules", {})).schedules), (e) => e.message_id, "");
  return m`<section aria-label="Planned messages"><h2>Planned messages</h2>
    <${Came} place="planned" />
    ${problem ? m`<p class="bad" role="alert">${problem}</p>` : null}
    ${!all2 ? m`<p class="empty">Looking…</p>` : all2.length ? m`<ul class="rows workspaces">${all2.map((s) => m`<${Schedule} key=${s.schedule_id} s=${s} again=${again} />`)}</ul>` : m`<p class="empty">Nothing is planned. <code>parley send NAME TEXT --at 18:00</code>, or <code>--every "weekdays 9:00"</code>.</p>`}</section>`;
}

// review.js
function filesOf(diff) {
  const files = [];
  let head = -1, hunk = -1;
  diff.replace(/\n$/, "").split("\n").forEach((text, at) => {
    if (text.startsWith("diff --git ")) {
      files.push({ name: text.slice(text.indexOf(" b/") + 3), lines: [], added: 0, taken: 0 });
      head = at;
      hunk = -1;
      return;
    }
    const f = files[files.length - 1];
    if (!f) return;
    if (text.startsWith("@@ ")) {
      hunk = at;
      f.lines.push({ text, kind: "part", at, head, hunk });
    } else if (hunk >= 0) {
      const kind = text[0] === "+" ? "new" : text[0] === "-" ? "old" : "";
      if (kind === "new") f.added++;
      if (kind === "old") f.taken++;
      f.lines.push({ text, kind, at, head, hunk });
    } else if (/^(new file|deleted file|rename|Binary|similarity)/.test(text)) {
      f.lines.push({ text, kind: "part", at, head, hunk });
    }
  });
  return files;
}
function sheetOf(diff, comments) {
  const all2 = diff.split("\n");
  const where = new Map(filesOf(diff).flatMap((f) => f.lines).map((l) => [l.at, l]));
  const out = [];
  let last = -1;
  for (const at of Object.keys(comments).map(Number).sort((a, b) => a - b)) {
    const l = where.get(at);
    if (!l || !comments[at].trim()) continue;
    for (const i of [l.head, l.hunk]) if (i > last) {
      out.push(all2[i]);
      last = i;
    }
    while (last < at) out.push(all2[++last]);
    out.push(...comments[at].trim().split("\n").map((t) => `> ${t}`));
  }
  return out.join("\n") + "\n";
}
function File({ f, comments, set, open }) {
  const noted = f.lines.filter((l) => comments[l.at] !== void 0).length;
  const [all2, setAll] = d(false);
  const shown2 = all2 ? f.lines : f.lines.slice(0, 400);
  const pick = (e) => {
    const at = e.target.closest("[data-at]")?.dataset.at;
    if (at && may() && !String(getSelection())) set(Number(at), comments[at] ?? "");
  };
  const press = (e) => {
    const at = (
      /** @type {HTMLElement} */
      e.target
    );
    if (!at.dataset.at) return;
    const rows = [...at.parentElement?.querySelectorAll(":scope > [data-at]") ?? []];
    const to = rows[rows.indexOf(at) + ({ ArrowDown: 1, ArrowUp: -1 }[e.key] ?? 0)];
    if (e.key === "Enter") {
      e.preventDefault();
      pick(e);
    }
    if (to !== at && /^Arrow(Up|Down)$/.test(e.key)) {
      e.preventDefault();
      to?.focus();
    }
  };
  return m`<details class="file" open=${open}><summary><bdi>${f.name}</bdi> <span class="quiet">+${f.added} −${f.taken}${noted ? ` · ${noted} commented` : ""}</span></summary>
    <div class="diff" onClick=${pick} onKeyDown=${press}>${shown2.map((l, i) => m`
      <div key=${l.at} class=${`dl ${l.kind}`} data-at=${l.at} tabindex=${i ? -1 : 0}>${l.text || " "}</div>
      ${comments[l.at] !== void 0 ? m`<${Note} key=${`n${l.at}`} text=${comments[l.at]} set=${(t) => set(l.at, t)} />` : null}`)}</div>
    ${all2 || f.lines.length <= 400 ? null : m`<button type="button" class="plain" onClick=${() => setAll(true)}>${f.lines.length - 400} more lines</button>`}</details>`;
}
function Note({ text, set }) {
  const box = T(
    /** @type {HTMLTextAreaElement | null} */
    null
  );
  A(() => {
    if (!text) box.current?.focus({ preventScroll: true });
  }, []);
  return m`<div class="comment"><textarea ref=${box} rows="2" dir="auto" aria-label="Your comment" value=${text}
    onInput=${(e) => set(e.target.value)}></textarea>
    <button type="button" class="plain" onClick=${() => set(null)}>Remove</button></div>`;
}
function Finish({ name, w }) {
  const [refused, setRefused] = d(
    /** @type {any} */
    null
  );
  const finish = async (how) => {
    try {
      const res = await call("finish_worktree", { agent: name, ...how });
      setRefused(null);
      const merged = res.merged === "nothing" ? `${res.worktree.branch} had nothing to merge. ` : res.merged ? `${res.worktree.branch} is merged into ${res.worktree.base}. ` : "";
      tellOutcome({ agent: name, said: `${merged}${res.removed ? "Its worktree is removed." : `Its worktree stays in ${res.worktree.path}.`} The agent has stopped.` });
      location.hash = "#/needs";
    } catch (e) {
      if (!(e instanceof Refused || e instanceof Away)) throw e;
      setRefused({ how, words: e.message, action: e instanceof Refused ? e.action : "Look at its state before you try again.", force: e instanceof Refused && e.details.needs_force !== void 0 });
    }
    await Promise.all([refresh(), readWorktrees()]);
  };
  const stops = " It stops the agent.";
  return m`<div class="finish"><div class="row">
      <${Twice} act=${() => finish({ merge: true })} sure=${m`<b>Tap again</b> to merge into ${w.base}.${stops}`}>Merge<//>
      <${Twice} act=${() => finish({ merge: true, remove: true })} sure=${m`<b>Tap again</b> to merge and remove the worktree.${stops}`}>Merge and remove<//>
      <${Twice} act=${() => finish({ remove: true })} sure=${m`<b>Tap again</b> to remove the worktree.${stops}`}>Remove<//></div>
    ${refused ? m`<div class="card failed" role="alert"><p>${refused.words}</p><p class="quiet">${refused.action}</p>
      <div class="row">${refused.force ? m`<${Twice} act=${() => finish({ ...refused.how, force: true })}>Remove it all the same<//>` : null}
      ${refused.how.remove && !refused.how.merge && !refused.force ? m`<${Twice} act=${() => finish({ remove: true, discard: true })} sure=${m`<b>Tap again</b>: the work is gone for good`}>Throw the work away<//>` : null}
      <button type="button" class="plain" onClick=${() => setRefused(null)}>Keep it</button></div></div>` : null}</div>`;
}
var counted = (n) => n === 1 ? "1 comment" : `${n} comments`;
function Review({ name }) {
  const a = agentOf(name);
  const w = a && worktrees.value[a.id];
  const [diff, setDiff] = d(
    /** @type {any} */
    null
  );
  const [problem, setProblem] = d("");
  const key = `parley.review.${name}`;
  const [kept, setKept] = d(() => JSON.parse(sessionStorage.getItem(key) ?? "{}"));
  const comments = kept.of === diff?.diff ? kept.comments ?? {} : {};
  const written = Object.values(comments).filter((t) => t.trim()).length;
  const read = async () => {
    try {
      setDiff({ ...await call("diff_agent", { agent: name }), at: Date.now() });
      setProblem("");
    } catch (e) {
      if (e instanceof Refused) setProblem(`${e.message} ${e.action}`);
      else if (!(e instanceof Away)) throw e;
    }
  };
  A(() => {
    read();
    readWorktrees();
  }, [name]);
  const keep = (c) => {
    const next = { of: diff.diff, comments: c };
    setKept(next);
    try {
      if (Object.keys(c).length) sessionStorage.setItem(key, JSON.stringify(next));
      else sessionStorage.removeItem(key);
    } catch {
    }
  };
  const set = (at, text) => {
    const c = { ...comments };
    if (text === null) delete c[at];
    else c[at] = text;
    keep(c);
  };
  const go = async () => {
    const ok = await send(
      "review_agent",
      /** @type {any} */
      { agent: name, sheet: sheetOf(diff.diff, comments) },
      { to: name, place: `review.${name}`, text: counted(written) }
    );
    if (ok) keep({});
  };
  if (problem) return m`<p class="empty">${problem}</p>`;
  if (!diff) return m`<p class="empty">Reading the changes…</p>`;
  const files = filesOf(diff.diff);
  const mine = sent.value.filter((m2) => m2.place === `review.${name}`);
  return m`<section class="one review" aria-label=${`Changes of ${name}`}>
    <header class="row"><h2>Changes of <${Name}>${name}<//></h2><span class="grow"></span>
      <span class="quiet small">as of ${clock(diff.at)}</span><button type="button" class="plain" disabled=${!!written} onClick=${read}>Read again</button></header>
    <p class="row small quiet"><span>since ${diff.since.slice(0, 10)}</span>${w && !w.problem ? m`<span class="branch"><bdi>${w.branch}</bdi> ↑${w.ahead} ↓${w.behind} ±${w.dirty}</span>` : null}
      <a href=${`#/agent/${encodeURIComponent(name)}`}>Terminal</a></p>
    ${may() && w ? m`<${Finish} name=${name} w=${w} />` : null}
    ${may() && w?.dirty ? m`<div class="row"><${Twice} act=${() => send("send_message", { to: [name], text: "Please commit your work now, with a message that says what and why." }, { to: name, place: `review.${name}`, text: "Please commit your work now." })}>Ask it to commit<//></div>` : null}
    ${mine.length ? m`<ul class="receipts">${mine.map((m2) => m`<${Receipt} key=${m2.key} m=${m2} />`)}</ul>` : null}
    ${!files.length ? m`<p class="empty">It has changed nothing.</p>` : m`${may() ? m`<p class="quiet small">Tap a line to comment it.</p>` : null}
      ${files.map((f, i) => m`<${File} key=${f.name} f=${f} comments=${comments} set=${set} open=${f.lines.length <= 400 && i < 20} />`)}`}
    ${diff.truncated ? m`<p class="quiet">The diff is longer than what is shown here.</p>` : null}
    ${written ? m`<div class="dock row"><span>${counted(written)}</span><span class="grow"></span>
      <${Twice} kind="main" act=${go} sure=${m`Tap again to send to ${name}`}>Send as one message<//></div>` : null}
  </section>`;
}

// sessions.js
var rights = (
  /** @type {Record<string, string>} */
  {
    page: "may do what you may",
    watch: "may only look",
    page_code: "a link that was not opened",
    watch_code: "a link that was not opened; may only look"
  }
);
function Session({ k, again }) {
  const end = () => act({ place: "sessions" }, () => call("revoke_key", { key_id: k.key_id }).then(() => ({ said: "That session has ended." }))).then(again);
  return m`<li data-session=${k.key_id}><div class="row"><b><bdi>${k.device ?? (k.origin.endsWith("code") ? "Nobody yet" : "Not seen since the daemon began")}</bdi></b>${k.key_id === session.value?.key_id ? m`<span class="badge">this one</span>` : null}<span class="grow"></span>
      <${Twice} act=${end} sure=${m`<b>Tap again</b>: it is signed out`}>End<//></div>
    <div class="row small quiet">${k.address ? m`<span>${k.address}</span>` : null}<span>${rights[k.origin]}</span>${k.last_used ? m`<span>used <${Since} t=${k.last_used} /> ago</span>` : null}
      <span>made <${Since} t=${k.created_at} /> ago</span></div></li>`;
}
function Sessions() {
  const [all2, set] = d(
    /** @type {any[] | null} */
    null
  );
  const [problem, again] = useReading(async () => set((await call("list_keys", { agent: "operator" })).keys.filter((k) => rights[k.origin] && !(Date.parse(k.expires_at) < Date.now())).sort((a, b) => (b.last_used ?? b.created_at) < (a.last_used ?? a.created_at) ? -1 : 1)), (e) => e.type === "page_opened", "");
  return m`<section aria-label="Who is signed in"><h2>Who is signed in</h2>
    ${problem ? m`<p class="bad" role="alert">${problem}</p>` : null}
    <${Came} place="sessions" />
    <ul class="rows workspaces">${(all2 ?? []).map((k) => m`<${Session} key=${k.key_id} k=${k} again=${again} />`)}</ul>
    <p class="small quiet">A session ends after a day without use. <code>parley key rotate operator</code> ends all.</p></section>`;
}

// tiles.js
function Tile({ a }) {
  const [seen, setSeen] = d(false);
  const box = T(
    /** @type {HTMLElement | null} */
    null
  );
  const [screen, gone] = useScreen(a.name, 0, seen);
  A(() => {
    if (!box.current) return;
    const o = new IntersectionObserver((all2) => setSeen(all2[all2.length - 1].isIntersecting));
    o.observe(box.current);
    return () => o.disconnect();
  }, []);
  const lines = screen ? screen.lines.slice(-18) : [];
  return m`<li ref=${box}><a class="tile" href=${`#/agent/${encodeURIComponent(a.name)}`}>
    <span class="row small"><${Name}>${a.name}<//><${State} a=${a} /></span>
    <pre aria-hidden="true" class=${gone ? "past" : ""}><${Rows} lines=${lines} /></pre></a><${Asks} agent=${a.name} /></li>`;
}
function Tiles() {
  const shown2 = inOrder().filter((a) => a.kind === "terminal");
  return m`<section aria-label="Terminals">
    <p class="row small"><a class="way-over" href="#/agents">As a list</a></p>
    ${shown2.length ? m`<ul class="tiles">${shown2.map((a) => m`<${Tile} key=${a.id} a=${a} />`)}</ul>` : m`<p class="empty">${!teamRead.value ? "Reading…" : agents.value.length ? "No agent has a terminal." : "There are no agents yet."}</p>`}
  </section>`;
}

// workspaces.js
function doing2(w) {
  if (w.problem) return w.problem;
  if (!w.running) return w.tmux_runs ? "no daemon; its agents may still run" : "not running";
  const counts2 = Object.entries(w.agents ?? {}).filter(([, n]) => n).sort(([a], [b]) => a < b ? -1 : 1);
  return counts2.map(([state, n]) => `${n} ${state}`).join(", ") || "no agents";
}
function Workspace({ w }) {
  const here = w.workspace === session.value?.workspace;
  return m`<li data-workspace=${w.workspace}><div class="row"><b><bdi>${w.workspace}</bdi></b><span class="grow"></span>
      ${w.needs ? m`<span class="badge">${w.needs} ${w.needs === 1 ? "needs" : "need"} you</span>` : null}${w.paused ? m`<span class="badge">paused</span>` : null}</div>
    <div class="row small"><span class=${w.problem ? "bad" : "quiet"}>${doing2(w)}</span><${Since} t=${w.last_used} /></div>
    ${here ? m`<p class="small quiet">This page shows it.</p>` : m`<p class="small">To open it: <code>${w.command} web</code></p>`}</li>`;
}
function Workspaces() {
  const [all2, set] = d(
    /** @type {any[] | null} */
    null
  );
  const [problem, setProblem] = d("");
  A(() => {
    let left = false, stop = new AbortController();
    const follow = async () => {
      while (!left) {
        stop = new AbortController();
        try {
          if (!document.hidden) await stream("/workspaces", () => {
          }, (x) => {
            set(x.workspaces);
            setProblem("");
          }, stop);
        } catch (e) {
          if (!stop.signal.aborted) setProblem(saidOf(e));
        }
        await rest(document.hidden ? 6e4 : 2e3);
      }
    };
    const hide = () => {
      if (document.hidden) stop.abort();
    };
    document.addEventListener("visibilitychange", hide);
    follow();
    return () => {
      left = true;
      stop.abort();
      document.removeEventListener("visibilitychange", hide);
    };
  }, []);
  return m`<section aria-label="Your workspaces"><h2>Your workspaces</h2>
    ${problem ? m`<p class="bad" role="alert">${problem}</p>` : null}
    ${all2 ? m`<ul class="rows workspaces">${all2.map((w) => m`<${Workspace} key=${w.workspace} w=${w} />`)}</ul>` : problem ? null : m`<p class="empty">Looking…</p>`}
    <p class="small quiet">Those on other machines are in <code>parley status --everywhere</code>.</p></section>`;
}
export {
  Agent,
  Agents,
  Health,
  Launch,
  Message,
  NewThread,
  Past,
  Pictures,
  Planned,
  Review,
  Sessions,
  Side,
  Terminal,
  Thread,
  Threads,
  Tiles,
  Traffic,
  Workspaces
};
