-- Tells whether a gate has recipients: at once, or when it is not answered.
create or replace function is_announced(view jsonb) returns boolean
language sql immutable parallel safe
return coalesce(jsonb_typeof(view -> 'channels') = 'array' and view -> 'channels' <> '[]', false)
  or coalesce(jsonb_typeof(view #> '{sla,escalate_to}') = 'array' and view #> '{sla,escalate_to}' <> '[]', false);

create or replace function note_gate() returns trigger
language plpgsql as $$
begin
  insert into gate_notices (gate_id, run_id, workspace_id, kind)
  values (new.id, new.run_id, new.workspace_id, case when new.status = 'open' then 'opened' else 'resolved' end)
  on conflict do nothing;
  return null;
end $$;

-- An account has answered in the name of a person, who is notified at once, also where the gate was never announced before.
create or replace function note_answer() returns trigger
language plpgsql as $$
begin
  insert into gate_notices (gate_id, run_id, workspace_id, kind)
  select id, run_id, workspace_id, 'answered' from gates where id = new.gate_id and is_announced(view)
  on conflict (gate_id, kind) do update set handed_at = null, due_at = now();
  return null;
end $$;

-- The only writer of a gate's resolution. The counted votes are checked under the lock: `expect` has their number and their voters, and any
-- difference answers `changed`. A gate expires by this clock only: `due` asks whether it has, and a vote after its time is `overdue`,
-- however late the expiry itself is.
create or replace function resolve_gate(p jsonb) returns jsonb
language plpgsql as $$
declare
  v_gate gates;
  v_resolution constant text := p ->> 'resolution';
  v_written jsonb;
  v_run runs;
begin
  select * into v_run from runs where id = p ->> 'run_id' for update;
  select * into v_gate from gates where id = p ->> 'gate_id' and run_id = p ->> 'run_id' for update;
  if not found then return jsonb_build_object('refused', 'not_found'); end if;
  if v_gate.status <> 'open' then
    return jsonb_build_object('refused', 'resolved', 'status', v_gate.status, 'resolved_at', v_gate.resolved_at,
      'resolution', v_gate.resolution);
  end if;
  -- nothing is written about an ended run, not even votes
  if v_run.ended_at is not null then return jsonb_build_object('refused', 'terminal', 'status', v_run.status); end if;
  if coalesce((p ->> 'due')::boolean, false) and v_gate.expires_at > clock_timestamp() then
    return jsonb_build_object('refused', 'not_due',
      'remaining_ms', ceil(extract(epoch from v_gate.expires_at - clock_timestamp()) * 1000));
  end if;
  if p ? 'vote' and v_gate.expires_at <= clock_timestamp() then return jsonb_build_object('refused', 'overdue'); end if;
  if p ? 'expect' then
    if (select count(*) from gate_decisions where gate_id = v_gate.id) <> (p #>> '{expect,votes}')::bigint
       or array(select id || '/' || xmin from users
                where id in (select jsonb_array_elements_text(p #> '{expect,people}'))
                  or email in (select jsonb_array_elements_text(p #> '{expect,people}')) order by id for share)
          is distinct from array(select jsonb_array_elements_text(p #> '{expect,versions}')) then
      return jsonb_build_object('refused', 'changed');
    end if;
  end if;
  if p ? 'vote' then
    insert into gate_decisions (gate_id, decision_id, decided_by, decision, note, channel, asserted, roles, auth, via, delegations,
      command, approvals)
    values (v_gate.id, p #>> '{vote,decision_id}', p #>> '{vote,by}', p #>> '{vote,kind}', p #>> '{vote,note}',
      p #>> '{vote,channel}', (p #>> '{vote,asserted}')::boolean,
      array(select jsonb_array_elements_text(coalesce(p #> '{vote,roles}', '[]'))), coalesce(p #>> '{vote,auth}', 'none'),
      p #>> '{vote,via}', coalesce(p #> '{vote,delegations}', '[]'), p -> 'vote', p -> 'approvals')
    on conflict do nothing;
  end if;
  if v_resolution is not null then
    update gates set status = v_resolution, resolved_at = now(), resolution = p -> 'resolved' where id = v_gate.id
    returning * into v_gate;
    update run_steps set state = case v_resolution when 'approved' then 'ready' when 'expired' then 'expired' else 'cancelled' end,
      ended_at = case when v_resolution <> 'approved' then now() end
    where run_id = v_gate.run_id and step_id = v_gate.step_id;
  end if;
  -- a run that is being cancelled stays so, also when its last gate was approved before
  v_written := record_run(jsonb_build_object('run_id', v_gate.run_id, 'take_fence', true, 'events', p -> 'events',
    'audit', p -> 'audit') || case when v_run.status = 'cancelling' then '{}' else jsonb_build_object('run', p -> 'run') end);
  return v_written || jsonb_build_object('resolved_at', v_gate.resolved_at);
end $$;

-- Records on an open gate that somebody looks at it, or a comment: no vote. What is recorded under the key of its event is not recorded again.
create or replace function remark_on_gate(p jsonb) returns text
language plpgsql as $$
declare
  v_run runs;
  v_last bigint;
begin
  select * into v_run from runs where id = p ->> 'run_id' and workspace_id = p ->> 'workspace_id' for update;
  if not found then return 'not_found'; end if;
  if not exists (select from gates where id = p ->> 'gate_id' and run_id = v_run.id and status = 'open') then return 'gate_resolved'; end if;
  if (select count(*) from run_events where run_id = v_run.id and type = p #>> '{event,type}' and data ->> 'gate_id' = p ->> 'gate_id')
     >= (p ->> 'most')::integer then
    return 'full';
  end if;
  v_last := number_events(v_run.id, v_run.last_seq, jsonb_build_array(p -> 'event'));
  if v_last > v_run.last_seq then
    update runs set last_seq = v_last, updated_at = now() where id = v_run.id;
    perform append_audit(jsonb_build_array(p -> 'audit'));
  end if;
  return null;
end $$;
