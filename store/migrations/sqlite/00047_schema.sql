-- The schema of a file of SQLite. It is the first version that every later program opens.
--
-- Times are nanoseconds since 1970 (UTC), 0 for none; truth is 0 or 1. Other rows refer to an event or a delivery by its
-- number. Numbers are never used twice.

-- +goose Up
CREATE TABLE agents (
    id            TEXT    NOT NULL PRIMARY KEY,
    name          TEXT    NOT NULL,
    role          TEXT    NOT NULL,
    kind          TEXT    NOT NULL,
    state         TEXT    NOT NULL,
    since         INTEGER NOT NULL,
    evidence      TEXT    NOT NULL,
    exit_status   INTEGER,
    host          TEXT    NOT NULL,
    profile       TEXT    NOT NULL,
    command       TEXT    NOT NULL, -- JSON
    created_at    INTEGER NOT NULL,
    last_active   INTEGER NOT NULL,
    socket        TEXT    NOT NULL DEFAULT '', -- the tmux server from which it was adopted, or empty
    pane          TEXT    NOT NULL DEFAULT '',
    approval      TEXT    NOT NULL DEFAULT '',
    dir           TEXT    NOT NULL DEFAULT '', -- the directory in which it was launched
    seal          TEXT    NOT NULL DEFAULT '', -- the secret word in the footers of its terminal
    session       TEXT    NOT NULL DEFAULT '', -- the own session of its program
    session_state TEXT    NOT NULL DEFAULT '',
    no_resume     INTEGER NOT NULL DEFAULT 0,
    prompt_hash   TEXT    NOT NULL DEFAULT '',
    own_env       TEXT    NOT NULL DEFAULT '[]',
    worktree      TEXT    NOT NULL DEFAULT '', -- JSON
    spec          TEXT    NOT NULL DEFAULT '{}' -- JSON: how it is described and what it may do, but for its role
);
CREATE UNIQUE INDEX agents_name ON agents (lower(name));

