-- Roles of models are authored in the console as well, above models.yaml: for the whole deployment, as environments and profiles are.
alter table console_documents
  drop constraint console_documents_kind_check,
  add constraint console_documents_kind_check check (kind in ('rule', 'environment', 'profile', 'model_roles'));

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

-- Who asked, of what is counted by person.
alter table model_calls add column actor_id text generated always as (record #>> '{actor,id}') stored;
-- Spending is added up from the index alone; the rows carry the record of each call.
create index model_calls_of_workspace on model_calls (workspace_id, created_at desc)
  include (model, run_id, key_id, actor_id, state, basis, charged_micro_usd, overrun_micro_usd);
create index audit_outbox_of_refused_requests on audit_outbox (workspace_id, ts)
  where draft ->> 'action' = 'request.refused';
