-- The schema of the first release. Wrong states are impossible by constraint, not by care. Checks are evaluated with every update of a row,
-- so they are kept cheap: a regular expression on the id of a run cost more than the rest of its update.

-- Functions that policies, triggers and generated columns name, and `iso_time`, which files of `store/functions` before its own name. They
-- have to exist for that; what they do stands in `store/functions`, which is applied after the migrations. Until then a call of one fails.
create function iso_time(p_time timestamptz) returns text language plpgsql as 'begin end';
create function sees_run(p_id text) returns boolean language plpgsql as 'begin end';
create function sees_gate(p_id text) returns boolean language plpgsql as 'begin end';
create function sees_pipeline(p_id text) returns boolean language plpgsql as 'begin end';
create function sees_artifact(p_digest text) returns boolean language plpgsql as 'begin end';
create function is_announced(view jsonb) returns boolean language plpgsql as 'begin end';
create function is_on_bus(p_type text) returns boolean language plpgsql as 'begin end';
create function searched_text(p_text text, p_asked boolean) returns text language plpgsql immutable as 'begin end';
create function check_run_transition() returns trigger language plpgsql as 'begin end';
create function check_step_transition() returns trigger language plpgsql as 'begin end';
create function check_gate_transition() returns trigger language plpgsql as 'begin end';
create function check_pipeline_transition() returns trigger language plpgsql as 'begin end';
create function check_pipeline_step_transition() returns trigger language plpgsql as 'begin end';
create function forget_run_secrets() returns trigger language plpgsql as 'begin end';
create function publish_run_event() returns trigger language plpgsql as 'begin end';
create function note_gate() returns trigger language plpgsql as 'begin end';
create function note_answer() returns trigger language plpgsql as 'begin end';
create function publish_set_aside() returns trigger language plpgsql as 'begin end';
create function publish_not_understood() returns trigger language plpgsql as 'begin end';
create function refuse_firing_to_come() returns trigger language plpgsql as 'begin end';
create function keep_chained() returns trigger language plpgsql as 'begin end';
create function mark_attempt() returns trigger language plpgsql as 'begin end';

-- A policy shows a session the rows of the workspace that its setting `svc.workspace` names; `*`, which the service's own
-- machinery sets when it connects, shows all, and a session that names none sees nothing. The test for `*` comes first: it
-- is all that a policy costs on the hot path. A new table with a tenant's rows calls one of these two.
create procedure lock_rows(p_table regclass, p_visible text)
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', p_table);
  execute format('alter table %s force row level security', p_table);
  execute format($policy$create policy of_workspace on %s
    using (current_setting('svc.workspace', true) = '*' or %s)$policy$, p_table, p_visible);
end $$;

create procedure lock_to_workspace(p_table regclass, p_workspace text default 'workspace_id')
language plpgsql as $$
begin
  call lock_rows(p_table, format($visible$%s = current_setting('svc.workspace', true)$visible$, p_workspace));
end $$;


-- ## Workspaces, people and keys

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
  version integer not null default 1,
  check ((status = 'archived') = (archived_at is not null))
);
call lock_to_workspace('workspaces', 'id');
insert into workspaces (id, slug, name) values ('ws_00000000000000000000000000', 'default', 'Default');

-- People and service accounts. Nobody is ever deleted, so that what they did keeps its author.
create table users (
  id text primary key check (starts_with(id, 'usr_') and length(id) = 30),
  account_id text not null check (starts_with(account_id, 'acc_') and length(account_id) between 5 and 30),
  email text not null unique check (email = lower(email) and length(email) <= 254 and position('@' in email) > 1),
  display_name text check (display_name <> ''),
  roles text[] not null,
  approval_roles text[] not null default '{}',
  scopes text[] not null default '{}',
  -- workspaces to enter, home first; `*` means all of them
  workspaces text[] not null,
  status text not null default 'invited' check (status in ('invited', 'active', 'disabled')),
  password_hash text check (starts_with(password_hash, '$argon2id$')),
  invite_hash text check (length(invite_hash) = 64),
  invite_expires_at timestamptz,
  -- tokens name it: raising it ends them all
  token_version integer not null default 1 check (token_version > 0),
  out_of_office_until timestamptz,
  delegate_to text references users,
  last_login_at timestamptz,
  -- who asked them in, and answers for a service account; the local owner has no row
  invited_by text,
  -- made without anybody's invitation: at most one ever
  bootstrapped boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- the service accounts that may answer gates for them
  answering_accounts text[] not null default '{}'
    check (cardinality(answering_accounts) <= 20 and array_position(answering_accounts, null) is null),
  -- who else has let them in or changed what they may do, when by this clock, and what that was
  changed_by jsonb not null default '{}' check (jsonb_typeof(changed_by) = 'object'),
  constraint users_know_their_roles check (
    cardinality(roles) > 0 and roles <@ array['owner', 'admin', 'operator', 'approver', 'viewer', 'service']),
  constraint users_have_a_home check (cardinality(workspaces) > 0 and array_position(workspaces, null) is null),
  constraint users_everywhere_only_above check (
    '*' <> all (workspaces) or (cardinality(workspaces) = 1 and roles && array['owner', 'admin'])),
  constraint users_active_can_sign_in check (status <> 'active' or password_hash is not null or 'service' = any (roles)),
  constraint users_invited_hold_an_invitation check (
    (status = 'invited') = (invite_hash is not null) and (invite_hash is null) = (invite_expires_at is null)),
  constraint users_delegate_to_somebody_else check (delegate_to <> id)
);
create unique index users_one_bootstrapped on users (bootstrapped) where bootstrapped;
create index users_newest on users (account_id, created_at desc, id desc);
create index users_delegators on users (delegate_to) where delegate_to is not null;

