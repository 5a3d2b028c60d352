import {$, $$, agent, button, confirm, daemon, equal, needs, open, question, refuse, shown, shows, sleep, tap, until, writes} from './page.js';

/** The needs that the daemon has, and those that it says after it tells that they are others. */
let now = needs();
const get_needs = () => now;
const become = (...all) => { now = needs(...all); };
const tells = (...all) => { become(...all); daemon.tells({changed: ['needs']}); };

test('a question is answered by a second tap, not by one that bounces', async () => {
  become(question('ann'));
  await open({get_needs, answer_dialog: () => { become(); return {message: 'Sent: “1. Yes”.'}; }});
  await shows('Bash(make)');
  const yes = button('Yes');
  yes.click();
  yes.click();
  await shows('Tap again to choose: Yes');
  equal(daemon.of('answer_dialog'), [], 'a bounce');
  yes.blur();
  await sleep(100);
  equal($('.armed'), null, 'what is left');
  yes.click();
  await sleep(9000);
  equal($('.armed'), null, 'what is forgotten');
  await confirm('Yes');
  await shows('Sent: “1. Yes”.');
  equal(daemon.of('answer_dialog'), [{agent: 'ann', dialog_id: 'd-ann', choice: '1', text: ''}]);
  equal($('[data-kind=dialog]'), null, 'the question');
});

test('an answer to a question that has changed is told where that was, and the next need follows', async () => {
  become(question('ann'), question('ben', {question: 'And this?'}), question('cat'));
  await open({get_needs, answer_dialog: () => refuse('DIALOG_CHANGED', 'it changed')});
  await confirm('Yes', '[data-about~=ben]');
  await shows('The question changed before your answer, so nothing was sent.');
  const cards = $$('.needs .card').map(c => c.getAttribute('role') ?? c.getAttribute('data-about').trim());
  equal(cards, ['ann', 'alert', 'ben', 'cat'], 'the cards');
  equal(document.activeElement.matches('.outcome.failed'), true, 'what came of it has the focus');
});

test('what was sent before a question changed is said', async () => {
  become(question('ann'));
  await open({get_needs, answer_dialog: () => refuse('DIALOG_CHANGED', 'it changed', {sent: ['Down']})});
  await confirm('Yes');
  await shows('The question changed while you answered: only Down was sent.');
});

test('an answer on a line that is lost may have arrived', async () => {
  become(question('ann'));
  await open({get_needs});
  await tap('Yes');
  await sleep(400);
  daemon.broken = () => Promise.reject(new TypeError('no line'));
  $('.armed').click();
  await shows('your answer may have arrived');
});

test('the same answer goes to all who ask the same', async () => {
  become(question('ann', {dialog_id: 'd'}), question('ben', {dialog_id: 'd'}), question('cat'));
  await open({get_needs, answer_dialog: () => ({message: 'Sent.'})});
  const same = $$('label').find(l => shown(l).includes('The same answer for ben'));
  same.querySelector('input').click();
  await sleep(100);
  await confirm('No', '[data-about~=ann]');
  await until(() => daemon.of('answer_dialog').length === 2);
  equal(daemon.of('answer_dialog').map(a => [a.agent, a.choice]), [['ann', '2'], ['ben', '2']]);
});

test('boxes are ticked, words are typed, and keys are there beside them', async () => {
  become(question('ann', {takes_text: true, options: [{choice: '1', label: 'Red', several: true, ticked: true}, {choice: '2', label: 'Other', takes_text: true}]}));
  await open({get_needs, answer_dialog: a => a.keys || a.text ? {message: 'Sent.'} : {message: '', screen: ['[ ] Red'], screen_id: 's1'}});
  equal(button('Other').disabled, true, 'words that are not there');
  await writes('.field input', 'Blue');
  await confirm('Other');
  await tap('Answer with keys');
  await shows('[ ] Red');
  await confirm('Tab', '.keys');
  await until(() => daemon.of('answer_dialog').some(a => a.keys));
  equal(daemon.of('answer_dialog').filter(a => a.text || a.keys).map(a => a.text ?? a.keys), ['Blue', ['Tab']]);
  await tap('Red');
  await shows('Tap again to untick: Red');
});

