-- +goose Up
-- Facts about the whole workspace, by name.
CREATE TABLE facts (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL -- JSON
) WITHOUT ROWID;
-- The operator has dismissed the delivery from the list of needs.
ALTER TABLE deliveries ADD COLUMN dismissed INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE deliveries DROP COLUMN dismissed;
DROP TABLE facts;
