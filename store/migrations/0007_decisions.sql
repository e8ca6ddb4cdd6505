-- A vote with everything that made it count: how its voter was known, whose roles were lent, who answered for whom.

alter table gate_decisions
  add column roles text[] not null default '{}',
  add column auth text not null default 'none' check (auth in ('none', 'jwt', 'magic_link', 'signature')),
  add column via text,
  add column delegations jsonb not null default '[]';

create or replace function resolve_gate(p jsonb) returns jsonb
language plpgsql as $$
declare
  v_gate gates;
  v_resolution constant text := p ->> 'resolution';
  v_written jsonb;
  v_cancelling boolean;
begin
  select status = 'cancelling' into v_cancelling from runs where id = p ->> 'run_id' for update;
  select * into v_gate from gates where id = p ->> 'gate_id' and run_id = p ->> 'run_id' for update;
  if not found then return jsonb_build_object('refused', 'not_found'); end if;
  if v_gate.status <> 'open' then
    return jsonb_build_object('refused', 'resolved', 'status', v_gate.status, 'resolved_at', v_gate.resolved_at,
      'resolution', v_gate.resolution);
  end if;
  if p ? 'vote' then
    insert into gate_decisions (gate_id, decision_id, decided_by, decision, note, channel, asserted, roles, auth, via, delegations)
    values (v_gate.id, p #>> '{vote,decision_id}', p #>> '{vote,by}', p #>> '{vote,decision}', p #>> '{vote,note}',
      p #>> '{vote,channel}', (p #>> '{vote,asserted}')::boolean,
      array(select jsonb_array_elements_text(coalesce(p #> '{vote,roles}', '[]'))), coalesce(p #>> '{vote,auth}', 'none'),
      p #>> '{vote,via}', coalesce(p #> '{vote,delegations}', '[]'))
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
    'audit', p -> 'audit') || case when v_cancelling then '{}' else jsonb_build_object('run', p -> 'run') end);
  return v_written || jsonb_build_object('resolved_at', v_gate.resolved_at);
end $$;