-- Keys with which the programs of service accounts come in. Of a key only its beginning and its digest are kept.
create table api_keys (
  id text primary key check (starts_with(id, 'key_') and length(id) = 30),
  account_id text not null,
  -- the service account that it speaks for
  user_id text not null references users,
  name text not null check (name <> '' and length(name) <= 100),
  prefix text not null check (starts_with(prefix, 'svc_') and length(prefix) = 12),
  hash text not null unique check (length(hash) = 64),
  scopes text[] not null,
  -- null: wherever the account may enter
  workspace_id text references workspaces,
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- to the minute
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by text,
  -- what it may spend a day, and what it has spent and reserved on the last day on which it called a model
  daily_cap_micro_usd bigint check (daily_cap_micro_usd >= 0),
  budget_day date,
  day_spent_micro_usd bigint not null default 0 check (day_spent_micro_usd >= 0),
  day_reserved_micro_usd bigint not null default 0 check (day_reserved_micro_usd >= 0),
  constraint api_keys_know_their_scopes check (
    cardinality(scopes) > 0
    and scopes <@ array['runs:read', 'runs:start', 'models:call', 'ask:query', 'approvals:on_behalf', 'admin']),
  constraint api_keys_expire check (expires_at > created_at and expires_at <= created_at + interval '366 days'),
  constraint api_keys_revoked_by_somebody check ((revoked_at is null) = (revoked_by is null))
);
call lock_to_workspace('api_keys');
create index api_keys_newest on api_keys (account_id, created_at desc, id desc);
create index api_keys_of_account on api_keys (user_id);


-- ## Runs

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
  -- a column of its own, because under row-level security no index over an expression is used
  trigger_type text generated always as (provenance #>> '{trigger,type}') stored,
  pipeline_id text,
  -- the executions that neither ended nor gave it back: each but the one at work is a process that ended while it worked on the run
  claims smallint not null default 0,
  constraint runs_never_over_cap
    check (llm_micro_usd + gpu_micro_usd + storage_micro_usd + reserved_micro_usd <= cap_micro_usd),
  constraint runs_ended_when_terminal
    check ((status in ('succeeded', 'failed', 'rejected', 'cancelled', 'expired')) = (ended_at is not null)),
  constraint runs_awaiting_has_since check ((status = 'awaiting_approval') = (awaiting_since is not null)),
  constraint runs_terminal_holds_nothing check (ended_at is null or reserved_micro_usd = 0),
  constraint runs_failed_says_why check (status <> 'failed' or error is not null)
  -- a storm makes most of the active runs there are: what the planner knows of them must not be from before
) with (fillfactor = 70, autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05);
-- runs are counted and paged through: here the setting is read once a statement, not once a row
alter table runs enable row level security;
alter table runs force row level security;
create policy of_workspace on runs using ((select current_setting('svc.workspace', true)) in ('*', workspace_id));

create unique index runs_one_active_per_fingerprint on runs (workspace_id, fingerprint)
  where fingerprint is not null and status in ('queued', 'running', 'awaiting_approval', 'cancelling');
create index runs_of_fingerprint on runs (workspace_id, fingerprint, created_at desc) where fingerprint is not null;
create index runs_of_pipeline on runs (pipeline_id) where pipeline_id is not null;
-- Lists of runs by what people ask for, each in the order of the list. One by lane, by status and by both reads the newest of each pair.
create index runs_newest on runs (workspace_id, created_at desc, id desc);
create index runs_newest_by_lane_and_status on runs (workspace_id, lane, status, created_at desc, id desc);
create index runs_newest_by_pack on runs (workspace_id, pack, created_at desc, id desc);
create index runs_newest_by_environment on runs (workspace_id, environment, created_at desc, id desc);
create index runs_newest_by_trigger on runs (workspace_id, trigger_type, created_at desc, id desc);
-- The runs that have not ended, among all that ever were: they are compared with the engine's open workflows all the time.
create index runs_active on runs (id) include (workspace_id, lane, created_at) where ended_at is null;
-- The runs that were stopped in the middle, and those that are told to go on.
create index runs_held on runs (id) where status_reason = 'halted' and ended_at is null;
create index runs_released on runs (id) where status_reason = 'halt_lifted' and ended_at is null;
-- Lanes are measured by what has begun, ended and been decided lately, in every workspace.
create index runs_started on runs (started_at) where started_at is not null;
create index runs_ended on runs (ended_at) where ended_at is not null;

-- after an insert, because `insert … on conflict do update` asks what stands before it also where nothing is inserted
create trigger runs_begin_legally after insert on runs for each row execute function check_run_transition();
create trigger runs_move_legally before update of status on runs for each row execute function check_run_transition();
create trigger runs_forget_secrets after update of ended_at on runs
  for each row when (new.ended_at is not null and old.ended_at is null) execute function forget_run_secrets();

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
  workspace_budget_day date,
  -- what of the reservation is for gpu and for storage; the rest is for models
  reserved_gpu_micro_usd bigint not null default 0 check (reserved_gpu_micro_usd >= 0),
  reserved_storage_micro_usd bigint not null default 0 check (reserved_storage_micro_usd >= 0),
  -- what went into it, as approvers are shown it: secrets are hidden, and what is too large is cut
  inputs jsonb,
  primary key (run_id, step_id),
  constraint run_steps_reserve_only_while_running check (reserved_micro_usd = 0 or state = 'running'),
  constraint run_steps_reserved_by_kind check (reserved_gpu_micro_usd + reserved_storage_micro_usd <= reserved_micro_usd)
) with (fillfactor = 70);
call lock_rows('run_steps', 'sees_run(run_id)');
create trigger run_steps_begin_legally after insert on run_steps for each row execute function check_step_transition();
create trigger run_steps_move_legally before update of state on run_steps for each row execute function check_step_transition();

-- What a list shows of a run beside its row. The workspace is asked once a run; the policies of the tables ask it once a row,
-- by a function, which takes longer than all the rest. A view reads as its owner, so the test is its own.
create view visible_run_steps with (security_barrier) as
  select s.run_id, s.step_id, s.ordinal, s.state, s.attempt, s.plan_hash, s.message, s.cost_micro_usd, s.started_at, s.ended_at
  from runs r join run_steps s on s.run_id = r.id
  where (select current_setting('svc.workspace', true)) in ('*', r.workspace_id);

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
call lock_rows('run_events', 'sees_run(run_id)');
create trigger run_events_publish after insert on run_events for each row when (is_on_bus(new.type))
  execute function publish_run_event();

-- Secret inputs of runs: one sealed text per run (a JWE, RFC 7516), written with the admission and gone with the end of the run.
create table run_secrets (
  run_id text primary key references runs,
  sealed text not null
);
call lock_rows('run_secrets', 'sees_run(run_id)');

-- Runs whose workflow is not known to have begun; the first leg removes the row.
create table start_outbox (
  run_id text primary key references runs,
  created_at timestamptz not null default now(),
  -- a start that waits its turn in a living process is no lost start: until then nobody else begins it
  held_until timestamptz
);
call lock_rows('start_outbox', 'sees_run(run_id)');

