create table alert_ends (
  workspace_id text not null,
  scope text not null,
  member text not null,
  ended_at timestamp with time zone not null,
  received_at timestamp with time zone not null default now(),
  constraint alert_ends_pkey PRIMARY KEY (workspace_id, scope, member)
);
CREATE INDEX alert_ends_by_age ON public.alert_ends USING btree (received_at);
alter table alert_ends enable row level security;
alter table alert_ends force row level security;
create policy of_workspace on alert_ends using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table api_keys (
  id text not null,
  account_id text not null,
  user_id text not null,
  name text not null,
  prefix text not null,
  hash text not null,
  scopes text[] not null,
  workspace_id text,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revoked_by text,
  daily_cap_micro_usd bigint,
  budget_day date,
  day_spent_micro_usd bigint not null default 0,
  day_reserved_micro_usd bigint not null default 0,
  constraint api_keys_daily_cap_micro_usd_check CHECK ((daily_cap_micro_usd >= 0)),
  constraint api_keys_day_reserved_micro_usd_check CHECK ((day_reserved_micro_usd >= 0)),
  constraint api_keys_day_spent_micro_usd_check CHECK ((day_spent_micro_usd >= 0)),
  constraint api_keys_expire CHECK (((expires_at > created_at) AND (expires_at <= (created_at + '366 days'::interval)))),
  constraint api_keys_hash_check CHECK ((length(hash) = 64)),
  constraint api_keys_hash_key UNIQUE (hash),
  constraint api_keys_id_check CHECK ((starts_with(id, 'key_'::text) AND (length(id) = 30))),
  constraint api_keys_know_their_scopes CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['runs:read'::text, 'runs:start'::text, 'models:call'::text, 'ask:query'::text, 'approvals:on_behalf'::text, 'admin'::text]))),
  constraint api_keys_name_check CHECK (((name <> ''::text) AND (length(name) <= 100))),
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_prefix_check CHECK ((starts_with(prefix, 'svc_'::text) AND (length(prefix) = 12))),
  constraint api_keys_revoked_by_somebody CHECK (((revoked_at IS NULL) = (revoked_by IS NULL))),
  constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint api_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX api_keys_newest ON public.api_keys USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX api_keys_of_account ON public.api_keys USING btree (user_id);
alter table api_keys enable row level security;
alter table api_keys force row level security;
create policy of_workspace on api_keys using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table applied_functions (
  one boolean not null default true,
  digest text not null default ''::text,
  applied_at timestamp with time zone not null default now(),
  oldest_release text not null default ''::text,
  constraint applied_functions_one_check CHECK (one),
  constraint applied_functions_pkey PRIMARY KEY (one)
);

create table artifact_bodies (
  digest text not null,
  body bytea not null,
  constraint artifact_bodies_digest_check CHECK ((starts_with(digest, 'sha256:'::text) AND (length(digest) = 71))),
  constraint artifact_bodies_pkey PRIMARY KEY (digest)
);
alter table artifact_bodies enable row level security;
alter table artifact_bodies force row level security;
create policy of_workspace on artifact_bodies using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_artifact(digest)));

create table artifact_removals (
  object_connection text not null,
  object_key text not null,
  workspace_id text not null,
  environment text not null,
  attempts integer not null default 0,
  due_at timestamp with time zone not null default now(),
  constraint artifact_removals_pkey PRIMARY KEY (object_connection, object_key),
  constraint artifact_removals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX artifact_removals_due ON public.artifact_removals USING btree (due_at);
alter table artifact_removals enable row level security;
alter table artifact_removals force row level security;
create policy of_workspace on artifact_removals using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table artifacts (
  id text not null,
  run_id text not null,
  workspace_id text not null,
  step_id text not null,
  name text not null,
  media_type text not null,
  size_bytes integer not null,
  digest text not null,
  created_at timestamp with time zone not null default now(),
  object_connection text,
  object_key text,
  body_digest text generated always as (
CASE
    WHEN (object_key IS NULL) THEN digest
    ELSE NULL::text
END) stored,
  constraint artifacts_body_digest_fkey FOREIGN KEY (body_digest) REFERENCES artifact_bodies(digest),
  constraint artifacts_object_is_whole CHECK (((object_connection IS NULL) = (object_key IS NULL))),
  constraint artifacts_pkey PRIMARY KEY (id),
  constraint artifacts_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint artifacts_run_id_name_key UNIQUE (run_id, name),
  constraint artifacts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX artifacts_by_body ON public.artifacts USING btree (body_digest);
CREATE INDEX artifacts_by_digest ON public.artifacts USING btree (digest);
CREATE INDEX artifacts_by_object ON public.artifacts USING btree (object_connection, object_key) WHERE (object_key IS NOT NULL);
alter table artifacts enable row level security;
alter table artifacts force row level security;
create policy of_workspace on artifacts using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table ask_threads (
  id text not null,
  workspace_id text not null,
  account_id text not null,
  owner_id text not null,
  created_at timestamp with time zone not null default now(),
  last_turn_at timestamp with time zone not null default now(),
  constraint ask_threads_id_check CHECK ((starts_with(id, 'thr_'::text) AND (length(id) = 30))),
  constraint ask_threads_pkey PRIMARY KEY (id),
  constraint ask_threads_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX ask_threads_by_age ON public.ask_threads USING btree (last_turn_at);
alter table ask_threads enable row level security;
alter table ask_threads force row level security;
create policy of_workspace on ask_threads using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table ask_tool_results (
  turn_id text not null,
  id text not null,
  workspace_id text not null,
  tool text not null,
  args jsonb not null,
  ref text not null,
  result text not null,
  digest text not null,
  constraint ask_tool_results_digest_check CHECK ((starts_with(digest, 'sha256:'::text) AND (length(digest) = 71))),
  constraint ask_tool_results_id_check CHECK ((id ~ '^t[0-9]{1,3}$'::text)),
  constraint ask_tool_results_pkey PRIMARY KEY (turn_id, id),
  constraint ask_tool_results_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES ask_turns(id) ON DELETE CASCADE,
  constraint ask_tool_results_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
alter table ask_tool_results enable row level security;
alter table ask_tool_results force row level security;
create policy of_workspace on ask_tool_results using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table ask_turns (
  id text not null,
  thread_id text not null,
  workspace_id text not null,
  query text not null,
  answer text not null,
  grounded boolean not null,
  citations jsonb not null,
  tools_used jsonb not null,
  recommended_workflow text,
  action jsonb,
  cost_micro_usd bigint not null,
  cap_micro_usd bigint not null,
  model text not null,
  created_at timestamp with time zone not null,
  constraint ask_turns_act_only_where_grounded CHECK ((grounded OR ((action IS NULL) AND (recommended_workflow IS NULL) AND (citations = '[]'::jsonb)))),
  constraint ask_turns_cap_micro_usd_check CHECK ((cap_micro_usd >= 0)),
  constraint ask_turns_cost_micro_usd_check CHECK ((cost_micro_usd >= 0)),
  constraint ask_turns_id_check CHECK ((starts_with(id, 'turn_'::text) AND (length(id) = 31))),
  constraint ask_turns_pkey PRIMARY KEY (id),
  constraint ask_turns_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES ask_threads(id) ON DELETE CASCADE,
  constraint ask_turns_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX ask_turns_of_thread ON public.ask_turns USING btree (thread_id, created_at, id);
alter table ask_turns enable row level security;
alter table ask_turns force row level security;
create policy of_workspace on ask_turns using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table audit_file (
  one boolean not null default true,
  problem text,
  problem_seq bigint,
  found_at timestamp with time zone,
  findings bigint not null default 0,
  passed_seq bigint,
  passed_at timestamp with time zone,
  constraint audit_file_check CHECK (((problem IS NULL) = (problem_seq IS NULL))),
  constraint audit_file_one_check CHECK (one),
  constraint audit_file_pkey PRIMARY KEY (one)
);

create table audit_outbox (
  id bigint not null generated always as identity,
  draft jsonb not null,
  seq bigint,
  hash text,
  workspace_id text generated always as ((draft ->> 'workspace_id'::text)) stored,
  category text generated always as ((draft ->> 'category'::text)) stored,
  actor_id text generated always as (((draft -> 'actor'::text) ->> 'id'::text)) stored,
  run_id text generated always as ((draft ->> 'run_id'::text)) stored,
  ts text generated always as ((draft ->> 'ts'::text)) stored,
  action text generated always as ((draft ->> 'action'::text)) stored,
  constraint audit_outbox_check CHECK (((seq IS NULL) = (hash IS NULL))),
  constraint audit_outbox_pkey PRIMARY KEY (id),
  constraint audit_outbox_seq_key UNIQUE (seq)
);
CREATE INDEX audit_outbox_of_action ON public.audit_outbox USING btree (workspace_id, action, ts, seq) WHERE (seq IS NOT NULL);
CREATE INDEX audit_outbox_of_actor_in_category ON public.audit_outbox USING btree (workspace_id, actor_id, category, ts, seq) WHERE (seq IS NOT NULL);
CREATE INDEX audit_outbox_of_category ON public.audit_outbox USING btree (workspace_id, category, ts, seq) WHERE (seq IS NOT NULL);
CREATE INDEX audit_outbox_of_refused_requests ON public.audit_outbox USING btree (workspace_id, ts) WHERE ((draft ->> 'action'::text) = 'request.refused'::text);
CREATE INDEX audit_outbox_of_run ON public.audit_outbox USING btree (run_id, ts, seq) WHERE (seq IS NOT NULL);
CREATE INDEX audit_outbox_of_workspace ON public.audit_outbox USING btree (workspace_id, ts, seq) WHERE (seq IS NOT NULL);
CREATE INDEX audit_outbox_unsequenced ON public.audit_outbox USING btree (id) WHERE (seq IS NULL);
alter table audit_outbox enable row level security;
alter table audit_outbox force row level security;
create policy of_workspace on audit_outbox using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));
CREATE TRIGGER audit_outbox_keep_chained BEFORE UPDATE ON public.audit_outbox FOR EACH ROW WHEN ((old.seq IS NOT NULL)) EXECUTE FUNCTION keep_chained();
CREATE TRIGGER mark_attempt BEFORE INSERT ON public.audit_outbox FOR EACH ROW WHEN ((new.draft ? 'attempt'::text)) EXECUTE FUNCTION mark_attempt();

create table bus_cursors (
  subscriber text not null,
  workspace_id text not null,
  last_id bigint not null,
  reading_to bigint not null,
  updated_at timestamp with time zone not null default now(),
  holder bigint not null default 0,
  claims smallint not null default 0,
  constraint bus_cursors_pkey PRIMARY KEY (subscriber, workspace_id)
);
alter table bus_cursors enable row level security;
alter table bus_cursors force row level security;
create policy of_workspace on bus_cursors using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table bus_dead_letters (
  subscriber text not null,
  message_id bigint not null,
  workspace_id text not null,
  topic text not null,
  event jsonb not null,
  attempts integer not null,
  error text not null,
  created_at timestamp with time zone not null default now(),
  redrive_at timestamp with time zone,
  constraint bus_dead_letters_pkey PRIMARY KEY (subscriber, message_id)
);
CREATE INDEX bus_dead_letters_to_redrive ON public.bus_dead_letters USING btree (subscriber, message_id) WHERE (redrive_at IS NOT NULL);
alter table bus_dead_letters enable row level security;
alter table bus_dead_letters force row level security;
create policy of_workspace on bus_dead_letters using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table bus_head (
  "only" boolean not null default true,
  last_id bigint not null default 0,
  topics integer not null default 0,
  constraint bus_head_only_check CHECK ("only"),
  constraint bus_head_pkey PRIMARY KEY ("only")
);

create table bus_messages (
  id bigint not null,
  workspace_id text not null,
  topic text not null,
  key text,
  event jsonb not null,
  published_at timestamp with time zone not null,
  constraint bus_messages_pkey PRIMARY KEY (id)
);
CREATE INDEX bus_messages_of_topic ON public.bus_messages USING btree (topic, id);
CREATE INDEX bus_messages_of_workspace ON public.bus_messages USING btree (workspace_id, topic, id);
alter table bus_messages enable row level security;
alter table bus_messages force row level security;
create policy of_workspace on bus_messages using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table bus_outbox (
  id bigint not null generated always as identity,
  workspace_id text not null,
  topic text not null,
  key text,
  event jsonb not null,
  constraint bus_outbox_pkey PRIMARY KEY (id)
);
alter table bus_outbox enable row level security;
alter table bus_outbox force row level security;
create policy of_workspace on bus_outbox using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table bus_settings (
  "only" boolean not null default true,
  durable boolean not null default false,
  constraint bus_settings_only_check CHECK ("only"),
  constraint bus_settings_pkey PRIMARY KEY ("only")
);

create table bus_topics (
  topic text not null,
  constraint bus_topics_pkey PRIMARY KEY (topic)
);

create table config_items (
  item text not null,
  workspace_id text not null,
  kind text not null,
  layer text not null,
  pack text,
  state text,
  version bigint not null,
  about jsonb not null,
  body text,
  constraint config_items_pkey PRIMARY KEY (item)
);
alter table config_items enable row level security;
alter table config_items force row level security;
create policy of_workspace on config_items using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table connection_grants (
  connection_id text not null,
  id text not null,
  environment text not null,
  scopes text[] not null,
  authorized_by text not null,
  authorized_at timestamp with time zone not null default now(),
  state text not null default 'active'::text,
  detail text,
  kid text not null,
  sealed text not null,
  tokens integer not null default 1,
  refreshable boolean not null,
  expires_at timestamp with time zone,
  refresh_at timestamp with time zone,
  refresh_fence integer not null default 0,
  refreshing_until timestamp with time zone,
  since timestamp with time zone not null default now(),
  notice text,
  notices integer not null default 0,
  notice_due_at timestamp with time zone,
  failed_notified_at timestamp with time zone,
  unknown_notified_at timestamp with time zone,
  constraint connection_grants_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connections(id) ON DELETE CASCADE,
  constraint connection_grants_id_check CHECK ((starts_with(id, 'grt_'::text) AND (length(id) = 30))),
  constraint connection_grants_notice_check CHECK ((notice = ANY (ARRAY['failed'::text, 'unknown'::text, 'ends'::text]))),
  constraint connection_grants_pkey PRIMARY KEY (connection_id),
  constraint connection_grants_refreshed_sometime CHECK ((refreshable = (refresh_at IS NOT NULL))),
  constraint connection_grants_say_why CHECK (((state = 'active'::text) = (detail IS NULL))),
  constraint connection_grants_scopes_check CHECK ((array_position(scopes, NULL::text) IS NULL)),
  constraint connection_grants_state_check CHECK ((state = ANY (ARRAY['active'::text, 'degraded'::text, 'failed'::text, 'unknown'::text])))
);
CREATE INDEX connection_grants_to_notice ON public.connection_grants USING btree (notice_due_at) WHERE (notice_due_at IS NOT NULL);

create table connection_secrets (
  connection_id text not null,
  version integer not null,
  kid text not null,
  sealed text not null,
  constraint connection_secrets_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connections(id) ON DELETE CASCADE,
  constraint connection_secrets_pkey PRIMARY KEY (connection_id)
);

create table connection_uses (
  connection_id text not null,
  version integer not null,
  run_id text not null,
  step_id text not null,
  used_at timestamp with time zone not null default now(),
  constraint connection_uses_pkey PRIMARY KEY (run_id, step_id, connection_id, version),
  constraint connection_uses_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
);
CREATE INDEX connection_uses_newest ON public.connection_uses USING btree (connection_id, used_at DESC);
alter table connection_uses enable row level security;
alter table connection_uses force row level security;
create policy of_workspace on connection_uses using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_run(run_id)));

create table connections (
  id text not null,
  account_id text not null,
  name text not null,
  kind text not null,
  auth text not null,
  config jsonb not null,
  workspaces text[] not null,
  version integer not null default 1,
  fingerprint text,
  status text not null default 'untested'::text,
  last_test jsonb,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  author text not null,
  updated_at timestamp with time zone not null default now(),
  constraint connections_account_id_check CHECK (starts_with(account_id, 'acc_'::text)),
  constraint connections_auth_check CHECK ((auth ~ '^[a-z][a-z0-9_]{0,31}$'::text)),
  constraint connections_by_name UNIQUE (name),
  constraint connections_config_check CHECK ((jsonb_typeof(config) = 'object'::text)),
  constraint connections_fingerprint_check CHECK ((length(fingerprint) = 8)),
  constraint connections_have_names_that_are_no_ids CHECK ((NOT starts_with(name, 'conn_'::text))),
  constraint connections_have_the_secret_they_need CHECK (((fingerprint IS NULL) = (auth = 'none'::text))),
  constraint connections_id_check CHECK ((starts_with(id, 'conn_'::text) AND (length(id) = 31))),
  constraint connections_kind_check CHECK ((kind ~ '^[a-z][a-z0-9_]{0,31}$'::text)),
  constraint connections_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9_-]{0,63}$'::text)),
  constraint connections_of_the_only_account CHECK ((account_id = 'acc_local'::text)),
  constraint connections_pkey PRIMARY KEY (id),
  constraint connections_status_check CHECK ((status = ANY (ARRAY['untested'::text, 'healthy'::text, 'degraded'::text, 'failed'::text]))),
  constraint connections_tested_say_how CHECK (((status = 'untested'::text) = (last_test IS NULL))),
  constraint connections_version_check CHECK ((version > 0)),
  constraint connections_workspaces_check CHECK ((array_position(workspaces, NULL::text) IS NULL))
);

