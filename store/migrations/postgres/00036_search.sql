-- +goose Up
-- Most messages are of one type and one priority. A search for the others finds them here.
CREATE INDEX messages_types ON messages (type) WHERE type <> 'information';
CREATE INDEX messages_priorities ON messages (priority) WHERE priority <> 'normal';

-- +goose Down
DROP INDEX messages_priorities;
DROP INDEX messages_types;
