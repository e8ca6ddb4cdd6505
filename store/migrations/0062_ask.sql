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
create index ask_threads_by_age on ask_threads (last_turn_at);
call lock_to_workspace('ask_threads');

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
create index ask_turns_of_thread on ask_turns (thread_id, created_at, id);
call lock_to_workspace('ask_turns');

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

-- A call that is made for a turn is paid for by it, and by its thread on that UTC day. No foreign keys: what was spent stays on record when
-- the thread has been forgotten.
alter table model_calls
  add column ask_thread_id text,
  add column ask_turn_id text,
  add column ask_day date,
  add constraint model_calls_of_a_whole_turn check ((ask_turn_id is null) = (ask_thread_id is null) and (ask_turn_id is null) = (ask_day is null));
create index model_calls_of_ask_turn on model_calls (ask_turn_id) where ask_turn_id is not null;
create index model_calls_of_ask_thread on model_calls (ask_thread_id, ask_day) where ask_thread_id is not null;

alter table api_keys
  drop constraint api_keys_know_their_scopes,
  add constraint api_keys_know_their_scopes check (
    cardinality(scopes) > 0
    and scopes <@ array['runs:read', 'runs:start', 'models:call', 'ask:query', 'approvals:on_behalf', 'admin']);
