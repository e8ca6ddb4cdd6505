-- Records recoveries on the active runs of their fingerprints. `p_fingerprints` are those of the resolutions, each once and in the
-- order in which every writer locks them. A function and not a transaction of statements: the backend of one statement may be lost
-- without more harm than an error, and the locks are held for one round trip.
create function resolve_alerts(p_workspace text, p_delivery text, p_fingerprints text[], p_resolved text[], p_members text[])
returns jsonb
language plpgsql set lock_timeout = '3s' as $$
declare
  v_runs text[];
  v_result jsonb;
begin
  select array_agg(id) into v_runs from (
    select r.id
    from unnest(p_fingerprints) with ordinality f(fingerprint, position)
    join runs r on r.workspace_id = p_workspace and r.fingerprint = f.fingerprint
      and r.status in ('queued', 'running', 'awaiting_approval', 'cancelling')
    order by f.position for update of r
  ) locked;
  if v_runs is null then
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
end $$;
