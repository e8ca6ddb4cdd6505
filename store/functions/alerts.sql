-- Locks the active runs of these fingerprints in the order given; their ids at the same places, null where there is none.
create or replace function lock_active(p_workspaces text[], p_fingerprints text[]) returns text[] language plpgsql set enable_seqscan to off as $$
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
end $$;

-- Folds alerts onto the active runs of their fingerprints, where there are any, and starts nothing. The answers stand in the
-- order of the wishes, null where nothing is active; the caller sorts by fingerprint, as for an admission.
create or replace function attach_alerts(p_wishes jsonb)
returns jsonb language plpgsql set lock_timeout to '3s' set enable_seqscan to off as $$
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
end $$;

-- Records recoveries on the active runs of their fingerprints. `p_fingerprints` are those of the resolutions, each once and in the
-- order in which every writer locks them. A function and not a transaction of statements: the backend of one statement may be lost
-- without more harm than an error, and the locks are held for one round trip.
create or replace function resolve_alerts(p_workspace text, p_delivery text, p_fingerprints text[], p_resolved text[], p_members text[])
returns jsonb language plpgsql set lock_timeout to '3s' set enable_seqscan to off as $$
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
end $$;
