-- Forgets those runs that these records name, with everything that hangs on them, and puts the records in line: a run that has not
-- ended so long ago, or that the session does not see, stays. Plans stay as well: whoever has stored one does not send it again.
-- As the owner, because the services may not delete what is on record.
create or replace function forget_runs(p_records jsonb, p_days integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
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
end $$;