create table console_documents (
  kind text not null,
  workspace_id text not null,
  name text not null,
  document text not null,
  author text not null,
  updated_at timestamp with time zone not null default now(),
  authors text[] not null default '{}'::text[],
  constraint console_documents_document_check CHECK ((length(document) <= 262144)),
  constraint console_documents_kind_check CHECK ((kind = ANY (ARRAY['rule'::text, 'environment'::text, 'profile'::text, 'model_roles'::text]))),
  constraint console_documents_name_check CHECK (((name <> ''::text) AND (length(name) <= 100))),
  constraint console_documents_pkey PRIMARY KEY (kind, workspace_id, name),
  constraint console_documents_stand_where_their_kind_does CHECK (((workspace_id = '*'::text) = (kind <> 'rule'::text)))
);
alter table console_documents enable row level security;
alter table console_documents force row level security;
create policy of_workspace on console_documents using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table console_policies (
  workspace_id text not null,
  name text not null,
  document text not null,
  author text not null,
  updated_at timestamp with time zone not null default now(),
  constraint console_policies_pkey PRIMARY KEY (workspace_id, name),
  constraint console_policies_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
alter table console_policies enable row level security;
alter table console_policies force row level security;
create policy of_workspace on console_policies using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table environment_budgets (
  workspace_id text not null,
  environment text not null,
  day date not null,
  cap_micro_usd bigint not null,
  spent_micro_usd bigint not null default 0,
  reserved_micro_usd bigint not null default 0,
  constraint environment_budgets_pkey PRIMARY KEY (workspace_id, environment, day),
  constraint environment_budgets_reserved_micro_usd_check CHECK ((reserved_micro_usd >= 0)),
  constraint environment_budgets_spent_micro_usd_check CHECK ((spent_micro_usd >= 0)),
  constraint environment_budgets_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
alter table environment_budgets enable row level security;
alter table environment_budgets force row level security;
create policy of_workspace on environment_budgets using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table gate_decisions (
  gate_id text not null,
  decision_id text not null,
  decided_by text not null,
  decision text not null,
  note text,
  channel text not null,
  asserted boolean not null default false,
  decided_at timestamp with time zone not null default now(),
  roles text[] not null default '{}'::text[],
  auth text not null default 'none'::text,
  via text,
  delegations jsonb not null default '[]'::jsonb,
  command jsonb,
  approvals jsonb,
  constraint gate_decisions_auth_check CHECK ((auth = ANY (ARRAY['none'::text, 'jwt'::text, 'api_key'::text, 'magic_link'::text, 'signature'::text]))),
  constraint gate_decisions_decision_check CHECK ((decision = ANY (ARRAY['approve'::text, 'reject'::text]))),
  constraint gate_decisions_gate_id_fkey FOREIGN KEY (gate_id) REFERENCES gates(id),
  constraint gate_decisions_pkey PRIMARY KEY (gate_id, decision_id)
);
alter table gate_decisions enable row level security;
alter table gate_decisions force row level security;
create policy of_workspace on gate_decisions using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_gate(gate_id)));
CREATE TRIGGER gate_decisions_note_answer AFTER INSERT ON public.gate_decisions FOR EACH ROW WHEN ((new.via IS NOT NULL)) EXECUTE FUNCTION note_answer();

