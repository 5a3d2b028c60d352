-- +goose Up
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

-- +goose Down
DROP TABLE model_calls;
DROP TABLE forgotten;
DROP TABLE responders;
