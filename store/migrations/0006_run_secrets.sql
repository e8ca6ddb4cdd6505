-- Secret inputs of runs: one sealed text per run (a JWE, RFC 7516), written with the admission and gone with the end of the run.

create table run_secrets (
  run_id text primary key references runs,
  sealed text not null
);
call lock_rows('run_secrets', 'sees_run(run_id)');

-- Whatever ends a run takes its secrets along, in the same transaction. As the owner, because the services may not.
create function forget_run_secrets() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from run_secrets where run_id = new.id;
  return null;
end $$;

create trigger runs_forget_secrets after update of ended_at on runs
  for each row when (new.ended_at is not null and old.ended_at is null) execute function forget_run_secrets();

-- Starts runs, or folds them onto the active run of their fingerprint. Drafts of one fingerprint arrive as one, with
-- `alerts` naming every member; the caller sorts by fingerprint so that two batches never lock in opposite order.
create or replace function admit_runs(p_drafts jsonb) returns jsonb
language plpgsql as $$
declare
  v_result jsonb;
begin
  insert into plans (digest, plan)
  select distinct on (d ->> 'plan_digest') d ->> 'plan_digest', d -> 'plan'
  from jsonb_array_elements(p_drafts) t(d) where d ? 'plan'
  on conflict do nothing;

  -- `key` pairs a run with its draft, by hash: the fingerprint when there is one, else the run's own id
  with drafts as materialized (
    select d, position, d ->> 'id' as draft_id, coalesce(d ->> 'fingerprint', d ->> 'id') as key, d ->> 'workspace_id' as workspace,
      greatest(jsonb_array_length(coalesce(d -> 'alerts', '[]')), 1) as members
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
    from drafts order by position
    on conflict (workspace_id, fingerprint)
      where fingerprint is not null and status in ('queued', 'running', 'awaiting_approval', 'cancelling')
      do update set attached_count = runs.attached_count + excluded.attached_count + 1,
                    last_seq = runs.last_seq + 1, updated_at = now()
    returning id, workspace_id, coalesce(fingerprint, id) as key, attached_count, last_seq, status
  ), paired as (
    select a.id, a.attached_count, a.last_seq, a.status, a.id = drafts.draft_id as started, drafts.d, drafts.members, drafts.position
    from admitted a join drafts on drafts.key = a.key and drafts.workspace = a.workspace_id
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
    insert into audit_outbox (draft) select d -> 'audit' from paired where started and d ? 'audit' order by position
  )
  select jsonb_agg(jsonb_build_object('run_id', id, 'started', started, 'status', status,
    'attached_count', attached_count) order by position) into v_result from paired;
  return v_result;
end $$;
