create table artifact_bodies (
  digest text not null,
  body bytea not null,
  constraint artifact_bodies_digest_check CHECK ((starts_with(digest, 'sha256:'::text) AND (length(digest) = 71))),
  constraint artifact_bodies_pkey PRIMARY KEY (digest)
);
alter table artifact_bodies enable row level security;
alter table artifact_bodies force row level security;
create policy of_workspace on artifact_bodies using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_artifact(digest)));

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
  constraint artifacts_digest_fkey FOREIGN KEY (digest) REFERENCES artifact_bodies(digest),
  constraint artifacts_pkey PRIMARY KEY (id),
  constraint artifacts_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint artifacts_run_id_name_key UNIQUE (run_id, name),
  constraint artifacts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX artifacts_by_digest ON public.artifacts USING btree (digest);
alter table artifacts enable row level security;
alter table artifacts force row level security;
create policy of_workspace on artifacts using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

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
  constraint audit_outbox_check CHECK (((seq IS NULL) = (hash IS NULL))),
  constraint audit_outbox_pkey PRIMARY KEY (id),
  constraint audit_outbox_seq_key UNIQUE (seq)
);
CREATE INDEX audit_outbox_unsequenced ON public.audit_outbox USING btree (id) WHERE (seq IS NULL);
alter table audit_outbox enable row level security;
alter table audit_outbox force row level security;
create policy of_workspace on audit_outbox using (((current_setting('svc.workspace'::text, true) = '*'::text) OR ((draft ->> 'workspace_id'::text) = current_setting('svc.workspace'::text, true))));

create table bus_cursors (
  subscriber text not null,
  workspace_id text not null,
  last_id bigint not null,
  reading_to bigint not null,
  updated_at timestamp with time zone not null default now(),
  holder bigint not null default 0,
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
  constraint gate_decisions_auth_check CHECK ((auth = ANY (ARRAY['none'::text, 'jwt'::text, 'magic_link'::text, 'signature'::text]))),
  constraint gate_decisions_decision_check CHECK ((decision = ANY (ARRAY['approve'::text, 'reject'::text]))),
  constraint gate_decisions_gate_id_decided_by_decision_key UNIQUE (gate_id, decided_by, decision),
  constraint gate_decisions_gate_id_fkey FOREIGN KEY (gate_id) REFERENCES gates(id),
  constraint gate_decisions_pkey PRIMARY KEY (gate_id, decision_id)
);
alter table gate_decisions enable row level security;
alter table gate_decisions force row level security;
create policy of_workspace on gate_decisions using (((current_setting('svc.workspace'::text, true) = '*'::text) OR sees_gate(gate_id)));

create table gate_notices (
  id bigint not null generated always as identity,
  gate_id text not null,
  run_id text not null,
  workspace_id text not null,
  kind text not null,
  created_at timestamp with time zone not null default now(),
  due_at timestamp with time zone not null default now(),
  attempts integer not null default 0,
  handed_at timestamp with time zone,
  constraint gate_notices_gate_id_fkey FOREIGN KEY (gate_id) REFERENCES gates(id),
  constraint gate_notices_gate_id_kind_key UNIQUE (gate_id, kind),
  constraint gate_notices_kind_check CHECK ((kind = ANY (ARRAY['opened'::text, 'resolved'::text]))),
  constraint gate_notices_pkey PRIMARY KEY (id),
  constraint gate_notices_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint gate_notices_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
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
  constraint idempotency_keys_pkey PRIMARY KEY (workspace_id, key),
  constraint idempotency_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);
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
  constraint inbox_items_pkey PRIMARY KEY (id),
  constraint inbox_items_status_check CHECK ((status = ANY (ARRAY['received'::text, 'started'::text, 'attached'::text, 'unmatched'::text, 'throttled'::text, 'failed'::text, 'replayed'::text]))),
  constraint inbox_items_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX inbox_items_by_route ON public.inbox_items USING btree (workspace_id, route, status, received_at DESC, id DESC);
CREATE INDEX inbox_items_by_source ON public.inbox_items USING btree (workspace_id, source, status, received_at DESC, id DESC) WHERE (source IS NOT NULL);
CREATE INDEX inbox_items_by_status ON public.inbox_items USING btree (workspace_id, status, received_at DESC, id DESC);
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
  constraint ingress_deliveries_delivery_id_check CHECK (starts_with(delivery_id, 'dlv_'::text)),
  constraint ingress_deliveries_delivery_key_check CHECK ((length(delivery_key) <= 300)),
  constraint ingress_deliveries_pkey PRIMARY KEY (workspace_id, pack, name, delivery_key),
  constraint ingress_deliveries_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX ingress_deliveries_by_age ON public.ingress_deliveries USING btree (received_at);
alter table ingress_deliveries enable row level security;
alter table ingress_deliveries force row level security;
create policy of_workspace on ingress_deliveries using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

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

