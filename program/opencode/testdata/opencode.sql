-- As opencode 1.18.33 makes it, without what is not read.
CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);

-- ses_a has a subagent, ses_b is a fork of ses_a, and ses_old was used before.
INSERT INTO session VALUES
  ('ses_old', NULL, '/src', 1000, 2000),
  ('ses_a', NULL, '/src', 10000, 11000),
  ('ses_sub', 'ses_a', '/src', 10400, 10600),
  ('ses_b', NULL, '/src', 20000, 21000);
INSERT INTO message VALUES
  ('msg_0', 'ses_old', 1000, 1000, '{"role":"user","time":{"created":1000}}'),
  ('msg_1', 'ses_a', 10000, 10000, '{"role":"user","time":{"created":10000}}'),
  ('msg_2', 'ses_a', 10100, 10300, '{"role":"assistant","mode":"build","cost":0,"tokens":{"total":10566,"input":7000,"output":460,"reasoning":73,"cache":{"write":5,"read":3033}},"modelID":"mock","providerID":"mock","time":{"created":10100,"completed":10290},"finish":"stop"}'),
  ('msg_3', 'ses_sub', 10400, 10400, '{"role":"user","time":{"created":10400}}'),
  ('msg_4', 'ses_sub', 10500, 10600, '{"role":"assistant","tokens":{"input":1,"output":2},"modelID":"small","time":{"created":10500,"completed":10600}}'),
  ('msg_5', 'ses_a', 10900, 11000, '{"role":"assistant","tokens":{"input":0,"output":0},"modelID":"mock","time":{"created":10900}}'),
  ('msg_6', 'ses_b', 20000, 20000, '{"role":"user","time":{"created":10000}}'),
  ('msg_7', 'ses_b', 20000, 20000, '{"role":"assistant","tokens":{"input":7000,"output":460},"modelID":"mock","time":{"created":10100,"completed":10290}}'),
  ('msg_8', 'ses_b', 20500, 21000, '{"role":"assistant","tokens":{"input":3,"output":4},"modelID":"mock","time":{"created":20500,"completed":21000}}');
INSERT INTO part VALUES
  ('prt_0', 'msg_0', 'ses_old', 1000, 1000, '{"type":"text","text":"long ago"}'),
  ('prt_1', 'msg_1', 'ses_a', 10000, 10000, '{"type":"text","text":"first"}'),
  ('prt_2', 'msg_1', 'ses_a', 10000, 10000, '{"type":"file","filename":"x"}'),
  ('prt_3', 'msg_3', 'ses_sub', 10400, 10400, '{"type":"text","text":"of the subagent"}'),
  ('prt_4', 'msg_6', 'ses_b', 20000, 20000, '{"type":"text","text":"second"}'),
  ('prt_5', 'msg_2', 'ses_a', 10200, 10250, '{"type":"tool","tool":"write","callID":"call_2","state":{"status":"completed","input":{"filePath":"/src/hawk.txt","content":"one"},"time":{"start":10200,"end":10250}}}'),
  ('prt_6', 'msg_4', 'ses_sub', 10500, 10550, '{"type":"tool","tool":"edit","state":{"status":"completed","input":{"filePath":"/src/kite.txt"},"time":{"start":10500,"end":10550}}}'),
  ('prt_7', 'msg_2', 'ses_a', 10200, 10250, '{"type":"tool","tool":"write","state":{"status":"error","input":{"filePath":"/src/refused.txt"},"time":{"start":10200,"end":10250}}}'),
  ('prt_8', 'msg_2', 'ses_a', 10200, 10250, '{"type":"tool","tool":"read","state":{"status":"completed","input":{"filePath":"/src/read.txt"},"time":{"start":10200,"end":10250}}}');
