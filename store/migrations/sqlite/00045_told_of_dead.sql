-- +goose Up
-- Nobody is told now of what ended before. A failed or expired delivery is dismissed once its sender has been told.
UPDATE deliveries SET dismissed = 1 WHERE state = 'failed' OR state = 'expired';
DROP INDEX deliveries_ended;
CREATE INDEX deliveries_ended ON deliveries (state, dismissed)
	WHERE state = 'failed' OR state = 'unconfirmed' OR state = 'expired';

-- +goose Down
DROP INDEX deliveries_ended;
CREATE INDEX deliveries_ended ON deliveries (state) WHERE state = 'failed' OR state = 'unconfirmed' OR state = 'expired';