create table artifact_bodies (
  digest text primary key check (starts_with(digest, 'sha256:') and length(digest) = 71),
  body bytea not null
);
call lock_rows('artifact_bodies', 'sees_artifact(digest)');

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
call lock_to_workspace('artifacts');
create index artifacts_by_digest on artifacts (digest);


-- ## Gates, and who is told about them

create table gates (
  id text primary key check (starts_with(id, 'gate_') and length(id) = 31),
  run_id text not null references runs,
  workspace_id text not null references workspaces,
  step_id text not null,
  kind text not null check (kind in ('approval', 'outcome_unknown', 'standing_lost')),
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
call lock_to_workspace('gates');
create unique index gates_one_open_per_run on gates (run_id) where status = 'open';
create index gates_of_run on gates (run_id, opened_at);
create index gates_open_by_expiry on gates (expires_at) where status = 'open';
create index gates_resolved on gates (resolved_at) where resolved_at is not null;
create trigger gates_begin_legally after insert on gates for each row execute function check_gate_transition();
create trigger gates_move_legally before update of status on gates for each row execute function check_gate_transition();
create trigger gates_note_opened after insert on gates for each row
  when (is_announced(new.view))
  execute function note_gate();
create trigger gates_note_resolved after update of status on gates for each row
  when (old.status = 'open' and new.status <> 'open' and is_announced(new.view))
  execute function note_gate();

-- A vote with everything that made it count: how its voter was known, whose roles were lent, who answered for whom. Which votes count is
-- settled by resolve_gate, under the lock of the gate: when votes are counted, not when they came.
create table gate_decisions (
  gate_id text not null references gates,
  decision_id text not null,
  decided_by text not null,
  decision text not null check (decision in ('approve', 'reject')),
  note text,
  channel text not null,
  asserted boolean not null default false,
  decided_at timestamptz not null default now(),
  roles text[] not null default '{}',
  auth text not null default 'none' check (auth in ('none', 'jwt', 'api_key', 'magic_link', 'signature')),
  via text,
  delegations jsonb not null default '[]',
  -- the command that cast it, signature and all
  command jsonb,
  -- how many approvals there were with it
  approvals jsonb,
  primary key (gate_id, decision_id)
);
call lock_rows('gate_decisions', 'sees_gate(gate_id)');
-- A person in whose name a service account has answered a gate is told.
create trigger gate_decisions_note_answer after insert on gate_decisions for each row
  when (new.via is not null)
  execute function note_answer();

-- What there is to tell, written in the transaction that opens or resolves the gate, or ends the run: no code path can forget it, and
-- nothing is sent inside that transaction. A loop hands each row to the engine.
create table gate_notices (
  id bigint generated always as identity primary key,
  gate_id text references gates,
  run_id text not null references runs,
  workspace_id text not null references workspaces,
  kind text not null check (kind in ('opened', 'answered', 'resolved', 'ended')),
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  attempts integer not null default 0,
  handed_at timestamptz,
  unique (gate_id, kind),
  constraint gate_notices_about_one check ((gate_id is null) = (kind = 'ended'))
);
call lock_to_workspace('gate_notices');
create index gate_notices_unhanded on gate_notices (id) where handed_at is null;
create index gate_notices_of_run on gate_notices (run_id);
create unique index gate_notices_ended on gate_notices (run_id) where kind = 'ended';

-- One link per gate and recipient. The secret part is the signature of its token, which is not kept.
create table magic_links (
  jti text primary key check (starts_with(jti, 'lnk_') and length(jti) = 30),
  gate_id text not null references gates,
  workspace_id text not null references workspaces,
  recipient text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  views integer not null default 0,
  wrong_codes integer not null default 0,
  used_at timestamptz,
  used_decision text check (used_decision in ('approve', 'reject')),
  unique (gate_id, recipient),
  constraint magic_links_used_for_something check ((used_at is null) = (used_decision is null))
);
call lock_to_workspace('magic_links');

-- What became of each notice to each recipient. A notice is on record before it is sent, written by whoever plans it from the gate. The
-- engine names it by its id, and a link is good only while a notice carries it.
create table notice_deliveries (
  gate_id text references gates,
  kind text not null check (kind in ('opened', 'reminder', 'escalated', 'answered_for_you', 'resolved', 'ended')),
  channel text not null,
  recipient text not null,
  workspace_id text not null references workspaces,
  status text not null default 'planned' check (status in ('planned', 'delivered', 'failed')),
  attempts integer not null default 0,
  detail text,
  -- finds the message again when the gate is resolved
  reference jsonb,
  delivered_at timestamptz,
  updated_at timestamptz not null default now(),
  id bigint generated always as identity primary key,
  link text references magic_links,
  planned_at timestamptz not null default now(),
  -- when one that did not arrive is tried again; null once it has arrived, or trying again cannot help
  next_at timestamptz,
  run_id text references runs,
  constraint notice_deliveries_delivered_when check ((status = 'delivered') = (delivered_at is not null)),
  constraint notice_deliveries_about_one check (num_nonnulls(gate_id, run_id) = 1 and (kind = 'ended') = (gate_id is null))
);
call lock_to_workspace('notice_deliveries');
create unique index notice_deliveries_of_gate on notice_deliveries (gate_id, kind, channel, recipient);
create unique index notice_deliveries_of_run on notice_deliveries (run_id, channel, recipient);
create index notice_deliveries_links on notice_deliveries (link) where link is not null;
create index notice_deliveries_newest on notice_deliveries (workspace_id, planned_at desc, id desc);
-- Health lists what did not arrive in the last day.
create index notice_deliveries_failed on notice_deliveries (workspace_id, updated_at) where status = 'failed';


-- ## Costs

-- The cap of a workspace over all of its environments is kept in the row of the environment `*`.
create table environment_budgets (
  workspace_id text not null references workspaces,
  environment text not null,
  day date not null,
  cap_micro_usd bigint not null,
  spent_micro_usd bigint not null default 0 check (spent_micro_usd >= 0),
  reserved_micro_usd bigint not null default 0 check (reserved_micro_usd >= 0),
  primary key (workspace_id, environment, day)
);
call lock_to_workspace('environment_budgets');

-- What may have been spent is charged. Every attempt that holds a reservation ends in one entry: with what its operator reported, else with
-- all that was reserved for it. One that reserved nothing has an entry when its operator reports a cost. An attempt that can no longer
-- report (its fence was taken, its run has ended) is charged by whoever ends it.
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
  reserved_micro_usd bigint not null,
  -- who says so: the operator, or nobody
  basis text not null check (basis in ('reported', 'estimate')),
  -- the days whose caps it was reserved under
  budget_day date,
  workspace_budget_day date,
  primary key (run_id, step_id, attempt),
  constraint ledger_entries_within_reservation
    check (llm_micro_usd + gpu_micro_usd + storage_micro_usd <= reserved_micro_usd),
  constraint ledger_entries_estimate_is_charged_whole
    check (basis = 'reported' or llm_micro_usd + gpu_micro_usd + storage_micro_usd = reserved_micro_usd)
);
call lock_to_workspace('ledger_entries');


