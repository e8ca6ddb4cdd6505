-- Tables. Wrong states are impossible by constraint, not by care. Checks are evaluated with every update of a row, so they
-- are kept cheap: a regular expression on the id of a run cost more than the rest of its update.

create table workspaces (
  id text primary key check (starts_with(id, 'ws_') and length(id) = 29),
  slug text not null unique,
  name text not null,
  status text not null default 'active' check (status in ('active', 'archived')),
  protected boolean not null default true,
  default_environment text not null default 'development',
  limits jsonb not null default '{}',
  created_at timestamptz not null default now(),
  archived_at timestamptz,
  check ((status = 'archived') = (archived_at is not null))
);

insert into workspaces (id, slug, name) values ('ws_00000000000000000000000000', 'default', 'Default');

-- Compiled templates by content: a pack's next edit is another row, never a change of this one.
create table plans (
  digest text primary key check (starts_with(digest, 'sha256:') and length(digest) = 71),
  plan jsonb not null,
  created_at timestamptz not null default now()
);

create table runs (
  id text primary key check (starts_with(id, 'run_') and length(id) = 30),
  workspace_id text not null references workspaces,
  pack text not null,
  template text not null,
  template_version text not null,
  template_digest text not null,
  plan_digest text not null references plans,
  status text not null check (status in
    ('queued', 'running', 'awaiting_approval', 'cancelling', 'succeeded', 'failed', 'rejected', 'cancelled', 'expired')),
  status_reason text,
  lane text not null check (lane in ('realtime', 'background')),
  environment text not null,
  environment_class text not null check (environment_class in ('production', 'staging', 'development', 'sandbox')),
  profile text not null,
  config_preset text,
  sandbox boolean not null default false,
  dry_run boolean not null default false,
  risk text not null check (risk in ('low', 'medium', 'high')),
  action_types text[] not null,
  capabilities text[] not null,
  inputs jsonb not null,
  inputs_hash text not null,
  outputs jsonb,
  error jsonb,
  reason text,
  labels jsonb not null default '{}',
  provenance jsonb not null,
  fingerprint text,
  attached_count integer not null default 0 check (attached_count >= 0),
  cap_micro_usd bigint not null check (cap_micro_usd >= 0),
  llm_micro_usd bigint not null default 0 check (llm_micro_usd >= 0),
  gpu_micro_usd bigint not null default 0 check (gpu_micro_usd >= 0),
  storage_micro_usd bigint not null default 0 check (storage_micro_usd >= 0),
  reserved_micro_usd bigint not null default 0 check (reserved_micro_usd >= 0),
  current_step text,
  fence integer not null default 0,
  last_seq bigint not null default 0,
  created_at timestamptz not null default now(),
  queued_at timestamptz not null default now(),
  started_at timestamptz,
  awaiting_since timestamptz,
  ended_at timestamptz,
  updated_at timestamptz not null default now(),
  constraint runs_never_over_cap
    check (llm_micro_usd + gpu_micro_usd + storage_micro_usd + reserved_micro_usd <= cap_micro_usd),
  constraint runs_ended_when_terminal
    check ((status in ('succeeded', 'failed', 'rejected', 'cancelled', 'expired')) = (ended_at is not null)),
  constraint runs_awaiting_has_since check ((status = 'awaiting_approval') = (awaiting_since is not null)),
  constraint runs_terminal_holds_nothing check (ended_at is null or reserved_micro_usd = 0),
  constraint runs_failed_says_why check (status <> 'failed' or error is not null)
) with (fillfactor = 70);

create unique index runs_one_active_per_fingerprint on runs (workspace_id, fingerprint)
  where fingerprint is not null and status in ('queued', 'running', 'awaiting_approval', 'cancelling');
create index runs_newest on runs (workspace_id, created_at desc, id desc);
create index runs_newest_by_status on runs (workspace_id, status, created_at desc, id desc);
create index runs_newest_by_lane on runs (workspace_id, lane, created_at desc, id desc);

create table run_steps (
  run_id text not null references runs,
  step_id text not null,
  ordinal integer not null,
  state text not null check (state in ('ready', 'running', 'awaiting_approval', 'succeeded', 'failed', 'skipped',
    'cancelled', 'expired', 'outcome_unknown')),
  attempt integer not null default 0,
  plan_hash text,
  simulation jsonb,
  outputs jsonb,
  error jsonb,
  message text,
  reserved_micro_usd bigint not null default 0 check (reserved_micro_usd >= 0),
  budget_day date,
  cost_micro_usd bigint not null default 0 check (cost_micro_usd >= 0),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (run_id, step_id),
  constraint run_steps_reserve_only_while_running check (reserved_micro_usd = 0 or state = 'running')
) with (fillfactor = 70);

