-- What arrives at a trigger, kept before anything is done with it.

create table inbox_items (
  id text primary key,
  workspace_id text not null references workspaces (id),
  received_at timestamptz not null default clock_timestamp(),
  route text not null,
  source text,
  status text not null default 'received'
    check (status in ('received', 'started', 'attached', 'unmatched', 'throttled', 'failed', 'replayed')),
  attempts integer not null default 0,
  -- somebody is at it until then; whoever died with it is waited for no longer
  claimed_until timestamptz,
  run_id text,
  error jsonb,
  headers jsonb not null,
  body text not null,
  -- what the route knows beside the body
  facts jsonb not null default '{}',
  -- whether `body`, with the facts in it, is sealed with the master key
  sealed boolean not null,
  body_digest text not null,
  actor jsonb not null,
  channel text not null
);
create index inbox_items_by_time on inbox_items (workspace_id, received_at desc, id desc);
create index inbox_items_waiting on inbox_items (received_at, id) where status = 'received';

call lock_to_workspace('inbox_items');
