-- Attempts of steps that external workers do. A row is written with the opening of its attempt, before anything is dispatched.
create table remote_jobs (
  id text primary key check (starts_with(id, 'job_') and length(id) = 30),
  run_id text not null references runs,
  workspace_id text not null references workspaces,
  step_id text not null,
  attempt integer not null,
  environment text not null,
  -- as the step names it, and what the environment bound it to
  queue text not null,
  task_queue text not null,
  activity text not null,
  plan_hash text not null,
  input_digest text not null,
  -- the activity may be repeated
  idempotent boolean not null,
  -- public key by which its result has to be signed; null where results are believed as they come
  attest text,
  -- the one execution of its workflow that counts, by its run id in the engine
  execution text,
  -- what the workflow schedules
  spec jsonb not null,
  result_schema jsonb not null,
  state text not null default 'created' check (state in ('created', 'running', 'returned', 'failed', 'unknown', 'cancelled', 'not_dispatched')),
  -- its run waits no longer
  deadline timestamptz not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  cancel_requested_at timestamptz,
  ended_at timestamptz,
  result jsonb,
  result_digest text,
  failure jsonb,
  -- the worker that ended it, as it calls itself
  identity text,
  constraint remote_jobs_end_once check ((ended_at is null) = (state in ('created', 'running'))),
  constraint remote_jobs_returned_have_results check ((result_digest is not null) = (state = 'returned'))
);
call lock_to_workspace('remote_jobs');
-- one that was taken back leaves its attempt to the next
create unique index remote_jobs_of_attempt on remote_jobs (run_id, step_id, attempt) where state <> 'not_dispatched';
create index remote_jobs_newest on remote_jobs (workspace_id, created_at desc, id desc);
create index remote_jobs_open on remote_jobs (created_at) where ended_at is null;
