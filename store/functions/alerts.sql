-- Locks the active runs of these fingerprints in the order given; returns their ids at the same places, null where there is none.
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

-- Here and below, `offset 0` keeps a lookup of one row by its key: the planner estimates an array in JSON at a hundred rows, and a nested
-- one at ten thousand, and would read the whole table for a single alert.

-- Stores the last states of members, `{run_id, member, alert}` in their order; of a run the first sixteen members, and that there were
-- more. The caller holds the rows of the runs. A known state is not written again.
create or replace function keep_alert_states(p_states jsonb) returns void language plpgsql set enable_seqscan to off as $$
declare
  c_most constant integer := 16;
begin
  if p_states is null then return; end if;
  with given as materialized (
    select distinct on (run_id, member) s ->> 'run_id' as run_id, s ->> 'member' as member, s -> 'alert' as alert, n
    from jsonb_array_elements(p_states) with ordinality t(s, n), lateral (select s ->> 'run_id' as run_id, s ->> 'member' as member) named
    order by run_id, member, n desc
  ), placed as materialized (
    select given.*, k.run_id is not null as known,
      (select count(*) from run_alert_states o where o.run_id = given.run_id)
        + row_number() over (partition by given.run_id, k.run_id is null order by n) as place
    from given left join lateral (
      select run_id from run_alert_states k where k.run_id = given.run_id and k.member = given.member offset 0
    ) k on true
  ), kept as (
    insert into run_alert_states as s (run_id, member, status, alert)
    select run_id, member, 'firing', alert from placed where known or place <= c_most
    on conflict (run_id, member) do update set status = excluded.status, alert = excluded.alert, updated_at = now()
      where s.alert ->> 'digest' is distinct from excluded.alert ->> 'digest' or s.status <> excluded.status
  )
  update run_trigger_alerts set members_cut = true
  where not members_cut and run_id in (select run_id from placed where not known and place > c_most);
end $$;

-- Returns a sender's time, at most five minutes ahead of ours: an end in the future would hold back alerts until then. Null for one that is
-- more than a day ahead, which is a mistake.
create or replace function stated_time(p_time text) returns timestamptz language sql stable as $$
  select case when p_time::timestamptz < now() + interval '1 day' then least(p_time::timestamptz, now() + interval '5 minutes') end
$$;

-- Notes that members fire; their rows are locked with those of their runs. A firing without a time counts as the latest.
create or replace function note_firing(p_runs text[], p_folded jsonb) returns void language plpgsql set enable_seqscan to off as $$
begin
  with given as materialized (
    select run_id, workspace_id, member, max(at) as at, bool_or(at is null) as untold from (
      select p_runs[position] as run_id, f ->> 'workspace_id' as workspace_id, a ->> 'member' as member, stated_time(a ->> 'at') as at
      from jsonb_array_elements(p_folded) with ordinality t(f, position), jsonb_array_elements(coalesce(f -> 'alerts', '[]')) m(a)
      where p_runs[position] is not null
    ) stated group by run_id, workspace_id, member
  ), placed as (
    select given.run_id, given.workspace_id, given.member, known.fired_at, greatest(at, case when untold then
      greatest('epoch', known.fired_at, known.ended_at + interval '1 microsecond') end) as at
    from given left join lateral (
      select fired_at, ended_at from run_alert_members k where k.run_id = given.run_id and k.member = given.member offset 0
    ) known on true
  )
  insert into run_alert_members as m (run_id, workspace_id, member, fired_at)
  select run_id, workspace_id, member, at from placed where fired_at is null or fired_at < at
  on conflict (run_id, member) do update set fired_at = excluded.fired_at;
end $$;

-- Stores the states of attached alerts, and that members with a known state fire again.
create or replace function keep_folded(p_runs text[], p_folded jsonb) returns void language plpgsql set enable_seqscan to off as $$
begin
  if jsonb_path_exists(p_folded, '$[*].alerts[*].state') then
    perform keep_alert_states((
      select jsonb_agg(jsonb_build_object('run_id', p_runs[position], 'member', a -> 'member', 'alert', a -> 'state') order by position, n)
      from jsonb_array_elements(p_folded) with ordinality t(f, position),
        jsonb_array_elements(coalesce(f -> 'alerts', '[]')) with ordinality m(a, n)
      where a ? 'state' and p_runs[position] is not null));
  end if;
  update run_alert_states s set status = now.status, updated_at = now(),
    alert = case when now.status = 'firing' then alert - 'ends_at' else alert end
  from (select run_id, member, found.status from run_alert_states k cross join lateral (
      select case when fired_at <= ended_at then 'resolved' else 'firing' end as status
      from run_alert_members m where m.run_id = k.run_id and m.member = k.member offset 0
    ) found where run_id = any(p_runs)) now
  where s.run_id = now.run_id and s.member = now.member and s.status <> now.status;
