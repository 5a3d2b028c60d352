import {$, agent, daemon, equal, event, goes, needs, open, question, refuse, shown, shows, sleep, until} from './page.js';

const aborted = () => Object.assign(new Error('The user aborted a request.'), {name: 'AbortError'});
const half = e => ({ok: true, status: 200, json: () => Promise.reject(e)});

for (const [what, broken] of Object.entries({
  'ended by the browser': () => Promise.reject(aborted()),
  'no line': () => Promise.reject(new TypeError('Failed to fetch')),
  'half an answer': () => half(new TypeError('network error')),
  'an answer cut off': () => half(new SyntaxError('unexpected end')),
  'ended in its midst': () => half(aborted()),
})) {
  test(`${what} is a lost line, and no error`, async () => {
    await open({get_agent_status: () => ({agents: [agent('ben')]})}, {at: 'agent/ben'});
    daemon.broken = broken;
    const before = daemon.of('get_needs').length;
    for (let i = 0; i < 5; i++) {
      document.dispatchEvent({type: 'visibilitychange'});
      await sleep(2000);
    }
    if (daemon.of('get_needs').length < before + 2) throw new Error('it does not ask again');
    equal($('.note.bad'), null, 'an error');
    daemon.broken = null;
    await until(() => $('.dot.live'));
  });
}

test('a page at rest reads nothing', async () => {
  await open({get_agent_status: () => ({agents: [agent('ben')]}), get_needs: () => needs(question('ben')), list_files: () => ({files: []}), usage: () => ({programs: []}),
    list_hosts: () => ({hosts: []}), list_keys: () => ({keys: []}), team_history: () => ({}), list_sessions: () => ({sessions: [], read: 0, of: 0}),
    get_message_status: () => ({message_object: {sender: 'ann', text: 'x'}, deliveries: []}), get_thread_details: () => ({thread: {participant_names: []}})});
  for (const view of ['needs', 'agents', 'agent/ben', 'tiles', 'traffic', 'threads', 'thread/t', 'message/m', 'health', 'sessions', 'past', 'launch', 'workspaces']) {
    await goes(view);
    await sleep(5000);
    const before = daemon.calls.length;
    await sleep(600_000);
    equal(daemon.calls.slice(before).map(c => c.op), [], view);
  }
});

test('the browser says first that there is no line', async () => {
  await open();
  daemon.broken = ({signal}) => new Promise((_, no) => signal?.addEventListener('abort', () => no(aborted())));
  daemon.loses();
  dispatchEvent({type: 'offline'});
  await shows('Offline since');
  daemon.broken = null;
  dispatchEvent({type: 'online'});
  await until(() => $('.dot.live') && !shown().includes('Offline since'));
});

test('what hangs on a dead line is given up and asked anew', async () => {
  for (const woken of [() => dispatchEvent({type: 'online'}), () => document.dispatchEvent({type: 'resume'})]) {
    if (!$('.dot')) await open();
    let hung = 0, ended = 0;
    daemon.broken = ({signal}) => new Promise((_, no) => { hung++; signal.addEventListener('abort', () => { ended++; no(aborted()); }); });
    document.dispatchEvent({type: 'visibilitychange'});
    await until(() => hung >= 2);
    daemon.broken = null;
    const before = daemon.of('get_needs').length;
    woken();
    await until(() => ended >= hung && daemon.of('get_needs').length > before && $('.dot.live'));
  }
});

test('an event is taken once, and none is lost over a line that breaks', async () => {
  await open({find_messages: () => ({messages: []})}, {at: 'traffic'});
  event('agent_direct_message', {message_id: 'm1'});
  await sleep(1000);
  daemon.loses();
  await until(() => daemon.streams.some(s => s.op === 'events'), 'another stream');
  equal(daemon.streams.find(s => s.op === 'events').path, `/api/events?after=${document.documentElement.dataset.seq}`);
});

test('the daemon of another version is named', async () => {
  await open();
  daemon.mark = 'bbbb';
  daemon.loses();
  await shows('The daemon is of another version than this page: parley 1.0');
  document.body.dispatchEvent({type: 'keydown', key: 'r'});
  equal(location.reloads, 1);
});

test('a link that was used says so, and ends no session', async () => {
  const used = () => refuse('UNAUTHENTICATED', 'this link has been used, or is too old', {}, 401);
  await open({'/session': used});
  location.hash = '#parley_again';
  await shows('This link has been used, or is too old.');
  await shows('You stay signed in.');
  equal(!!sessionStorage.getItem('parley.session'), true, 'the session');
});

test('without a session a used link leads to the door', async () => {
  await open({'/session': () => refuse('UNAUTHENTICATED', 'this link has been used, or is too old', {}, 401)}, {code: 'parley_code'});
  await shows('This link has been used, or is too old.');
  await shows('parley web');
  equal(location.hash, '', 'the code stays nowhere');
});

test('a link opens the page', async () => {
  await open({get_needs: () => needs(question('ann')), '/session': () => ({key_id: 'me', workspace: '/home/ann/shop', run: '1', time: Date.now(), answers: {get_needs: needs(question('ann')), check_inbox: {messages: []}}})}, {code: 'parley_code'});
  await shows('May I go on?');
  equal(daemon.of('/session'), [{code: 'parley_code'}]);
  equal(daemon.of('get_needs').length <= 1, true, 'what came with the session is not asked for again');
});

test('a session that is revoked says so', async () => {
  await open();
  daemon.tells({error_code: 'UNAUTHENTICATED'});
  await shows('This session has ended');
  equal(sessionStorage.getItem('parley.session'), null);
});