create table gate_notices (
  id bigint not null generated always as identity,
  gate_id text,
  run_id text not null,
  workspace_id text not null,
  kind text not null,
  created_at timestamp with time zone not null default now(),
  due_at timestamp with time zone not null default now(),
  attempts integer not null default 0,
  handed_at timestamp with time zone,
  constraint gate_notices_about_one CHECK (((gate_id IS NULL) = (kind = 'ended'::text))),
  constraint gate_notices_gate_id_fkey FOREIGN KEY (gate_id) REFERENCES gates(id),
  constraint gate_notices_gate_id_kind_key UNIQUE (gate_id, kind),
  constraint gate_notices_kind_check CHECK ((kind = ANY (ARRAY['opened'::text, 'answered'::text, 'resolved'::text, 'ended'::text]))),
  constraint gate_notices_pkey PRIMARY KEY (id),
  constraint gate_notices_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint gate_notices_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE UNIQUE INDEX gate_notices_ended ON public.gate_notices USING btree (run_id) WHERE (kind = 'ended'::text);
CREATE INDEX gate_notices_of_run ON public.gate_notices USING btree (run_id);
CREATE INDEX gate_notices_unhanded ON public.gate_notices USING btree (id) WHERE (handed_at IS NULL);
alter table gate_notices enable row level security;
alter table gate_notices force row level security;
create policy of_workspace on gate_notices using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table gates (
  id text not null,
  run_id text not null,
  workspace_id text not null,
  step_id text not null,
  kind text not null,
  status text not null default 'open'::text,
  plan_hash text not null,
  required jsonb not null,
  view jsonb not null,
  opened_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  resolution jsonb,
  constraint gates_id_check CHECK ((starts_with(id, 'gate_'::text) AND (length(id) = 31))),
  constraint gates_kind_check CHECK ((kind = ANY (ARRAY['approval'::text, 'outcome_unknown'::text, 'standing_lost'::text]))),
  constraint gates_pkey PRIMARY KEY (id),
  constraint gates_plan_hash_check CHECK ((starts_with(plan_hash, 'sha256:'::text) AND (length(plan_hash) = 71))),
  constraint gates_resolution_says_who CHECK (((status = 'open'::text) = (resolution IS NULL))),
  constraint gates_resolved_once CHECK (((status = 'open'::text) = (resolved_at IS NULL))),
  constraint gates_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint gates_status_check CHECK ((status = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'expired'::text, 'cancelled'::text]))),
  constraint gates_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX gates_of_run ON public.gates USING btree (run_id, opened_at);
CREATE UNIQUE INDEX gates_one_open_per_run ON public.gates USING btree (run_id) WHERE (status = 'open'::text);
CREATE INDEX gates_open_by_expiry ON public.gates USING btree (expires_at) WHERE (status = 'open'::text);
CREATE INDEX gates_resolved ON public.gates USING btree (resolved_at) WHERE (resolved_at IS NOT NULL);
alter table gates enable row level security;
alter table gates force row level security;
create policy of_workspace on gates using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));
CREATE TRIGGER gates_begin_legally AFTER INSERT ON public.gates FOR EACH ROW EXECUTE FUNCTION check_gate_transition();
CREATE TRIGGER gates_move_legally BEFORE UPDATE OF status ON public.gates FOR EACH ROW EXECUTE FUNCTION check_gate_transition();
CREATE TRIGGER gates_note_opened AFTER INSERT ON public.gates FOR EACH ROW WHEN (is_announced(new.view)) EXECUTE FUNCTION note_gate();
CREATE TRIGGER gates_note_resolved AFTER UPDATE OF status ON public.gates FOR EACH ROW WHEN (((old.status = 'open'::text) AND (new.status <> 'open'::text) AND is_announced(new.view))) EXECUTE FUNCTION note_gate();

create table halt_refusals (
  id text not null,
  halt_id text not null,
  workspace_id text not null,
  key text not null,
  trigger_type text not null,
  pack text not null,
  template text not null,
  environment text not null,
  title text not null,
  requested_by text not null,
  request jsonb,
  delivery_id text,
  fingerprint text,
  refused bigint not null default 1,
  first_at timestamp with time zone not null default now(),
  last_at timestamp with time zone not null default now(),
  contributors jsonb not null default '[]'::jsonb,
  constraint halt_refusals_halt_id_fkey FOREIGN KEY (halt_id) REFERENCES halts(id),
  constraint halt_refusals_halt_id_workspace_id_key_key UNIQUE (halt_id, workspace_id, key),
  constraint halt_refusals_id_check CHECK ((starts_with(id, 'hrf_'::text) AND (length(id) = 30))),
  constraint halt_refusals_pkey PRIMARY KEY (id),
  constraint halt_refusals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX halt_refusals_newest ON public.halt_refusals USING btree (halt_id, first_at DESC, id DESC);
alter table halt_refusals enable row level security;
alter table halt_refusals force row level security;
create policy of_workspace on halt_refusals using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table halts (
  id text not null,
  workspace_id text,
  environment text,
  template text,
  requester text,
  reason text not null,
  set_by jsonb not null,
  created_at timestamp with time zone not null default now(),
  lifted_by jsonb,
  lifted_at timestamp with time zone,
  notice_due_at timestamp with time zone,
  noticed_at timestamp with time zone,
  notices integer not null default 0,
  constraint halts_environment_check CHECK ((environment <> ''::text)),
  constraint halts_id_check CHECK ((starts_with(id, 'halt_'::text) AND (length(id) = 31))),
  constraint halts_lifted_by_somebody CHECK (((lifted_at IS NULL) = (lifted_by IS NULL))),
  constraint halts_pkey PRIMARY KEY (id),
  constraint halts_reason_check CHECK ((reason <> ''::text)),
  constraint halts_requester_check CHECK ((requester <> ''::text)),
  constraint halts_template_check CHECK ((template <> ''::text)),
  constraint halts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX halts_in_force ON public.halts USING btree (created_at) WHERE (lifted_at IS NULL);
CREATE INDEX halts_to_notice ON public.halts USING btree (notice_due_at) WHERE (notice_due_at IS NOT NULL);
alter table halts enable row level security;
alter table halts force row level security;
create policy of_workspace on halts using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));
create policy over_all on halts for select using ((workspace_id IS NULL));

create table idempotency_keys (
  workspace_id text not null,
  key text not null,
  route text not null,
  body_hash text not null,
  status integer,
  response jsonb,
  created_at timestamp with time zone not null default now(),
  delivery_id text,
  turn text,
  holder text,
  done jsonb,
  constraint idempotency_keys_pkey PRIMARY KEY (workspace_id, key),
  constraint idempotency_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);
