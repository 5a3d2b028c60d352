-- +goose Up
-- The machines that share the workspace, each with one daemon. The clock of the leases is that of the database. An
-- epoch is given once in the life of a workspace, so a daemon knows by it whether it still is its host.
CREATE TABLE hosts (
    name        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    holder      TEXT COLLATE "C" NOT NULL, -- the daemon
    epoch       BIGINT NOT NULL,
    version     BIGINT NOT NULL, -- of the schema that the daemon knows
    started_at  TIMESTAMPTZ NOT NULL,
    lease_until TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 50);
-- The epoch of workspace is the last one given: whoever finds it changed looks at the hosts again.
ALTER TABLE workspace DROP COLUMN holder, DROP COLUMN lease_until;

-- +goose Down
ALTER TABLE workspace ADD COLUMN holder TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN lease_until TIMESTAMPTZ NOT NULL DEFAULT '-infinity';
DROP TABLE hosts;
