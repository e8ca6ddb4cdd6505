-- Pipelines: how each stands, its steps, the runs that they have started, and what has happened, in order. A run of a pipeline is a
-- run like any other; what it is here for is in `pipeline_children`.
create table pipelines (
  id text primary key check (starts_with(id, 'pl_')),
  workspace_id text not null references workspaces,
  name text not null,
  bundle_path text not null,
  bundle_digest text not null,
  -- as it was compiled at the start; its digest is taken again whenever it is loaded
  definition jsonb not null,
  definition_digest text not null,
  environment text not null,
  environment_class text not null check (environment_class in ('production', 'staging', 'development', 'sandbox')),
  profile text not null,
  status text not null check (status in ('queued', 'running', 'blocked', 'succeeded', 'failed', 'rejected', 'cancelled')),
  inputs jsonb not null,
  inputs_hash text not null,
  outputs jsonb,
  error jsonb,
  reason text,
  provenance jsonb not null,
  -- how it is to end, once it does not go on
  closing jsonb,
  -- who has asked that it stops, and why
  cancel jsonb,
  -- counts the changes of its record: what was decided on an older one is decided again
  version integer not null default 0,
  last_seq bigint not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  updated_at timestamptz not null default now(),
  constraint pipelines_ended_when_terminal check ((status in ('succeeded', 'failed', 'rejected', 'cancelled')) = (ended_at is not null))
);
create index pipelines_newest on pipelines (workspace_id, created_at desc, id desc);
create index pipelines_newest_by_status on pipelines (workspace_id, status, created_at desc, id desc);
create index pipelines_open on pipelines (id) where ended_at is null;

create table pipeline_steps (
  pipeline_id text not null references pipelines,
  step_id text not null,
  ordinal integer not null,
  state text not null check (state in ('pending', 'waiting_timer', 'waiting_event', 'ready', 'awaiting_approval', 'running', 'succeeded',
    'failed', 'skipped', 'rejected', 'cancelled', 'expired')),
  reason text,
  started_at timestamptz,
  ended_at timestamptz,
  deadline_at timestamptz,
  paused_at timestamptz,
  timed_out boolean not null default false,
  fire_at timestamptz,
  -- of a step that waits for an event: the topics, and the last message of the bus that was looked at
  topic text,
  after_id bigint,
  items jsonb,
  -- who has let it begin, when, with which inputs
  advanced jsonb,
  outputs jsonb,
  error jsonb,
  primary key (pipeline_id, step_id)
);
create index pipeline_steps_waiting_for_events on pipeline_steps (pipeline_id) where state = 'waiting_event';

create table pipeline_children (
  run_id text primary key check (starts_with(run_id, 'run_')),
  pipeline_id text not null references pipelines,
  step_id text not null,
  index integer not null check (index >= 0),
  role text not null check (role in ('run', 'compensation')),
  inputs jsonb not null,
  -- `starting` until its run is on record, `refused` where its start was; otherwise the last that the pipeline has seen of the run
  status text not null check (status in ('starting', 'refused', 'queued', 'running', 'awaiting_approval', 'cancelling', 'succeeded', 'failed',
    'rejected', 'cancelled', 'expired')),
  acted boolean not null default false,
  outputs jsonb,
  error jsonb,
  ended_at timestamptz,
  not_before timestamptz,
  cancel_reason text,
  constraint pipeline_children_once unique (pipeline_id, step_id, role, index)
);

create table pipeline_events (
  pipeline_id text not null references pipelines,
  seq bigint not null check (seq > 0),
  event_key text not null,
  type text not null,
  ts timestamptz not null,
  step_id text,
  actor jsonb,
  data jsonb not null,
  primary key (pipeline_id, seq),
  unique (pipeline_id, event_key)
);

-- What all runs of a pipeline may cost together, in micro-dollars.
create table pipeline_budgets (
  pipeline_id text primary key references pipelines,
  cap_micro_usd bigint not null check (cap_micro_usd >= 0),
  spent_micro_usd bigint not null default 0 check (spent_micro_usd >= 0),
  reserved_micro_usd bigint not null default 0 check (reserved_micro_usd >= 0),
  constraint pipeline_budgets_never_over_cap check (spent_micro_usd + reserved_micro_usd <= cap_micro_usd)
);

-- Pipelines whose workflow is to be started, and pipelines that have news. Each row is taken by whoever tells the engine.
create table pipeline_outbox (
  pipeline_id text primary key references pipelines,
  created_at timestamptz not null default now()
);
create table pipeline_wakes (
  id bigint generated always as identity primary key,
  pipeline_id text not null references pipelines
);

alter table runs add column pipeline_id text;
create index runs_of_pipeline on runs (pipeline_id) where pipeline_id is not null;

create function sees_pipeline(p_id text) returns boolean
language plpgsql stable as $$
begin
  return exists (select from pipelines where id = p_id);
end $$;

call lock_to_workspace('pipelines');
call lock_rows('pipeline_steps', 'sees_pipeline(pipeline_id)');
call lock_rows('pipeline_children', 'sees_pipeline(pipeline_id)');
call lock_rows('pipeline_events', 'sees_pipeline(pipeline_id)');
call lock_rows('pipeline_budgets', 'sees_pipeline(pipeline_id)');
call lock_rows('pipeline_outbox', 'sees_pipeline(pipeline_id)');
call lock_rows('pipeline_wakes', 'sees_pipeline(pipeline_id)');

create or replace function check_pipeline_transition() returns trigger language plpgsql as $$ begin return new; end $$;
create or replace function check_pipeline_step_transition() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger pipelines_begin_legally after insert on pipelines for each row execute function check_pipeline_transition();
create trigger pipelines_move_legally before update of status on pipelines for each row execute function check_pipeline_transition();
create trigger pipeline_steps_begin_legally after insert on pipeline_steps for each row execute function check_pipeline_step_transition();
create trigger pipeline_steps_move_legally before update of state on pipeline_steps for each row execute function check_pipeline_step_transition();
