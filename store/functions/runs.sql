-- Writes one transition of a run: takes or checks the fence, settles a step, opens the next, opens a gate, moves the run,
-- and records events and audit, all or nothing. Answers `{refused: …}` and changes nothing when it may not.
-- A reservation that does not fit raises SVC01, so that nothing of the statement has happened, and becomes such an answer.
-- It contains the common transition; rarer parts are called. The status of an admitted run is written here alone.
create or replace function record_run(p jsonb) returns jsonb
language plpgsql as $$
declare
  v_id constant text := p ->> 'run_id';
  v_settle constant jsonb := p -> 'settle';
  v_open constant jsonb := p -> 'open';
  v_gate constant jsonb := p -> 'gate';
  v_moved constant jsonb := p -> 'run';
  v_take constant boolean := coalesce((p ->> 'take_fence')::boolean, false);
  -- a step that begins or ends: an earlier crash was not caused by the next step
  v_progress constant boolean := v_settle is not null or (v_open is not null and not coalesce((v_open ->> 'again')::boolean, false));
  v_reserve constant bigint := coalesce((v_open ->> 'reserve_micro_usd')::bigint, 0);
  v_run runs;
  v_step run_steps;
  v_status text := v_moved ->> 'status';
  v_ended boolean;
  v_refused jsonb;
  v_lost jsonb;
  v_cost record;
  v_llm bigint := 0;
  v_gpu bigint := 0;
  v_storage bigint := 0;
  v_released bigint := 0;
  v_events jsonb := coalesce(p -> 'events', '[]');
  v_audit jsonb := coalesce(p -> 'audit', '[]');
begin
  select * into v_run from runs where id = v_id for update;
  if not found then return jsonb_build_object('refused', 'not_found'); end if;
  if v_run.ended_at is not null then
    return jsonb_build_object('refused', 'terminal', 'status', v_run.status);
  end if;
  -- a caller that names a fence takes it only from the attempt that held that one
  if (not v_take or p ? 'fence') and v_run.fence is distinct from (p ->> 'fence')::integer
     and not coalesce((p ->> 'any_fence')::boolean, false) then
    return jsonb_build_object('refused', 'fenced');
  end if;
  if v_status = 'running' and v_run.status = 'awaiting_approval'
     and exists (select 1 from gates where run_id = v_id and status = 'open') then
    -- the attempt that parked the run was lost before it could report that: the run still waits
    v_status := null;
  end if;
  if v_run.status = 'cancelling' and (v_open is not null or v_gate is not null or v_status = 'running') then
    return jsonb_build_object('refused', 'cancelling');
  end if;
  if v_open is not null then
    v_refused := refuse_opening(v_run, v_open);
    if v_refused is not null then return v_refused; end if;
  end if;
  v_ended := coalesce(v_status in ('succeeded', 'failed', 'rejected', 'cancelled', 'expired'), false);

  if v_settle is not null then
    select * into v_step from run_steps where run_id = v_id and step_id = v_settle ->> 'step_id' for update;
    v_released := coalesce(v_step.reserved_micro_usd, 0);
  end if;
  if v_run.reserved_micro_usd > v_released then
    v_lost := charge_lost(v_run, p);
    if v_lost is not null then select * into v_run from runs where id = v_id; end if;
  end if;
  -- an unreserved cost is charged as nothing, and noted in the ledger
  if v_released > 0 or ((v_settle ->> 'overrun_micro_usd')::bigint > 0 and v_step.state = 'running' and not exists (
      select from ledger_entries where run_id = v_id and step_id = v_step.step_id and attempt = v_step.attempt)) then
    v_cost := charge_attempt(v_run, v_step, v_settle);
    v_llm := v_cost.llm;
    v_gpu := v_cost.gpu;
    v_storage := v_cost.storage;
    v_events := v_cost.event || v_events;
  end if;
  if v_lost is not null then
    v_events := (v_lost -> 'events') || v_events;
    v_audit := (v_lost -> 'audit') || v_audit;
  end if;
  if v_reserve > 0 then
    v_events := v_events || reserve_budget(v_run, v_open, v_llm + v_gpu + v_storage, v_released);
  end if;

  if v_settle is not null then
    perform settle_step(v_id, v_settle, v_step.step_id is not null, v_llm + v_gpu + v_storage);
    if v_settle #> '{artifacts,0}' is not null then perform keep_artifacts(v_run, v_settle); end if;
  end if;
  if coalesce((v_settle ->> 'unsent')::boolean, false) then perform take_back_remote_job(v_step); end if;
  if v_open is not null then perform open_step(v_id, v_open, v_reserve); end if;
  if v_open ? 'remote_job' then perform create_remote_job(v_run, v_open); end if;
  if v_gate is not null then
    v_status := 'awaiting_approval';
    v_ended := false;
    perform open_gate(v_run, v_gate);
  end if;
  if v_ended then perform end_steps(v_id, v_status); end if;

  v_run.last_seq := number_events(v_id, v_run.last_seq, v_events);
  v_audit := append_audit(v_audit);
  v_status := coalesce(v_status, v_run.status);
  update runs set
    fence = fence + case when v_take then 1 else 0 end,
    claims = case when v_ended or v_gate is not null then 0
      else greatest(0, least(case when v_progress then 1 end, claims + coalesce((p ->> 'claim')::boolean, false)::integer)
        - coalesce((p ->> 'let_go')::boolean, false)::integer) end,
    status = v_status,
    status_reason = case when v_moved ? 'status_reason' then v_moved ->> 'status_reason' else status_reason end,
    outputs = coalesce(v_moved -> 'outputs', outputs),
    error = coalesce(v_moved -> 'error', error),
    current_step = coalesce(v_open ->> 'step_id', v_gate ->> 'step_id', current_step),
    llm_micro_usd = llm_micro_usd + v_llm,
    gpu_micro_usd = gpu_micro_usd + v_gpu,
    storage_micro_usd = storage_micro_usd + v_storage,
    reserved_micro_usd = reserved_micro_usd - v_released + v_reserve,
    started_at = case when v_status <> 'queued' then coalesce(started_at, now()) else started_at end,
    awaiting_since = case when v_status = 'awaiting_approval' then coalesce(awaiting_since, now()) end,
    ended_at = case when v_ended then now() end,
    last_seq = v_run.last_seq,
    updated_at = now()
  where id = v_id
  returning fence into v_run.fence;
  -- a success has no recipients by itself; the others are read when the notice is planned
  if v_ended and (v_status <> 'succeeded' or coalesce((v_moved ->> 'tell')::boolean, false)) then
    insert into gate_notices (run_id, workspace_id, kind) values (v_id, v_run.workspace_id, 'ended') on conflict do nothing;
  end if;
  if v_ended and v_moved ->> 'status_reason' = 'process_ended' then
    insert into set_aside (kind, subject, workspace_id, reason)
    values ('run', v_id, v_run.workspace_id, v_moved #>> '{error,message}') on conflict do nothing;
  end if;
  if v_take then
    delete from start_outbox where run_id = v_id;
  end if;
  -- a pipeline waits for ends and for people; the beginning of a run changes nothing for it
  if v_run.pipeline_id is not null and v_status <> v_run.status and (v_status <> 'running' or v_run.status = 'awaiting_approval') then
    perform wake_pipeline(v_run.pipeline_id);
  end if;
  perform move_pipeline_budget(v_run.pipeline_id, v_reserve, v_released, v_llm + v_gpu + v_storage);
  return jsonb_build_object('fence', v_run.fence, 'last_seq', v_run.last_seq, 'status', v_status, 'audit', v_audit);
end $$;