test('a secret is not asked for', async () => {
  become(question('ann', {secret: true}));
  await open({get_needs});
  await shows('It asks for a secret, which parley never types.');
  equal($$('.card button').length, 0, 'buttons');
});

const draft = {kind: 'draft', agent: 'ann', agent_id: 'id-ann', text: 'a draft is in the way', message_id: 'm1', draft: 'a suggestion <b>', since: '2026-01-01T00:00:00Z',
  acts: [{words: 'it is no draft', operation: 'retry_delivery', arguments: [{message_id: 'm1', draft: 'a suggestion <b>'}], ask: 'It is typed over.',
    undo: {words: 'undo', operation: 'undo_it', arguments: [{}]}}, {words: 'attach'}]};

test('an act of a need is done as the daemon offers it, and taken back', async () => {
  become(draft);
  await open({get_needs, retry_delivery: () => refuse('HELD', 'in the composer of ann stands: more'), undo_it: () => ({message: 'It is a draft again.'})});
  equal(shown($('.draft pre')), 'a suggestion <b>');
  equal(button('Attach'), undefined, 'what is done in a terminal');
  await tap('It is no draft');
  await shows('Tap again. It is typed over.');
  await sleep(400);
  $('.armed').click();
  await shows('In the composer of ann stands: more');
  daemon.answers.retry_delivery = () => ({message: 'Typed.'});
  await confirm('It is no draft');
  await shows('Typed.');
  await tap('Undo');
  await shows('It is a draft again.');
});

test('a message is answered once, also while the daemon is away', async () => {
  daemon.answers.check_inbox = () => ({messages: [{message_id: 'm1', sender: 'ann', content: 'Which one?', timestamp: '2026-01-01T00:00:00Z', response_deadline: 'x'}]});
  await open({respond_to_message: () => ({response_message_id: 'm2', deliveries: []}), get_message_status: () => ({deliveries: [{agent: 'ann', state: 'read', steps: []}]})});
  await shows('wants an answer');
  daemon.broken = () => Promise.reject(new TypeError('no line'));
  daemon.loses();
  await writes('.write textarea', 'The first.');
  $('.write').dispatchEvent({type: 'submit'});
  await shows('It is sent once, when that is back.');
  await sleep(20_000);
  daemon.broken = null;
  await until(() => daemon.of('get_message_status').length, 'the answer arrives');
  equal(new Set(daemon.of('respond_to_message').map(a => a.idempotency_key)).size, 1, 'its keys');
  await until(() => $('.state[data-state=read]'), 'its receipt');
});

test('what several owe is one card of all of them', async () => {
  become({kind: 'overdue', agent: 'ann', agent_id: 'id-ann', text: 'owes you a response', message_id: 'm1', also: ['ben', 'cat', 'dan', 'eve'], since: '2026-01-01T00:00:00Z',
    acts: [{words: 'remind', operation: 'steer_agent', arguments: [{agent: ['id-ann', 'id-ben']}], done: 'Reminded 5 agents.'}]});
  await open({get_needs, steer_agent: () => ({})});
  await shows('and ben, cat, dan and 1 more');
  await confirm('Remind');
  await shows('Reminded 5 agents.');
  equal(daemon.of('steer_agent').length, 1, 'messages');
});

test('who may only look has nothing to press', async () => {
  become(question('ann'), draft);
  await open({get_needs, get_agent_status: () => ({agents: [agent('ann')]})}, {watch: true});
  await shows('only looking');
  equal($$('.needs button').length, 0, 'buttons');
  for (const view of ['agents', 'agent/ann', 'threads', 'workspaces', 'launch', 'newthread', 'sessions']) {
    location.hash = `#/${view}`;
    await sleep(500);
    equal($$('main button, main textarea, main .workspaces').map(b => shown(b)).filter(words => words !== 'Earlier lines'), [], view);
  }
});

test('a link to what waits no longer says so', async () => {
  become(question('ann'));
  await open({get_needs}, {at: 'needs/ann'});
  await until(() => document.activeElement.getAttribute('data-about')?.startsWith('ann'), 'its card has the focus');
  tells();
  await shows('does not wait for you any more');
});
