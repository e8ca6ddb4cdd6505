-- People read the audit log by what it says. Row-level security lets an index serve a plain column, and never an expression over the draft:
-- `->>` might tell somebody of rows that they must not see.
alter table audit_outbox
  add column workspace_id text generated always as (draft ->> 'workspace_id') stored,
  add column category text generated always as (draft ->> 'category') stored,
  add column actor_id text generated always as (draft -> 'actor' ->> 'id') stored,
  add column run_id text generated always as (draft ->> 'run_id') stored,
  add column ts text collate "C" generated always as (draft ->> 'ts') stored;
create index audit_outbox_of_workspace on audit_outbox (workspace_id, ts, seq) where seq is not null;
create index audit_outbox_of_category on audit_outbox (workspace_id, category, ts, seq) where seq is not null;
create index audit_outbox_of_actor on audit_outbox (workspace_id, actor_id, ts, seq) where seq is not null;
create index audit_outbox_of_run on audit_outbox (run_id, ts, seq) where seq is not null;
