-- Deletes these runs with everything that belongs to them, each with a record under the given id. A run that has not ended so long ago, or
-- that the session does not see, stays; so does one of a pipeline that has not ended so long ago. Plans stay as well, because stores do not
-- send them again. As the owner, because the services may not delete records; no other role may call it.
create or replace function forget_runs(p_runs jsonb, p_days integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_runs text[];
  v_gates text[];
  v_bodies text[];
  v_digests text[];
  v_records jsonb;
begin
  if p_days < 30 then
    raise exception 'runs are kept for 30 days' using errcode = 'check_violation';
  end if;
  select coalesce(array_agg(id), '{}') into v_runs from (
    select r.id from runs r
    where r.id in (select each ->> 'run_id' from jsonb_array_elements(p_runs) t(each))
      and r.ended_at < now() - p_days * interval '1 day'
      and current_setting('svc.workspace', true) in ('*', r.workspace_id)
      and not exists (select from gates g where g.run_id = r.id and g.status = 'open')
      and not exists (select from start_outbox o where o.run_id = r.id)
      and not exists (select from pipelines p where p.id = r.pipeline_id
        and (p.ended_at is null or p.ended_at >= now() - p_days * interval '1 day'))
    order by r.id for update skip locked) forgotten;
  select coalesce(jsonb_agg(jsonb_build_object('id', each ->> 'audit_id', 'ts', iso_time(clock_timestamp()), 'category', 'admin',
      'action', 'run.forgotten', 'workspace_id', r.workspace_id, 'actor', '{"type": "system", "id": "svc", "auth": "none"}'::jsonb,
      'run_id', r.id, 'subject', jsonb_build_object('type', 'run', 'id', r.id),
      'data', jsonb_build_object('ended_at', iso_time(r.ended_at), 'retention_days', p_days))), '[]') into v_records
    from jsonb_array_elements(p_runs) t(each) join runs r on r.id = each ->> 'run_id' where r.id = any(v_runs);
  select coalesce(array_agg(id), '{}') into v_gates from gates where run_id = any(v_runs);
  select coalesce(array_agg(distinct digest_id), '{}') into v_digests from notice_deliveries
    where (gate_id = any(v_gates) or run_id = any(v_runs)) and status = 'folded';
  delete from notice_deliveries where gate_id = any(v_gates) or run_id = any(v_runs);
  -- a digest goes with the last notice that was folded into it
  v_digests := array(select each from unnest(v_digests) each
    where not exists (select from notice_deliveries where digest_id = each and status = 'folded'));
  delete from notice_deliveries where digest_id = any(v_digests);
  delete from notice_digests where id = any(v_digests);
  delete from magic_links where gate_id = any(v_gates);
  delete from gate_notices where run_id = any(v_runs);
  delete from gate_decisions where gate_id = any(v_gates);
  delete from gates where run_id = any(v_runs);
  insert into artifact_removals (object_connection, object_key, workspace_id, environment)
  select distinct on (a.object_connection, a.object_key) a.object_connection, a.object_key, a.workspace_id, r.environment
  from artifacts a join runs r on r.id = a.run_id
  where a.run_id = any(v_runs) and a.object_key is not null and not exists (select from artifacts other
    where other.object_connection = a.object_connection and other.object_key = a.object_key and other.run_id <> all(v_runs))
  on conflict do nothing;
  select coalesce(array_agg(distinct body_digest) filter (where body_digest is not null), '{}') into v_bodies
    from artifacts where run_id = any(v_runs);
  delete from artifacts where run_id = any(v_runs);
  delete from artifact_bodies b where b.digest = any(v_bodies) and not exists (select from artifacts a where a.body_digest = b.digest);
  delete from run_alerts where run_id = any(v_runs);
  delete from run_alert_members where run_id = any(v_runs);
  delete from run_alert_states where run_id = any(v_runs);
  delete from run_trigger_alerts where run_id = any(v_runs);
  delete from run_events where run_id = any(v_runs);
  delete from run_secrets where run_id = any(v_runs);
  delete from connection_uses where run_id = any(v_runs);
  delete from model_calls where run_id = any(v_runs);
  delete from ledger_entries where run_id = any(v_runs);
  delete from remote_jobs where run_id = any(v_runs);
  delete from run_steps where run_id = any(v_runs);
  delete from runs where id = any(v_runs);
  perform append_audit(v_records);
  return cardinality(v_runs);
end $$;
revoke execute on function forget_runs(jsonb, integer) from public;

-- Deletes these pipelines with everything that belongs to them, each with a record under the given id: one that has not ended so long ago,
-- that the session does not see, or whose runs were not all deleted before it, stays. As the owner, as above.
create or replace function forget_pipelines(p_pipelines jsonb, p_days integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_ids text[];
  v_records jsonb;
begin
  if p_days < 30 then
    raise exception 'pipelines are kept for 30 days' using errcode = 'check_violation';
  end if;
  select coalesce(array_agg(id), '{}') into v_ids from (
    select p.id from pipelines p
    where p.id in (select each ->> 'pipeline_id' from jsonb_array_elements(p_pipelines) t(each))
      and p.ended_at < now() - p_days * interval '1 day'
      and current_setting('svc.workspace', true) in ('*', p.workspace_id)
      and not exists (select from runs r where r.pipeline_id = p.id)
    order by p.id for update skip locked) forgotten;
  select coalesce(jsonb_agg(jsonb_build_object('id', each ->> 'audit_id', 'ts', iso_time(clock_timestamp()), 'category', 'admin',
      'action', 'pipeline.forgotten', 'workspace_id', p.workspace_id, 'actor', '{"type": "system", "id": "svc", "auth": "none"}'::jsonb,
      'subject', jsonb_build_object('type', 'pipeline', 'id', p.id),
      'data', jsonb_build_object('ended_at', iso_time(p.ended_at), 'retention_days', p_days))), '[]') into v_records
    from jsonb_array_elements(p_pipelines) t(each) join pipelines p on p.id = each ->> 'pipeline_id' where p.id = any(v_ids);
  delete from pipeline_outbox where pipeline_id = any(v_ids);
  delete from pipeline_wakes where pipeline_id = any(v_ids);
  delete from pipeline_events where pipeline_id = any(v_ids);
  delete from pipeline_children where pipeline_id = any(v_ids);
  delete from pipeline_steps where pipeline_id = any(v_ids);
  delete from pipeline_budgets where pipeline_id = any(v_ids);
  delete from pipelines where id = any(v_ids);
  perform append_audit(v_records);
  return cardinality(v_ids);
end $$;
revoke execute on function forget_pipelines(jsonb, integer) from public;
