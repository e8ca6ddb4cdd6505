-- Finding the active runs of many fingerprints was one join. With statistics from a quieter time (they lag behind a storm) the
-- planner read every active run for it, and each flush of alerts cost more the more runs there were. One look-up each costs the
-- same in a table of any size. A session keeps the plans of its functions: one made while a table was small must not be one that
-- reads all of it, so these functions never do.

-- Locks the active runs of these fingerprints in the order given; their ids at the same places, null where there is none.
create function lock_active(p_workspaces text[], p_fingerprints text[]) returns text[] language plpgsql set enable_seqscan to off as $$
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

create or replace function hold_back(p_drafts jsonb)
returns jsonb language plpgsql as $$
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
end $$;

create or replace function admit_runs(p_drafts jsonb)
returns jsonb language plpgsql set lock_timeout to '3s' set enable_seqscan to off as $$
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
end $$;

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

-- A storm makes most of the active runs there are: what the planner knows of them must not be from before.
alter table runs set (autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05);
