import {
  A,
  Away,
  Needs,
  Q,
  Refused,
  Twice,
  a,
  act,
  broad,
  call,
  clock,
  d,
  ended,
  enter,
  keepPage,
  leave,
  line,
  loaded,
  m,
  may,
  mayPush,
  opened,
  pushOff,
  pushOn,
  pushes,
  readStatus,
  session,
  status,
  stay,
  stays,
  tellOutcome,
  trouble,
  useBroad,
  versions,
  waiting,
  x
} from "./shared.js";

// main.js
import { code as given, takeCode } from "./early.js";
var code = a(given);
var route = a(readRoute());
function readRoute() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, ...rest] = path.split("/");
  try {
    return { view: view || "needs", what: decodeURIComponent(rest.join("/")), query: decodeURIComponent(query) };
  } catch {
    return { view: "needs", what: "", query: "" };
  }
}
addEventListener("hashchange", () => {
  const fresh = takeCode();
  if (fresh) {
    code.value = fresh;
    signIn();
  }
  route.value = readRoute();
  if (route.value.view !== "thread") scrollTo(0, 0);
});
var entering = a("");
async function signIn() {
  if (!code.value) return;
  entering.value = "Signing in…";
  try {
    await enter(code.value);
    code.value = "";
    entering.value = "";
  } catch (e) {
    if (e instanceof Away) {
      entering.value = "The daemon cannot be reached. Is the way to it open?";
      return;
    }
    if (!(e instanceof Refused)) throw e;
    code.value = "";
    entering.value = "";
    if (!session.value) leave(`${e.message} ${e.action}`);
    else {
      location.hash = "#/needs";
      tellOutcome({ said: e.message, bad: true, action: "You stay signed in." });
    }
  }
}
signIn();
function Door() {
  if (entering.value === "Signing in…") {
    return m`<div class="frame"><header class="bar"><div class="row top"><h1>parley</h1></div></header><main><p class="empty" role="status">${entering.value}</p></main></div>`;
  }
  return m`<main class="door">
    <h1>parley</h1>
    ${entering.value ? m`<p role="status">${entering.value}</p>` : ended.value ? m`<p role="alert">${ended.value}</p>` : null}
    ${code.value ? m`<button class="main" onClick=${signIn}>Try again</button>` : null}
    ${!code.value ? m`<p>To open the team here, run this in a terminal and follow its link:</p><pre>parley web</pre>
      <p class="quiet">The link works once. Each tab has a session of its own.</p>` : null}
  </main>`;
}
var others = a(
  /** @type {any} */
  null
);
var loading = false;
var failures = 0;
async function loadViews() {
  if (others.value || loading) return;
  loading = true;
  try {
    const at = failures ? `./views.js?${failures}` : "./views.js";
    const m2 = (
      /** @type {any} */
      await import(at)
    );
    others.value = m2;
    keepPage();
  } catch {
    setTimeout(loadViews, Math.min(1e3 * 2 ** failures++, 15e3));
  }
  loading = false;
}
x(() => {
  if (!session.value) return;
  if (route.value.view !== "needs" || broad.matches) loadViews();
  else if (loaded.value) setTimeout(loadViews, 500);
});
var views = [["needs", "Needs"], ["agents", "Agents"], ["traffic", "Traffic"], ["threads", "Threads"], ["pictures", "Pictures"]];
var parents = (
  /** @type {Record<string, string>} */
  { tiles: "agents", launch: "agents", past: "agents", review: "agents", agent: "agents", newthread: "threads", message: "traffic", planned: "traffic", thread: "threads" }
);
function View() {
  const { view, what, query } = route.value;
  if (view === "needs") return m`<${Needs} about=${what} Beside=${others.value?.Terminal} />`;
  if (!others.value) return m`<p class="empty">Reading…</p>`;
  const { Agent, Agents, Health, Launch, Message, NewThread, Past, Pictures, Planned, Review, Sessions, Thread, Threads, Tiles, Traffic, Workspaces } = others.value;
  switch (view) {
    case "agents":
      return m`<${Agents} />`;
    case "pictures":
      return m`<${Pictures} />`;
    case "workspaces":
      return may() ? m`<${Workspaces} />` : null;
    case "health":
      return m`<${Health} />`;
    case "launch":
      return may() ? m`<${Launch} />` : null;
    case "past":
      return may() ? m`<${Past} />` : null;
    case "planned":
      return m`<${Planned} />`;
    case "newthread":
      return may() ? m`<${NewThread} />` : null;
    case "sessions":
      return may() ? m`<${Sessions} />` : null;
    case "review":
      return m`<${Review} key=${what} name=${what} />`;
    case "tiles":
      return m`<${Tiles} />`;
    case "agent":
      return m`<${Agent} key=${what} name=${what} />`;
    case "traffic":
      return m`<${Traffic} filter=${query} />`;
    case "message":
      return m`<${Message} key=${what} id=${what} />`;
    case "threads":
      return m`<${Threads} />`;
    case "thread":
      return m`<${Thread} key=${what} id=${what} />`;
  }
  return m`<${Needs} about="" Beside=${others.value.Terminal} />`;
}
var pause = (paused) => call("pause_communication", { paused }).then((res) => {
  readStatus();
  return { said: res.message, undo: () => pause(!paused) };
});
function Notices() {
  const v = versions.value;
  return m`<div class="notices" aria-live="polite">
    ${line.value.tried && !line.value.live ? m`<p class="note offline">Offline since ${clock(line.value.since)}. ${loaded.value ? "What you see is from then; what you send waits." : ""}</p>` : null}
    ${v.old ? m`<p class="note another">The daemon is of another version than this page: parley ${v.now}${v.first && v.first !== v.now ? m`, not ${v.first}` : null}.
      <button type="button" class="plain" onClick=${() => location.reload()}>Load it again <kbd>r</kbd></button></p>` : null}
    ${status.value?.paused ? m`<p class="note">Messages are paused since ${clock(status.value.paused.since)}${status.value.paused.reason ? `: ${status.value.paused.reason}` : ""}.
      ${may() ? m`<button type="button" class="plain" onClick=${() => act({}, () => pause(false))}>Let them go on</button>` : null}</p>` : null}
    ${opened.value && may() && route.value.view !== "sessions" ? m`<p class="note opened">${opened.value} <a href="#/sessions" onClick=${() => {
    opened.value = "";
  }}>Who is signed in</a>
      <button type="button" class="plain" onClick=${() => {
    opened.value = "";
  }}>Done</button></p>` : null}
    ${trouble.value ? m`<p class="note bad">${trouble.value}</p>` : null}
  </div>`;
}
function Pushed() {
  const [on, set] = d(false);
  const [said, say] = d("");
  A(() => {
    pushes().then(set);
  }, []);
  const turn = async (e) => {
    const wanted = e.target.checked;
    set(wanted);
    say(wanted ? "Asking the browser…" : "");
    try {
      const why = wanted ? await pushOn() : await pushOff() ?? "";
      say(why || (wanted ? "You are told here what needs you, also when this page is closed." : ""));
    } catch (x2) {
      if (!(x2 instanceof Refused || x2 instanceof Away)) throw x2;
      say(x2.message);
    }
    set(await pushes());
  };
  return m`<label class="check"><input type="checkbox" data-push checked=${on} onChange=${turn} /> Notices on this device</label>
    ${said ? m`<p class="quiet" role="status">${said}</p>` : null}`;
}
function Menu() {
  const [open, set] = d(false);
  const out = async () => {
    const id = session.value?.key_id;
    try {
      if (may() && await pushes()) await pushOff();
      if (!session.value?.watch) await call("revoke_key", { key_id: id });
    } catch {
    }
    leave("You have signed out.");
  };
  return m`<div class="menu"><button type="button" class="plain" aria-expanded=${open} aria-label="Session" onClick=${() => set(!open)}>⋯</button>
    ${open ? m`<div class="card sheet"><p><bdi>${session.value?.workspace}</bdi></p>
      <p class="quiet">parley ${versions.value.now}</p><p class="quiet">${session.value?.watch ? "This session may only look." : "This session may do what you may."}</p>
      <label class="check"><input type="checkbox" checked=${stays.value} onChange=${(e) => stay(e.target.checked)} /> Stay signed in on this device</label>
      ${may() ? m`<p><a href="#/workspaces" onClick=${() => set(false)}>Your workspaces</a> <kbd>W</kbd></p>
        <p><a href="#/sessions" onClick=${() => set(false)}>Who is signed in</a></p>` : null}
      <p><a href="#/health" onClick=${() => set(false)}>Health, files and usage</a></p>
      ${may() && !status.value?.paused ? m`<${Twice} act=${() => act({}, () => pause(true)).then(() => set(false))} sure=${m`<b>Tap again</b>: no message is typed until you let them go on`}>Pause all messages<//>` : null}
      ${may() && mayPush() ? m`<${Pushed} />` : null}
      <button type="button" onClick=${out}>Sign out</button></div>` : null}</div>`;
}
function App() {
  const wide = useBroad();
  if (!session.value) return m`<${Door} />`;
  const { view, what } = route.value;
  const shown = parents[view] ?? (["workspaces", "sessions", "health"].includes(view) || views.some(([v]) => v === view) ? view : "needs");
  const place = session.value.workspace.split("/").pop();
  return m`
    <a class="skip" href="#view" onClick=${(e) => {
    e.preventDefault();
    document.getElementById("view")?.focus();
  }}>To the content</a>
    <div class="frame">
      <header class="bar"><div class="row top"><h1><bdi>${place}</bdi></h1>
          ${session.value.watch ? m`<span class="badge">only looking</span>` : null}
          <span class=${`dot ${line.value.live ? "live" : ""}`}></span><span class=${line.value.live ? "hidden" : "quiet"}>${line.value.live ? "live" : line.value.tried ? "offline" : ""}</span><span class="grow"></span><${Menu} /></div>
        <nav aria-label="Views"><ul>${views.map(([v, name]) => m`<li key=${v}><a href=${`#/${v}`} aria-current=${shown === v ? "page" : void 0}>${name}
          ${v === "needs" && waiting.value ? m`<b class="count">${waiting.value}<span class="hidden"> for you</span></b>` : null}</a></li>`)}</ul></nav>
        ${wide && others.value ? m`<${others.value.Side} current=${view === "agent" ? what : ""} />` : null}</header>
      <main id="view" tabindex="-1"><${Notices} />${loaded.value || view !== "needs" ? m`<${View} />` : m`<p class="empty">${line.value.tried && !line.value.live ? "What waits for you is shown as soon as the daemon can be reached." : "Reading…"}</p>`}</main>
    </div>`;
}
x(() => {
  const place = session.value?.workspace.split("/").pop();
  document.title = `${waiting.value && session.value ? `(${waiting.value}) ` : ""}${place ? `${place} · ` : ""}parley`;
});
addEventListener("keydown", (e) => {
  const at = (
    /** @type {HTMLElement} */
    e.target
  );
  if (e.ctrlKey || e.metaKey || e.altKey || at.closest("input, textarea, select")) return;
  const i = ["1", "2", "3", "4", "5"].indexOf(e.key);
  if (i >= 0) location.hash = `#/${views[i][0]}`;
  if (e.key === "W" && session.value && may()) location.hash = "#/workspaces";
  if (e.key === "Escape" && parents[route.value.view]) location.hash = `#/${parents[route.value.view]}`;
  if (e.key === "r" && versions.value.old) location.reload();
  if (e.key === "/") {
    e.preventDefault();
    if (!document.getElementById("filter")) location.hash = "#/traffic";
    setTimeout(() => document.getElementById("filter")?.focus(), 60);
  }
});
var app = document.getElementById("app");
if (app) {
  app.replaceChildren();
  Q(m`<${App} />`, app);
}
