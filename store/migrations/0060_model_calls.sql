-- Every attempt to call a model: what was reserved for it, and what it was charged. One that is `reserved` is under way; the process that
-- makes it renews its lease, and what nobody renews any more is charged whole.
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
  constraint model_calls_settled_says_how check ((state = 'settled') = (basis is not null) and (state = 'settled') = (settled_at is not null)),
  constraint model_calls_within_reservation check (charged_micro_usd <= reserved_micro_usd),
  constraint model_calls_estimate_is_charged_whole check (basis <> 'estimate' or charged_micro_usd = reserved_micro_usd)
);
create index model_calls_under_way on model_calls (leased_until) where state = 'reserved';
create index model_calls_of_run on model_calls (run_id) where run_id is not null;
call lock_to_workspace('model_calls');

-- What a key may spend a day, and what it has spent and reserved on the last day on which it called a model.
alter table api_keys
  add column daily_cap_micro_usd bigint check (daily_cap_micro_usd >= 0),
  add column budget_day date,
  add column day_spent_micro_usd bigint not null default 0 check (day_spent_micro_usd >= 0),
  add column day_reserved_micro_usd bigint not null default 0 check (day_reserved_micro_usd >= 0),
  drop constraint api_keys_know_their_scopes,
  add constraint api_keys_know_their_scopes check (
    cardinality(scopes) > 0 and scopes <@ array['runs:read', 'runs:start', 'models:call', 'approvals:on_behalf', 'admin']);