create table gates (
  id text primary key check (starts_with(id, 'gate_') and length(id) = 31),
  run_id text not null references runs,
  workspace_id text not null references workspaces,
  step_id text not null,
  kind text not null check (kind in ('approval', 'outcome_unknown')),
  status text not null default 'open' check (status in ('open', 'approved', 'rejected', 'expired', 'cancelled')),
  plan_hash text not null check (starts_with(plan_hash, 'sha256:') and length(plan_hash) = 71),
  required jsonb not null,
  -- what the approver is shown: exactly what the plan hash covers, and why the gate is on
  view jsonb not null,
  opened_at timestamptz not null default now(),
  expires_at timestamptz not null,
  resolved_at timestamptz,
  resolution jsonb,
  constraint gates_resolved_once check ((status = 'open') = (resolved_at is null)),
  constraint gates_resolution_says_who check ((status = 'open') = (resolution is null))
);

create unique index gates_one_open_per_run on gates (run_id) where status = 'open';
create index gates_of_run on gates (run_id, opened_at);
create index gates_open_by_expiry on gates (expires_at) where status = 'open';

create table gate_decisions (
  gate_id text not null references gates,
  decision_id text not null,
  decided_by text not null,
  decision text not null check (decision in ('approve', 'reject')),
  note text,
  channel text not null,
  asserted boolean not null default false,
  decided_at timestamptz not null default now(),
  primary key (gate_id, decision_id),
  unique (gate_id, decided_by)
);

create table run_events (
  run_id text not null references runs,
  seq bigint not null check (seq > 0),
  event_key text not null,
  type text not null,
  ts timestamptz not null,
  step_id text,
  actor jsonb,
  data jsonb not null,
  primary key (run_id, seq),
  unique (run_id, event_key)
);

-- Written in the transaction of the change; one sequencer gives each row its place in the chain.
create table audit_outbox (
  id bigint generated always as identity primary key,
  draft jsonb not null,
  seq bigint unique,
  hash text,
  check ((seq is null) = (hash is null))
);
create index audit_outbox_unsequenced on audit_outbox (id) where seq is null;

create table ledger_entries (
  run_id text not null references runs,
  step_id text not null,
  attempt integer not null,
  workspace_id text not null references workspaces,
  environment text not null,
  llm_micro_usd bigint not null check (llm_micro_usd >= 0),
  gpu_micro_usd bigint not null check (gpu_micro_usd >= 0),
  storage_micro_usd bigint not null check (storage_micro_usd >= 0),
  -- what the operator said it spent beyond its reservation: reported, never charged over the cap
  overrun_micro_usd bigint not null default 0 check (overrun_micro_usd >= 0),
  settled_at timestamptz not null default now(),
  primary key (run_id, step_id, attempt)
);

create table environment_budgets (
  workspace_id text not null references workspaces,
  environment text not null,
  day date not null,
  cap_micro_usd bigint not null,
  spent_micro_usd bigint not null default 0 check (spent_micro_usd >= 0),
  reserved_micro_usd bigint not null default 0 check (reserved_micro_usd >= 0),
  primary key (workspace_id, environment, day)
);

create table artifact_bodies (
  digest text primary key check (starts_with(digest, 'sha256:') and length(digest) = 71),
  body bytea not null
);

create table artifacts (
  id text primary key,
  run_id text not null references runs,
  workspace_id text not null references workspaces,
  step_id text not null,
  name text not null,
  media_type text not null,
  size_bytes integer not null,
  digest text not null references artifact_bodies,
  created_at timestamptz not null default now(),
  unique (run_id, name)
);

-- Runs whose workflow is not known to have begun; the first leg removes the row.
create table start_outbox (
  run_id text primary key references runs,
  created_at timestamptz not null default now()
);

create table run_alerts (
  id bigint generated always as identity primary key,
  run_id text not null references runs,
  delivery_id text not null,
  member text not null,
  status text not null check (status in ('firing', 'resolved')),
  received_at timestamptz not null default now()
);
create index run_alerts_of_run on run_alerts (run_id, id desc);

create table idempotency_keys (
  workspace_id text not null references workspaces,
  key text not null,
  route text not null,
  body_hash text not null,
  status integer,
  response jsonb,
  created_at timestamptz not null default now(),
  primary key (workspace_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table worker_heartbeats (
  worker_id text primary key,
  lanes text[] not null,
  audit_leader boolean not null,
  audit_ok boolean not null,
  seen_at timestamptz not null default now()
);

create table console_policies (
  workspace_id text not null references workspaces,
  name text not null,
  document text not null,
  author text not null,
  updated_at timestamptz not null default now(),
  primary key (workspace_id, name)
);