-- ## Models

-- Every attempt to call a model: what was reserved for it, and what it was charged. One that is `reserved` is under way; the process that
-- makes it renews its lease, and what nobody renews any more is charged whole. A call that a step makes is reserved and charged with the
-- attempt of the step. One that is made for a turn of the ask agent is paid for by the turn, and by its thread on that UTC day; both are
-- no foreign keys: what was spent stays on record when the thread has been forgotten.
create table model_calls (
  id text primary key check (starts_with(id, 'mcl_') and length(id) = 30),
  workspace_id text not null references workspaces,
  run_id text references runs,
  key_id text references api_keys,
  environment text not null,
  model text not null,
  state text not null default 'reserved' check (state in ('reserved', 'settled')),
  basis text check (basis in ('reported', 'estimate', 'unspent')),
  reserved_micro_usd bigint not null check (reserved_micro_usd >= 0),
  charged_micro_usd bigint not null default 0 check (charged_micro_usd >= 0),
  overrun_micro_usd bigint not null default 0 check (overrun_micro_usd >= 0),
  -- the days under whose caps it is reserved; null where there was no such cap
  environment_day date,
  workspace_day date,
  key_day date,
  -- the audit record of it, as far as it was known when it began
  record jsonb not null,
  leased_until timestamptz not null,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  ask_thread_id text,
  ask_turn_id text,
  ask_day date,
  step_id text,
  step_attempt integer,
  -- who asked, of what is counted by person
  actor_id text generated always as (record #>> '{actor,id}') stored,
  -- the people behind a question: the cap of a day is theirs in the workspace, however many threads and accounts they ask with
  ask_people text[],
  constraint model_calls_settled_says_how check ((state = 'settled') = (basis is not null) and (state = 'settled') = (settled_at is not null)),
  constraint model_calls_within_reservation check (charged_micro_usd <= reserved_micro_usd),
  constraint model_calls_estimate_is_charged_whole check (basis <> 'estimate' or charged_micro_usd = reserved_micro_usd),
  constraint model_calls_of_a_whole_turn check ((ask_turn_id is null) = (ask_thread_id is null) and (ask_turn_id is null) = (ask_day is null)),
  constraint model_calls_of_a_step check ((step_id is null) = (step_attempt is null) and (step_id is null or run_id is not null))
);
call lock_to_workspace('model_calls');
create index model_calls_under_way on model_calls (leased_until) where state = 'reserved';
create index model_calls_of_run on model_calls (run_id) where run_id is not null;
create index model_calls_of_ask_turn on model_calls (ask_turn_id) where ask_turn_id is not null;
create index model_calls_of_ask_day on model_calls (workspace_id, ask_day) where ask_day is not null;
-- Spending is added up from the index alone; the rows carry the record of each call.
create index model_calls_of_workspace on model_calls (workspace_id, created_at desc)
  include (model, run_id, key_id, actor_id, state, basis, charged_micro_usd, overrun_micro_usd);

-- What became of the last probe of a model in a workspace.
create table model_probes (
  workspace_id text not null references workspaces,
  model text not null check (model <> '' and length(model) <= 200),
  ok boolean not null,
  latency_ms integer not null check (latency_ms >= 0),
  cost_micro_usd bigint check (cost_micro_usd >= 0),
  failed_code text,
  failed_message text check (length(failed_message) <= 1000),
  probed_by text not null,
  probed_at timestamptz not null default now(),
  primary key (workspace_id, model),
  constraint model_probes_say_what_failed check (ok = (failed_code is null) and ok = (failed_message is null))
);
call lock_to_workspace('model_probes');


-- ## Requests, deliveries and alerts

-- A key knows the request that has it, whether the process of that request lives, and what it did: the act itself says so, in its own
-- transaction.
create table idempotency_keys (
  workspace_id text not null references workspaces,
  key text not null,
  route text not null,
  body_hash text not null,
  status integer,
  response jsonb,
  created_at timestamptz not null default now(),
  -- what the request is known by in everything that it does. It outlives an attempt whose process died, so that the next one finds what
  -- was done already
  delivery_id text,
  turn text,
  -- empty once the request has ended without an answer
  holder text,
  done jsonb,
  primary key (workspace_id, key)
);
call lock_to_workspace('idempotency_keys');
create index idempotency_keys_by_age on idempotency_keys (created_at);
create unique index idempotency_keys_by_delivery on idempotency_keys (delivery_id) where delivery_id is not null;

-- What arrives at a trigger, kept before anything is done with it.
create table inbox_items (
  id text primary key,
  workspace_id text not null references workspaces,
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
  channel text not null,
  -- the claims that neither ended nor were released: each is a process that ended while it worked on it
  claims text[] not null default '{}'
);
call lock_to_workspace('inbox_items');
create index inbox_items_waiting on inbox_items (received_at, id) where status = 'received';
create index inbox_items_claimed on inbox_items (received_at) where status = 'received' and claims <> '{}';
create index inbox_items_settled on inbox_items (received_at) where status <> 'received';
create index inbox_items_by_status on inbox_items (workspace_id, status, received_at desc, id desc);
create index inbox_items_by_route on inbox_items (workspace_id, route, status, received_at desc, id desc);
create index inbox_items_by_source on inbox_items (workspace_id, source, status, received_at desc, id desc) where source is not null;

-- Signed webhooks: what was received already, so that a delivery that is sent again is not a second one.
create table ingress_deliveries (
  workspace_id text not null references workspaces,
  pack text not null,
  name text not null,
  delivery_key text not null check (length(delivery_key) <= 300),
  delivery_id text not null check (starts_with(delivery_id, 'dlv_')),
  -- null while the delivery is being handled
  answer jsonb,
  received_at timestamptz not null default now(),
  claimed_at timestamptz not null default now(),
  -- the session lock of the process that works on it; empty where it was handed back
  holder text,
  primary key (workspace_id, pack, name, delivery_key)
);
call lock_to_workspace('ingress_deliveries');
create index ingress_deliveries_by_age on ingress_deliveries (received_at);

-- Work that is not handed out again because it has ended two processes, until somebody replays it.
create table set_aside (
  kind text not null check (kind in ('delivery', 'run')),
  subject text not null,
  workspace_id text not null,
  reason text not null,
  created_at timestamptz not null default now(),
  primary key (kind, subject)
);
call lock_to_workspace('set_aside');
create index set_aside_by_workspace on set_aside (workspace_id, created_at desc);
create trigger tell_bus after insert on set_aside for each row execute function publish_set_aside();

-- Until when a fingerprint is held back. The row is written, and the fact audited, once per such time and not per alert.
create table trigger_throttles (
  workspace_id text not null references workspaces,
  fingerprint text not null,
  until timestamptz not null,
  primary key (workspace_id, fingerprint)
);
call lock_to_workspace('trigger_throttles');

-- A run keeps the alert that started it and the last state of its first members; the others are on record by their digests.
create table run_trigger_alerts (
  run_id text primary key references runs,
  alert jsonb not null,
  -- more members came than the run keeps
  members_cut boolean not null default false
);
call lock_rows('run_trigger_alerts', 'sees_run(run_id)');

create table run_alerts (
  id bigint generated always as identity primary key,
  run_id text not null references runs,
  delivery_id text not null,
  member text not null,
  status text not null check (status in ('firing', 'resolved')),
  received_at timestamptz not null default now(),
  digest bytea
);
call lock_rows('run_alerts', 'sees_run(run_id)');
create index run_alerts_of_run on run_alerts (run_id, id desc);
-- What an earlier attempt has folded of a delivery is asked for when it comes again. Ids rise with the rows, so that the ranges of
-- an index that costs an insert nothing are enough.
create index run_alerts_of_delivery on run_alerts using brin (delivery_id) with (pages_per_range = 16, autosummarize = on);

create view visible_run_alerts with (security_barrier) as
  select a.run_id, a.id, a.delivery_id, a.status, a.received_at, 'sha256:' || encode(a.digest, 'hex') as digest
  from runs r join run_alerts a on a.run_id = r.id
  where (select current_setting('svc.workspace', true)) in ('*', r.workspace_id);

create table run_alert_states (
  run_id text not null references runs,
  member text not null,
  status text not null check (status in ('firing', 'resolved')),
  alert jsonb not null,
  received_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (run_id, member)
);
call lock_rows('run_alert_states', 'sees_run(run_id)');

-- Each member of a run's alerts with the newest time at which it fired and the newest at which it ended: it fires while it has not ended
-- since. Times of one sender alone are compared; what says none stands after what is known, beginning with 1970.
create table run_alert_members (
  run_id text not null references runs,
  member text not null,
  fired_at timestamptz,
  ended_at timestamptz,
  workspace_id text not null,
  primary key (run_id, member)
);
call lock_rows('run_alert_members', 'sees_run(run_id)');
-- A member is sought by its own id, which other workspaces may use as well: it is found among the runs of its workspace alone.
create index run_alert_members_of_member on run_alert_members (workspace_id, member, run_id desc);

-- Ends, also of alerts that have not fired here yet. `scope` is the tool where the member is its own id for the alert, else the fingerprint.
create table alert_ends (
  workspace_id text not null,
  scope text not null,
  member text not null,
  ended_at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (workspace_id, scope, member)
);
call lock_to_workspace('alert_ends');
create index alert_ends_by_age on alert_ends (received_at);


-- ## Schedules and skills

create table schedules (
  id text primary key check (starts_with(id, 'sch_') and length(id) = 30),
  workspace_id text not null references workspaces,
  name text not null,
  source text not null check (source in ('console', 'pack', 'skill', 'overlay')),
  cron text not null,
  timezone text not null,
  days text check (days in ('and', 'or')),
  pack text not null,
  template text not null,
  inputs jsonb not null default '{}',
  dry_run boolean not null default false,
  profile text,
  environment text,
  config_preset text,
  preset_version integer,
  enabled boolean not null default true,
  catchup text not null default 'none' check (catchup in ('none', 'latest', 'all')),
  overlap text not null default 'skip' check (overlap in ('skip', 'queue', 'cancel_previous')),
  jitter_s integer not null default 0 check (jitter_s >= 0),
  dst jsonb not null,
  last_fire jsonb,
  created_by text,
  -- rises with every change; `synced_version` is the one that the engine has
  version integer not null default 1,
  synced_version integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  -- until when every time is known to have its firing: from the last change on, then as far as a sweep has looked
  accounted_until timestamptz not null default now(),
  -- the service account that made it, beside the person in whose name it did: what it starts is asked for by both
  made_through text
);
call lock_to_workspace('schedules');
create unique index schedules_one_per_name on schedules (workspace_id, name, source) where deleted_at is null;
create index schedules_newest on schedules (workspace_id, created_at desc, id desc) where deleted_at is null;

-- One firing per schedule and nominal time. `claimed` has chosen the id of its run and may not have started it yet;
-- `waiting` follows the run before. The run is no foreign key, as its id is chosen before it exists.
create table schedule_firings (
  schedule_id text not null references schedules,
  nominal_at timestamptz not null,
  workspace_id text not null references workspaces,
  run_id text,
  outcome text not null check (outcome in
    ('claimed', 'waiting', 'started', 'skipped', 'missed', 'denied', 'frozen', 'halted', 'invalid')),
  reason text,
  actual_at timestamptz not null default now(),
  -- stands in line with others that are made up for after an outage: each starts once, in order
  in_line boolean not null default false,
  primary key (schedule_id, nominal_at),
  constraint schedule_firings_started_a_run check ((outcome in ('claimed', 'started')) = (run_id is not null))
);
call lock_to_workspace('schedule_firings');
create index schedule_firings_with_run on schedule_firings (schedule_id, nominal_at desc) where run_id is not null;
create index schedule_firings_waiting on schedule_firings (schedule_id) where outcome = 'waiting';
create index schedule_firings_oldest on schedule_firings (nominal_at);
create trigger schedule_firings_have_come before insert on schedule_firings for each row
  when (new.outcome in ('claimed', 'waiting', 'started') and new.nominal_at > clock_timestamp() + interval '1 second')
  execute function refuse_firing_to_come();

-- Skills that fire on events of the bus: one row per skill and event. It names the run before there is one, so that a second delivery, also
-- after a crash in between, meets the run of the first.
create table skill_firings (
  skill text not null,
  workspace_id text not null references workspaces,
  -- over the event's source and id, which together name it (CloudEvents)
  event_key text not null,
  message_id text not null,
  topic text not null,
  run_id text not null,
  outcome text check (outcome in ('started', 'denied', 'frozen', 'halted', 'invalid', 'suppressed')),
  reason text,
  claimed_at timestamptz not null default now(),
  settled_at timestamptz,
  primary key (skill, workspace_id, event_key),
  constraint skill_firings_settled_when check ((outcome is null) = (settled_at is null))
);
call lock_to_workspace('skill_firings');
create index skill_firings_age on skill_firings (claimed_at);


-- ## The durable bus
-- Publishers leave rows in an outbox with their own change; one numberer at a time moves what is committed into the log. Readers know the
-- log's numbers only: those are given under one row's lock, in the order of commits, so nobody can be overtaken by a number that commits
-- late.

-- Whether what happens to runs is written to the bus. The services set it when they start.
create table bus_settings (
  "only" boolean primary key default true check ("only"),
  durable boolean not null default false
);
insert into bus_settings default values;

-- The last number that was given, and how many topics there are.
create table bus_head (
  "only" boolean primary key default true check ("only"),
  last_id bigint not null default 0,
  topics integer not null default 0
);
insert into bus_head default values;

-- The workspace is not a foreign key: publishers of one workspace would queue at its row, and the log outlives it.
create table bus_outbox (
  id bigint generated always as identity primary key,
  workspace_id text not null,
  topic text collate "C" not null,
  key text,
  event jsonb not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
call lock_to_workspace('bus_outbox');

create table bus_messages (
  id bigint primary key,
  workspace_id text not null,
  topic text collate "C" not null,
  key text,
  event jsonb not null,
  published_at timestamptz not null
);
call lock_to_workspace('bus_messages');
-- replay of a topic costs what it delivers, for all workspaces or for one
create index bus_messages_of_topic on bus_messages (topic, id);
create index bus_messages_of_workspace on bus_messages (workspace_id, topic, id);

-- Every topic that ever was: patterns are matched against these few, and the log is then read topic by topic.
create table bus_topics (topic text collate "C" primary key);

-- How far each subscriber has come.
create table bus_cursors (
  subscriber text not null,
  workspace_id text not null,
  last_id bigint not null,
  -- the end of the page in its hands: up to there a lost subscriber leaves in doubt what it had handled
  reading_to bigint not null,
  updated_at timestamptz not null default now(),
  -- raised by whoever takes the subscriber's place: what an earlier holder still says about it changes nothing
  holder bigint not null default 0,
  -- the processes that took its place and neither gave it back nor went past what was in doubt: each but the one at work has ended
  claims smallint not null default 0,
  primary key (subscriber, workspace_id)
) with (fillfactor = 50);
call lock_to_workspace('bus_cursors');

create table bus_dead_letters (
  subscriber text not null,
  message_id bigint not null,
  workspace_id text not null,
  topic text not null,
  event jsonb not null,
  attempts integer not null,
  error text not null,
  created_at timestamptz not null default now(),
  -- an operator sends it through its subscriber once more; the subscriber's process picks it up by itself
  redrive_at timestamptz,
  primary key (subscriber, message_id)
);
call lock_to_workspace('bus_dead_letters');
create index bus_dead_letters_to_redrive on bus_dead_letters (subscriber, message_id) where redrive_at is not null;


-- ## Pipelines
-- How each stands, its steps, the runs that they have started, and what has happened, in order. A run of a pipeline is a run like any
-- other; what it is here for is in `pipeline_children`.

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
call lock_to_workspace('pipelines');
create index pipelines_newest on pipelines (workspace_id, created_at desc, id desc);
create index pipelines_newest_by_status on pipelines (workspace_id, status, created_at desc, id desc);
create index pipelines_open on pipelines (id) where ended_at is null;
create trigger pipelines_begin_legally after insert on pipelines for each row execute function check_pipeline_transition();
create trigger pipelines_move_legally before update of status on pipelines for each row execute function check_pipeline_transition();

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
call lock_rows('pipeline_steps', 'sees_pipeline(pipeline_id)');
create index pipeline_steps_waiting_for_events on pipeline_steps (pipeline_id) where state = 'waiting_event';
create trigger pipeline_steps_begin_legally after insert on pipeline_steps for each row execute function check_pipeline_step_transition();
create trigger pipeline_steps_move_legally before update of state on pipeline_steps for each row execute function check_pipeline_step_transition();

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
call lock_rows('pipeline_children', 'sees_pipeline(pipeline_id)');

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
call lock_rows('pipeline_events', 'sees_pipeline(pipeline_id)');

-- What all runs of a pipeline may cost together, in micro-dollars.
create table pipeline_budgets (
  pipeline_id text primary key references pipelines,
  cap_micro_usd bigint not null check (cap_micro_usd >= 0),
  spent_micro_usd bigint not null default 0 check (spent_micro_usd >= 0),
  reserved_micro_usd bigint not null default 0 check (reserved_micro_usd >= 0),
  constraint pipeline_budgets_never_over_cap check (spent_micro_usd + reserved_micro_usd <= cap_micro_usd)
);
call lock_rows('pipeline_budgets', 'sees_pipeline(pipeline_id)');

-- Pipelines whose workflow is to be started, and pipelines that have news. Each row is taken by whoever tells the engine.
create table pipeline_outbox (
  pipeline_id text primary key references pipelines,
  created_at timestamptz not null default now()
);
call lock_rows('pipeline_outbox', 'sees_pipeline(pipeline_id)');

create table pipeline_wakes (
  id bigint generated always as identity primary key,
  pipeline_id text not null references pipelines
);
call lock_rows('pipeline_wakes', 'sees_pipeline(pipeline_id)');


-- ## Knowledge and the ask agent

-- Corpora of documents that a workspace searches.
create table knowledge_corpora (
  id text primary key check (starts_with(id, 'cor_') and length(id) = 30),
  workspace_id text not null references workspaces,
  name text not null check (name ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
  source jsonb not null check (jsonb_typeof(source) = 'object'),
  -- counts how often its documents were listed: a list that was made before the last one does not count
  version integer not null default 0,
  problems jsonb not null default '[]' check (jsonb_typeof(problems) = 'array'),
  author text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  listed_at timestamptz,
  constraint knowledge_corpora_by_name unique (workspace_id, name),
  constraint knowledge_corpora_of_workspace unique (workspace_id, id)
);
call lock_to_workspace('knowledge_corpora');

create table knowledge_documents (
  workspace_id text not null,
  corpus_id text not null,
  path text not null check (path <> '' and length(path) <= 255),
  -- of what is to be indexed
  digest text not null,
  size_bytes integer not null check (size_bytes between 0 and 1048576),
  state text not null default 'pending' check (state in ('pending', 'indexed')),
  -- the text of one that was handed in, until it is indexed; after that it stands in the chunks
  content text,
  chunks integer not null default 0,
  indexed_at timestamptz,
  primary key (workspace_id, corpus_id, path),
  foreign key (workspace_id, corpus_id) references knowledge_corpora (workspace_id, id) on delete cascade,
  constraint knowledge_documents_keep_text_once check (state = 'pending' or content is null)
);
call lock_to_workspace('knowledge_documents');
create index knowledge_documents_pending on knowledge_documents (workspace_id, corpus_id) where state = 'pending';

create table knowledge_chunks (
  workspace_id text not null,
  corpus_id text not null,
  path text not null,
  ordinal integer not null check (ordinal >= 0),
  from_line integer not null check (from_line > 0),
  to_line integer not null,
  heading text,
  text text not null check (length(text) <= 2000),
  digest text not null,
  -- the model that made the vector, the vector, and its signs: those are compared first
  embedded_by text,
  embedding real[],
  signs bit varying,
  search tsvector not null generated always as (
    setweight(to_tsvector('english', searched_text(coalesce(heading, ''), false)), 'A')
    || setweight(to_tsvector('english', searched_text(path, false)), 'C')
    || setweight(to_tsvector('english', searched_text(text, false)), 'D')) stored,
  primary key (workspace_id, corpus_id, path, ordinal),
  foreign key (workspace_id, corpus_id, path) references knowledge_documents (workspace_id, corpus_id, path) on delete cascade,
  constraint knowledge_chunks_lines check (to_line >= from_line),
  constraint knowledge_chunks_vector_whole check (
    (embedding is null) = (embedded_by is null) and (embedding is null) = (signs is null)
    and (embedding is null or length(signs) = cardinality(embedding)))
);
call lock_to_workspace('knowledge_chunks');
create index knowledge_chunks_search on knowledge_chunks using gin (search);

-- Conversations with the ask agent. A thread belongs to whoever began it, in one account and one workspace; its turns and what their tools
-- said are written once, with the audit record and the event of the answer.
create table ask_threads (
  id text primary key check (starts_with(id, 'thr_') and length(id) = 30),
  workspace_id text not null references workspaces,
  account_id text not null,
  owner_id text not null,
  created_at timestamptz not null default now(),
  last_turn_at timestamptz not null default now()
);
call lock_to_workspace('ask_threads');
create index ask_threads_by_age on ask_threads (last_turn_at);

create table ask_turns (
  id text primary key check (starts_with(id, 'turn_') and length(id) = 31),
  thread_id text not null references ask_threads on delete cascade,
  workspace_id text not null references workspaces,
  query text not null,
  answer text not null,
  grounded boolean not null,
  citations jsonb not null,
  tools_used jsonb not null,
  recommended_workflow text,
  action jsonb,
  cost_micro_usd bigint not null check (cost_micro_usd >= 0),
  cap_micro_usd bigint not null check (cap_micro_usd >= 0),
  model text not null,
  created_at timestamptz not null,
  constraint ask_turns_act_only_where_grounded check (grounded or (action is null and recommended_workflow is null and citations = '[]'))
);
call lock_to_workspace('ask_turns');
create index ask_turns_of_thread on ask_turns (thread_id, created_at, id);

-- What a tool said, as the model was shown it.
create table ask_tool_results (
  turn_id text not null references ask_turns on delete cascade,
  id text not null check (id ~ '^t[0-9]{1,3}$'),
  workspace_id text not null references workspaces,
  tool text not null,
  args jsonb not null,
  ref text not null,
  result text not null,
  digest text not null check (starts_with(digest, 'sha256:') and length(digest) = 71),
  primary key (turn_id, id)
);
call lock_to_workspace('ask_tool_results');


-- ## What is authored in the console, and what is in force

create table console_policies (
  workspace_id text not null references workspaces,
  name text not null,
  document text not null,
  author text not null,
  updated_at timestamptz not null default now(),
  primary key (workspace_id, name)
);
call lock_to_workspace('console_policies');

-- Beside policies: rules of a workspace, and, for all of them (`*`), what is said about environments, profiles and the roles of models over
-- their files. The text is kept as its author wrote it.
create table console_documents (
  kind text not null check (kind in ('rule', 'environment', 'profile', 'model_roles')),
  workspace_id text not null,
  name text not null check (name <> '' and length(name) <= 100),
  document text not null check (length(document) <= 262144),
  author text not null,
  updated_at timestamptz not null default now(),
  -- everybody who has written what goes into runs
  authors text[] not null default '{}',
  primary key (kind, workspace_id, name),
  constraint console_documents_stand_where_their_kind_does check ((workspace_id = '*') = (kind <> 'rule'))
);
call lock_to_workspace('console_documents');

-- What starts of a template begin with: the values that a workspace has set for it, named sets of them (`config`), and inputs that
-- people keep for its form (`input`). No secret stands here.
create table presets (
  id text primary key,
  workspace_id text not null,
  kind text not null check (kind in ('workflow', 'config', 'input')),
  pack text not null,
  template text not null,
  name text not null check (length(name) <= 100),
  inputs jsonb not null check (jsonb_typeof(inputs) = 'object' and length(inputs::text) <= 262144),
  is_default boolean not null default false,
  -- counts the changes of what is in it, and not of its name
  version integer not null default 1,
  author text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  authors text[] not null default '{}',
  constraint presets_by_name unique (workspace_id, kind, pack, template, name),
  constraint presets_of_a_workflow_are_one check ((kind = 'workflow') = (name = '')),
  constraint presets_of_a_workflow_always_count check (kind <> 'workflow' or not is_default)
);
call lock_to_workspace('presets');
create unique index presets_with_one_default on presets (workspace_id, kind, pack, template) where is_default;

-- What the record last knew of everything that protects: files, packs, policies of the console. A change is one against this, so it
-- is noticed after a restart too, and once however many processes look.
create table config_items (
  -- its path in the data directory or its pack
  item text primary key,
  -- `*` for what stands above all workspaces
  workspace_id text not null,
  kind text not null,
  layer text not null,
  pack text,
  -- the digest, or why it cannot be read; null once it is gone
  state text,
  version bigint not null,
  -- whose it is and since when
  about jsonb not null,
  -- of a policy: what follows is compared with it
  body text
);
call lock_to_workspace('config_items');

-- A halt: nothing that its scope covers begins until it is lifted. What a scope does not name, it covers all of.
create table halts (
  id text primary key check (starts_with(id, 'halt_') and length(id) = 31),
  -- null: every workspace
  workspace_id text references workspaces,
  environment text check (environment <> ''),
  -- pack/template
  template text check (template <> ''),
  -- whoever asked for a run, or in whose name it was asked for
  requester text check (requester <> ''),
  reason text not null check (reason <> ''),
  set_by jsonb not null,
  created_at timestamptz not null default now(),
  lifted_by jsonb,
  lifted_at timestamptz,
  constraint halts_lifted_by_somebody check ((lifted_at is null) = (lifted_by is null))
);
call lock_to_workspace('halts');
-- one over every workspace stops what a session in one of them does, so each sees it; only the machinery changes it
create policy over_all on halts for select using (workspace_id is null);
-- before every effect the halts in force are read, and there are hardly ever any
create index halts_in_force on halts (created_at) where lifted_at is null;


-- ## Audit

-- Written in the transaction of the change; one sequencer gives each row its place in the chain. People read the log by what it says.
-- Row-level security lets an index serve a plain column, and never an expression over the draft: `->>` might tell somebody of rows that
-- they must not see.
create table audit_outbox (
  id bigint generated always as identity primary key,
  draft jsonb not null,
  seq bigint unique,
  hash text,
  workspace_id text generated always as (draft ->> 'workspace_id') stored,
  category text generated always as (draft ->> 'category') stored,
  actor_id text generated always as (draft -> 'actor' ->> 'id') stored,
  run_id text generated always as (draft ->> 'run_id') stored,
  ts text collate "C" generated always as (draft ->> 'ts') stored,
  action text generated always as (draft ->> 'action') stored,
  check ((seq is null) = (hash is null))
);
call lock_to_workspace('audit_outbox');
create index audit_outbox_unsequenced on audit_outbox (id) where seq is null;
create index audit_outbox_of_workspace on audit_outbox (workspace_id, ts, seq) where seq is not null;
create index audit_outbox_of_category on audit_outbox (workspace_id, category, ts, seq) where seq is not null;
create index audit_outbox_of_action on audit_outbox (workspace_id, action, ts, seq) where seq is not null;
-- what somebody did of any kind is read category by category
create index audit_outbox_of_actor_in_category on audit_outbox (workspace_id, actor_id, category, ts, seq) where seq is not null;
create index audit_outbox_of_run on audit_outbox (run_id, ts, seq) where seq is not null;
create index audit_outbox_of_refused_requests on audit_outbox (workspace_id, ts) where draft ->> 'action' = 'request.refused';
create trigger audit_outbox_keep_chained before update on audit_outbox
  for each row when (old.seq is not null) execute function keep_chained();
create trigger mark_attempt before insert on audit_outbox for each row when (new.draft ? 'attempt') execute function mark_attempt();

-- What is known of the audit log as a file: what is wrong with it, and how far it was last read from end to end and found to
-- hold what the outbox says was written. One row, for all processes and over restarts.
create table audit_file (
  one boolean primary key default true check (one),
  -- null while nothing is wrong
  problem text,
  problem_seq bigint,
  found_at timestamptz,
  findings bigint not null default 0,
  passed_seq bigint,
  passed_at timestamptz,
  check ((problem is null) = (problem_seq is null))
);
insert into audit_file default values;

-- What was refused: claims that came through the engine and were not borne out, requests, answers to gates, starts and links. It is told at
-- once, and what is like it as a number, once a minute: one row an action, kind, subject and person, so that a flood is a number.
create table refusals (
  kind text not null,
  -- of a run or schedule that there is; claims about any other are counted together, under the empty id
  subject_id text not null,
  workspace_id text not null references workspaces,
  refused bigint not null default 1,
  -- how many of them the audit log knows of
  reported bigint not null default 0,
  reported_at timestamptz,
  action text not null,
  -- nobody who is known is one person
  who text not null,
  -- the last of them, as it is told
  draft jsonb,
  primary key (action, subject_id, kind, who)
);
call lock_to_workspace('refusals');
-- those that wait to be told, and those that may be forgotten
create index refusals_untold on refusals (reported_at) where refused > reported;
create index refusals_told on refusals (reported_at) where refused = reported and action <> 'claim.refused';
create trigger tell_bus after insert on refusals for each row when (new.action = 'alert.not_understood')
  execute function publish_not_understood();


-- ## Processes and releases

-- Who is the only one at something. The epoch rises with every change of holder and never falls, so a write that carries an
-- older one is refused. It is part of a key: a renewal does not wait for a write that holds on to the epoch, a takeover does.
create table leases (
  name text primary key,
  holder text not null,
  epoch bigint not null,
  expires_at timestamptz not null,
  unique (name, epoch)
);

create table worker_heartbeats (
  worker_id text primary key,
  lanes text[] not null,
  audit_leader boolean not null,
  audit_ok boolean not null,
  seen_at timestamptz not null default now()
);

-- Which files of `store/functions` the functions of this database come from. One row; written by whoever migrates.
create table applied_functions (
  one boolean primary key default true check (one),
  digest text not null default '',
  applied_at timestamptz not null default now(),
  -- processes of which releases may run on this schema: those that know this migration
  oldest_release text not null default ''
);
insert into applied_functions default values;