CREATE UNIQUE INDEX idempotency_keys_by_delivery ON public.idempotency_keys USING btree (delivery_id) WHERE (delivery_id IS NOT NULL);
alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy of_workspace on idempotency_keys using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table inbox_items (
  id text not null,
  workspace_id text not null,
  received_at timestamp with time zone not null default clock_timestamp(),
  route text not null,
  source text,
  status text not null default 'received'::text,
  attempts integer not null default 0,
  claimed_until timestamp with time zone,
  run_id text,
  error jsonb,
  headers jsonb not null,
  body text not null,
  facts jsonb not null default '{}'::jsonb,
  sealed boolean not null,
  body_digest text not null,
  actor jsonb not null,
  channel text not null,
  claims text[] not null default '{}'::text[],
  constraint inbox_items_pkey PRIMARY KEY (id),
  constraint inbox_items_status_check CHECK ((status = ANY (ARRAY['received'::text, 'started'::text, 'attached'::text, 'unmatched'::text, 'throttled'::text, 'failed'::text, 'replayed'::text]))),
  constraint inbox_items_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX inbox_items_by_route ON public.inbox_items USING btree (workspace_id, route, status, received_at DESC, id DESC);
CREATE INDEX inbox_items_by_source ON public.inbox_items USING btree (workspace_id, source, status, received_at DESC, id DESC) WHERE (source IS NOT NULL);
CREATE INDEX inbox_items_by_status ON public.inbox_items USING btree (workspace_id, status, received_at DESC, id DESC);
CREATE INDEX inbox_items_claimed ON public.inbox_items USING btree (received_at) WHERE ((status = 'received'::text) AND (claims <> '{}'::text[]));
CREATE INDEX inbox_items_settled ON public.inbox_items USING btree (received_at) WHERE (status <> 'received'::text);
CREATE INDEX inbox_items_waiting ON public.inbox_items USING btree (received_at, id) WHERE (status = 'received'::text);
alter table inbox_items enable row level security;
alter table inbox_items force row level security;
create policy of_workspace on inbox_items using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table ingress_deliveries (
  workspace_id text not null,
  pack text not null,
  name text not null,
  delivery_key text not null,
  delivery_id text not null,
  answer jsonb,
  received_at timestamp with time zone not null default now(),
  claimed_at timestamp with time zone not null default now(),
  holder text,
  constraint ingress_deliveries_delivery_id_check CHECK (starts_with(delivery_id, 'dlv_'::text)),
  constraint ingress_deliveries_delivery_key_check CHECK ((length(delivery_key) <= 300)),
  constraint ingress_deliveries_pkey PRIMARY KEY (workspace_id, pack, name, delivery_key),
  constraint ingress_deliveries_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX ingress_deliveries_by_age ON public.ingress_deliveries USING btree (received_at);
alter table ingress_deliveries enable row level security;
alter table ingress_deliveries force row level security;
create policy of_workspace on ingress_deliveries using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table knowledge_chunks (
  workspace_id text not null,
  corpus_id text not null,
  path text not null,
  ordinal integer not null,
  from_line integer not null,
  to_line integer not null,
  heading text,
  text text not null,
  digest text not null,
  embedded_by text,
  embedding real[],
  signs bit varying,
  search tsvector not null generated always as (((setweight(to_tsvector('english'::regconfig, searched_text(COALESCE(heading, ''::text), false)), 'A'::"char") || setweight(to_tsvector('english'::regconfig, searched_text(path, false)), 'C'::"char")) || setweight(to_tsvector('english'::regconfig, searched_text(text, false)), 'D'::"char"))) stored,
  constraint knowledge_chunks_from_line_check CHECK ((from_line > 0)),
  constraint knowledge_chunks_lines CHECK ((to_line >= from_line)),
  constraint knowledge_chunks_ordinal_check CHECK ((ordinal >= 0)),
  constraint knowledge_chunks_pkey PRIMARY KEY (workspace_id, corpus_id, path, ordinal),
  constraint knowledge_chunks_text_check CHECK ((length(text) <= 2000)),
  constraint knowledge_chunks_vector_whole CHECK ((((embedding IS NULL) = (embedded_by IS NULL)) AND ((embedding IS NULL) = (signs IS NULL)) AND ((embedding IS NULL) OR (length((signs)::"bit") = cardinality(embedding))))),
  constraint knowledge_chunks_workspace_id_corpus_id_path_fkey FOREIGN KEY (workspace_id, corpus_id, path) REFERENCES knowledge_documents(workspace_id, corpus_id, path) ON DELETE CASCADE
);
CREATE INDEX knowledge_chunks_search ON public.knowledge_chunks USING gin (search);
alter table knowledge_chunks enable row level security;
alter table knowledge_chunks force row level security;
create policy of_workspace on knowledge_chunks using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table knowledge_corpora (
  id text not null,
  workspace_id text not null,
  name text not null,
  source jsonb not null,
  version integer not null default 0,
  problems jsonb not null default '[]'::jsonb,
  author text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  listed_at timestamp with time zone,
  constraint knowledge_corpora_by_name UNIQUE (workspace_id, name),
  constraint knowledge_corpora_id_check CHECK ((starts_with(id, 'cor_'::text) AND (length(id) = 30))),
  constraint knowledge_corpora_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9_-]{0,63}$'::text)),
  constraint knowledge_corpora_of_workspace UNIQUE (workspace_id, id),
  constraint knowledge_corpora_pkey PRIMARY KEY (id),
  constraint knowledge_corpora_problems_check CHECK ((jsonb_typeof(problems) = 'array'::text)),
  constraint knowledge_corpora_source_check CHECK ((jsonb_typeof(source) = 'object'::text)),
  constraint knowledge_corpora_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
alter table knowledge_corpora enable row level security;
alter table knowledge_corpora force row level security;
create policy of_workspace on knowledge_corpora using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table knowledge_documents (
  workspace_id text not null,
  corpus_id text not null,
  path text not null,
  digest text not null,
  size_bytes integer not null,
  state text not null default 'pending'::text,
  content text,
  chunks integer not null default 0,
  indexed_at timestamp with time zone,
  constraint knowledge_documents_keep_text_once CHECK (((state = 'pending'::text) OR (content IS NULL))),
  constraint knowledge_documents_path_check CHECK (((path <> ''::text) AND (length(path) <= 255))),
  constraint knowledge_documents_pkey PRIMARY KEY (workspace_id, corpus_id, path),
  constraint knowledge_documents_size_bytes_check CHECK (((size_bytes >= 0) AND (size_bytes <= 1048576))),
  constraint knowledge_documents_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'indexed'::text]))),
  constraint knowledge_documents_workspace_id_corpus_id_fkey FOREIGN KEY (workspace_id, corpus_id) REFERENCES knowledge_corpora(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX knowledge_documents_pending ON public.knowledge_documents USING btree (workspace_id, corpus_id) WHERE (state = 'pending'::text);
alter table knowledge_documents enable row level security;
alter table knowledge_documents force row level security;
create policy of_workspace on knowledge_documents using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table leases (
  name text not null,
  holder text not null,
  epoch bigint not null,
  expires_at timestamp with time zone not null,
  constraint leases_name_epoch_key UNIQUE (name, epoch),
  constraint leases_pkey PRIMARY KEY (name)
);

create table ledger_entries (
  run_id text not null,
  step_id text not null,
  attempt integer not null,
  workspace_id text not null,
  environment text not null,
  llm_micro_usd bigint not null,
  gpu_micro_usd bigint not null,
  storage_micro_usd bigint not null,
  overrun_micro_usd bigint not null default 0,
  settled_at timestamp with time zone not null default now(),
  reserved_micro_usd bigint not null,
  basis text not null,
  budget_day date,
  workspace_budget_day date,
  constraint ledger_entries_basis_check CHECK ((basis = ANY (ARRAY['reported'::text, 'estimate'::text]))),
  constraint ledger_entries_estimate_is_charged_whole CHECK (((basis = 'reported'::text) OR (((llm_micro_usd + gpu_micro_usd) + storage_micro_usd) = reserved_micro_usd))),
  constraint ledger_entries_gpu_micro_usd_check CHECK ((gpu_micro_usd >= 0)),
  constraint ledger_entries_llm_micro_usd_check CHECK ((llm_micro_usd >= 0)),
  constraint ledger_entries_overrun_micro_usd_check CHECK ((overrun_micro_usd >= 0)),
  constraint ledger_entries_pkey PRIMARY KEY (run_id, step_id, attempt),
  constraint ledger_entries_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint ledger_entries_storage_micro_usd_check CHECK ((storage_micro_usd >= 0)),
  constraint ledger_entries_within_reservation CHECK ((((llm_micro_usd + gpu_micro_usd) + storage_micro_usd) <= reserved_micro_usd)),
  constraint ledger_entries_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
alter table ledger_entries enable row level security;
alter table ledger_entries force row level security;
create policy of_workspace on ledger_entries using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table magic_links (
  jti text not null,
  gate_id text not null,
  workspace_id text not null,
  recipient text not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  views integer not null default 0,
  wrong_codes integer not null default 0,
  used_at timestamp with time zone,
  used_decision text,
  constraint magic_links_gate_id_fkey FOREIGN KEY (gate_id) REFERENCES gates(id),
  constraint magic_links_gate_id_recipient_key UNIQUE (gate_id, recipient),
  constraint magic_links_jti_check CHECK ((starts_with(jti, 'lnk_'::text) AND (length(jti) = 30))),
  constraint magic_links_pkey PRIMARY KEY (jti),
  constraint magic_links_used_decision_check CHECK ((used_decision = ANY (ARRAY['approve'::text, 'reject'::text]))),
  constraint magic_links_used_for_something CHECK (((used_at IS NULL) = (used_decision IS NULL))),
  constraint magic_links_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
alter table magic_links enable row level security;
alter table magic_links force row level security;
create policy of_workspace on magic_links using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table mcp_tools (
  connection_id text not null,
  name text not null,
  address text not null,
  definition jsonb not null,
  definition_digest text not null,
  listed boolean not null default true,
  found_at timestamp with time zone not null default now(),
  accepted_definition jsonb,
  accepted_digest text,
  effect text,
  accepted_by text,
  accepted_at timestamp with time zone,
  state text not null generated always as (
CASE
    WHEN (NOT listed) THEN 'removed'::text
    WHEN (accepted_digest IS NULL) THEN 'new'::text
    WHEN (accepted_digest = definition_digest) THEN 'accepted'::text
    ELSE 'changed'::text
END) stored,
  constraint mcp_tools_are_accepted_whole CHECK ((num_nonnulls(accepted_definition, accepted_digest, effect, accepted_by, accepted_at) = ANY (ARRAY[0, 5]))),
  constraint mcp_tools_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connections(id) ON DELETE CASCADE,
  constraint mcp_tools_definition_check CHECK ((jsonb_typeof(definition) = 'object'::text)),
  constraint mcp_tools_definition_digest_check CHECK ((definition_digest ~ '^sha256:[0-9a-f]{64}$'::text)),
  constraint mcp_tools_effect_check CHECK ((effect = ANY (ARRAY['read'::text, 'write'::text]))),
  constraint mcp_tools_name_check CHECK ((name ~ '^[A-Za-z0-9_.-]{1,128}$'::text)),
  constraint mcp_tools_pkey PRIMARY KEY (connection_id, name)
);

create table model_calls (
  id text not null,
  workspace_id text not null,
  run_id text,
  key_id text,
  environment text not null,
  model text not null,
  state text not null default 'reserved'::text,
  basis text,
  reserved_micro_usd bigint not null,
  charged_micro_usd bigint not null default 0,
  overrun_micro_usd bigint not null default 0,
  environment_day date,
  workspace_day date,
  key_day date,
  record jsonb not null,
  leased_until timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  settled_at timestamp with time zone,
  ask_thread_id text,
  ask_turn_id text,
  ask_day date,
  step_id text,
  step_attempt integer,
  actor_id text generated always as ((record #>> '{actor,id}'::text[])) stored,
  ask_people text[],
  constraint model_calls_basis_check CHECK ((basis = ANY (ARRAY['reported'::text, 'estimate'::text, 'unspent'::text]))),
  constraint model_calls_charged_micro_usd_check CHECK ((charged_micro_usd >= 0)),
  constraint model_calls_estimate_is_charged_whole CHECK (((basis <> 'estimate'::text) OR (charged_micro_usd = reserved_micro_usd))),
  constraint model_calls_id_check CHECK ((starts_with(id, 'mcl_'::text) AND (length(id) = 30))),
  constraint model_calls_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id),
  constraint model_calls_of_a_step CHECK ((((step_id IS NULL) = (step_attempt IS NULL)) AND ((step_id IS NULL) OR (run_id IS NOT NULL)))),
  constraint model_calls_of_a_whole_turn CHECK ((((ask_turn_id IS NULL) = (ask_thread_id IS NULL)) AND ((ask_turn_id IS NULL) = (ask_day IS NULL)))),
  constraint model_calls_overrun_micro_usd_check CHECK ((overrun_micro_usd >= 0)),
  constraint model_calls_pkey PRIMARY KEY (id),
  constraint model_calls_reserved_micro_usd_check CHECK ((reserved_micro_usd >= 0)),
  constraint model_calls_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint model_calls_settled_says_how CHECK ((((state = 'settled'::text) = (basis IS NOT NULL)) AND ((state = 'settled'::text) = (settled_at IS NOT NULL)))),
  constraint model_calls_state_check CHECK ((state = ANY (ARRAY['reserved'::text, 'settled'::text]))),
  constraint model_calls_within_reservation CHECK ((charged_micro_usd <= reserved_micro_usd)),
  constraint model_calls_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX model_calls_of_ask_day ON public.model_calls USING btree (workspace_id, ask_day) WHERE (ask_day IS NOT NULL);
CREATE INDEX model_calls_of_ask_turn ON public.model_calls USING btree (ask_turn_id) WHERE (ask_turn_id IS NOT NULL);
CREATE INDEX model_calls_of_run ON public.model_calls USING btree (run_id) WHERE (run_id IS NOT NULL);
CREATE INDEX model_calls_of_workspace ON public.model_calls USING btree (workspace_id, created_at DESC) INCLUDE (model, run_id, key_id, actor_id, state, basis, charged_micro_usd, overrun_micro_usd);
CREATE INDEX model_calls_under_way ON public.model_calls USING btree (leased_until) WHERE (state = 'reserved'::text);
alter table model_calls enable row level security;
alter table model_calls force row level security;
create policy of_workspace on model_calls using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table model_probes (
  workspace_id text not null,
  model text not null,
  ok boolean not null,
  latency_ms integer not null,
  cost_micro_usd bigint,
  failed_code text,
  failed_message text,
  probed_by text not null,
  probed_at timestamp with time zone not null default now(),
  constraint model_probes_cost_micro_usd_check CHECK ((cost_micro_usd >= 0)),
  constraint model_probes_failed_message_check CHECK ((length(failed_message) <= 1000)),
  constraint model_probes_latency_ms_check CHECK ((latency_ms >= 0)),
  constraint model_probes_model_check CHECK (((model <> ''::text) AND (length(model) <= 200))),
  constraint model_probes_pkey PRIMARY KEY (workspace_id, model),
  constraint model_probes_say_what_failed CHECK (((ok = (failed_code IS NULL)) AND (ok = (failed_message IS NULL)))),
  constraint model_probes_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
alter table model_probes enable row level security;
alter table model_probes force row level security;
create policy of_workspace on model_probes using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table notice_deliveries (
  gate_id text,
  kind text not null,
  channel text not null,
  recipient text not null,
  workspace_id text not null,
  status text not null default 'planned'::text,
  attempts integer not null default 0,
  detail text,
  reference jsonb,
  delivered_at timestamp with time zone,
  updated_at timestamp with time zone not null default now(),
  id bigint not null generated always as identity,
  link text,
  planned_at timestamp with time zone not null default now(),
  next_at timestamp with time zone,
  run_id text,
  halt_id text,
  halt_notice integer,
  digest_id text,
  digest_notice integer,
  connection_id text,
  authorization_id text,
  authorization_notice integer,
  constraint notice_deliveries_about_one CHECK (((num_nonnulls(gate_id, run_id, halt_id, digest_notice, authorization_id) = 1) AND ((kind = 'ended'::text) = (run_id IS NOT NULL)) AND (starts_with(kind, 'halt_'::text) = (halt_id IS NOT NULL)) AND ((halt_id IS NULL) = (halt_notice IS NULL)) AND (starts_with(kind, 'digest'::text) = (digest_notice IS NOT NULL)) AND (starts_with(kind, 'connection_'::text) = (authorization_id IS NOT NULL)) AND (num_nonnulls(connection_id, authorization_id, authorization_notice) = ANY (ARRAY[0, 3])) AND ((digest_id IS NULL) = ((status <> 'folded'::text) AND (digest_notice IS NULL))) AND ((status <> 'folded'::text) OR (link IS NULL)))),
  constraint notice_deliveries_delivered_when CHECK (((status = 'delivered'::text) = (delivered_at IS NOT NULL))),
  constraint notice_deliveries_digest_id_fkey FOREIGN KEY (digest_id) REFERENCES notice_digests(id),
  constraint notice_deliveries_gate_id_fkey FOREIGN KEY (gate_id) REFERENCES gates(id),
  constraint notice_deliveries_halt_id_fkey FOREIGN KEY (halt_id) REFERENCES halts(id),
  constraint notice_deliveries_kind_check CHECK ((kind = ANY (ARRAY['opened'::text, 'reminder'::text, 'escalated'::text, 'answered_for_you'::text, 'resolved'::text, 'ended'::text, 'halt_set'::text, 'halt_refused'::text, 'halt_lifted'::text, 'digest'::text, 'digest_edit'::text, 'connection_failed'::text, 'connection_unknown'::text, 'connection_ends'::text]))),
  constraint notice_deliveries_link_fkey FOREIGN KEY (link) REFERENCES magic_links(jti),
  constraint notice_deliveries_pkey PRIMARY KEY (id),
  constraint notice_deliveries_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint notice_deliveries_status_check CHECK ((status = ANY (ARRAY['planned'::text, 'delivered'::text, 'failed'::text, 'folded'::text]))),
  constraint notice_deliveries_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX notice_deliveries_failed ON public.notice_deliveries USING btree (workspace_id, updated_at) WHERE (status = 'failed'::text);
CREATE INDEX notice_deliveries_folded ON public.notice_deliveries USING btree (digest_id) WHERE (status = 'folded'::text);
CREATE INDEX notice_deliveries_links ON public.notice_deliveries USING btree (link) WHERE (link IS NOT NULL);
CREATE INDEX notice_deliveries_newest ON public.notice_deliveries USING btree (workspace_id, planned_at DESC, id DESC);
CREATE UNIQUE INDEX notice_deliveries_of_authorization ON public.notice_deliveries USING btree (authorization_id, authorization_notice, channel, recipient);
CREATE UNIQUE INDEX notice_deliveries_of_digest ON public.notice_deliveries USING btree (digest_id, digest_notice) WHERE (digest_notice IS NOT NULL);
CREATE UNIQUE INDEX notice_deliveries_of_gate ON public.notice_deliveries USING btree (gate_id, kind, channel, recipient);
CREATE UNIQUE INDEX notice_deliveries_of_halt ON public.notice_deliveries USING btree (halt_id, halt_notice, channel, recipient);
CREATE INDEX notice_deliveries_of_recipient ON public.notice_deliveries USING btree (channel, recipient, planned_at);
CREATE UNIQUE INDEX notice_deliveries_of_run ON public.notice_deliveries USING btree (run_id, channel, recipient);
alter table notice_deliveries enable row level security;
alter table notice_deliveries force row level security;
create policy of_workspace on notice_deliveries using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table notice_digests (
  id text not null,
  workspace_id text not null,
  channel text not null,
  recipient text not null,
  edits boolean not null,
  created_at timestamp with time zone not null default now(),
  folded_at timestamp with time zone not null,
  changed_at timestamp with time zone not null,
  notice_due_at timestamp with time zone,
  noticed_at timestamp with time zone,
  notices integer not null default 0,
  announced_at timestamp with time zone,
  constraint notice_digests_id_check CHECK ((starts_with(id, 'dgs_'::text) AND (length(id) = 30))),
  constraint notice_digests_pkey PRIMARY KEY (id),
  constraint notice_digests_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX notice_digests_newest ON public.notice_digests USING btree (workspace_id, channel, recipient, created_at DESC);
CREATE INDEX notice_digests_to_notice ON public.notice_digests USING btree (notice_due_at) WHERE (notice_due_at IS NOT NULL);
alter table notice_digests enable row level security;
alter table notice_digests force row level security;
create policy of_workspace on notice_digests using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table oauth_flows (
  state_hash text not null,
  connection_id text not null,
  version integer not null,
  actor jsonb not null,
  environment text not null,
  issuer text not null,
  redirect_uri text not null,
  pkce_sealed text not null,
  browser_hash text,
  expires_at timestamp with time zone not null,
  consumed_at timestamp with time zone,
  code_hash text,
  tries integer not null default 0,
  key_id text,
  token_version integer,
  constraint oauth_flows_are_bound CHECK ((num_nonnulls(browser_hash, code_hash) = 1)),
  constraint oauth_flows_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connections(id) ON DELETE CASCADE,
  constraint oauth_flows_have_one_credential CHECK ((num_nonnulls(key_id, token_version) <= 1)),
  constraint oauth_flows_pkey PRIMARY KEY (state_hash)
);
CREATE INDEX oauth_flows_of_connection ON public.oauth_flows USING btree (connection_id);

create table pipeline_budgets (
  pipeline_id text not null,
  cap_micro_usd bigint not null,
  spent_micro_usd bigint not null default 0,
  reserved_micro_usd bigint not null default 0,
  constraint pipeline_budgets_cap_micro_usd_check CHECK ((cap_micro_usd >= 0)),
  constraint pipeline_budgets_never_over_cap CHECK (((spent_micro_usd + reserved_micro_usd) <= cap_micro_usd)),
  constraint pipeline_budgets_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id),
  constraint pipeline_budgets_pkey PRIMARY KEY (pipeline_id),
  constraint pipeline_budgets_reserved_micro_usd_check CHECK ((reserved_micro_usd >= 0)),
  constraint pipeline_budgets_spent_micro_usd_check CHECK ((spent_micro_usd >= 0))
);
alter table pipeline_budgets enable row level security;
alter table pipeline_budgets force row level security;
create policy of_workspace on pipeline_budgets using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_pipeline(pipeline_id)));

create table pipeline_children (
  run_id text not null,
  pipeline_id text not null,
  step_id text not null,
  index integer not null,
  role text not null,
  inputs jsonb not null,
  status text not null,
  acted boolean not null default false,
  outputs jsonb,
  error jsonb,
  ended_at timestamp with time zone,
  not_before timestamp with time zone,
  cancel_reason text,
  constraint pipeline_children_index_check CHECK ((index >= 0)),
  constraint pipeline_children_once UNIQUE (pipeline_id, step_id, role, index),
  constraint pipeline_children_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id),
  constraint pipeline_children_pkey PRIMARY KEY (run_id),
  constraint pipeline_children_role_check CHECK ((role = ANY (ARRAY['run'::text, 'compensation'::text]))),
  constraint pipeline_children_run_id_check CHECK (starts_with(run_id, 'run_'::text)),
  constraint pipeline_children_status_check CHECK ((status = ANY (ARRAY['starting'::text, 'refused'::text, 'queued'::text, 'running'::text, 'awaiting_approval'::text, 'cancelling'::text, 'succeeded'::text, 'failed'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text])))
);
alter table pipeline_children enable row level security;
alter table pipeline_children force row level security;
create policy of_workspace on pipeline_children using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_pipeline(pipeline_id)));

create table pipeline_events (
  pipeline_id text not null,
  seq bigint not null,
  event_key text not null,
  type text not null,
  ts timestamp with time zone not null,
  step_id text,
  actor jsonb,
  data jsonb not null,
  constraint pipeline_events_pipeline_id_event_key_key UNIQUE (pipeline_id, event_key),
  constraint pipeline_events_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id),
  constraint pipeline_events_pkey PRIMARY KEY (pipeline_id, seq),
  constraint pipeline_events_seq_check CHECK ((seq > 0))
);
alter table pipeline_events enable row level security;
alter table pipeline_events force row level security;
create policy of_workspace on pipeline_events using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_pipeline(pipeline_id)));