CREATE TABLE agent_keys (
    id         TEXT    NOT NULL PRIMARY KEY, -- the first characters of the key, or of its hash
    agent_id   TEXT    NOT NULL REFERENCES agents (id),
    hash       BLOB    NOT NULL,
    origin     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    last_used  INTEGER NOT NULL, -- 0 for never
    expires_at INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX agent_keys_hash ON agent_keys (hash);
CREATE INDEX agent_keys_agent ON agent_keys (agent_id);

CREATE TABLE agent_log (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id TEXT    NOT NULL REFERENCES agents (id),
    log_type TEXT    NOT NULL,
    message  TEXT    NOT NULL,
    details  TEXT    NOT NULL, -- JSON
    at       INTEGER NOT NULL
);

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
    accepted_at       INTEGER NOT NULL,
    thread_id         TEXT    NOT NULL DEFAULT '',
    attachments       TEXT    NOT NULL DEFAULT '', -- a JSON list, or empty
    requires_response INTEGER NOT NULL DEFAULT 0,
    response_deadline INTEGER NOT NULL DEFAULT 0,
    response_status   TEXT    NOT NULL DEFAULT '', -- of a formal response
    chain_id          TEXT    NOT NULL DEFAULT '', -- the id of the message that began the chain
    hop               INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX messages_id ON messages (id);
CREATE UNIQUE INDEX messages_idempotency ON messages (sender_id, idempotency_key) WHERE idempotency_key <> '';
CREATE INDEX messages_requests ON messages (accepted_at) WHERE type = 'request';
CREATE INDEX messages_replies ON messages (in_reply_to, sender_id) WHERE in_reply_to <> '';
CREATE INDEX messages_thread ON messages (thread_id, seq) WHERE thread_id <> '';
CREATE INDEX messages_spread ON messages (sender_id, kind) WHERE kind <> 'direct';
-- Most messages are of one type and one priority. A search for the others finds them here.
CREATE INDEX messages_types ON messages (type) WHERE type <> 'information';
CREATE INDEX messages_priorities ON messages (priority) WHERE priority <> 'normal';

-- The words of messages and their marks: see search_words.go.
CREATE VIRTUAL TABLE message_words USING fts5 (words, marks,
    content = '', columnsize = 0, tokenize = 'unicode61 remove_diacritics 2');

CREATE TABLE deliveries (
    message_seq     INTEGER NOT NULL REFERENCES messages (seq),
    recipient_id    TEXT    NOT NULL REFERENCES agents (id),
    conversation_id TEXT    NOT NULL,
    kind            TEXT    NOT NULL, -- the message's
    urgent          INTEGER NOT NULL, -- the message's
    state           TEXT    NOT NULL,
    reason          TEXT    NOT NULL,
    notice          INTEGER NOT NULL,
    pane_seq        INTEGER NOT NULL, -- of the last claim, 0 before
    queued_at       INTEGER NOT NULL,
    read_at         INTEGER,          -- NULL while unread
    steps           TEXT    NOT NULL, -- one JSON object a line; only ever appended to
    dismissed       INTEGER NOT NULL DEFAULT 0, -- when failed or expired: its sender has been told
    answered_at     INTEGER NOT NULL DEFAULT 0,
    answered_by     TEXT    NOT NULL DEFAULT '', -- the id of its recipient's first reply
    withheld        TEXT    NOT NULL DEFAULT '', -- the rule by which the conversation protocol withholds it
    withheld_until  INTEGER NOT NULL DEFAULT 0,
    archived        INTEGER NOT NULL DEFAULT 0, -- its recipient has ignored it
    decision        TEXT    NOT NULL DEFAULT '', -- of the conversation protocol, as JSON
    reason_code     TEXT    NOT NULL DEFAULT '',
    typed_before    INTEGER NOT NULL DEFAULT 0, -- an attempt before its last retry ended unconfirmed
    door            INTEGER NOT NULL DEFAULT 0, -- its last claim was for its program's own entrance
    PRIMARY KEY (message_seq, recipient_id)
) WITHOUT ROWID;
CREATE INDEX deliveries_inbox ON deliveries (recipient_id, message_seq);
CREATE INDEX deliveries_unread ON deliveries (recipient_id, read_at, message_seq) WHERE read_at IS NULL;
-- Urgent messages among those that an agent has not read. Other messages cost nothing here.
CREATE INDEX deliveries_pressing ON deliveries (recipient_id, message_seq) WHERE read_at IS NULL AND urgent = 1;
CREATE INDEX deliveries_withheld ON deliveries (message_seq) WHERE state = 'held' AND withheld <> '';
CREATE INDEX deliveries_direct ON deliveries (conversation_id, message_seq, kind)
    WHERE kind = 'direct' OR kind = 'steering';
-- SQLite makes a table for a list each time that a row is written, so these two compare one by one.
CREATE INDEX deliveries_open ON deliveries (recipient_id, urgent DESC, message_seq)
    WHERE state = 'queued' OR state = 'held' OR state = 'typing';
CREATE INDEX deliveries_ended ON deliveries (state, dismissed)
    WHERE state = 'failed' OR state = 'unconfirmed' OR state = 'expired';

-- The details of a message are not stored in its events.
CREATE TABLE events (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    type            TEXT    NOT NULL,
    at              INTEGER NOT NULL,
    message_seq     INTEGER NOT NULL, -- 0 for none
    recipient_id    TEXT    NOT NULL,
    recipient_count INTEGER NOT NULL,
    agent_id        TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    detail          TEXT    NOT NULL,
    reason_code     TEXT    NOT NULL DEFAULT ''
);

-- Facts about the whole workspace, by name.
CREATE TABLE facts (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL -- JSON
) WITHOUT ROWID;

-- Required responses: one row for each message and each agent that must answer it.
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
CREATE INDEX debts_owed ON debts (debtor_id, due_at) WHERE state IN ('open', 'partial');
CREATE INDEX debts_due ON debts (due_at) WHERE state IN ('open', 'partial') AND operator_told_at = 0;

CREATE TABLE threads (
    id              TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    title           TEXT    NOT NULL,
    creator_id      TEXT    NOT NULL REFERENCES agents (id),
    created_at      INTEGER NOT NULL,
    last_message_at INTEGER NOT NULL,
    conversation    TEXT    NOT NULL DEFAULT '' -- its own settings, as JSON
) WITHOUT ROWID;
CREATE INDEX threads_active ON threads (last_message_at, id);

-- The participants of threads. An agent that joins again keeps its row.
CREATE TABLE participants (
    thread_id TEXT    NOT NULL REFERENCES threads (id),
    agent_id  TEXT    NOT NULL REFERENCES agents (id),
    joined_at INTEGER NOT NULL,
    left_at   INTEGER NOT NULL DEFAULT 0, -- 0 while it takes part
    PRIMARY KEY (thread_id, agent_id)
) WITHOUT ROWID;
CREATE INDEX participants_agent ON participants (agent_id) WHERE left_at = 0;

CREATE TABLE files (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    name       TEXT    NOT NULL,
    size       INTEGER NOT NULL,
    sha256     TEXT    NOT NULL, -- in hexadecimal digits; names the content
    sender_id  TEXT    NOT NULL REFERENCES agents (id),
    created_at INTEGER NOT NULL,
    removed_at INTEGER NOT NULL DEFAULT 0 -- then its content is deleted
) WITHOUT ROWID;
CREATE INDEX files_content ON files (sha256);
CREATE INDEX files_sender ON files (sender_id);

-- The messages that carry a file. An agent that may read one of them may read the file.
CREATE TABLE message_files (
    file_id     TEXT    NOT NULL REFERENCES files (id),
    message_seq INTEGER NOT NULL REFERENCES messages (seq),
    PRIMARY KEY (file_id, message_seq)
) WITHOUT ROWID;

-- The calls that made something other than a message, by the idempotency key of their caller.
CREATE TABLE calls (
    agent_id        TEXT NOT NULL REFERENCES agents (id),
    idempotency_key TEXT NOT NULL,
    asked           TEXT NOT NULL, -- a hash of the request
    made            TEXT NOT NULL, -- the id of the thread or file
    message_id      TEXT NOT NULL, -- of the first post in that thread, or empty
    PRIMARY KEY (agent_id, idempotency_key)
) WITHOUT ROWID;

-- The operator's acts on conversations, as long as they have an effect.
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

-- How a model answers for an agent.
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

-- The last message that a responder has forgotten of its talk with another agent.
CREATE TABLE forgotten (
    responder_id TEXT    NOT NULL REFERENCES agents (id),
    other_id     TEXT    NOT NULL REFERENCES agents (id),
    message_seq  INTEGER NOT NULL,
    PRIMARY KEY (responder_id, other_id)
) WITHOUT ROWID;

-- One row for each call to a model, failed ones too.
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
CREATE INDEX model_calls_agent ON model_calls (agent_id, at);
CREATE INDEX model_calls_message ON model_calls (message_id);

-- The transcripts of agents' programs, and how far they were read.
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

-- The responses that are counted, so that a copy of one is not counted again.
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
CREATE INDEX token_records_at ON token_records (at);

-- What the models of an agent used on a day.
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
