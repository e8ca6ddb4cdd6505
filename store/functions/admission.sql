-- Returns which drafts may attach to an active run but start none, by the draft's id, and until when. A fingerprint whose last run is still
-- active rests from now on, should that run end before the draft gets there. Takes the lock of every limited fingerprint for the
-- transaction, and the rows of all active runs of the drafts in the common order.
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
  -- statements of their own: their snapshots include every commit before the locks were taken
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

-- Starts runs, or attaches them to the active run of their fingerprint, or holds them back when their `limits` require it. Drafts of one
-- fingerprint arrive as one, with `alerts` naming every member; the caller sorts by fingerprint so that two batches never lock in opposite
-- order. A row that stays locked fails the whole batch, and nothing has happened.
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

  if jsonb_path_exists(p_drafts, '$[*].provenance.pipeline_id') then perform claim_children(p_drafts); end if;

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
      inputs_hash, reason, labels, provenance, fingerprint, attached_count, cap_micro_usd, last_seq, pipeline_id)
    select d ->> 'id', d ->> 'workspace_id', d ->> 'pack', d ->> 'template', d ->> 'template_version',
      d ->> 'template_digest', d ->> 'plan_digest', 'queued', d ->> 'lane', d ->> 'environment',
      d ->> 'environment_class', d ->> 'profile', d ->> 'config_preset', (d ->> 'sandbox')::boolean,
      (d ->> 'dry_run')::boolean, d ->> 'risk',
      array(select jsonb_array_elements_text(d -> 'action_types')), array(select jsonb_array_elements_text(d -> 'capabilities')),
      d -> 'inputs', d ->> 'inputs_hash', d ->> 'reason', d -> 'labels', d -> 'provenance', d ->> 'fingerprint',
      members - 1, (d ->> 'cap_micro_usd')::bigint, case when members > 1 then 2 else 1 end, d #>> '{provenance,pipeline_id}'
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
             || case when (d ->> 'dry_run')::boolean then '{"dry_run": true}'::jsonb else '{}' end
    from paired where started
  ), attached as (
    insert into run_events (run_id, seq, event_key, type, ts, data)
    select id, last_seq, 'alert/attached/' || (d ->> 'id'), 'alert.attached',
           date_trunc('milliseconds', clock_timestamp()),
           jsonb_build_object('count', case when started then members - 1 else members end, 'attached_count', attached_count)
    from paired where not started or members > 1
  ), alerts as (
    insert into run_alerts (run_id, delivery_id, member, status, digest)
    select id, a ->> 'delivery_id', a ->> 'member', 'firing', decode(substr(a ->> 'digest', 8), 'hex')
    from paired, jsonb_array_elements(coalesce(d -> 'alerts', '[]')) with ordinality m(a, n) order by position, n
  ), started_by as (
    insert into run_trigger_alerts (run_id, alert) select id, d -> 'alert' from paired where started and d ? 'alert'
  ), outbox as (
    insert into start_outbox (run_id) select id from paired where started
  ), sealed as (
    insert into run_secrets (run_id, sealed) select id, d ->> 'sealed' from paired where started and d ->> 'sealed' is not null
  ), audited as (
    insert into audit_outbox (draft)
    select draft from (
      select position, d -> 'audit' as draft from paired where started and d ? 'audit'
      union all
      select position, (d -> 'audit') - 'run_id' - 'attempt' || jsonb_build_object('action', 'run.throttled',
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
  if jsonb_path_exists(p_drafts, '$[*].provenance.pipeline_id') then
    perform begin_children(array(select e ->> 'run_id' from jsonb_array_elements(v_result) t(e) where (e ->> 'started')::boolean));
  end if;
  if jsonb_path_exists(p_drafts, '$[*].provenance.retry_of') then
    perform take_over_steps(r) from runs r
    where r.id in (select e ->> 'run_id' from jsonb_array_elements(v_result) t(e) where (e ->> 'started')::boolean) and r.provenance ? 'retry_of';
  end if;
  if jsonb_path_exists(p_drafts, '$[*].alerts[*]') then
    v_active := array(select e ->> 'run_id' from jsonb_array_elements(v_result) with ordinality t(e, n) order by n);
    perform note_firing(v_active, p_drafts);
    perform keep_folded(v_active, p_drafts);
  end if;
  return v_result;
end $$;