create table pipeline_outbox (
  pipeline_id text not null,
  created_at timestamp with time zone not null default now(),
  constraint pipeline_outbox_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id),
  constraint pipeline_outbox_pkey PRIMARY KEY (pipeline_id)
);
alter table pipeline_outbox enable row level security;
alter table pipeline_outbox force row level security;
create policy of_workspace on pipeline_outbox using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_pipeline(pipeline_id)));

create table pipeline_steps (
  pipeline_id text not null,
  step_id text not null,
  ordinal integer not null,
  state text not null,
  reason text,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  deadline_at timestamp with time zone,
  paused_at timestamp with time zone,
  timed_out boolean not null default false,
  fire_at timestamp with time zone,
  topic text,
  after_id bigint,
  items jsonb,
  advanced jsonb,
  outputs jsonb,
  error jsonb,
  constraint pipeline_steps_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id),
  constraint pipeline_steps_pkey PRIMARY KEY (pipeline_id, step_id),
  constraint pipeline_steps_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'waiting_timer'::text, 'waiting_event'::text, 'ready'::text, 'awaiting_approval'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'skipped'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text])))
);
CREATE INDEX pipeline_steps_waiting_for_events ON public.pipeline_steps USING btree (pipeline_id) WHERE (state = 'waiting_event'::text);
alter table pipeline_steps enable row level security;
alter table pipeline_steps force row level security;
create policy of_workspace on pipeline_steps using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_pipeline(pipeline_id)));
CREATE TRIGGER pipeline_steps_begin_legally AFTER INSERT ON public.pipeline_steps FOR EACH ROW EXECUTE FUNCTION check_pipeline_step_transition();
CREATE TRIGGER pipeline_steps_move_legally BEFORE UPDATE OF state ON public.pipeline_steps FOR EACH ROW EXECUTE FUNCTION check_pipeline_step_transition();

