-- What a keyed request is known by in everything that it does. It outlives an attempt whose process died, so that the next one finds
-- what was done already.
alter table idempotency_keys add column delivery_id text;
