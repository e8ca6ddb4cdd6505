-- A vote keeps the command that cast it, signature and all: what counts is decided when votes are counted, not when they came.
alter table gate_decisions
  add column command jsonb,
  -- how many approvals there were with it
  add column approvals jsonb,
  -- whoever has approved may still stop it
  drop constraint gate_decisions_gate_id_decided_by_key,
  add unique (gate_id, decided_by, decision);

-- What came through the engine and was not borne out: one row a kind and run (or schedule), so that a flood of claims is a number.
create table refused_claims (
  kind text not null,
  -- of a run or schedule that there is; claims about any other are counted together, under the empty id
  subject_id text not null,
  workspace_id text not null references workspaces,
  refused bigint not null default 1,
  -- how many of them the audit log knows of
  reported bigint not null default 0,
  reported_at timestamptz,
  primary key (subject_id, kind)
);
call lock_to_workspace('refused_claims');

-- Counts refused claims, and puts them in line for the audit log unless some like them were there within the last minute. Without a
-- new one (`p_more` is 0) it reports those of which the log does not know yet: also the end of a flood is a number there.
create function refuse_claim(p_kind text, p_subject text, p_workspace text, p_draft jsonb, p_more integer) returns void
language plpgsql as $$
declare
  v_subject text;
  v_workspace text;
  v_is_run boolean;
  v_claims refused_claims;
begin
  select id, workspace_id, true into v_subject, v_workspace, v_is_run from runs where id = p_subject;
  if not found then
    select id, workspace_id, false into v_subject, v_workspace, v_is_run from schedules where id = p_subject;
  end if;
  insert into refused_claims as c (kind, subject_id, workspace_id, refused)
  values (p_kind, coalesce(v_subject, ''), coalesce(v_workspace, p_workspace), p_more)
  on conflict (subject_id, kind) do update set refused = c.refused + p_more
  returning * into v_claims;
  if v_claims.reported_at > clock_timestamp() - interval '1 minute' or v_claims.refused = v_claims.reported then return; end if;
  update refused_claims set reported = refused, reported_at = clock_timestamp()
  where subject_id = v_claims.subject_id and kind = v_claims.kind;
  perform append_audit(jsonb_build_array(
    jsonb_set(case when v_is_run then p_draft else p_draft - 'run_id' end, '{data,times}', to_jsonb(v_claims.refused - v_claims.reported))
    || jsonb_build_object('workspace_id', v_claims.workspace_id)));
end $$;

-- The one writer of a gate's resolution. What was counted is checked under the lock: `expect` says how many votes there were and
-- who their voters were, and anything else answers `changed`. A gate expires by this clock only: `due` asks whether it has, and a vote
-- that comes after its time is `overdue`, however late the expiry itself is.
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
  -- nothing is written about a run that is over, its votes neither
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
  -- a run that is being cancelled goes on being cancelled, also when its last gate was approved before
  v_written := record_run(jsonb_build_object('run_id', v_gate.run_id, 'take_fence', true, 'events', p -> 'events',
    'audit', p -> 'audit') || case when v_run.status = 'cancelling' then '{}' else jsonb_build_object('run', p -> 'run') end);
  return v_written || jsonb_build_object('resolved_at', v_gate.resolved_at);
end $$;