create table pipeline_wakes (
  id bigint not null generated always as identity,
  pipeline_id text not null,
  constraint pipeline_wakes_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id),
  constraint pipeline_wakes_pkey PRIMARY KEY (id)
);
alter table pipeline_wakes enable row level security;
alter table pipeline_wakes force row level security;
create policy of_workspace on pipeline_wakes using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_pipeline(pipeline_id)));

create table pipelines (
  id text not null,
  workspace_id text not null,
  name text not null,
  bundle_path text not null,
  bundle_digest text not null,
  definition jsonb not null,
  definition_digest text not null,
  environment text not null,
  environment_class text not null,
  profile text not null,
  status text not null,
  inputs jsonb not null,
  inputs_hash text not null,
  outputs jsonb,
  error jsonb,
  reason text,
  provenance jsonb not null,
  closing jsonb,
  cancel jsonb,
  version integer not null default 0,
  last_seq bigint not null default 0,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  updated_at timestamp with time zone not null default now(),
  constraint pipelines_ended_when_terminal CHECK (((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'rejected'::text, 'cancelled'::text])) = (ended_at IS NOT NULL))),
  constraint pipelines_environment_class_check CHECK ((environment_class = ANY (ARRAY['production'::text, 'staging'::text, 'development'::text, 'sandbox'::text]))),
  constraint pipelines_id_check CHECK (starts_with(id, 'pl_'::text)),
  constraint pipelines_pkey PRIMARY KEY (id),
  constraint pipelines_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'blocked'::text, 'succeeded'::text, 'failed'::text, 'rejected'::text, 'cancelled'::text]))),
  constraint pipelines_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX pipelines_newest ON public.pipelines USING btree (workspace_id, created_at DESC, id DESC);
CREATE INDEX pipelines_newest_by_status ON public.pipelines USING btree (workspace_id, status, created_at DESC, id DESC);
CREATE INDEX pipelines_open ON public.pipelines USING btree (id) WHERE (ended_at IS NULL);
alter table pipelines enable row level security;
alter table pipelines force row level security;
create policy of_workspace on pipelines using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));
CREATE TRIGGER pipelines_begin_legally AFTER INSERT ON public.pipelines FOR EACH ROW EXECUTE FUNCTION check_pipeline_transition();
CREATE TRIGGER pipelines_move_legally BEFORE UPDATE OF status ON public.pipelines FOR EACH ROW EXECUTE FUNCTION check_pipeline_transition();

create table plans (
  digest text not null,
  plan jsonb not null,
  created_at timestamp with time zone not null default now(),
  constraint plans_digest_check CHECK ((starts_with(digest, 'sha256:'::text) AND (length(digest) = 71))),
  constraint plans_pkey PRIMARY KEY (digest)
);

create table presets (
  id text not null,
  workspace_id text not null,
  kind text not null,
  pack text not null,
  template text not null,
  name text not null,
  inputs jsonb not null,
  is_default boolean not null default false,
  version integer not null default 1,
  author text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  authors text[] not null default '{}'::text[],
  constraint presets_by_name UNIQUE (workspace_id, kind, pack, template, name),
  constraint presets_inputs_check CHECK (((jsonb_typeof(inputs) = 'object'::text) AND (length((inputs)::text) <= 262144))),
  constraint presets_kind_check CHECK ((kind = ANY (ARRAY['workflow'::text, 'config'::text, 'input'::text]))),
  constraint presets_name_check CHECK ((length(name) <= 100)),
  constraint presets_of_a_workflow_always_count CHECK (((kind <> 'workflow'::text) OR (NOT is_default))),
  constraint presets_of_a_workflow_are_one CHECK (((kind = 'workflow'::text) = (name = ''::text))),
  constraint presets_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX presets_with_one_default ON public.presets USING btree (workspace_id, kind, pack, template) WHERE is_default;
alter table presets enable row level security;
alter table presets force row level security;
create policy of_workspace on presets using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table refusals (
  kind text not null,
  subject_id text not null,
  workspace_id text not null,
  refused bigint not null default 1,
  reported bigint not null default 0,
  reported_at timestamp with time zone,
  action text not null,
  who text not null,
  draft jsonb,
  constraint refusals_pkey PRIMARY KEY (action, subject_id, kind, who),
  constraint refusals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX refusals_told ON public.refusals USING btree (reported_at) WHERE ((refused = reported) AND (action <> 'claim.refused'::text));
CREATE INDEX refusals_untold ON public.refusals USING btree (reported_at) WHERE (refused > reported);
alter table refusals enable row level security;
alter table refusals force row level security;
create policy of_workspace on refusals using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));
CREATE TRIGGER tell_bus AFTER INSERT ON public.refusals FOR EACH ROW WHEN ((new.action = 'alert.not_understood'::text)) EXECUTE FUNCTION publish_not_understood();

create table remote_jobs (
  id text not null,
  run_id text not null,
  workspace_id text not null,
  step_id text not null,
  attempt integer not null,
  environment text not null,
  queue text not null,
  task_queue text not null,
  activity text not null,
  plan_hash text not null,
  input_digest text not null,
  idempotent boolean not null,
  attest text,
  execution text,
  spec jsonb not null,
  result_schema jsonb not null,
  state text not null default 'created'::text,
  deadline timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  cancel_requested_at timestamp with time zone,
  ended_at timestamp with time zone,
  result jsonb,
  result_digest text,
  failure jsonb,
  identity text,
  constraint remote_jobs_end_once CHECK (((ended_at IS NULL) = (state = ANY (ARRAY['created'::text, 'running'::text])))),
  constraint remote_jobs_id_check CHECK ((starts_with(id, 'job_'::text) AND (length(id) = 30))),
  constraint remote_jobs_pkey PRIMARY KEY (id),
  constraint remote_jobs_returned_have_results CHECK (((result_digest IS NOT NULL) = (state = 'returned'::text))),
  constraint remote_jobs_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint remote_jobs_state_check CHECK ((state = ANY (ARRAY['created'::text, 'running'::text, 'returned'::text, 'failed'::text, 'unknown'::text, 'cancelled'::text, 'not_dispatched'::text]))),
  constraint remote_jobs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX remote_jobs_newest ON public.remote_jobs USING btree (workspace_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX remote_jobs_of_attempt ON public.remote_jobs USING btree (run_id, step_id, attempt) WHERE (state <> 'not_dispatched'::text);
CREATE INDEX remote_jobs_open ON public.remote_jobs USING btree (created_at) WHERE (ended_at IS NULL);
alter table remote_jobs enable row level security;
alter table remote_jobs force row level security;
create policy of_workspace on remote_jobs using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table run_alert_members (
  run_id text not null,
  member text not null,
  fired_at timestamp with time zone,
  ended_at timestamp with time zone,
  workspace_id text not null,
  constraint run_alert_members_pkey PRIMARY KEY (run_id, member),
  constraint run_alert_members_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
);
CREATE INDEX run_alert_members_of_member ON public.run_alert_members USING btree (workspace_id, member, run_id DESC);
alter table run_alert_members enable row level security;
alter table run_alert_members force row level security;
create policy of_workspace on run_alert_members using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_run(run_id)));

create table run_alert_states (
  run_id text not null,
  member text not null,
  status text not null,
  alert jsonb not null,
  received_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint run_alert_states_pkey PRIMARY KEY (run_id, member),
  constraint run_alert_states_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint run_alert_states_status_check CHECK ((status = ANY (ARRAY['firing'::text, 'resolved'::text])))
);
alter table run_alert_states enable row level security;
alter table run_alert_states force row level security;
create policy of_workspace on run_alert_states using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_run(run_id)));

create table run_alerts (
  id bigint not null generated always as identity,
  run_id text not null,
  delivery_id text not null,
  member text not null,
  status text not null,
  received_at timestamp with time zone not null default now(),
  digest bytea,
  constraint run_alerts_pkey PRIMARY KEY (id),
  constraint run_alerts_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint run_alerts_status_check CHECK ((status = ANY (ARRAY['firing'::text, 'resolved'::text])))
);
CREATE INDEX run_alerts_of_delivery ON public.run_alerts USING brin (delivery_id) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX run_alerts_of_run ON public.run_alerts USING btree (run_id, id DESC);
alter table run_alerts enable row level security;
alter table run_alerts force row level security;
create policy of_workspace on run_alerts using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_run(run_id)));

create table run_events (
  run_id text not null,
  seq bigint not null,
  event_key text not null,
  type text not null,
  ts timestamp with time zone not null,
  step_id text,
  actor jsonb,
  data jsonb not null,
  constraint run_events_pkey PRIMARY KEY (run_id, seq),
  constraint run_events_run_id_event_key_key UNIQUE (run_id, event_key),
  constraint run_events_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint run_events_seq_check CHECK ((seq > 0))
);
alter table run_events enable row level security;
alter table run_events force row level security;
create policy of_workspace on run_events using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_run(run_id)));
CREATE TRIGGER run_events_publish AFTER INSERT ON public.run_events FOR EACH ROW WHEN (is_on_bus(new.type)) EXECUTE FUNCTION publish_run_event();