end $$;

-- Attaches alerts to the active runs of their fingerprints, where there are any, and starts nothing. The answers are in the order of the
-- requests, null where nothing is active; the caller sorts by fingerprint, as for an admission.
create or replace function attach_alerts(p_wishes jsonb)
returns jsonb language plpgsql set lock_timeout to '3s' set enable_seqscan to off as $$
declare
  v_result jsonb;
  v_runs text[];
begin
  select lock_active(array_agg(w ->> 'workspace_id' order by position), array_agg(w ->> 'fingerprint' order by position))
    into v_runs from jsonb_array_elements(p_wishes) with ordinality t(w, position);
  -- a caller that knows the record of one run does not send it again, and so attaches to no other
  select array_agg(case when coalesce(w ->> 'run_id', v_runs[position]) = v_runs[position] then v_runs[position] end order by position)
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
    insert into run_alerts (run_id, delivery_id, member, status, digest)
    select id, a ->> 'delivery_id', a ->> 'member', 'firing', decode(substr(a ->> 'digest', 8), 'hex')
    from joined, jsonb_array_elements(coalesce(w -> 'alerts', '[]')) with ordinality m(a, n) order by position, n
  )
  select jsonb_agg(case when id is not null then jsonb_build_object('run_id', id, 'started', false, 'status', status,
    'attached_count', attached_count) end order by position) into v_result from wishes left join joined using (position);
  perform note_firing(v_runs, p_wishes);
  perform keep_folded(v_runs, p_wishes);
  return v_result;
end $$;

-- Records recoveries on the active runs of their fingerprints. `p_fingerprints` are those of the resolutions, each once and in the order in
-- which every writer locks them; `p_at` is the end of each. An end before the firing is recorded and changes nothing: it is `late`. A
-- function and not a transaction of statements: losing the backend of one statement costs no more than an error, and the locks are held for
-- one round trip.
create or replace function resolve_alerts(p_workspace text, p_delivery text, p_fingerprints text[], p_resolved text[], p_members text[],
  p_at text[] default null)
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
  with stated as (
    select r.id as run_id, t.fingerprint, t.member, t.position, stated_time(t.at) as at, known.fired_at, known.ended_at
    from unnest(p_resolved, p_members, p_at) with ordinality t(fingerprint, member, at, position)
    join runs r on r.id = any(v_runs) and r.fingerprint = t.fingerprint
    left join lateral (
      select fired_at, ended_at from run_alert_members k where k.run_id = r.id and k.member = t.member offset 0
    ) known on true
  ), recovered as materialized (
    select *, coalesce(at < fired_at, false) as late, coalesce(fired_at > ended_at, fired_at is not null) as fires
    from stated
  ), firing as materialized (
    select m.run_id, count(*) as members from run_alert_members m
    where m.run_id = any(v_runs) and coalesce(m.fired_at > m.ended_at, m.fired_at is not null) group by m.run_id
  ), numbered as (
    select r.*, count(*) filter (where not late) over in_order as n,
      coalesce((select members from firing where firing.run_id = r.run_id), 0)
        - count(*) filter (where fires and not late) over in_order as remaining
    from recovered r window in_order as (partition by r.run_id order by r.position)
  ), ended as (
    insert into run_alert_members as m (run_id, workspace_id, member, ended_at)
    select run_id, p_workspace, member, coalesce(at, greatest('epoch', fired_at, ended_at)) from recovered
    on conflict (run_id, member) do update set ended_at = greatest(m.ended_at, excluded.ended_at)
  ), noted as (
    insert into run_alerts (run_id, delivery_id, member, status)
    select run_id, p_delivery, member, 'resolved' from numbered order by position
    returning id, run_id, member
  ), moved as (
    update runs set last_seq = last_seq + added.events, updated_at = now()
    from (select run_id, max(n) as events from numbered group by run_id) added where runs.id = added.run_id and added.events > 0
    returning runs.id, runs.last_seq - added.events as base
  ), written as (
    insert into run_events (run_id, seq, event_key, type, ts, data)
    select run_id, moved.base + n, 'alert/resolved/' || noted.id, 'alert.resolved',
      date_trunc('milliseconds', clock_timestamp()), jsonb_build_object('member', member, 'remaining', remaining)
    from numbered join noted using (run_id, member) join moved on moved.id = run_id where not late
  )
  select jsonb_agg(jsonb_build_object('run_id', run_id, 'fingerprint', fingerprint, 'member', member, 'remaining', remaining,
    'late', late, 'fired_at', iso_time(fired_at)) order by position) into v_result
  from numbered;
  return coalesce(v_result, '[]');
end $$;
