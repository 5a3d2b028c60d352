-- +goose Up
-- Acts that one host asks of another. They live for seconds, and may hold what must not last: variables of a launch,
-- what a screen shows. So they are in no log of the server, and a server that crashed has forgotten them.
CREATE UNLOGGED TABLE relays (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    host       TEXT COLLATE "C" NOT NULL, -- that is to do it
    operation  TEXT COLLATE "C" NOT NULL,
    request    TEXT COLLATE "C" NOT NULL, -- in JSON; '' once it is taken
    asker_id   TEXT COLLATE "C" NOT NULL, -- the agent who asks
    asked_from TEXT COLLATE "C" NOT NULL, -- the host of the daemon that asks
    created_at TIMESTAMPTZ NOT NULL,
    deadline   TIMESTAMPTZ NOT NULL,      -- until which it may be taken
    taker      BIGINT,                    -- the epoch of the daemon that took it
    taken_at   TIMESTAMPTZ,
    answer     TEXT COLLATE "C",          -- in JSON; NULL until it is done
    failed     BIGINT NOT NULL DEFAULT 0, -- the answer is an error
    done_at    TIMESTAMPTZ
);
CREATE INDEX relays_open ON relays (host) WHERE taker IS NULL;

-- +goose Down
DROP TABLE relays;