create table run_secrets (
  run_id text not null,
  sealed text not null,
  constraint run_secrets_pkey PRIMARY KEY (run_id),
  constraint run_secrets_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
);
alter table run_secrets enable row level security;
alter table run_secrets force row level security;
create policy of_workspace on run_secrets using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_run(run_id)));

create table run_steps (
  run_id text not null,
  step_id text not null,
  ordinal integer not null,
  state text not null,
  attempt integer not null default 0,
  plan_hash text,
  simulation jsonb,
  outputs jsonb,
  error jsonb,
  message text,
  reserved_micro_usd bigint not null default 0,
  budget_day date,
  cost_micro_usd bigint not null default 0,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  workspace_budget_day date,
  reserved_gpu_micro_usd bigint not null default 0,
  reserved_storage_micro_usd bigint not null default 0,
  inputs jsonb,
  constraint run_steps_cost_micro_usd_check CHECK ((cost_micro_usd >= 0)),
  constraint run_steps_pkey PRIMARY KEY (run_id, step_id),
  constraint run_steps_reserve_only_while_running CHECK (((reserved_micro_usd = 0) OR (state = 'running'::text))),
  constraint run_steps_reserved_by_kind CHECK (((reserved_gpu_micro_usd + reserved_storage_micro_usd) <= reserved_micro_usd)),
  constraint run_steps_reserved_gpu_micro_usd_check CHECK ((reserved_gpu_micro_usd >= 0)),
  constraint run_steps_reserved_micro_usd_check CHECK ((reserved_micro_usd >= 0)),
  constraint run_steps_reserved_storage_micro_usd_check CHECK ((reserved_storage_micro_usd >= 0)),
  constraint run_steps_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint run_steps_state_check CHECK ((state = ANY (ARRAY['ready'::text, 'running'::text, 'awaiting_approval'::text, 'succeeded'::text, 'failed'::text, 'skipped'::text, 'cancelled'::text, 'expired'::text, 'outcome_unknown'::text])))
);
alter table run_steps enable row level security;
alter table run_steps force row level security;
create policy of_workspace on run_steps using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_run(run_id)));
CREATE TRIGGER run_steps_begin_legally AFTER INSERT ON public.run_steps FOR EACH ROW EXECUTE FUNCTION check_step_transition();
CREATE TRIGGER run_steps_move_legally BEFORE UPDATE OF state ON public.run_steps FOR EACH ROW EXECUTE FUNCTION check_step_transition();

create table run_trigger_alerts (
  run_id text not null,
  alert jsonb not null,
  members_cut boolean not null default false,
  constraint run_trigger_alerts_pkey PRIMARY KEY (run_id),
  constraint run_trigger_alerts_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
);
alter table run_trigger_alerts enable row level security;
alter table run_trigger_alerts force row level security;
create policy of_workspace on run_trigger_alerts using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_run(run_id)));

create table runs (
  id text not null,
  workspace_id text not null,
  pack text not null,
  template text not null,
  template_version text not null,
  template_digest text not null,
  plan_digest text not null,
  status text not null,
  status_reason text,
  lane text not null,
  environment text not null,
  environment_class text not null,
  profile text not null,
  config_preset text,
  sandbox boolean not null default false,
  dry_run boolean not null default false,
  risk text not null,
  action_types text[] not null,
  capabilities text[] not null,
  inputs jsonb not null,
  inputs_hash text not null,
  outputs jsonb,
  error jsonb,
  reason text,
  labels jsonb not null default '{}'::jsonb,
  provenance jsonb not null,
  fingerprint text,
  attached_count integer not null default 0,
  cap_micro_usd bigint not null,
  llm_micro_usd bigint not null default 0,
  gpu_micro_usd bigint not null default 0,
  storage_micro_usd bigint not null default 0,
  reserved_micro_usd bigint not null default 0,
  current_step text,
  fence integer not null default 0,
  last_seq bigint not null default 0,
  created_at timestamp with time zone not null default now(),
  queued_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  awaiting_since timestamp with time zone,
  ended_at timestamp with time zone,
  updated_at timestamp with time zone not null default now(),
  trigger_type text generated always as ((provenance #>> '{trigger,type}'::text[])) stored,
  pipeline_id text,
  claims smallint not null default 0,
  constraint runs_attached_count_check CHECK ((attached_count >= 0)),
  constraint runs_awaiting_has_since CHECK (((status = 'awaiting_approval'::text) = (awaiting_since IS NOT NULL))),
  constraint runs_cap_micro_usd_check CHECK ((cap_micro_usd >= 0)),
  constraint runs_ended_when_terminal CHECK (((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text])) = (ended_at IS NOT NULL))),
  constraint runs_environment_class_check CHECK ((environment_class = ANY (ARRAY['production'::text, 'staging'::text, 'development'::text, 'sandbox'::text]))),
  constraint runs_failed_says_why CHECK (((status <> 'failed'::text) OR (error IS NOT NULL))),
  constraint runs_gpu_micro_usd_check CHECK ((gpu_micro_usd >= 0)),
  constraint runs_id_check CHECK ((starts_with(id, 'run_'::text) AND (length(id) = 30))),
  constraint runs_lane_check CHECK ((lane = ANY (ARRAY['realtime'::text, 'background'::text]))),
  constraint runs_llm_micro_usd_check CHECK ((llm_micro_usd >= 0)),
  constraint runs_never_over_cap CHECK (((((llm_micro_usd + gpu_micro_usd) + storage_micro_usd) + reserved_micro_usd) <= cap_micro_usd)),
  constraint runs_pkey PRIMARY KEY (id),
  constraint runs_plan_digest_fkey FOREIGN KEY (plan_digest) REFERENCES plans(digest),
  constraint runs_reserved_micro_usd_check CHECK ((reserved_micro_usd >= 0)),
  constraint runs_risk_check CHECK ((risk = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text]))),
  constraint runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'awaiting_approval'::text, 'cancelling'::text, 'succeeded'::text, 'failed'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text]))),
  constraint runs_storage_micro_usd_check CHECK ((storage_micro_usd >= 0)),
  constraint runs_terminal_holds_nothing CHECK (((ended_at IS NULL) OR (reserved_micro_usd = 0))),
  constraint runs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX runs_active ON public.runs USING btree (id) INCLUDE (workspace_id, lane, created_at) WHERE (ended_at IS NULL);
