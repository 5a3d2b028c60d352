-- +goose Up
-- What one agent says to another may be guidance. With OR, a query for one of the two kinds finds its way here too;
-- the kind stands in the index because such a query asks for it again.
DROP INDEX deliveries_direct;
CREATE INDEX deliveries_direct ON deliveries (conversation_id, message_seq, kind) WHERE kind = 'direct' OR kind = 'steering';

-- +goose Down
DROP INDEX deliveries_direct;
CREATE INDEX deliveries_direct ON deliveries (conversation_id, message_seq) WHERE kind = 'direct';
