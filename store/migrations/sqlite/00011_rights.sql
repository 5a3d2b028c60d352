-- +goose Up
CREATE TABLE agent_keys (
    id         TEXT    NOT NULL PRIMARY KEY, -- the first characters of the key, or of its hash
    agent_id   TEXT    NOT NULL REFERENCES agents (id),
    hash       BLOB    NOT NULL,
    origin     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    last_used  INTEGER NOT NULL -- 0 for never
);
CREATE UNIQUE INDEX agent_keys_hash ON agent_keys (hash);
CREATE INDEX agent_keys_agent ON agent_keys (agent_id);
-- Keys of adopted agents are left out: nobody ever knew them. The first characters of the other keys are unknown.
INSERT INTO agent_keys (id, agent_id, hash, origin, created_at, last_used)
    SELECT 'hash_' || lower(hex(substr(key_hash, 1, 5))), id, key_hash, CASE kind WHEN 'terminal' THEN 'launched' ELSE 'registered' END, created_at, last_active
    FROM agents WHERE key_hash IS NOT NULL AND socket = '';
ALTER TABLE agents DROP COLUMN key_hash;
ALTER TABLE agents ADD COLUMN approval TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE agents DROP COLUMN approval;
ALTER TABLE agents ADD COLUMN key_hash BLOB;
UPDATE agents SET key_hash = (SELECT hash FROM agent_keys k WHERE k.agent_id = agents.id ORDER BY k.created_at DESC LIMIT 1);
DROP TABLE agent_keys;