CREATE INDEX runs_ended ON public.runs USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX runs_held ON public.runs USING btree (id) WHERE ((status_reason = 'halted'::text) AND (ended_at IS NULL));
CREATE INDEX runs_newest ON public.runs USING btree (workspace_id, created_at DESC, id DESC);
CREATE INDEX runs_newest_by_environment ON public.runs USING btree (workspace_id, environment, created_at DESC, id DESC);
CREATE INDEX runs_newest_by_lane_and_status ON public.runs USING btree (workspace_id, lane, status, created_at DESC, id DESC);
CREATE INDEX runs_newest_by_pack ON public.runs USING btree (workspace_id, pack, created_at DESC, id DESC);
CREATE INDEX runs_newest_by_trigger ON public.runs USING btree (workspace_id, trigger_type, created_at DESC, id DESC);
CREATE INDEX runs_of_fingerprint ON public.runs USING btree (workspace_id, fingerprint, created_at DESC) WHERE (fingerprint IS NOT NULL);
CREATE INDEX runs_of_pipeline ON public.runs USING btree (pipeline_id) WHERE (pipeline_id IS NOT NULL);
CREATE UNIQUE INDEX runs_one_active_per_fingerprint ON public.runs USING btree (workspace_id, fingerprint) WHERE ((fingerprint IS NOT NULL) AND (status = ANY (ARRAY['queued'::text, 'running'::text, 'awaiting_approval'::text, 'cancelling'::text])));
CREATE INDEX runs_released ON public.runs USING btree (id) WHERE ((status_reason = 'halt_lifted'::text) AND (ended_at IS NULL));
CREATE INDEX runs_started ON public.runs USING btree (started_at) WHERE (started_at IS NOT NULL);
alter table runs enable row level security;
alter table runs force row level security;
create policy of_workspace on runs using (((( SELECT current_setting('svc.workspace'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.workspace'::text, true) AS current_setting) = workspace_id)));
CREATE TRIGGER runs_begin_legally AFTER INSERT ON public.runs FOR EACH ROW EXECUTE FUNCTION check_run_transition();
CREATE TRIGGER runs_forget_secrets AFTER UPDATE OF ended_at ON public.runs FOR EACH ROW WHEN (((new.ended_at IS NOT NULL) AND (old.ended_at IS NULL))) EXECUTE FUNCTION forget_run_secrets();
CREATE TRIGGER runs_move_legally BEFORE UPDATE OF status ON public.runs FOR EACH ROW EXECUTE FUNCTION check_run_transition();

create table saved_views (
  workspace_id text not null,
  user_id text not null,
  page text not null,
  name text not null,
  search jsonb not null,
  constraint saved_views_name_check CHECK (((length(name) >= 1) AND (length(name) <= 60))),
  constraint saved_views_page_check CHECK ((page = ANY (ARRAY['gates'::text, 'runs'::text]))),
  constraint saved_views_pkey PRIMARY KEY (workspace_id, user_id, page, name),
  constraint saved_views_search_check CHECK (((jsonb_typeof(search) = 'object'::text) AND (length((search)::text) <= 16384)))
);
alter table saved_views enable row level security;
alter table saved_views force row level security;
create policy of_workspace on saved_views using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table schedule_firings (
  schedule_id text not null,
  nominal_at timestamp with time zone not null,
  workspace_id text not null,
  run_id text,
  outcome text not null,
  reason text,
  actual_at timestamp with time zone not null default now(),
  in_line boolean not null default false,
  constraint schedule_firings_outcome_check CHECK ((outcome = ANY (ARRAY['claimed'::text, 'waiting'::text, 'started'::text, 'skipped'::text, 'missed'::text, 'denied'::text, 'frozen'::text, 'halted'::text, 'invalid'::text]))),
  constraint schedule_firings_pkey PRIMARY KEY (schedule_id, nominal_at),
  constraint schedule_firings_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES schedules(id),
  constraint schedule_firings_started_a_run CHECK (((outcome = ANY (ARRAY['claimed'::text, 'started'::text])) = (run_id IS NOT NULL))),
  constraint schedule_firings_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX schedule_firings_oldest ON public.schedule_firings USING btree (nominal_at);
CREATE INDEX schedule_firings_waiting ON public.schedule_firings USING btree (schedule_id) WHERE (outcome = 'waiting'::text);
CREATE INDEX schedule_firings_with_run ON public.schedule_firings USING btree (schedule_id, nominal_at DESC) WHERE (run_id IS NOT NULL);
alter table schedule_firings enable row level security;
alter table schedule_firings force row level security;
create policy of_workspace on schedule_firings using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));
CREATE TRIGGER schedule_firings_have_come BEFORE INSERT ON public.schedule_firings FOR EACH ROW WHEN (((new.outcome = ANY (ARRAY['claimed'::text, 'waiting'::text, 'started'::text])) AND (new.nominal_at > (clock_timestamp() + '00:00:01'::interval)))) EXECUTE FUNCTION refuse_firing_to_come();

create table schedules (
  id text not null,
  workspace_id text not null,
  name text not null,
  source text not null,
  cron text not null,
  timezone text not null,
  days text,
  pack text not null,
  template text not null,
  inputs jsonb not null default '{}'::jsonb,
  dry_run boolean not null default false,
  profile text,
  environment text,
  config_preset text,
  preset_version integer,
  enabled boolean not null default true,
  catchup text not null default 'none'::text,
  overlap text not null default 'skip'::text,
  jitter_s integer not null default 0,
  dst jsonb not null,
  last_fire jsonb,
  created_by text,
  version integer not null default 1,
  synced_version integer not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  accounted_until timestamp with time zone not null default now(),
  made_through text,
  constraint schedules_catchup_check CHECK ((catchup = ANY (ARRAY['none'::text, 'latest'::text, 'all'::text]))),
  constraint schedules_days_check CHECK ((days = ANY (ARRAY['and'::text, 'or'::text]))),
  constraint schedules_id_check CHECK ((starts_with(id, 'sch_'::text) AND (length(id) = 30))),
  constraint schedules_jitter_s_check CHECK ((jitter_s >= 0)),
  constraint schedules_overlap_check CHECK ((overlap = ANY (ARRAY['skip'::text, 'queue'::text, 'cancel_previous'::text]))),
  constraint schedules_pkey PRIMARY KEY (id),
  constraint schedules_source_check CHECK ((source = ANY (ARRAY['console'::text, 'pack'::text, 'skill'::text, 'overlay'::text]))),
  constraint schedules_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX schedules_newest ON public.schedules USING btree (workspace_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX schedules_one_per_name ON public.schedules USING btree (workspace_id, name, source) WHERE (deleted_at IS NULL);
alter table schedules enable row level security;
alter table schedules force row level security;
create policy of_workspace on schedules using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table set_aside (
  kind text not null,
  subject text not null,
  workspace_id text not null,
  reason text not null,
  created_at timestamp with time zone not null default now(),
  constraint set_aside_kind_check CHECK ((kind = ANY (ARRAY['delivery'::text, 'run'::text]))),
  constraint set_aside_pkey PRIMARY KEY (kind, subject)
);
CREATE INDEX set_aside_by_workspace ON public.set_aside USING btree (workspace_id, created_at DESC);
alter table set_aside enable row level security;
alter table set_aside force row level security;
create policy of_workspace on set_aside using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));
CREATE TRIGGER tell_bus AFTER INSERT ON public.set_aside FOR EACH ROW EXECUTE FUNCTION publish_set_aside();

create table skill_firings (
  skill text not null,
  workspace_id text not null,
  event_key text not null,
  message_id text not null,
  topic text not null,
  run_id text not null,
  outcome text,
  reason text,
  claimed_at timestamp with time zone not null default now(),
  settled_at timestamp with time zone,
  constraint skill_firings_outcome_check CHECK ((outcome = ANY (ARRAY['started'::text, 'denied'::text, 'frozen'::text, 'halted'::text, 'invalid'::text, 'suppressed'::text]))),
  constraint skill_firings_pkey PRIMARY KEY (skill, workspace_id, event_key),
  constraint skill_firings_settled_when CHECK (((outcome IS NULL) = (settled_at IS NULL))),
  constraint skill_firings_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX skill_firings_age ON public.skill_firings USING btree (claimed_at);
alter table skill_firings enable row level security;
alter table skill_firings force row level security;
create policy of_workspace on skill_firings using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table start_outbox (
  run_id text not null,
  created_at timestamp with time zone not null default now(),
  held_until timestamp with time zone,
  constraint start_outbox_pkey PRIMARY KEY (run_id),
  constraint start_outbox_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
);
alter table start_outbox enable row level security;
alter table start_outbox force row level security;
create policy of_workspace on start_outbox using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_run(run_id)));

create table trigger_throttles (
  workspace_id text not null,
  fingerprint text not null,
  until timestamp with time zone not null,
  constraint trigger_throttles_pkey PRIMARY KEY (workspace_id, fingerprint),
  constraint trigger_throttles_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
alter table trigger_throttles enable row level security;
alter table trigger_throttles force row level security;
create policy of_workspace on trigger_throttles using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table users (
  id text not null,
  account_id text not null,
  email text not null,
  display_name text,
  roles text[] not null,
  approval_roles text[] not null default '{}'::text[],
  scopes text[] not null default '{}'::text[],
  workspaces text[] not null,
  status text not null default 'invited'::text,
  password_hash text,
  invite_hash text,
  invite_expires_at timestamp with time zone,
  token_version integer not null default 1,
  out_of_office_until timestamp with time zone,
  delegate_to text,
  last_login_at timestamp with time zone,
  invited_by text,
  bootstrapped boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  answering_accounts text[] not null default '{}'::text[],
  changed_by jsonb not null default '{}'::jsonb,
  ended_sessions text[] not null default '{}'::text[],
  constraint users_account_id_check CHECK ((starts_with(account_id, 'acc_'::text) AND ((length(account_id) >= 5) AND (length(account_id) <= 30)))),
  constraint users_active_can_sign_in CHECK (((status <> 'active'::text) OR (password_hash IS NOT NULL) OR ('service'::text = ANY (roles)))),
  constraint users_answering_accounts_check CHECK (((cardinality(answering_accounts) <= 20) AND (array_position(answering_accounts, NULL::text) IS NULL))),
  constraint users_changed_by_check CHECK ((jsonb_typeof(changed_by) = 'object'::text)),
  constraint users_delegate_to_fkey FOREIGN KEY (delegate_to) REFERENCES users(id),
  constraint users_delegate_to_somebody_else CHECK ((delegate_to <> id)),
  constraint users_display_name_check CHECK ((display_name <> ''::text)),
  constraint users_email_check CHECK (((email = lower(email)) AND (length(email) <= 254) AND (POSITION(('@'::text) IN (email)) > 1))),
  constraint users_email_key UNIQUE (email),
  constraint users_everywhere_only_above CHECK ((('*'::text <> ALL (workspaces)) OR ((cardinality(workspaces) = 1) AND ((roles && ARRAY['owner'::text, 'admin'::text]) OR (roles <@ ARRAY['auditor'::text]))))),
  constraint users_have_a_home CHECK (((cardinality(workspaces) > 0) AND (array_position(workspaces, NULL::text) IS NULL))),
  constraint users_id_check CHECK ((starts_with(id, 'usr_'::text) AND (length(id) = 30))),
  constraint users_invite_hash_check CHECK ((length(invite_hash) = 64)),
  constraint users_invited_hold_an_invitation CHECK ((((status = 'invited'::text) = (invite_hash IS NOT NULL)) AND ((invite_hash IS NULL) = (invite_expires_at IS NULL)))),
  constraint users_know_their_roles CHECK (((cardinality(roles) > 0) AND (roles <@ ARRAY['owner'::text, 'admin'::text, 'operator'::text, 'approver'::text, 'viewer'::text, 'service'::text, 'auditor'::text]))),
  constraint users_password_hash_check CHECK (starts_with(password_hash, '$argon2id$'::text)),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_status_check CHECK ((status = ANY (ARRAY['invited'::text, 'active'::text, 'disabled'::text]))),
  constraint users_token_version_check CHECK ((token_version > 0))
);
CREATE INDEX users_delegators ON public.users USING btree (delegate_to) WHERE (delegate_to IS NOT NULL);
CREATE INDEX users_newest ON public.users USING btree (account_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX users_one_bootstrapped ON public.users USING btree (bootstrapped) WHERE bootstrapped;

create table worker_heartbeats (
  worker_id text not null,
  lanes text[] not null,
  audit_leader boolean not null,
  audit_ok boolean not null,
  seen_at timestamp with time zone not null default now(),
  constraint worker_heartbeats_pkey PRIMARY KEY (worker_id)
);

create table workspaces (
  id text not null,
  slug text not null,
  name text not null,
  status text not null default 'active'::text,
  protected boolean not null default true,
  default_environment text not null default 'development'::text,
  limits jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  archived_at timestamp with time zone,
  version integer not null default 1,
  constraint workspaces_check CHECK (((status = 'archived'::text) = (archived_at IS NOT NULL))),
  constraint workspaces_id_check CHECK ((starts_with(id, 'ws_'::text) AND (length(id) = 29))),
  constraint workspaces_pkey PRIMARY KEY (id),
  constraint workspaces_slug_key UNIQUE (slug),
  constraint workspaces_status_check CHECK ((status = ANY (ARRAY['active'::text, 'archived'::text])))
);
alter table workspaces enable row level security;
alter table workspaces force row level security;
create policy of_workspace on workspaces using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (id = current_setting('svc.workspace'::text, true))));

create view visible_run_alerts with (security_barrier=true) as
 SELECT a.run_id,
    a.id,
    a.delivery_id,
    a.status,
    a.received_at,
    ('sha256:'::text || encode(a.digest, 'hex'::text)) AS digest
   FROM (runs r
     JOIN run_alerts a ON ((a.run_id = r.id)))
  WHERE ((( SELECT current_setting('svc.workspace'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.workspace'::text, true) AS current_setting) = r.workspace_id));

create view visible_run_steps with (security_barrier=true) as
 SELECT s.run_id,
    s.step_id,
    s.ordinal,
    s.state,
    s.attempt,
    s.plan_hash,
    s.message,
    s.cost_micro_usd,
    s.started_at,
    s.ended_at
   FROM (runs r
     JOIN run_steps s ON ((s.run_id = r.id)))
  WHERE ((( SELECT current_setting('svc.workspace'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.workspace'::text, true) AS current_setting) = r.workspace_id));
