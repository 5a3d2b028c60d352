-- A database as version 1 leaves it.
BEGIN TRANSACTION;
CREATE TABLE agent_log (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id TEXT    NOT NULL REFERENCES agents (id),
    log_type TEXT    NOT NULL,
    message  TEXT    NOT NULL,
    details  TEXT    NOT NULL, -- JSON
    at       INTEGER NOT NULL
);
INSERT INTO "agent_log" VALUES(1,'9b2f7c10-3c1d-4a55-8f60-1a2b3c4d5e6f','agent_lifecycle','Agent operator created','{"agent_id":"9b2f7c10-3c1d-4a55-8f60-1a2b3c4d5e6f","name":"operator","kind":"human","state":"idle"}',1767323045000000000);
INSERT INTO "agent_log" VALUES(2,'1a2b3c4d-77aa-4bbb-9ccc-0123456789ab','agent_lifecycle','Agent coder created','{"agent_id":"1a2b3c4d-77aa-4bbb-9ccc-0123456789ab","name":"coder","kind":"terminal","state":"starting"}',1767323045000000000);
INSERT INTO "agent_log" VALUES(3,'1a2b3c4d-77aa-4bbb-9ccc-0123456789ab','agent_communication','Received direct message from agent 9b2f7c10','{"sender_id":"9b2f7c10-3c1d-4a55-8f60-1a2b3c4d5e6f","recipient_id":"1a2b3c4d-77aa-4bbb-9ccc-0123456789ab","message_type":"request","message_content":"please rebase","timestamp":"2026-01-02T03:04:05Z"}',1767323045000000000);
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
    key_hash     BLOB,
    created_at   INTEGER NOT NULL,
    last_active  INTEGER NOT NULL
);
INSERT INTO "agents" VALUES('9b2f7c10-3c1d-4a55-8f60-1a2b3c4d5e6f','operator','','','[]','[]','human','idle',1767323045000000000,'',NULL,'','','[]',0,NULL,1767323045000000000,1767323045000000000);
INSERT INTO "agents" VALUES('1a2b3c4d-77aa-4bbb-9ccc-0123456789ab','coder','','engineer','["go","sql"]','[]','terminal','starting',1767323045000000000,'',NULL,'','generic','["claude"]',0,X'010203',1767323045000000000,1767323045000000000);
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
    steps           TEXT    NOT NULL, -- one JSON object a line, only ever appended to
    PRIMARY KEY (message_seq, recipient_id)
) WITHOUT ROWID;
INSERT INTO "deliveries" VALUES(1,'1a2b3c4d-77aa-4bbb-9ccc-0123456789ab','663d2745-dff7-594c-8325-963199990411','direct',1,'typing','',0,1,1767323045000000000,NULL,'{"state":"queued","at":"2026-01-02T03:04:05Z"}
{"state":"typing","at":"2026-01-02T03:04:05Z"}
');
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
);
INSERT INTO "events" VALUES(1,'agent_updated',1767323045000000000,0,'',0,'9b2f7c10-3c1d-4a55-8f60-1a2b3c4d5e6f','idle','');
INSERT INTO "events" VALUES(2,'agent_updated',1767323045000000000,0,'',0,'1a2b3c4d-77aa-4bbb-9ccc-0123456789ab','starting','');
INSERT INTO "events" VALUES(3,'agent_direct_message',1767323045000000000,1,'1a2b3c4d-77aa-4bbb-9ccc-0123456789ab',1,'','','');
INSERT INTO "events" VALUES(4,'delivery_updated',1767323045000000000,1,'1a2b3c4d-77aa-4bbb-9ccc-0123456789ab',0,'','typing','');
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO "goose_db_version" VALUES(1,0,1,'2026-11-21 05:36:01');
INSERT INTO "goose_db_version" VALUES(2,1,1,'2026-11-21 05:36:01');
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
);
INSERT INTO "messages" VALUES(1,'5f0c21aa-2222-4333-8444-555566667777','direct','request','urgent','9b2f7c10-3c1d-4a55-8f60-1a2b3c4d5e6f','please rebase','','','','',1767323045000000000);
CREATE UNIQUE INDEX agents_name ON agents (lower(name));
CREATE UNIQUE INDEX messages_id ON messages (id);
CREATE UNIQUE INDEX messages_idempotency ON messages (sender_id, idempotency_key) WHERE idempotency_key <> '';
CREATE INDEX deliveries_inbox ON deliveries (recipient_id, message_seq);
CREATE INDEX deliveries_unread ON deliveries (recipient_id, read_at, message_seq) WHERE read_at IS NULL;
CREATE INDEX deliveries_open ON deliveries (recipient_id, urgent DESC, message_seq) WHERE state IN ('queued', 'held', 'typing');
CREATE INDEX deliveries_ended ON deliveries (state) WHERE state IN ('failed', 'unconfirmed', 'expired');
CREATE INDEX deliveries_direct ON deliveries (conversation_id, message_seq) WHERE kind = 'direct';
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('goose_db_version',2);
INSERT INTO "sqlite_sequence" VALUES('agent_log',3);
INSERT INTO "sqlite_sequence" VALUES('events',4);
INSERT INTO "sqlite_sequence" VALUES('messages',1);
COMMIT;
