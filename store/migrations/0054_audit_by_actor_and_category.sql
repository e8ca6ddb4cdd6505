-- Who did something of one kind is found without reading all that they did, or all of that kind. What somebody did of any kind is read
-- category by category.
create index audit_outbox_of_actor_in_category on audit_outbox (workspace_id, actor_id, category, ts, seq) where seq is not null;
drop index audit_outbox_of_actor;
