-- A database as version 45 leaves it that began with version 1.
BEGIN TRANSACTION;
CREATE TABLE agent_log (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id TEXT    NOT NULL REFERENCES agents (id),
    log_type TEXT    NOT NULL,
    message  TEXT    NOT NULL,
    details  TEXT    NOT NULL, -- JSON
    at       INTEGER NOT NULL
);
INSERT INTO agent_log VALUES(1,'9b2f7c10-3c1d-4a55-8f60-1a2b3c4d5e6f','agent_lifecycle','Agent operator created','{"agent_id":"9b2f7c10-3c1d-4a55-8f60-1a2b3c4d5e6f","name":"operator","kind":"human","state":"idle"}',1767323045000000000);
INSERT INTO agent_log VALUES(2,'1a2b3c4d-77aa-4bbb-9ccc-0123456789ab','agent_lifecycle','Agent coder created','{"agent_id":"1a2b3c4d-77aa-4bbb-9ccc-0123456789ab","name":"coder","kind":"terminal","state":"starting"}',1767323045000000000);
INSERT INTO agent_log VALUES(3,'1a2b3c4d-77aa-4bbb-9ccc-0123456789ab','agent_communication','Received direct message from agent 9b2f7c10','{"sender_id":"9b2f7c10-3c1d-4a55-8f60-1a2b3c4d5e6f","recipient_id":"1a2b3c4d-77aa-4bbb-9ccc-0123456789ab","message_type":"request","message_content":"please rebase","timestamp":"2026-01-02T03:04:05Z"}',1767323045000000000);
CREATE TABLE agents (
    id           TEXT    NOT NULL PRIMARY KEY,
    name         TEXT    NOT NULL,
    description  TEXT    NOT NULL,
    role         TEXT    NOT NULL,
    capabilities TEXT    NOT NULL, -- JSON
    team_groups  TEXT    NOT NULL, -- JSON
    kind         TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    since        INTEGER NOT NULL,
    evidence     TEXT    NOT NULL,
    exit_status  INTEGER,
    host         TEXT    NOT NULL,
    profile      TEXT    NOT NULL,
    command      TEXT    NOT NULL, -- JSON
    orchestrate  INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    last_active  INTEGER NOT NULL
, interruptible INTEGER NOT NULL DEFAULT 0, socket TEXT NOT NULL DEFAULT '', pane TEXT NOT NULL DEFAULT '', approval TEXT NOT NULL DEFAULT '', dir TEXT NOT NULL DEFAULT '', seal TEXT NOT NULL DEFAULT '', session TEXT NOT NULL DEFAULT '', session_state TEXT NOT NULL DEFAULT '', no_resume INTEGER NOT NULL DEFAULT 0, prompt_hash TEXT NOT NULL DEFAULT '', own_env TEXT NOT NULL DEFAULT '[]', resume_after_limit INTEGER NOT NULL DEFAULT 0, worktree TEXT NOT NULL DEFAULT '');
INSERT INTO agents VALUES('9b2f7c10-3c1d-4a55-8f60-1a2b3c4d5e6f','operator','','','[]','[]','human','idle',1767323045000000000,'',NULL,'','','[]',0,1767323045000000000,1767323045000000000,0,'','','','','','','',0,'','[]',0,'');
INSERT INTO agents VALUES('1a2b3c4d-77aa-4bbb-9ccc-0123456789ab','coder','','engineer','["go","sql"]','[]','terminal','starting',1767323045000000000,'',NULL,'','generic','["claude"]',0,1767323045000000000,1767323045000000000,0,'','','','','','','',0,'','[]',0,'');
CREATE TABLE deliveries (
    message_seq     INTEGER NOT NULL REFERENCES messages (seq),
    recipient_id    TEXT    NOT NULL REFERENCES agents (id),
    conversation_id TEXT    NOT NULL,
    kind            TEXT    NOT NULL, -- the message's
    urgent          INTEGER NOT NULL, -- the message's, as 0 or 1
    state           TEXT    NOT NULL,
    reason          TEXT    NOT NULL,
    notice          INTEGER NOT NULL,
    pane_seq        INTEGER NOT NULL, -- given when it was last claimed, 0 before
    queued_at       INTEGER NOT NULL,
    read_at         INTEGER,          -- NULL while unread
    steps           TEXT    NOT NULL, dismissed INTEGER NOT NULL DEFAULT 0, answered_at INTEGER NOT NULL DEFAULT 0, answered_by TEXT NOT NULL DEFAULT '', withheld TEXT NOT NULL DEFAULT '', withheld_until INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0, decision TEXT NOT NULL DEFAULT '', reason_code TEXT NOT NULL DEFAULT '', typed_before INTEGER NOT NULL DEFAULT 0, -- one JSON object a line, only ever appended to
    PRIMARY KEY (message_seq, recipient_id)
) WITHOUT ROWID;
INSERT INTO deliveries VALUES(1,'1a2b3c4d-77aa-4bbb-9ccc-0123456789ab','663d2745-dff7-594c-8325-963199990411','direct',1,'typing','',0,1,1767323045000000000,NULL,'{"state":"queued","at":"2026-01-02T03:04:05Z"}
{"state":"typing","at":"2026-01-02T03:04:05Z"}
',0,0,'','',0,0,'','',0);
CREATE TABLE events (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    type            TEXT    NOT NULL,
    at              INTEGER NOT NULL,
    message_seq     INTEGER NOT NULL, -- 0 for none
    recipient_id    TEXT    NOT NULL,
    recipient_count INTEGER NOT NULL,
    agent_id        TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    detail          TEXT    NOT NULL
, reason_code TEXT NOT NULL DEFAULT '');
INSERT INTO events VALUES(1,'agent_updated',1767323045000000000,0,'',0,'9b2f7c10-3c1d-4a55-8f60-1a2b3c4d5e6f','idle','','');
INSERT INTO events VALUES(2,'agent_updated',1767323045000000000,0,'',0,'1a2b3c4d-77aa-4bbb-9ccc-0123456789ab','starting','','');
INSERT INTO events VALUES(3,'agent_direct_message',1767323045000000000,1,'1a2b3c4d-77aa-4bbb-9ccc-0123456789ab',1,'','','','');
INSERT INTO events VALUES(4,'delivery_updated',1767323045000000000,1,'1a2b3c4d-77aa-4bbb-9ccc-0123456789ab',0,'','typing','','');
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO goose_db_version VALUES(1,0,1,'2026-11-21 05:36:01');
INSERT INTO goose_db_version VALUES(2,1,1,'2026-11-21 05:36:01');
INSERT INTO goose_db_version VALUES(3,2,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(4,3,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(5,4,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(6,5,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(7,6,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(8,7,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(9,8,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(10,9,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(11,10,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(12,11,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(13,12,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(14,13,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(15,14,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(16,15,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(17,16,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(18,17,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(19,18,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(20,19,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(21,20,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(22,30,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(23,31,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(24,32,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(25,33,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(26,34,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(27,36,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(28,37,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(29,38,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(30,39,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(31,40,1,'2026-11-26 19:43:25');
INSERT INTO goose_db_version VALUES(32,45,1,'2026-11-26 19:43:25');
CREATE TABLE messages (
    seq               INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of acceptance
    id                TEXT    NOT NULL CHECK (id <> ''),
    kind              TEXT    NOT NULL,
    type              TEXT    NOT NULL,
    priority          TEXT    NOT NULL,
    sender_id         TEXT    NOT NULL REFERENCES agents (id),
    text              TEXT    NOT NULL,
    data              TEXT    NOT NULL, -- a JSON object, or empty
    context_reference TEXT    NOT NULL,
    in_reply_to       TEXT    NOT NULL,
    idempotency_key   TEXT    NOT NULL,
    accepted_at       INTEGER NOT NULL
, thread_id TEXT NOT NULL DEFAULT '', attachments TEXT NOT NULL DEFAULT '', requires_response INTEGER NOT NULL DEFAULT 0, response_deadline INTEGER NOT NULL DEFAULT 0, response_status TEXT NOT NULL DEFAULT '', chain_id TEXT NOT NULL DEFAULT '', hop INTEGER NOT NULL DEFAULT 0);
INSERT INTO messages VALUES(1,'5f0c21aa-2222-4333-8444-555566667777','direct','request','urgent','9b2f7c10-3c1d-4a55-8f60-1a2b3c4d5e6f','please rebase','','','','',1767323045000000000,'','',0,0,'','',0);
CREATE TABLE facts (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL -- JSON
) WITHOUT ROWID;
CREATE TABLE debts (
    message_seq      INTEGER NOT NULL REFERENCES messages (seq),
    debtor_id        TEXT    NOT NULL REFERENCES agents (id),
    due_at           INTEGER NOT NULL,
    state            TEXT    NOT NULL, -- open, partial, completed, unable, delegated
    answered_by      TEXT    NOT NULL DEFAULT '', -- the id of the last response
    answered_at      INTEGER NOT NULL DEFAULT 0,
    late             INTEGER NOT NULL DEFAULT 0,
    reminded_at      INTEGER NOT NULL DEFAULT 0,
    sender_told_at   INTEGER NOT NULL DEFAULT 0,
    operator_told_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (message_seq, debtor_id)
) WITHOUT ROWID;
CREATE TABLE threads (
    id              TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    title           TEXT    NOT NULL,
    creator_id      TEXT    NOT NULL REFERENCES agents (id),
    created_at      INTEGER NOT NULL,
    last_message_at INTEGER NOT NULL
, conversation TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE TABLE participants (
    thread_id TEXT    NOT NULL REFERENCES threads (id),
    agent_id  TEXT    NOT NULL REFERENCES agents (id),
    joined_at INTEGER NOT NULL,
    left_at   INTEGER NOT NULL DEFAULT 0, -- 0 while it takes part
    PRIMARY KEY (thread_id, agent_id)
) WITHOUT ROWID;
CREATE TABLE files (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    name       TEXT    NOT NULL,
    size       INTEGER NOT NULL,
    sha256     TEXT    NOT NULL, -- in hexadecimal digits; names the content
    sender_id  TEXT    NOT NULL REFERENCES agents (id),
    created_at INTEGER NOT NULL
, removed_at INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE message_files (
    file_id     TEXT    NOT NULL REFERENCES files (id),
    message_seq INTEGER NOT NULL REFERENCES messages (seq),
    PRIMARY KEY (file_id, message_seq)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE message_words USING fts5 (words, marks,
	content = '', columnsize = 0, tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE agent_keys (
    id         TEXT    NOT NULL PRIMARY KEY, -- the first characters of the key, or of its hash
    agent_id   TEXT    NOT NULL REFERENCES agents (id),
    hash       BLOB    NOT NULL,
    origin     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    last_used  INTEGER NOT NULL -- 0 for never
, expires_at INTEGER NOT NULL DEFAULT 0);
INSERT INTO agent_keys VALUES('hash_010203','1a2b3c4d-77aa-4bbb-9ccc-0123456789ab',X'010203','launched',1767323045000000000,1767323045000000000,0);
CREATE TABLE conversation_acts (
    seq       INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    action    TEXT    NOT NULL,
    thread_id TEXT    NOT NULL DEFAULT '', -- empty for two agents
    one       TEXT    NOT NULL DEFAULT '', -- the two agents
    other     TEXT    NOT NULL DEFAULT '',
    chain_id  TEXT    NOT NULL DEFAULT '', -- of the turn that was released
    hop       INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE responders (
    agent_id          TEXT    NOT NULL PRIMARY KEY REFERENCES agents (id),
    model_id          TEXT    NOT NULL,
    system_prompt     TEXT    NOT NULL,
    temperature       REAL,             -- NULL: the server's default
    max_tokens        INTEGER NOT NULL, -- 0: the server's default
    base_url          TEXT    NOT NULL,
    api_key_env       TEXT    NOT NULL, -- the name of a variable; keys are not stored
    additional_config TEXT    NOT NULL, -- a JSON object
    auto_respond      INTEGER NOT NULL,
    origin            TEXT    NOT NULL
);
CREATE TABLE forgotten (
    responder_id TEXT    NOT NULL REFERENCES agents (id),
    other_id     TEXT    NOT NULL REFERENCES agents (id),
    message_seq  INTEGER NOT NULL,
    PRIMARY KEY (responder_id, other_id)
) WITHOUT ROWID;
CREATE TABLE model_calls (
    id            INTEGER NOT NULL PRIMARY KEY,
    agent_id      TEXT    NOT NULL REFERENCES agents (id),
    caller_id     TEXT    NOT NULL REFERENCES agents (id),
    message_id    TEXT    NOT NULL,
    reply_id      TEXT    NOT NULL, -- '' for no answer
    model         TEXT    NOT NULL,
    at            INTEGER NOT NULL,
    latency       INTEGER NOT NULL, -- nanoseconds
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    requests      INTEGER NOT NULL,
    tool_calls    INTEGER NOT NULL,
    unmeasured    INTEGER NOT NULL, -- the server did not report all tokens
    cut_off       INTEGER NOT NULL,
    reason        TEXT    NOT NULL  -- why there was no answer
);
CREATE TABLE calls (
	agent_id        TEXT NOT NULL REFERENCES agents (id),
	idempotency_key TEXT NOT NULL,
	asked           TEXT NOT NULL,
	made            TEXT NOT NULL,
	message_id      TEXT NOT NULL, -- of the first post in that thread, or empty
	PRIMARY KEY (agent_id, idempotency_key)
) WITHOUT ROWID;
CREATE TABLE transcripts (
    agent_id TEXT    NOT NULL REFERENCES agents (id),
    path     TEXT    NOT NULL,
    form     TEXT    NOT NULL,
    since    INTEGER NOT NULL, -- what is older is not the agent's: the program resumed or copied it
    position INTEGER NOT NULL, -- bytes
    skipping INTEGER NOT NULL, -- the position is within a line that is too long
    model    TEXT    NOT NULL, -- as named by an earlier line
    records  INTEGER NOT NULL, -- that were read
    unknown  TEXT    NOT NULL, -- why it cannot be read
    seen_at  INTEGER NOT NULL, -- when it was last named or had grown
    PRIMARY KEY (agent_id, path)
) WITHOUT ROWID;
CREATE TABLE token_records (
    id          TEXT    NOT NULL PRIMARY KEY,
    agent_id    TEXT    NOT NULL,
    day         TEXT    NOT NULL,
    model       TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    input       INTEGER NOT NULL,
    cached      INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    reasoning   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE token_days (
    agent_id    TEXT    NOT NULL REFERENCES agents (id),
    day         TEXT    NOT NULL,
    model       TEXT    NOT NULL,
    responses   INTEGER NOT NULL,
    input       INTEGER NOT NULL,
    cached      INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    reasoning   INTEGER NOT NULL,
    PRIMARY KEY (agent_id, day, model)
) WITHOUT ROWID;
CREATE UNIQUE INDEX agents_name ON agents (lower(name));
CREATE UNIQUE INDEX messages_id ON messages (id);
CREATE UNIQUE INDEX messages_idempotency ON messages (sender_id, idempotency_key) WHERE idempotency_key <> '';
CREATE INDEX deliveries_inbox ON deliveries (recipient_id, message_seq);
CREATE INDEX deliveries_unread ON deliveries (recipient_id, read_at, message_seq) WHERE read_at IS NULL;
CREATE INDEX messages_requests ON messages (accepted_at) WHERE type = 'request';
CREATE INDEX messages_replies ON messages (in_reply_to, sender_id) WHERE in_reply_to <> '';
CREATE INDEX debts_owed ON debts (debtor_id, due_at) WHERE state IN ('open', 'partial');
CREATE INDEX debts_due ON debts (due_at) WHERE state IN ('open', 'partial') AND operator_told_at = 0;
CREATE INDEX threads_active ON threads (last_message_at, id);
CREATE INDEX messages_thread ON messages (thread_id, seq) WHERE thread_id <> '';
CREATE INDEX deliveries_pressing ON deliveries (recipient_id, message_seq)
	WHERE read_at IS NULL AND urgent = 1;
CREATE UNIQUE INDEX agent_keys_hash ON agent_keys (hash);
CREATE INDEX agent_keys_agent ON agent_keys (agent_id);
CREATE INDEX deliveries_withheld ON deliveries (message_seq) WHERE state = 'held' AND withheld <> '';
CREATE INDEX model_calls_agent ON model_calls (agent_id, at);
CREATE INDEX model_calls_message ON model_calls (message_id);
CREATE INDEX participants_agent ON participants (agent_id) WHERE left_at = 0;
CREATE INDEX messages_spread ON messages (sender_id, kind) WHERE kind <> 'direct';
CREATE INDEX files_content ON files (sha256);
CREATE INDEX deliveries_direct ON deliveries (conversation_id, message_seq, kind) WHERE kind = 'direct' OR kind = 'steering';
CREATE INDEX files_sender ON files (sender_id);
CREATE INDEX token_records_at ON token_records (at);
CREATE INDEX messages_types ON messages (type) WHERE type <> 'information';
CREATE INDEX messages_priorities ON messages (priority) WHERE priority <> 'normal';
CREATE INDEX deliveries_open ON deliveries (recipient_id, urgent DESC, message_seq)
	WHERE state = 'queued' OR state = 'held' OR state = 'typing';
CREATE INDEX deliveries_ended ON deliveries (state, dismissed)
	WHERE state = 'failed' OR state = 'unconfirmed' OR state = 'expired';
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('goose_db_version',32);
INSERT INTO sqlite_sequence VALUES('agent_log',3);
INSERT INTO sqlite_sequence VALUES('events',4);
INSERT INTO sqlite_sequence VALUES('messages',1);
INSERT INTO message_words (rowid, words, marks) VALUES(1,'please rebase','n16x0 n18x0 s9b2f7c103c1d4a558f601a2b3c4d5e6f r1a2b3c4d77aa4bbb9ccc0123456789ab');
COMMIT;
