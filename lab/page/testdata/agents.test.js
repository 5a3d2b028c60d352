import {$, $$, agent, confirm, daemon, equal, event, goes, needs, open, question, shown, shows, tap, until, writes} from './page.js';

const names = () => $$('.agents .name').map(n => shown(n));
const team = (...agents) => ({get_agent_status: () => ({agents})});

test('agents are found by what their rows show, the best match first', async () => {
  await open({...team(agent('worker', {facts: ['sonnet']}), agent('coder', {facts: ['opus'], worktree: {branch: 'tidy-up'}}), agent('ben'), agent('recorder'), agent('ann'),
    agent('cat', {state: 'busy'})), get_needs: () => needs(question('ann', {question: 'Shall I code?'}))}, {at: 'agents'});
  equal(names(), ['ann', 'cat', 'ben', 'coder', 'recorder', 'worker'], 'who asks is first');
  equal(shown($('.agents .line')), 'Shall I code? 1 Yes 2 No', 'its row is its question');
  for (const [words, want] of [['cod', ['coder', 'ann']], ['ORDER', ['recorder']], ['opus', ['coder']], ['tidy', ['coder']], ['works', ['cat']], ['nobody', []]]) {
    await writes('#filter', words);
    equal(names(), want, words);
  }
  await shows('No agent matches.');
});

test('those that are found get one message', async () => {
  await open({...team(...[1, 2, 3, 4, 5, 6].map(i => agent(`crowd-${i}`)), agent('ben')),
    broadcast_message: () => ({message_id: 'm1', deliveries: [1, 2].map(i => ({agent: `crowd-${i}`, state: 'queued', steps: []}))}),
    get_message_status: () => ({deliveries: [1, 2].map(i => ({agent: `crowd-${i}`, state: 'read', steps: []}))})}, {at: 'agents'});
  await writes('#filter', 'CROWD');
  await shows('Write to the 6 that are shown');
  await writes('.more textarea', 'Stop for today.');
  $('.more .write').dispatchEvent({type: 'submit'});
  await until(() => $$('.receipt .state[data-state=read]').length === 2);
  equal(daemon.of('broadcast_message').map(a => [a.text, a.recipients.length]), [['Stop for today.', 6]]);
});

test('a large team stands in groups', async () => {
  await open(team(...Array.from({length: 200}, (_, i) => agent(`svc-${i}`, {state: ['idle', 'busy', 'exited', 'waiting'][i % 4]}))), {at: 'agents'});
  equal($$('.group summary').map(g => shown(g)), ['Asking 50', 'In trouble 50', 'Working 50', 'Idle 50']);
});

test('a text that is too long cannot be sent', async () => {
  await open({...team(agent('ben')), read_terminal: () => ({lines: []})}, {at: 'agent/ben'});
  await writes('.write textarea', 'a'.repeat(2001));
  await shows('1 characters too many');
  equal($('.write .main').disabled, true);
  await writes('.write textarea', ' ');
  equal($('.write .main').disabled, true);
});

test('a receipt climbs as the daemon tells', async () => {
  let state = 'queued';
  await open({...team(agent('ben')), send_message: () => ({message_id: 'm1', deliveries: []}),
    get_message_status: () => ({deliveries: [{agent: 'ben', state, steps: [{state, at: '2026-01-01T00:00:00Z', evidence: 'its report'}], reason: 'it works'}]})}, {at: 'agent/ben'});
  await writes('.write textarea', 'Check the build.');
  $('.write textarea').dispatchEvent({type: 'keydown', key: 'Enter'});
  await shows('accepted');
  await shows('it works');
  for (state of ['typing', 'submitted', 'read', 'answered']) {
    event('delivery_updated', {message_id: 'm1'});
    await until(() => $(`.receipt .state[data-state=${state}]`), state);
  }
  await tap('Hide');
  equal($('.receipt'), null);
});

test('the state of an agent is taken from the events', async () => {
  await open(team(...Array.from({length: 30}, (_, i) => agent(`a-${i}`))), {at: 'agents'});
  event('agent_updated', {agent_id: 'id-a-7', state: 'waiting'});
  await until(() => names()[0] === 'a-7');
});

test('an agent is started from a profile', async () => {
  let all = [];
  await open({get_agent_status: () => ({agents: all}), get_workspace_status: () => ({programs: ['claude', 'codex']}), launch_agent: a => { all = [agent(a.name)]; return {name: a.name}; }});
  await goes('launch');
  $('.form select').value = 'codex';
  $('.form select').dispatchEvent({type: 'change'});
  await writes('.form input', 'newcomer');
  await confirm('Start', '.form');
  await until(() => location.hash === '#/agent/newcomer' && $('.attach'));
  equal(daemon.of('launch_agent').map(a => [a.profile, a.name]), [['codex', 'newcomer']]);
});

test('an agent is restarted and stopped', async () => {
  await open({...team(agent('ben')), restart_agent: () => ({}), stop_agent: () => ({})}, {at: 'agent/ben'});
  await confirm('Restart', '.talk .more');
  await shows('Its program was started again.');
  daemon.answers.get_agent_status = () => ({agents: []});
  await confirm('Stop', '.talk .more');
  await shows('It has left the team.');
  await shows('not in the team');
});

test('in a wide window the terminal of the agent that is looked at stands beside the list', async () => {
  globalThis.wide = true;
  await open(team(agent('ben'), agent('cat'), agent('box', {kind: 'mailbox'})), {at: 'agents'});
  await until(() => $('.beside'));
  equal(shown($('.beside h2')), 'ben');
  $('[data-agent=cat] a').dispatchEvent({type: 'mouseover'});
  await until(() => shown($('.beside h2')) === 'cat');
});
