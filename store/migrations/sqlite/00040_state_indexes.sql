-- +goose Up
-- For a list of three, SQLite makes a table each time that it decides whether a row belongs to an index: twice for a
-- new delivery, and four times for one that changes.
DROP INDEX deliveries_open;
DROP INDEX deliveries_ended;
CREATE INDEX deliveries_open ON deliveries (recipient_id, urgent DESC, message_seq)
	WHERE state = 'queued' OR state = 'held' OR state = 'typing';
CREATE INDEX deliveries_ended ON deliveries (state) WHERE state = 'failed' OR state = 'unconfirmed' OR state = 'expired';

-- +goose Down
DROP INDEX deliveries_open;
DROP INDEX deliveries_ended;
CREATE INDEX deliveries_open ON deliveries (recipient_id, urgent DESC, message_seq)
	WHERE state IN ('queued', 'held', 'typing');
CREATE INDEX deliveries_ended ON deliveries (state) WHERE state IN ('failed', 'unconfirmed', 'expired');
