import {$, $$, agent, confirm, daemon, equal, event, goes, open, refuse, shown, shows, sleep, tap, until, writes} from './page.js';

const message = (id, text) => ({message_id: id, sender: 'ann', recipients: ['ben'], snippet: text, timestamp: '2026-01-01T00:00:00Z', states: {read: 1}});

test('the daemon reads the filter, and says what is wrong with it', async () => {
  await open({find_messages: a => a.filter?.includes('nonsense') ? refuse('INVALID_ARGUMENT', 'is:nonsense is not known', {}, 400)
    : {messages: a.filter ? [message('m1', 'Check the build.')] : [message('m2', 'Other <b>.'), message('m1', 'Check the build.')]}}, {at: 'traffic'});
  await until(() => $$('.rows li').length === 2);
  await shows('Other <b>.');
  await writes('#filter', 'from:you build');
  await until(() => $$('.rows li').length === 1);
  equal(location.hash, '#/traffic?from%3Ayou%20build');
  await writes('#filter', 'is:nonsense');
  await shows('is:nonsense is not known.');
  equal($$('.rows li').length, 1, 'what stood there');
  await writes('#filter', '');
  await until(() => $$('.rows li').length === 2 && !$('.bad'));
});

test('the workspaces are told, and told again when one has changed', async () => {
  await open({}, {at: 'workspaces'});
  const other = {workspace: '/home/ann/other', running: true, agents: {idle: 2, busy: 1}, needs: 1, command: 'parley --workspace /home/ann/other'};
  const here = {workspace: '/home/ann/shop', running: true, needs: 0};
  const tells = (...workspaces) => daemon.tells({workspaces}, '/workspaces');
  tells(here, other);
  await shows('1 busy, 2 idle');
  for (const words of ['This page shows it.', 'no agents', '1 needs you', 'parley --workspace /home/ann/other web']) await shows(words);
  for (const [more, words] of [[{running: false}, 'not running'], [{running: false, tmux_runs: true}, 'its agents may still run'], [{problem: 'no answer within 3s'}, 'no answer within 3s'],
    [{paused: {}}, 'paused'], [{needs: 2}, '2 need you']]) {
    tells(here, {...other, ...more});
    await shows(words);
  }
  await goes('needs');
  await until(() => !daemon.streams.some(s => s.op === '/workspaces'), 'nobody listens any more');
});

test('each key leads to a view, and to nothing while one writes', async () => {
  await open();
  const press = (key, at = document.body) => { at.dispatchEvent({type: 'keydown', key}); return sleep(200); };
  for (const [key, want] of [['2', '#/agents'], ['3', '#/traffic'], ['4', '#/threads'], ['W', '#/workspaces'], ['1', '#/needs'], ['/', '#/traffic']]) {
    await press(key);
    equal(location.hash, want, key);
  }
  equal(document.activeElement.getAttribute('id'), 'filter', '/ goes to the filter');
  await press('1', $('#filter'));
  equal(location.hash, '#/traffic', 'a digit in a box');
  await goes('message/x');
  await press('Escape');
  equal(location.hash, '#/traffic', 'Escape');
});

test('a conversation from before is gone on with, unless that is refused', async () => {
  const s = (id, more) => ({id, program: 'claude', first_words: `mend <b>${id}`, dir: '/gone', last_active: '2026-01-01T00:00:00Z', ...more});
  await open({list_sessions: a => ({sessions: a.query ? [] : [s('one', {refused: 'its directory is gone'}), s('two')], read: 2, of: 2}),
    get_agent_status: () => ({agents: [agent('claude')]}), launch_agent: a => ({name: a.name})}, {at: 'past'});
  await shows('mend <b>one');
  await shows('its directory is gone');
  equal($$('main li button').length, 1, 'what can be gone on with');
  await confirm('Go on');
  equal(daemon.of('launch_agent'), [{name: 'claude-2', session: 'two'}]);
  await goes('past');
  await writes('main input', 'zebra');
  await shows('No conversation was found.');
});

test('a thread is opened, muted, and that taken back', async () => {
  const thread = {thread_id: 't1', title: 'The plan', participant_names: ['operator', 'ann']};
  await open({get_agent_status: () => ({agents: [agent('ann'), agent('ben')]}), create_thread: () => ({thread}), get_thread_details: () => ({thread}),
    control_conversation: a => ({message: `“The plan” is ${a.action}d`})}, {at: 'newthread'});
  await writes('.form input', 'The plan');
  await tap('ann', '.form');
  await confirm('Open', '.form');
  await until(() => location.hash === '#/thread/t1' && $('.more'));
  equal(daemon.of('create_thread').map(a => [a.title, a.participants]), [['The plan', ['ann']]]);
  await confirm('Mute', '.more');
  await shows('is muted');
  await tap('Undo', '.outcome');
  await shows('is unmuted');
});

test('messages are paused, and go on', async () => {
  let paused;
  await open({get_workspace_status: () => ({programs: [], paused}), pause_communication: a => {
    paused = a.paused ? {since: '2026-01-01T00:00:00Z'} : undefined;
    return {message: 'Done.'};
  }});
  await tap('⋯');
  await confirm('Pause all messages', '.sheet');
  await shows('Messages are paused since');
  await tap('Let them go on');
  await until(() => !shown().includes('Messages are paused'));
});

test('a session is ended where all are told', async () => {
  const keys = [{key_id: 'me', origin: 'page', device: 'Chrome on Linux', created_at: '2026-01-01T00:00:00Z'}, {key_id: 'k2', origin: 'watch', device: 'Safari on iPhone', created_at: '2026-01-01T00:00:00Z'}];
  await open({list_keys: () => ({keys}), revoke_key: a => { keys.splice(1); return {}; }});
  event('page_opened', {detail: 'a link was opened in Safari on iPhone (k2)'});
  await shows('A link was opened in Safari on iPhone');
  await goes('sessions');
  await shows('this one');
  await confirm('End', '[data-session=k2]');
  await shows('That session has ended.');
  await until(() => !$('[data-session=k2]'));
});