create table notice_deliveries (
  gate_id text not null,
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
  constraint notice_deliveries_delivered_when CHECK (((status = 'delivered'::text) = (delivered_at IS NOT NULL))),
  constraint notice_deliveries_gate_id_fkey FOREIGN KEY (gate_id) REFERENCES gates(id),
  constraint notice_deliveries_id_key UNIQUE (id),
  constraint notice_deliveries_kind_check CHECK ((kind = ANY (ARRAY['opened'::text, 'reminder'::text, 'escalated'::text, 'resolved'::text]))),
  constraint notice_deliveries_link_fkey FOREIGN KEY (link) REFERENCES magic_links(jti),
  constraint notice_deliveries_pkey PRIMARY KEY (gate_id, kind, channel, recipient),
  constraint notice_deliveries_status_check CHECK ((status = ANY (ARRAY['planned'::text, 'delivered'::text, 'failed'::text]))),
  constraint notice_deliveries_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX notice_deliveries_links ON public.notice_deliveries USING btree (link) WHERE (link IS NOT NULL);
alter table notice_deliveries enable row level security;
alter table notice_deliveries force row level security;
create policy of_workspace on notice_deliveries using (((current_setting('svc.workspace'::text, true) = '*'::text) OR (workspace_id = current_setting('svc.workspace'::text, true))));

create table plans (
  digest text not null,
  plan jsonb not null,
  created_at timestamp with time zone not null default now(),
  constraint plans_digest_check CHECK ((starts_with(digest, 'sha256:'::text) AND (length(digest) = 71))),
  constraint plans_pkey PRIMARY KEY (digest)
);

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

create table run_alerts (
  id bigint not null generated always as identity,
  run_id text not null,
  delivery_id text not null,
  member text not null,
  status text not null,
  received_at timestamp with time zone not null default now(),
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
CREATE INDEX runs_newest_by_lane_and_status ON public.runs USING btree (workspace_id, lane, status, created_at DESC, id DESC);
CREATE INDEX runs_of_fingerprint ON public.runs USING btree (workspace_id, fingerprint, created_at DESC) WHERE (fingerprint IS NOT NULL);
CREATE UNIQUE INDEX runs_one_active_per_fingerprint ON public.runs USING btree (workspace_id, fingerprint) WHERE ((fingerprint IS NOT NULL) AND (status = ANY (ARRAY['queued'::text, 'running'::text, 'awaiting_approval'::text, 'cancelling'::text])));
CREATE INDEX runs_released ON public.runs USING btree (id) WHERE ((status_reason = 'halt_lifted'::text) AND (ended_at IS NULL));
CREATE INDEX runs_started ON public.runs USING btree (started_at) WHERE (started_at IS NOT NULL);
alter table runs enable row level security;
alter table runs force row level security;
create policy of_workspace on runs using (((( SELECT current_setting('svc.workspace'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.workspace'::text, true) AS current_setting) = workspace_id)));

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
  constraint users_account_id_check CHECK ((starts_with(account_id, 'acc_'::text) AND ((length(account_id) >= 5) AND (length(account_id) <= 30)))),
  constraint users_active_can_sign_in CHECK (((status <> 'active'::text) OR (password_hash IS NOT NULL) OR ('service'::text = ANY (roles)))),
  constraint users_delegate_to_fkey FOREIGN KEY (delegate_to) REFERENCES users(id),
  constraint users_delegate_to_somebody_else CHECK ((delegate_to <> id)),
  constraint users_display_name_check CHECK ((display_name <> ''::text)),
  constraint users_email_check CHECK (((email = lower(email)) AND (length(email) <= 254) AND (POSITION(('@'::text) IN (email)) > 1))),
  constraint users_email_key UNIQUE (email),
  constraint users_everywhere_only_above CHECK ((('*'::text <> ALL (workspaces)) OR ((cardinality(workspaces) = 1) AND (roles && ARRAY['owner'::text, 'admin'::text])))),
  constraint users_have_a_home CHECK (((cardinality(workspaces) > 0) AND (array_position(workspaces, NULL::text) IS NULL))),
  constraint users_id_check CHECK ((starts_with(id, 'usr_'::text) AND (length(id) = 30))),
  constraint users_invite_hash_check CHECK ((length(invite_hash) = 64)),
  constraint users_invited_hold_an_invitation CHECK ((((status = 'invited'::text) = (invite_hash IS NOT NULL)) AND ((invite_hash IS NULL) = (invite_expires_at IS NULL)))),
  constraint users_know_their_roles CHECK (((cardinality(roles) > 0) AND (roles <@ ARRAY['owner'::text, 'admin'::text, 'operator'::text, 'approver'::text, 'viewer'::text, 'service'::text]))),
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
    a.received_at
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

CREATE OR REPLACE FUNCTION public.admit_runs(p_drafts jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET lock_timeout TO '3s'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_held jsonb := '{}';
  v_places bigint[] := '{}';
  v_active text[] := '{}';
  v_result jsonb;
begin
  if jsonb_path_exists(p_drafts, '$[*].limits') then
    v_held := hold_back(p_drafts);
    select array_agg(position), lock_active(array_agg(workspace), array_agg(fingerprint)) into v_places, v_active from (
      select d ->> 'workspace_id' as workspace, d ->> 'fingerprint' as fingerprint, position
      from jsonb_array_elements(p_drafts) with ordinality t(d, position) where v_held ? (d ->> 'id') order by position
    ) held;
  end if;

  insert into plans (digest, plan)
  select distinct on (d ->> 'plan_digest') d ->> 'plan_digest', d -> 'plan'
  from jsonb_array_elements(p_drafts) t(d) where d ? 'plan'
  on conflict do nothing;

  -- `key` pairs a run with its draft, by hash: the fingerprint when there is one, else the run's own id
  with drafts as materialized (
    select d, position, d ->> 'id' as draft_id, coalesce(d ->> 'fingerprint', d ->> 'id') as key, d ->> 'workspace_id' as workspace,
      greatest(jsonb_array_length(coalesce(d -> 'alerts', '[]')), 1) as members, (v_held ->> (d ->> 'id'))::timestamptz as held_until
    from jsonb_array_elements(p_drafts) with ordinality t(d, position)
  ), admitted as (
    insert into runs (id, workspace_id, pack, template, template_version, template_digest, plan_digest, status, lane,
      environment, environment_class, profile, config_preset, sandbox, dry_run, risk, action_types, capabilities, inputs,
      inputs_hash, reason, labels, provenance, fingerprint, attached_count, cap_micro_usd, last_seq)
    select d ->> 'id', d ->> 'workspace_id', d ->> 'pack', d ->> 'template', d ->> 'template_version',
      d ->> 'template_digest', d ->> 'plan_digest', 'queued', d ->> 'lane', d ->> 'environment',
      d ->> 'environment_class', d ->> 'profile', d ->> 'config_preset', (d ->> 'sandbox')::boolean,
      (d ->> 'dry_run')::boolean, d ->> 'risk',
      array(select jsonb_array_elements_text(d -> 'action_types')), array(select jsonb_array_elements_text(d -> 'capabilities')),
      d -> 'inputs', d ->> 'inputs_hash', d ->> 'reason', d -> 'labels', d -> 'provenance', d ->> 'fingerprint',
      members - 1, (d ->> 'cap_micro_usd')::bigint, case when members > 1 then 2 else 1 end
    from drafts where held_until is null order by position
    on conflict (workspace_id, fingerprint)
      where fingerprint is not null and status in ('queued', 'running', 'awaiting_approval', 'cancelling')
      do update set attached_count = runs.attached_count + excluded.attached_count + 1,
                    last_seq = runs.last_seq + 1, updated_at = now()
    returning id, workspace_id, coalesce(fingerprint, id) as key, attached_count, last_seq, status
  ), joined as (
    update runs set attached_count = runs.attached_count + members, last_seq = runs.last_seq + 1, updated_at = now()
    from unnest(v_places, v_active) held(place, run_id) join drafts on drafts.position = place where runs.id = held.run_id
    returning runs.id, runs.workspace_id, runs.fingerprint as key, runs.attached_count, runs.last_seq, runs.status
  ), paired as (
    select a.id, a.attached_count, a.last_seq, a.status, a.id = drafts.draft_id as started, drafts.d, drafts.members, drafts.position
    from (select * from admitted union all select * from joined) a
    join drafts on drafts.key = a.key and drafts.workspace = a.workspace_id
  ), throttled as (
    select * from drafts where held_until is not null and position not in (select position from paired)
  ), windows as (
    insert into trigger_throttles as t (workspace_id, fingerprint, until) select workspace, key, held_until from throttled
    on conflict (workspace_id, fingerprint) do update set until = excluded.until where t.until <= now()
    returning workspace_id, fingerprint
  ), queued as (
    insert into run_events (run_id, seq, event_key, type, ts, actor, data)
    select id, 1, 'run/queued', 'run.queued', date_trunc('milliseconds', clock_timestamp()), d -> 'actor',
           jsonb_build_object('lane', d ->> 'lane', 'template', (d ->> 'pack') || '/' || (d ->> 'template'))
    from paired where started
  ), attached as (
    insert into run_events (run_id, seq, event_key, type, ts, data)
    select id, last_seq, 'alert/attached/' || (d ->> 'id'), 'alert.attached',
           date_trunc('milliseconds', clock_timestamp()),
           jsonb_build_object('count', case when started then members - 1 else members end, 'attached_count', attached_count)
    from paired where not started or members > 1
  ), alerts as (
    insert into run_alerts (run_id, delivery_id, member, status)
    select id, a ->> 'delivery_id', a ->> 'member', 'firing'
    from paired, jsonb_array_elements(coalesce(d -> 'alerts', '[]')) with ordinality m(a, n) order by position, n
  ), outbox as (
    insert into start_outbox (run_id) select id from paired where started
  ), sealed as (
    insert into run_secrets (run_id, sealed) select id, d ->> 'sealed' from paired where started and d ->> 'sealed' is not null
  ), audited as (
    insert into audit_outbox (draft)
    select draft from (
      select position, d -> 'audit' as draft from paired where started and d ? 'audit'
      union all
      select position, (d -> 'audit') - 'run_id' || jsonb_build_object('action', 'run.throttled',
        'subject', jsonb_build_object('type', 'template', 'id', (d ->> 'pack') || '/' || (d ->> 'template')),
        'data', jsonb_build_object('trigger', d #> '{audit,data,trigger}', 'environment', d ->> 'environment',
          'limits', d -> 'limits', 'until', iso_time(held_until)))
      from throttled join windows w on w.workspace_id = workspace and w.fingerprint = key where d ? 'audit'
    ) drafted order by position
  )
  select jsonb_agg(answer order by position) into v_result from (
    select position, jsonb_build_object('run_id', id, 'started', started, 'status', status, 'attached_count', attached_count) as answer
    from paired
    union all
    select position, jsonb_build_object('started', false, 'throttled_until', iso_time(held_until)) from throttled
  ) answered;
  return v_result;
end $function$;

CREATE OR REPLACE FUNCTION public.append_audit(p_drafts jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_places jsonb;
begin
  if p_drafts is null or p_drafts = '[]' then return '[]'; end if;
  with written as (
    insert into audit_outbox (draft)
    select d from jsonb_array_elements(p_drafts) with ordinality t(d, position) order by position
    returning id, draft ->> 'id' as draft_id
  )
  select jsonb_agg(jsonb_build_object('outbox_id', id, 'draft_id', draft_id) order by id) into v_places from written;
  return v_places;
end $function$;

CREATE OR REPLACE FUNCTION public.append_events(p_run_id text, p_events jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  v_last bigint;
begin
  select last_seq into v_last from runs where id = p_run_id for update;
  if not found then return null; end if;
  v_last := number_events(p_run_id, v_last, p_events);
  update runs set last_seq = v_last, updated_at = now() where id = p_run_id;
  return v_last;
end $function$;

CREATE OR REPLACE FUNCTION public.attach_alerts(p_wishes jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET lock_timeout TO '3s'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_result jsonb;
  v_runs text[];
begin
  select lock_active(array_agg(w ->> 'workspace_id' order by position), array_agg(w ->> 'fingerprint' order by position))
    into v_runs from jsonb_array_elements(p_wishes) with ordinality t(w, position);
  if array_remove(v_runs, null) = '{}' then
    return (select jsonb_agg(null::jsonb) from jsonb_array_elements(p_wishes));
  end if;
  with wishes as materialized (
    select w, position, v_runs[position] as run_id,
      greatest(jsonb_array_length(coalesce(w -> 'alerts', '[]')), 1) as members
    from jsonb_array_elements(p_wishes) with ordinality t(w, position)
  ), joined as (
    update runs set attached_count = runs.attached_count + members, last_seq = runs.last_seq + 1, updated_at = now()
    from wishes where runs.id = wishes.run_id
    returning runs.id, runs.status, runs.attached_count, runs.last_seq, position, members, w
  ), attached as (
    insert into run_events (run_id, seq, event_key, type, ts, data)
    select id, last_seq, 'alert/attached/' || last_seq, 'alert.attached', date_trunc('milliseconds', clock_timestamp()),
           jsonb_build_object('count', members, 'attached_count', attached_count)
    from joined
  ), alerts as (
    insert into run_alerts (run_id, delivery_id, member, status)
    select id, a ->> 'delivery_id', a ->> 'member', 'firing'
    from joined, jsonb_array_elements(coalesce(w -> 'alerts', '[]')) with ordinality m(a, n) order by position, n
  )
  select jsonb_agg(case when id is not null then jsonb_build_object('run_id', id, 'started', false, 'status', status,
    'attached_count', attached_count) end order by position) into v_result from wishes left join joined using (position);
  return v_result;
end $function$;

CREATE OR REPLACE FUNCTION public.bus_events(p run_events)
 RETURNS SETOF jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object(
    'specversion', '1.0',
    'id', p.run_id || '.' || p.seq || case when topic = 'run.awaiting_approval' then '.awaiting' else '' end,
    'source', 'svc/runs',
    'type', topic,
    'subject', p.run_id,
    'time', to_char(p.ts at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'datacontenttype', 'application/json',
    'workspaceid', r.workspace_id,
    'partitionkey', p.run_id,
    'data', jsonb_strip_nulls(jsonb_build_object('run_id', p.run_id, 'seq', p.seq, 'pack', r.pack, 'template', r.template,
      'environment', r.environment, 'lane', r.lane, 'sandbox', r.sandbox, 'dry_run', r.dry_run, 'step', p.step_id,
      'actor', p.actor)) || jsonb_build_object('detail', p.data))
  from runs r, unnest(case p.type
    when 'gate.opened' then array['gate.opened', 'run.awaiting_approval']
    when 'gate.expired' then array['gate.resolved']
    else array[p.type] end) with ordinality t(topic, position)
  where r.id = p.run_id order by position
$function$;

CREATE OR REPLACE FUNCTION public.change_schedule(p_schedule text, p_version integer, p_enabled boolean, p_deleted boolean, p_until timestamp with time zone, p_times timestamp with time zone[], p_outcomes text[], p_reasons text[], p_audit jsonb)
 RETURNS SETOF schedules
 LANGUAGE plpgsql
AS $function$
declare
  v_schedule schedules;
begin
  perform record_passed(p_schedule, p_version, p_until, p_times, p_outcomes, p_reasons);
  update schedules set enabled = p_enabled, version = version + 1, updated_at = now(), accounted_until = p_until,
    deleted_at = case when p_deleted then now() end
  where id = p_schedule and version = p_version and deleted_at is null returning * into v_schedule;
  if not found then return; end if;
  insert into audit_outbox (draft) values (p_audit);
  -- what it stood over is in force from now on
  if p_deleted then
    update schedules set accounted_until = now()
    where workspace_id = v_schedule.workspace_id and name = v_schedule.name and id <> p_schedule;
  end if;
  return next v_schedule;
end $function$;

CREATE OR REPLACE FUNCTION public.charge_attempt(p_run runs, p_step run_steps, p_settle jsonb, OUT llm bigint, OUT gpu bigint, OUT storage bigint, OUT event jsonb)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  v_unsent constant boolean := coalesce((p_settle ->> 'unsent')::boolean, false);
  v_reported constant boolean := p_settle ?| array['llm_micro_usd', 'gpu_micro_usd', 'storage_micro_usd'];
  v_overrun constant bigint := coalesce((p_settle ->> 'overrun_micro_usd')::bigint, 0);
  v_basis constant text := case when v_unsent then 'unsent' when v_reported then 'reported' else 'estimate' end;
begin
  if v_basis = 'estimate' then
    gpu := p_step.reserved_gpu_micro_usd;
    storage := p_step.reserved_storage_micro_usd;
    llm := p_step.reserved_micro_usd - gpu - storage;
  else
    llm := coalesce((p_settle ->> 'llm_micro_usd')::bigint, 0);
    gpu := coalesce((p_settle ->> 'gpu_micro_usd')::bigint, 0);
    storage := coalesce((p_settle ->> 'storage_micro_usd')::bigint, 0);
  end if;
  if not v_unsent then
    insert into ledger_entries (run_id, step_id, attempt, workspace_id, environment, llm_micro_usd, gpu_micro_usd,
      storage_micro_usd, overrun_micro_usd, reserved_micro_usd, basis, budget_day, workspace_budget_day)
    values (p_run.id, p_step.step_id, p_step.attempt, p_run.workspace_id, p_run.environment, llm, gpu, storage,
      v_overrun, p_step.reserved_micro_usd, v_basis, p_step.budget_day, p_step.workspace_budget_day);
  end if;
  if p_step.budget_day is not null then
    update environment_budgets set reserved_micro_usd = reserved_micro_usd - p_step.reserved_micro_usd,
      spent_micro_usd = spent_micro_usd + llm + gpu + storage
    where workspace_id = p_run.workspace_id and environment = p_run.environment and day = p_step.budget_day;
  end if;
  if p_step.workspace_budget_day is not null then
    update environment_budgets set reserved_micro_usd = reserved_micro_usd - p_step.reserved_micro_usd,
      spent_micro_usd = spent_micro_usd + llm + gpu + storage
    where workspace_id = p_run.workspace_id and environment = '*' and day = p_step.workspace_budget_day;
  end if;
  event := jsonb_build_array(jsonb_build_object('type', 'budget.settled', 'step', p_step.step_id,
    -- an attempt that was taken back leaves its number to the next one
    'key', format('step/%s/%s/%s', p_step.step_id, p_step.attempt, case when v_unsent then 'unsent/' || p_run.last_seq else 'settled' end),
    'data', jsonb_build_object('attempt', p_step.attempt, 'basis', v_basis, 'usd', usd_from_micro(llm + gpu + storage),
      'reserved_usd', usd_from_micro(p_step.reserved_micro_usd), 'overrun_usd', usd_from_micro(v_overrun))));
end $function$;

CREATE OR REPLACE FUNCTION public.charge_lost(p_run runs, p jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_step run_steps;
  v_cost record;
  v_events jsonb := '[]';
  v_audit jsonb := '[]';
begin
  for v_step in
    select * from run_steps where run_id = p_run.id and reserved_micro_usd > 0 and step_id is distinct from p #>> '{settle,step_id}'
      and (coalesce((p ->> 'take_fence')::boolean, false) or step_id = p #>> '{open,step_id}'
           or p #>> '{run,status}' in ('succeeded', 'failed', 'rejected', 'cancelled', 'expired'))
    order by ordinal for update
  loop
    v_cost := charge_attempt(p_run, v_step, '{}');
    update run_steps set reserved_micro_usd = 0, reserved_gpu_micro_usd = 0, reserved_storage_micro_usd = 0,
      cost_micro_usd = cost_micro_usd + v_step.reserved_micro_usd
    where run_id = p_run.id and step_id = v_step.step_id;
    update runs set llm_micro_usd = llm_micro_usd + v_cost.llm, gpu_micro_usd = gpu_micro_usd + v_cost.gpu,
      storage_micro_usd = storage_micro_usd + v_cost.storage, reserved_micro_usd = reserved_micro_usd - v_step.reserved_micro_usd
    where id = p_run.id;
    v_events := v_events || v_cost.event;
    v_audit := v_audit || jsonb_build_array(lost_record(p_run, v_step));
  end loop;
  if v_events = '[]' then return null; end if;
  return jsonb_build_object('events', v_events, 'audit', v_audit);
end $function$;

CREATE OR REPLACE FUNCTION public.claim_firing(p_schedule text, p_nominal timestamp with time zone, p_run text, p_line timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[])
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_schedule schedules;
  v_firing schedule_firings;
  v_before schedule_firings;
  v_active text;
  v_ahead integer;
begin
  select * into v_schedule from schedules where id = p_schedule for update;
  if not found then return jsonb_build_object('state', 'gone'); end if;
  insert into schedule_firings (schedule_id, nominal_at, workspace_id, outcome, in_line)
  select p_schedule, t.nominal_at, v_schedule.workspace_id, 'waiting', true from unnest(p_line) as t (nominal_at)
  on conflict (schedule_id, nominal_at) do nothing;
  -- whoever stands in line shows that somebody looks after its time
  update schedule_firings set actual_at = now()
  where schedule_id = p_schedule and nominal_at = p_nominal and outcome = 'waiting' and in_line;
  select * into v_firing from schedule_firings where schedule_id = p_schedule and nominal_at = p_nominal;
  if v_firing.outcome = 'claimed' then
    return jsonb_build_object('state', 'claimed', 'run_id', v_firing.run_id);
  end if;
  if v_firing.outcome <> 'waiting' then
    return jsonb_build_object('state', 'settled', 'outcome', v_firing.outcome, 'run_id', v_firing.run_id, 'reason', v_firing.reason);
  end if;
  if v_schedule.deleted_at is not null or not v_schedule.enabled then
    v_firing := settle_firing(p_schedule, p_nominal, 'skipped', null,
      case when v_schedule.deleted_at is null then 'paused' else 'deleted' end);
    return jsonb_build_object('state', 'settled', 'outcome', v_firing.outcome, 'reason', v_firing.reason);
  end if;

  select * into v_before from schedule_firings
  where schedule_id = p_schedule and run_id is not null order by nominal_at desc limit 1;
  -- a claim that nobody has completed for so long never will be
  if v_before.outcome = 'claimed' and v_before.actual_at > now() - interval '10 minutes' then
    v_active := v_before.run_id;
  else
    select id into v_active from runs where id = v_before.run_id and ended_at is null;
  end if;
  -- whose tick was lost holds nobody up
  select count(*) into v_ahead from schedule_firings
  where schedule_id = p_schedule and outcome = 'waiting' and in_line and nominal_at < p_nominal
    and actual_at > now() - interval '2 minutes';
  if v_active is null and v_ahead = 0 then
    insert into schedule_firings (schedule_id, nominal_at, workspace_id, run_id, outcome)
    values (p_schedule, p_nominal, v_schedule.workspace_id, p_run, 'claimed')
    on conflict (schedule_id, nominal_at) do update set run_id = p_run, outcome = 'claimed', actual_at = now();
    return jsonb_build_object('state', 'claimed', 'run_id', p_run);
  end if;
  if v_firing.in_line then
    return jsonb_build_object('state', 'in_line', 'ahead', v_ahead);
  end if;
  if v_schedule.overlap = 'skip' or (v_firing.outcome is null
      and exists (select from schedule_firings where schedule_id = p_schedule and outcome = 'waiting')) then
    v_firing := settle_firing(p_schedule, p_nominal, 'skipped', null,
      case v_schedule.overlap when 'skip' then 'overlap' else 'queue_full' end);
    return jsonb_build_object('state', 'settled', 'outcome', v_firing.outcome, 'reason', v_firing.reason);
  end if;
  insert into schedule_firings (schedule_id, nominal_at, workspace_id, outcome)
  values (p_schedule, p_nominal, v_schedule.workspace_id, 'waiting')
  on conflict (schedule_id, nominal_at) do nothing;
  return jsonb_build_object('state', 'waiting', 'active_run', v_active);
end $function$;

CREATE OR REPLACE FUNCTION public.forget_run_secrets()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from run_secrets where run_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.forget_runs(p_records jsonb, p_days integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  v_runs text[];
  v_gates text[];
  v_bodies text[];
begin
  if p_days < 30 then
    raise exception 'runs are kept for 30 days' using errcode = 'check_violation';
  end if;
  select coalesce(array_agg(id), '{}') into v_runs from (
    select r.id from runs r
    where r.id in (select record ->> 'run_id' from jsonb_array_elements(p_records) t(record))
      and r.ended_at < now() - p_days * interval '1 day'
      and current_setting('svc.workspace', true) in ('*', r.workspace_id)
      and not exists (select from gates g where g.run_id = r.id and g.status = 'open')
      and not exists (select from start_outbox o where o.run_id = r.id)
    order by r.id for update skip locked) forgotten;
  select coalesce(array_agg(id), '{}') into v_gates from gates where run_id = any(v_runs);
  delete from notice_deliveries where gate_id = any(v_gates);
  delete from magic_links where gate_id = any(v_gates);
  delete from gate_notices where run_id = any(v_runs);
  delete from gate_decisions where gate_id = any(v_gates);
  delete from gates where run_id = any(v_runs);
  select coalesce(array_agg(distinct digest), '{}') into v_bodies from artifacts where run_id = any(v_runs);
  delete from artifacts where run_id = any(v_runs);
  delete from artifact_bodies b where b.digest = any(v_bodies) and not exists (select from artifacts a where a.digest = b.digest);
  delete from run_alerts where run_id = any(v_runs);
  delete from run_events where run_id = any(v_runs);
  delete from run_secrets where run_id = any(v_runs);
  delete from ledger_entries where run_id = any(v_runs);
  delete from run_steps where run_id = any(v_runs);
  delete from runs where id = any(v_runs);
  perform append_audit(coalesce((
    select jsonb_agg(record) from jsonb_array_elements(p_records) t(record) where record ->> 'run_id' = any(v_runs)), '[]'));
  return cardinality(v_runs);
end $function$;

CREATE OR REPLACE FUNCTION public.hold_back(p_drafts jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_held jsonb;
begin
  perform pg_advisory_xact_lock(key) from (
    select distinct hashtextextended((d ->> 'workspace_id') || '/' || (d ->> 'fingerprint'), 0) as key
    from jsonb_array_elements(p_drafts) t(d) where d ? 'limits' and d ->> 'fingerprint' is not null order by key) locked;
  perform lock_active(array_agg(d ->> 'workspace_id' order by position), array_agg(d ->> 'fingerprint' order by position))
    from jsonb_array_elements(p_drafts) with ordinality t(d, position) where d ->> 'fingerprint' is not null;
  -- statements of their own: their snapshots hold whatever was committed before the locks were ours
  select jsonb_object_agg(draft_id, until) into v_held from (
    select d ->> 'id' as draft_id, greatest(
      (select r.created_at + (d #>> '{limits,max_runs,per}')::bigint * interval '1 millisecond' from runs r
       where d #> '{limits,max_runs}' is not null and r.workspace_id = d ->> 'workspace_id' and r.fingerprint = d ->> 'fingerprint'
       order by r.created_at desc offset greatest((d #>> '{limits,max_runs,count}')::bigint, 1) - 1 limit 1),
      (select coalesce(r.ended_at, now()) + (d #>> '{limits,cooldown}')::bigint * interval '1 millisecond' from runs r
       where d #> '{limits,cooldown}' is not null and r.workspace_id = d ->> 'workspace_id' and r.fingerprint = d ->> 'fingerprint'
       order by r.created_at desc limit 1)) as until
    from jsonb_array_elements(p_drafts) t(d) where d ? 'limits' and d ->> 'fingerprint' is not null
  ) limited where until > now();
  return coalesce(v_held, '{}');
end $function$;

CREATE OR REPLACE FUNCTION public.is_announced(view jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (COALESCE(((jsonb_typeof((view -> 'channels'::text)) = 'array'::text) AND ((view -> 'channels'::text) <> '[]'::jsonb)), false) OR COALESCE(((jsonb_typeof((view #> '{sla,escalate_to}'::text[])) = 'array'::text) AND ((view #> '{sla,escalate_to}'::text[]) <> '[]'::jsonb)), false));

CREATE OR REPLACE FUNCTION public.is_archived(p_workspace text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (select from workspaces where id = p_workspace and status = 'archived')
$function$;

CREATE OR REPLACE FUNCTION public.is_halted_by(r runs, h halts)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select h.lifted_at is null
    and (h.workspace_id is null or h.workspace_id = r.workspace_id)
    and (h.environment is null or h.environment = r.environment)
    and (h.template is null or h.template = r.pack || '/' || r.template)
    and (h.requester is null or h.requester = any (requesters_of(r.provenance)))
$function$;

CREATE OR REPLACE FUNCTION public.is_held(r runs)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select is_archived(r.workspace_id) or exists (select from halts h where h.lifted_at is null and is_halted_by(r, h))
$function$;

CREATE OR REPLACE FUNCTION public.is_on_bus(p_type text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (p_type = ANY (ARRAY['run.queued'::text, 'run.started'::text, 'run.succeeded'::text, 'run.failed'::text, 'run.rejected'::text, 'run.cancelled'::text, 'run.expired'::text, 'gate.opened'::text, 'gate.resolved'::text, 'gate.expired'::text]));

CREATE OR REPLACE FUNCTION public.iso_time(p_time timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$ select to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $function$;

CREATE OR REPLACE FUNCTION public.keep_chained()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'audit record % is in the chain', old.seq using errcode = 'integrity_constraint_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.lift_halt(p_id text, p_by jsonb, p_audit jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  v_halt halts;
  v_runs bigint;
begin
  select * into v_halt from halts where id = p_id and lifted_at is null for update;
  if not found then return false; end if;
  select count(*) into v_runs from runs r where ended_at is null and is_halted_by(r, v_halt);
  update halts set lifted_at = now(), lifted_by = p_by where id = p_id;
  perform append_audit(jsonb_build_array(jsonb_set(p_audit, '{data,held}', jsonb_build_object('runs', v_runs))));
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.lock_active(p_workspaces text[], p_fingerprints text[])
 RETURNS text[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_ids text[] := '{}';
  v_id text;
begin
  for place in 1 .. coalesce(cardinality(p_fingerprints), 0) loop
    select id into v_id from runs
    where workspace_id = p_workspaces[place] and fingerprint = p_fingerprints[place]
      and status in ('queued', 'running', 'awaiting_approval', 'cancelling')
    for update;
    v_ids := array_append(v_ids, v_id);
  end loop;
  return v_ids;
end $function$;

CREATE OR REPLACE PROCEDURE public.lock_rows(IN p_table regclass, IN p_visible text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', p_table);
  execute format('alter table %s force row level security', p_table);
  execute format($policy$create policy of_workspace on %s
    using (current_setting('svc.workspace', true) = '*' or %s)$policy$, p_table, p_visible);
end $procedure$;

CREATE OR REPLACE PROCEDURE public.lock_to_workspace(IN p_table regclass, IN p_workspace text DEFAULT 'workspace_id'::text)
 LANGUAGE plpgsql
AS $procedure$
begin
  call lock_rows(p_table, format($visible$%s = current_setting('svc.workspace', true)$visible$, p_workspace));
end $procedure$;

CREATE OR REPLACE FUNCTION public.lost_record(p_run runs, p_step run_steps)
 RETURNS jsonb
 LANGUAGE sql
AS $function$
  select jsonb_build_object(
    'id', 'aud_0' || left(md5(p_run.id || '/' || p_step.step_id || '/' || p_step.attempt), 25),
    'ts', to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'category', 'lineage', 'action', 'step.settled', 'workspace_id', p_run.workspace_id,
    'actor', jsonb_build_object('type', 'system', 'id', 'svc', 'auth', 'none'),
    'run_id', p_run.id, 'subject', jsonb_build_object('type', 'step', 'id', p_run.id || ':' || p_step.step_id),
    'data', jsonb_build_object('attempt', p_step.attempt, 'state', 'lost', 'plan_hash', p_step.plan_hash,
      'cost_usd', (p_step.reserved_micro_usd / 1000000.0)::numeric(20, 6)::text,
      'operator', (select s ->> 'operator' || '@' || (s ->> 'operator_version')
                   from plans, jsonb_array_elements(plan -> 'steps') t(s)
                   where digest = p_run.plan_digest and s ->> 'id' = p_step.step_id)))
$function$;

CREATE OR REPLACE FUNCTION public.lost_standing(p_run runs, p_vouched text[] DEFAULT '{}'::text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  v_ids constant text[] := requesters_of(p_run.provenance);
  v_lost jsonb;
begin
  select jsonb_build_object('who', asked.id, 'why', case
      when u.id is null then 'unknown'
      when u.status <> 'active' then 'not_active'
      when not u.workspaces && array['*', p_run.workspace_id] then 'not_in_workspace'
      else 'role_taken' end) into v_lost
  from unnest(v_ids) asked (id) left join users u on u.id = asked.id
  where starts_with(asked.id, 'usr_') and asked.id <> all (p_vouched)
    and (u.status = 'active' and u.workspaces && array['*', p_run.workspace_id]
         and u.roles && array['operator', 'admin', 'owner', 'service']) is not true
  order by asked.id limit 1;
  return v_lost;
end $function$;

CREATE OR REPLACE FUNCTION public.note_gate()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into gate_notices (gate_id, run_id, workspace_id, kind)
  values (new.id, new.run_id, new.workspace_id, case when new.status = 'open' then 'opened' else 'resolved' end)
  on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.number_bus_messages(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_last bigint;
  v_count integer;
  v_topics text[];
  v_fresh integer;
  v_bell text;
begin
  perform id from bus_outbox order by id limit 1;
  if not found then return 0; end if;
  select last_id into v_last from bus_head for update;
  with taken as (
    delete from bus_outbox where id = any(array(select id from bus_outbox order by id limit p_limit)) returning *
  ), numbered as (
    insert into bus_messages (id, workspace_id, topic, key, event, published_at)
    select v_last + row_number() over (order by id), workspace_id, topic, key, event, clock_timestamp() from taken
    returning topic
  )
  select count(*), array_agg(distinct topic) into v_count, v_topics from numbered;
  if v_count = 0 then return 0; end if;
  insert into bus_topics select unnest(v_topics) on conflict do nothing;
  get diagnostics v_fresh = row_count;
  update bus_head set last_id = v_last + v_count, topics = topics + v_fresh;
  v_bell := jsonb_build_object('from', v_last + 1, 'to', v_last + v_count, 'topics', v_topics);
  -- a payload holds 8,000 bytes
  if length(v_bell) > 7000 then v_bell := jsonb_build_object('from', v_last + 1, 'to', v_last + v_count); end if;
  perform pg_notify('svc_bus', v_bell);
  return v_count;
end $function$;

CREATE OR REPLACE FUNCTION public.number_events(p_run_id text, p_last_seq bigint, p_events jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  v_last bigint;
begin
  if p_events is null or p_events = '[]' then return p_last_seq; end if;
  with fresh as (
    select e, row_number() over (order by position) as n
    from jsonb_array_elements(p_events) with ordinality t(e, position)
    where not exists (select 1 from run_events x where x.run_id = p_run_id and x.event_key = e ->> 'key')
  ), written as (
    insert into run_events (run_id, seq, event_key, type, ts, step_id, actor, data)
    select p_run_id, p_last_seq + n, e ->> 'key', e ->> 'type', date_trunc('milliseconds', clock_timestamp()),
           e ->> 'step', e -> 'actor', coalesce(e -> 'data', '{}')
    from fresh
    returning seq
  )
  select coalesce(max(seq), p_last_seq) into v_last from written;
  return v_last;
end $function$;

CREATE OR REPLACE FUNCTION public.publish_events(p_events jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into bus_outbox (workspace_id, topic, key, event)
  select e ->> 'workspaceid', e ->> 'type', e ->> 'partitionkey', e
  from jsonb_array_elements(p_events) with ordinality t(e, position) order by position
$function$;

CREATE OR REPLACE FUNCTION public.publish_run_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (select durable from bus_settings) then
    insert into bus_outbox (workspace_id, topic, key, event)
    select e ->> 'workspaceid', e ->> 'type', new.run_id, e from bus_events(new) e;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.record_config(p_items jsonb, p_audit jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
begin
  lock table config_items in exclusive mode;
  if exists (
    select from jsonb_to_recordset(p_items) as given(item text, version bigint) left join config_items known using (item)
    where given.version <> coalesce(known.version, 0) + 1
  ) then
    return null;
  end if;
  insert into config_items (item, workspace_id, kind, layer, pack, state, version, about, body)
  select item, coalesce(workspace_id, '*'), kind, layer, pack, state, version, about, body
  from jsonb_to_recordset(p_items) as given(item text, workspace_id text, kind text, layer text, pack text, state text, version bigint,
    about jsonb, body text)
  on conflict (item) do update set workspace_id = excluded.workspace_id, kind = excluded.kind, layer = excluded.layer,
    pack = excluded.pack, state = excluded.state, version = excluded.version, about = excluded.about, body = excluded.body;
  return append_audit(p_audit);
end $function$;

CREATE OR REPLACE FUNCTION public.record_passed(p_schedule text, p_version integer, p_until timestamp with time zone, p_times timestamp with time zone[], p_outcomes text[], p_reasons text[])
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  v_schedule schedules;
  v_recorded integer;
begin
  select * into v_schedule from schedules where id = p_schedule and version = p_version for update;
  if not found then return 0; end if;
  -- of those that stand in line the lost ones; when the schedule ends, all
  insert into schedule_firings as f (schedule_id, nominal_at, workspace_id, outcome, reason)
  select p_schedule, t.nominal_at, v_schedule.workspace_id, t.outcome, t.reason
  from unnest(p_times, p_outcomes, p_reasons) as t (nominal_at, outcome, reason)
  on conflict (schedule_id, nominal_at) do update set outcome = excluded.outcome, reason = excluded.reason, actual_at = now()
    where f.outcome = 'waiting' and f.in_line
      and (f.actual_at < now() - interval '2 minutes' or excluded.outcome = 'skipped');
  get diagnostics v_recorded = row_count;
  update schedules s set accounted_until = greatest(s.accounted_until, p_until),
    last_fire = case when v_recorded > 0 and coalesce((s.last_fire ->> 'nominal_at')::timestamptz < f.nominal_at, true)
      then jsonb_strip_nulls(jsonb_build_object('nominal_at', f.nominal_at, 'actual_at', f.actual_at, 'run_id', f.run_id,
        'outcome', f.outcome, 'reason', f.reason))
      else s.last_fire end
  from (select * from schedule_firings where schedule_id = p_schedule and nominal_at = any(p_times)
        order by nominal_at desc limit 1) as f
  where s.id = p_schedule;
  return v_recorded;
end $function$;

CREATE OR REPLACE FUNCTION public.record_refusals(p_refusals jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_given record;
  v_row refusals;
begin
  for v_given in
    select each ->> 'kind' as kind, each -> 'draft' as draft, (each ->> 'more')::integer as more,
      coalesce(each ->> 'subject_id', each #>> '{draft,subject,id}') as subject_id, left(each #>> '{draft,actor,id}', 200) as who
    from jsonb_array_elements(p_refusals) each
    -- in the order of their keys, so that no two batches lock the same rows in opposite order
    order by each #>> '{draft,action}', subject_id, kind, who
  loop
    insert into refusals as r (action, kind, subject_id, who, workspace_id, draft, refused)
    values (v_given.draft ->> 'action', v_given.kind, v_given.subject_id, v_given.who,
      v_given.draft ->> 'workspace_id', v_given.draft, v_given.more)
    on conflict (action, subject_id, kind, who) do update set refused = r.refused + excluded.refused, draft = excluded.draft
    returning * into v_row;
    continue when v_row.reported_at > clock_timestamp() - interval '1 minute' or v_row.refused = v_row.reported;
    update refusals set reported = refused, reported_at = clock_timestamp()
    where action = v_row.action and subject_id = v_row.subject_id and kind = v_row.kind and who = v_row.who;
    perform append_audit(jsonb_build_array(
      jsonb_set(v_given.draft, '{data,times}', to_jsonb(v_row.refused - v_row.reported))));
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.record_run(p jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_id constant text := p ->> 'run_id';
  v_run runs;
  v_settle constant jsonb := p -> 'settle';
  v_open constant jsonb := p -> 'open';
  v_gate constant jsonb := p -> 'gate';
  v_status text := p #>> '{run,status}';
  v_step run_steps;
  v_released bigint := 0;
  v_refused jsonb;
  v_lost jsonb;
  v_settled jsonb := '[]';
  v_reserved jsonb := '[]';
  v_llm bigint := 0;
  v_gpu bigint := 0;
  v_storage bigint := 0;
  v_reserve bigint := coalesce((v_open ->> 'reserve_micro_usd')::bigint, 0);
  v_cap bigint;
  v_day date := (v_open ->> 'budget_day')::date;
  v_last bigint;
  v_audit jsonb;
begin
  select * into v_run from runs where id = v_id for update;
  if not found then return jsonb_build_object('refused', 'not_found'); end if;
  if v_run.ended_at is not null then
    return jsonb_build_object('refused', 'terminal', 'status', v_run.status);
  end if;
  if not coalesce((p ->> 'take_fence')::boolean, false) and not coalesce((p ->> 'any_fence')::boolean, false)
     and v_run.fence is distinct from (p ->> 'fence')::integer then
    return jsonb_build_object('refused', 'fenced');
  end if;
  if v_status = 'running' and v_run.status = 'awaiting_approval'
     and exists (select 1 from gates where run_id = v_id and status = 'open') then
    -- the attempt that parked the run was lost before it could say so: the run still waits
    v_status := null;
  end if;
  if v_run.status = 'cancelling' and (v_open is not null or v_gate is not null or v_status = 'running') then
    return jsonb_build_object('refused', 'cancelling');
  end if;

  if v_open is not null then
    v_refused := refuse_opening(v_run, v_open);
    if v_refused is not null then return v_refused; end if;
  end if;

  if v_settle is not null then
    select * into v_step from run_steps where run_id = v_id and step_id = v_settle ->> 'step_id' for update;
    v_released := coalesce(v_step.reserved_micro_usd, 0);
  end if;
  if v_run.reserved_micro_usd > v_released then
    v_lost := charge_lost(v_run, p);
    if v_lost is not null then select * into v_run from runs where id = v_id; end if;
  end if;
  -- what reserved nothing and has cost something all the same is charged nothing, and stands in the ledger
  if v_released > 0 or ((v_settle ->> 'overrun_micro_usd')::bigint > 0 and v_step.state = 'running' and not exists (
      select from ledger_entries where run_id = v_id and step_id = v_step.step_id and attempt = v_step.attempt)) then
    select llm, gpu, storage, event into v_llm, v_gpu, v_storage, v_settled from charge_attempt(v_run, v_step, v_settle);
  end if;

  if v_reserve > 0 then
    -- a cap that was lowered since the run began counts; `least` passes over the null of what was not said
    v_cap := least(v_run.cap_micro_usd, (v_open ->> 'run_cap_micro_usd')::bigint);
    if v_run.llm_micro_usd + v_run.gpu_micro_usd + v_run.storage_micro_usd + v_llm + v_gpu + v_storage
       + v_run.reserved_micro_usd - v_released + v_reserve > v_cap then
      raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget', 'scope', 'run', 'cap_micro_usd', v_cap,
        'spent_micro_usd', v_run.llm_micro_usd + v_run.gpu_micro_usd + v_run.storage_micro_usd + v_llm + v_gpu + v_storage)::text;
    end if;
    if v_open ? 'daily_cap_micro_usd' then
      insert into environment_budgets as b (workspace_id, environment, day, cap_micro_usd, reserved_micro_usd)
      select v_run.workspace_id, v_run.environment, v_day, (v_open ->> 'daily_cap_micro_usd')::bigint, v_reserve
      where v_reserve <= (v_open ->> 'daily_cap_micro_usd')::bigint
      on conflict (workspace_id, environment, day) do update
        set reserved_micro_usd = b.reserved_micro_usd + v_reserve, cap_micro_usd = excluded.cap_micro_usd
        where b.spent_micro_usd + b.reserved_micro_usd + v_reserve <= excluded.cap_micro_usd;
      if not found then
        raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget', 'scope', 'environment',
          'cap_micro_usd', (v_open ->> 'daily_cap_micro_usd')::bigint)::text;
      end if;
    end if;
    if v_open ? 'workspace_daily_cap_micro_usd' then
      insert into environment_budgets as b (workspace_id, environment, day, cap_micro_usd, reserved_micro_usd)
      select v_run.workspace_id, '*', v_day, (v_open ->> 'workspace_daily_cap_micro_usd')::bigint, v_reserve
      where v_reserve <= (v_open ->> 'workspace_daily_cap_micro_usd')::bigint
      on conflict (workspace_id, environment, day) do update
        set reserved_micro_usd = b.reserved_micro_usd + v_reserve, cap_micro_usd = excluded.cap_micro_usd
        where b.spent_micro_usd + b.reserved_micro_usd + v_reserve <= excluded.cap_micro_usd;
      if not found then
        raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget', 'scope', 'workspace',
          'cap_micro_usd', (v_open ->> 'workspace_daily_cap_micro_usd')::bigint)::text;
      end if;
    end if;
  end if;

  if v_reserve > 0 then
    v_reserved := jsonb_build_array(jsonb_build_object('type', 'budget.reserved', 'step', v_open ->> 'step_id',
      'key', format('step/%s/%s/reserved/%s', v_open ->> 'step_id', v_open ->> 'attempt', v_run.last_seq),
      'data', jsonb_build_object('attempt', (v_open ->> 'attempt')::integer, 'usd', usd_from_micro(v_reserve))));
  end if;

  if v_settle is not null then
    insert into run_steps as s (run_id, step_id, ordinal, state, attempt, simulation, outputs, error, message, cost_micro_usd,
      started_at, ended_at)
    values (v_id, v_settle ->> 'step_id', (v_settle ->> 'ordinal')::integer, v_settle ->> 'state',
      coalesce((v_settle ->> 'attempt')::integer, 0), v_settle -> 'simulation', v_settle -> 'outputs', v_settle -> 'error',
      v_settle ->> 'message', v_llm + v_gpu + v_storage, now(), now())
    on conflict (run_id, step_id) do update set state = excluded.state, attempt = excluded.attempt,
      simulation = coalesce(excluded.simulation, s.simulation), outputs = excluded.outputs, error = excluded.error,
      message = excluded.message, cost_micro_usd = s.cost_micro_usd + excluded.cost_micro_usd, reserved_micro_usd = 0,
      reserved_gpu_micro_usd = 0, reserved_storage_micro_usd = 0,
      ended_at = case when excluded.state in ('succeeded', 'failed', 'skipped', 'cancelled', 'expired') then now() end;
    insert into artifact_bodies (digest, body)
    select a ->> 'digest', decode(a ->> 'body_base64', 'base64') from jsonb_array_elements(coalesce(v_settle -> 'artifacts', '[]')) t(a)
    on conflict do nothing;
    insert into artifacts (id, run_id, workspace_id, step_id, name, media_type, size_bytes, digest)
    select a ->> 'id', v_id, v_run.workspace_id, v_settle ->> 'step_id', a ->> 'name', a ->> 'media_type',
      (a ->> 'size_bytes')::integer, a ->> 'digest' from jsonb_array_elements(coalesce(v_settle -> 'artifacts', '[]')) t(a)
    on conflict (run_id, name) do nothing;
  end if;

  if v_open is not null then
    insert into run_steps as s (run_id, step_id, ordinal, state, attempt, plan_hash, simulation, reserved_micro_usd,
      reserved_gpu_micro_usd, reserved_storage_micro_usd, budget_day, workspace_budget_day, started_at)
    values (v_id, v_open ->> 'step_id', (v_open ->> 'ordinal')::integer, 'running', (v_open ->> 'attempt')::integer,
      v_open ->> 'plan_hash', v_open -> 'simulation', v_reserve,
      coalesce((v_open ->> 'reserve_gpu_micro_usd')::bigint, 0), coalesce((v_open ->> 'reserve_storage_micro_usd')::bigint, 0),
      case when v_open ? 'daily_cap_micro_usd' then v_day end,
      case when v_open ? 'workspace_daily_cap_micro_usd' then v_day end, now())
    on conflict (run_id, step_id) do update set state = 'running', attempt = excluded.attempt, plan_hash = excluded.plan_hash,
      simulation = coalesce(excluded.simulation, s.simulation), reserved_micro_usd = excluded.reserved_micro_usd,
      reserved_gpu_micro_usd = excluded.reserved_gpu_micro_usd, reserved_storage_micro_usd = excluded.reserved_storage_micro_usd,
      budget_day = excluded.budget_day, workspace_budget_day = excluded.workspace_budget_day, started_at = coalesce(s.started_at, now()), ended_at = null, error = null;
  end if;

  if v_gate is not null then
    v_status := 'awaiting_approval';
    insert into run_steps as s (run_id, step_id, ordinal, state, attempt, plan_hash, simulation)
    values (v_id, v_gate ->> 'step_id', (v_gate ->> 'ordinal')::integer,
      case v_gate ->> 'kind' when 'outcome_unknown' then 'outcome_unknown' else 'awaiting_approval' end, (v_gate ->> 'attempt')::integer,
      v_gate ->> 'plan_hash', v_gate -> 'simulation')
    on conflict (run_id, step_id) do update set state = excluded.state, plan_hash = excluded.plan_hash,
      simulation = coalesce(excluded.simulation, s.simulation);
    insert into gates (id, run_id, workspace_id, step_id, kind, plan_hash, required, view, expires_at)
    values (v_gate ->> 'id', v_id, v_run.workspace_id, v_gate ->> 'step_id', v_gate ->> 'kind', v_gate ->> 'plan_hash',
      v_gate -> 'required', v_gate -> 'view', (v_gate ->> 'expires_at')::timestamptz);
  end if;

  if v_status in ('succeeded', 'failed', 'rejected', 'cancelled', 'expired') then
    update run_steps set ended_at = now(),
      message = case when state = 'running' then 'its worker was lost while it ran: how it ended is not known' else message end,
      state = case when v_status = 'cancelled' then 'cancelled' when v_status = 'expired' then 'expired' else 'failed' end
    where run_id = v_id and state in ('running', 'awaiting_approval', 'ready');
    update gates set status = case when v_status = 'expired' then 'expired' else 'cancelled' end, resolved_at = now(),
      resolution = jsonb_build_object('by', 'system', 'channel', 'system', 'cause', 'run_' || v_status)
    where run_id = v_id and status = 'open';
  end if;

  v_last := number_events(v_id, v_run.last_seq, coalesce(v_lost -> 'events', '[]') || v_settled
    || coalesce(p -> 'events', '[]') || v_reserved);
  v_audit := append_audit(coalesce(v_lost -> 'audit', '[]') || coalesce(p -> 'audit', '[]'));
  update runs set
    fence = fence + case when (p ->> 'take_fence')::boolean then 1 else 0 end,
    status = coalesce(v_status, status),
    status_reason = case when p -> 'run' ? 'status_reason' then p #>> '{run,status_reason}' else status_reason end,
    outputs = coalesce(p #> '{run,outputs}', outputs),
    error = coalesce(p #> '{run,error}', error),
    current_step = coalesce(v_open ->> 'step_id', v_gate ->> 'step_id', current_step),
    llm_micro_usd = llm_micro_usd + v_llm,
    gpu_micro_usd = gpu_micro_usd + v_gpu,
    storage_micro_usd = storage_micro_usd + v_storage,
    reserved_micro_usd = reserved_micro_usd - v_released + v_reserve,
    started_at = case when coalesce(v_status, status) <> 'queued' then coalesce(started_at, now()) else started_at end,
    awaiting_since = case when coalesce(v_status, status) = 'awaiting_approval' then coalesce(awaiting_since, now()) end,
    ended_at = case when v_status in ('succeeded', 'failed', 'rejected', 'cancelled', 'expired') then now() end,
    last_seq = v_last,
    updated_at = now()
  where id = v_id
  returning * into v_run;
  if coalesce((p ->> 'take_fence')::boolean, false) then
    delete from start_outbox where run_id = v_id;
  end if;
  return jsonb_build_object('fence', v_run.fence, 'last_seq', v_last, 'status', v_run.status, 'audit', v_audit);
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_claim(p_kind text, p_subject text, p_workspace text, p_draft jsonb, p_more integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_workspace text;
  v_is_run boolean;
begin
  select workspace_id, true into v_workspace, v_is_run from runs where id = p_subject;
  if not found then select workspace_id, false into v_workspace, v_is_run from schedules where id = p_subject; end if;
  perform record_refusals(jsonb_build_array(jsonb_build_object('kind', p_kind, 'more', p_more,
    'subject_id', case when v_workspace is null then '' else p_subject end, 'draft',
    case when v_is_run then p_draft else p_draft - 'run_id' end
    || jsonb_build_object('workspace_id', coalesce(v_workspace, p_workspace)))));
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_firing_to_come()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the time % of schedule % has not come', new.nominal_at, new.schedule_id using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_opening(p_run runs, p_open jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_halt text;
  v_lost jsonb;
begin
  select h.id into v_halt from halts h where h.lifted_at is null and is_halted_by(p_run, h) order by h.created_at limit 1;
  if v_halt is not null then return jsonb_build_object('refused', 'halted', 'halt_id', v_halt); end if;
  if is_archived(p_run.workspace_id) then return jsonb_build_object('refused', 'halted', 'halt_id', null); end if;
  -- while nobody's identity is checked, nobody's standing is
  if not coalesce((p_open ->> 'ask_standing')::boolean, true) then return null; end if;
  v_lost := lost_standing(p_run);
  if v_lost is null then return null; end if;
  v_lost := lost_standing(p_run, vouched_for(p_run, p_open ->> 'step_id', p_open ->> 'plan_hash'));
  if v_lost is null then return null; end if;
  return jsonb_build_object('refused', 'standing_lost') || v_lost;
end $function$;

CREATE OR REPLACE FUNCTION public.requesters_of(p_provenance jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  v_via constant jsonb := p_provenance #> '{human_root,via}';
  v_ids text[] := array[p_provenance #>> '{actor,id}', p_provenance #>> '{human_root,user_id}'];
  v_each jsonb;
begin
  for v_each in select jsonb_array_elements(case jsonb_typeof(v_via) when 'array' then v_via else jsonb_build_array(v_via) end) loop
    v_ids := v_ids || case jsonb_typeof(v_each) when 'string' then array[v_each #>> '{}']
      when 'object' then array[v_each ->> 'id', v_each ->> 'user_id', v_each ->> 'created_by'] end;
  end loop;
  return array_remove(v_ids, null);
end $function$;

CREATE OR REPLACE FUNCTION public.resolve_alerts(p_workspace text, p_delivery text, p_fingerprints text[], p_resolved text[], p_members text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 SET lock_timeout TO '3s'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_runs text[];
  v_result jsonb;
begin
  v_runs := array_remove(lock_active(array_fill(p_workspace, array[cardinality(p_fingerprints)]), p_fingerprints), null);
  if v_runs = '{}' then
    return '[]';
  end if;
  -- a statement of its own: its snapshot holds every member that attached before the rows were locked
  with recovered as (
    select r.id as run_id, t.fingerprint, t.member, t.position
    from unnest(p_resolved, p_members) with ordinality t(fingerprint, member, position)
    join runs r on r.id = any(v_runs) and r.fingerprint = t.fingerprint
  ), firing as (
    select run_id, member from (
      select distinct on (run_id, member) run_id, member, status from run_alerts
      where run_id = any(v_runs) order by run_id, member, id desc
    ) latest where status = 'firing'
  ), numbered as (
    select r.*, row_number() over in_order as n,
      (select count(*) from firing where firing.run_id = r.run_id) - count(f.member) over in_order as remaining
    from recovered r left join firing f on f.run_id = r.run_id and f.member = r.member
    window in_order as (partition by r.run_id order by r.position)
  ), noted as (
    insert into run_alerts (run_id, delivery_id, member, status)
    select run_id, p_delivery, member, 'resolved' from numbered order by position
    returning id, run_id, member
  ), moved as (
    update runs set last_seq = last_seq + added.events, updated_at = now()
    from (select run_id, max(n) as events from numbered group by run_id) added where runs.id = added.run_id
    returning runs.id, runs.last_seq - added.events as base
  ), written as (
    insert into run_events (run_id, seq, event_key, type, ts, data)
    select run_id, moved.base + n, 'alert/resolved/' || noted.id, 'alert.resolved',
      date_trunc('milliseconds', clock_timestamp()), jsonb_build_object('member', member, 'remaining', remaining)
    from numbered join noted using (run_id, member) join moved on moved.id = run_id
  )
  select jsonb_agg(jsonb_build_object('run_id', run_id, 'fingerprint', fingerprint, 'member', member, 'remaining', remaining)
    order by position) into v_result
  from numbered;
  return coalesce(v_result, '[]');
end $function$;

CREATE OR REPLACE FUNCTION public.resolve_gate(p jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_gate gates;
  v_resolution constant text := p ->> 'resolution';
  v_written jsonb;
  v_run runs;
begin
  select * into v_run from runs where id = p ->> 'run_id' for update;
  select * into v_gate from gates where id = p ->> 'gate_id' and run_id = p ->> 'run_id' for update;
  if not found then return jsonb_build_object('refused', 'not_found'); end if;
  if v_gate.status <> 'open' then
    return jsonb_build_object('refused', 'resolved', 'status', v_gate.status, 'resolved_at', v_gate.resolved_at,
      'resolution', v_gate.resolution);
  end if;
  -- nothing is written about a run that is over, its votes neither
  if v_run.ended_at is not null then return jsonb_build_object('refused', 'terminal', 'status', v_run.status); end if;
  if coalesce((p ->> 'due')::boolean, false) and v_gate.expires_at > clock_timestamp() then
    return jsonb_build_object('refused', 'not_due',
      'remaining_ms', ceil(extract(epoch from v_gate.expires_at - clock_timestamp()) * 1000));
  end if;
  if p ? 'vote' and v_gate.expires_at <= clock_timestamp() then return jsonb_build_object('refused', 'overdue'); end if;
  if p ? 'expect' then
    if (select count(*) from gate_decisions where gate_id = v_gate.id) <> (p #>> '{expect,votes}')::bigint
       or array(select id || '/' || xmin from users
                where id in (select jsonb_array_elements_text(p #> '{expect,people}'))
                  or email in (select jsonb_array_elements_text(p #> '{expect,people}')) order by id for share)
          is distinct from array(select jsonb_array_elements_text(p #> '{expect,versions}')) then
      return jsonb_build_object('refused', 'changed');
    end if;
  end if;
  if p ? 'vote' then
    insert into gate_decisions (gate_id, decision_id, decided_by, decision, note, channel, asserted, roles, auth, via, delegations,
      command, approvals)
    values (v_gate.id, p #>> '{vote,decision_id}', p #>> '{vote,by}', p #>> '{vote,kind}', p #>> '{vote,note}',
      p #>> '{vote,channel}', (p #>> '{vote,asserted}')::boolean,
      array(select jsonb_array_elements_text(coalesce(p #> '{vote,roles}', '[]'))), coalesce(p #>> '{vote,auth}', 'none'),
      p #>> '{vote,via}', coalesce(p #> '{vote,delegations}', '[]'), p -> 'vote', p -> 'approvals')
    on conflict do nothing;
  end if;
  if v_resolution is not null then
    update gates set status = v_resolution, resolved_at = now(), resolution = p -> 'resolved' where id = v_gate.id
    returning * into v_gate;
    update run_steps set state = case v_resolution when 'approved' then 'ready' when 'expired' then 'expired' else 'cancelled' end,
      ended_at = case when v_resolution <> 'approved' then now() end
    where run_id = v_gate.run_id and step_id = v_gate.step_id;
  end if;
  -- a run that is being cancelled goes on being cancelled, also when its last gate was approved before
  v_written := record_run(jsonb_build_object('run_id', v_gate.run_id, 'take_fence', true, 'events', p -> 'events',
    'audit', p -> 'audit') || case when v_run.status = 'cancelling' then '{}' else jsonb_build_object('run', p -> 'run') end);
  return v_written || jsonb_build_object('resolved_at', v_gate.resolved_at);
end $function$;

CREATE OR REPLACE FUNCTION public.sees_artifact(p_digest text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return exists (select from artifacts where digest = p_digest);
end $function$;

CREATE OR REPLACE FUNCTION public.sees_gate(p_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return exists (select from gates where id = p_id);
end $function$;

CREATE OR REPLACE FUNCTION public.sees_run(p_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return exists (select from runs where id = p_id);
end $function$;

CREATE OR REPLACE FUNCTION public.set_halt(p jsonb, p_audit jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_halt halts;
  v_runs bigint;
begin
  insert into halts (id, workspace_id, environment, template, requester, reason, set_by)
  values (p ->> 'id', p #>> '{scope,workspace}', p #>> '{scope,environment}', p #>> '{scope,template}', p #>> '{scope,requester}',
    p ->> 'reason', p -> 'by')
  returning * into v_halt;
  select count(*) into v_runs from runs r where ended_at is null and is_halted_by(r, v_halt);
  perform append_audit(jsonb_build_array(jsonb_set(p_audit, '{data,held}', jsonb_build_object('runs', v_runs))));
  return jsonb_build_object('created_at', v_halt.created_at, 'runs', v_runs);
end $function$;

CREATE OR REPLACE FUNCTION public.settle_firing(p_schedule text, p_nominal timestamp with time zone, p_outcome text, p_run text, p_reason text)
 RETURNS schedule_firings
 LANGUAGE plpgsql
AS $function$
declare
  v_firing schedule_firings;
begin
  insert into schedule_firings as f (schedule_id, nominal_at, workspace_id, run_id, outcome, reason)
  select id, p_nominal, workspace_id, p_run, p_outcome, p_reason from schedules where id = p_schedule
  on conflict (schedule_id, nominal_at) do update
    set outcome = excluded.outcome, run_id = excluded.run_id, reason = excluded.reason, actual_at = now()
    where f.outcome in ('claimed', 'waiting')
  returning * into v_firing;
  if not found then
    select * into v_firing from schedule_firings where schedule_id = p_schedule and nominal_at = p_nominal;
    return v_firing;
  end if;
  update schedules set last_fire = jsonb_strip_nulls(jsonb_build_object('nominal_at', v_firing.nominal_at,
    'actual_at', v_firing.actual_at, 'run_id', v_firing.run_id, 'outcome', v_firing.outcome, 'reason', v_firing.reason))
  where id = p_schedule and coalesce((last_fire ->> 'nominal_at')::timestamptz <= p_nominal, true);
  return v_firing;
end $function$;

CREATE OR REPLACE FUNCTION public.usd_from_micro(p_micro bigint)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE
AS $function$ select trim_scale(round(p_micro / 1000000.0, 6)) $function$;

CREATE OR REPLACE FUNCTION public.vouched_for(p_run runs, p_step text, p_plan_hash text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  v_here constant text[] := array['*', p_run.workspace_id];
begin
  return coalesce((
    select array_agg(lost.id)
    from gates g
      join users giver on giver.id = g.resolution ->> 'by'
      cross join jsonb_array_elements_text(g.required -> 'vouches_for') lost (id)
    where g.run_id = p_run.id and g.kind = 'standing_lost' and g.status = 'approved'
      and (g.step_id <> p_step or g.plan_hash = p_plan_hash)
      and giver.status = 'active' and giver.workspaces && v_here
      and exists (
        select from users o where o.status = 'active' and 'owner' = any (o.roles) and o.workspaces && v_here
          and (o.id = giver.id or o.delegate_to = giver.id and exists (
            select from gate_decisions d cross join jsonb_array_elements(d.command -> 'delegations') lent (of)
            where d.gate_id = g.id and d.decided_by = giver.id and lent.of ->> 'of' = o.id)))), '{}');
end $function$;
