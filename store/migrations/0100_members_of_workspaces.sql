-- A member is sought by its own id, which other workspaces may use as well: it is found among the runs of its workspace alone.
alter table run_alert_members add column workspace_id text;
update run_alert_members m set workspace_id = r.workspace_id from runs r where r.id = m.run_id;
alter table run_alert_members alter column workspace_id set not null;
drop index run_alert_members_of_member;
create index run_alert_members_of_member on run_alert_members (workspace_id, member, run_id desc);

-- 0099 drops what older processes call: its successor stands as soon as the migrations do, and not only with the functions after them.

-- A time as a sender says it, at most five minutes ahead of ours: an end in the future would keep back what fires until then. Null for one
-- that is more than a day ahead, which is a mistake.
create or replace function stated_time(p_time text) returns timestamptz language sql stable as $$
  select case when p_time::timestamptz < now() + interval '1 day' then least(p_time::timestamptz, now() + interval '5 minutes') end
$$;

-- Notes that members fire; their rows are locked with those of their runs. What says no time fires after all that is known.
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
    from given left join run_alert_members known using (run_id, member)
  )
  insert into run_alert_members as m (run_id, workspace_id, member, fired_at)
  select run_id, workspace_id, member, at from placed where fired_at is null or fired_at < at
  on conflict (run_id, member) do update set fired_at = excluded.fired_at;
end $$;

-- Records recoveries on the active runs of their fingerprints. `p_fingerprints` are those of the resolutions, each once and in the
-- order in which every writer locks them; `p_at` says when each ended. One that ended before the member fired is recorded and changes
-- nothing: it is `late`. A function and not a transaction of statements: the backend of one statement may be lost without more harm than
-- an error, and the locks are held for one round trip.
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
    left join run_alert_members known on known.run_id = r.id and known.member = t.member
  ), recovered as materialized (
    select *, coalesce(at < fired_at, false) as late, coalesce(fired_at > ended_at, fired_at is not null) as fires
    from stated
  ), numbered as (
    select r.*, count(*) filter (where not late) over in_order as n,
      (select count(*) from run_alert_members m where m.run_id = r.run_id and coalesce(m.fired_at > m.ended_at, m.fired_at is not null))
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
