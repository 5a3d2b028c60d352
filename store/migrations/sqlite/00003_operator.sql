-- +goose Up
-- What holds for the whole workspace, by name.
CREATE TABLE facts (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL -- JSON
) WITHOUT ROWID;
-- Whether the operator wants to hear no more of a delivery that did not go well.
ALTER TABLE deliveries ADD COLUMN dismissed INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE deliveries DROP COLUMN dismissed;
DROP TABLE facts;
