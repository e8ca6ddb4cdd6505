-- Starts that a halt has refused. What is alike is one row, so that a storm is a number; each has what starts it after the halt.
create table halt_refusals (
  id text primary key check (starts_with(id, 'hrf_') and length(id) = 30),
  halt_id text not null references halts,
  workspace_id text not null references workspaces,
  -- the same for starts of one alert, or of one request
  key text not null,
  trigger_type text not null,
  pack text not null,
  template text not null,
  environment text not null,
  -- what it is about
  title text not null,
  requested_by text not null,
  -- the request that starts it; null where it is too large to be kept, or holds secrets
  request jsonb,
  -- of the first of them
  delivery_id text,
  fingerprint text,
  refused bigint not null default 1,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  unique (halt_id, workspace_id, key)
);
call lock_to_workspace('halt_refusals');
create index halt_refusals_newest on halt_refusals (halt_id, first_at desc, id desc);

-- When the next message about a halt is due, when the last one was handed to the engine, and how many were.
alter table halts add column notice_due_at timestamptz;
alter table halts add column noticed_at timestamptz;
alter table halts add column notices integer not null default 0;
create index halts_to_notice on halts (notice_due_at) where notice_due_at is not null;

alter table notice_deliveries add column halt_id text references halts;
-- which of the messages about that halt
alter table notice_deliveries add column halt_notice integer;
alter table notice_deliveries drop constraint notice_deliveries_kind_check;
alter table notice_deliveries add constraint notice_deliveries_kind_check check (kind in
  ('opened', 'reminder', 'escalated', 'answered_for_you', 'resolved', 'ended', 'halt_set', 'halt_refused', 'halt_lifted'));
alter table notice_deliveries drop constraint notice_deliveries_about_one;
alter table notice_deliveries add constraint notice_deliveries_about_one check (num_nonnulls(gate_id, run_id, halt_id) = 1
  and (kind = 'ended') = (run_id is not null) and starts_with(kind, 'halt_') = (halt_id is not null)
  and (halt_id is null) = (halt_notice is null));
create unique index notice_deliveries_of_halt on notice_deliveries (halt_id, halt_notice, channel, recipient);
