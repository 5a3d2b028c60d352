-- +goose Up
-- The reason code of a delivery's event.
ALTER TABLE events ADD COLUMN reason_code TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE events DROP COLUMN reason_code;
