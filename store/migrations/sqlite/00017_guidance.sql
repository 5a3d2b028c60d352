-- +goose Up
-- A message between two agents may also be guidance. With OR, SQLite uses the index for a query for one of the two
-- kinds too. The kind is in the index because such a query filters by it.
DROP INDEX deliveries_direct;
CREATE INDEX deliveries_direct ON deliveries (conversation_id, message_seq, kind) WHERE kind = 'direct' OR kind = 'steering';

-- +goose Down
DROP INDEX deliveries_direct;
CREATE INDEX deliveries_direct ON deliveries (conversation_id, message_seq) WHERE kind = 'direct';
