-- Tenancy: a second lock behind the workspace that every query names, an edition of each workspace, and its daily cap.

alter table workspaces add column version integer not null default 1;

-- A policy shows a session the rows of the workspace that its setting `svc.workspace` names; `*`, which the service's own
-- machinery sets when it connects, shows all, and a session that names none sees nothing. The test for `*` comes first: it
-- is all that a policy costs on the hot path. A new table with a tenant's rows calls one of these two.
create procedure lock_rows(p_table regclass, p_visible text)
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', p_table);
  execute format('alter table %s force row level security', p_table);
  execute format($policy$create policy of_workspace on %s
    using (current_setting('svc.workspace', true) = '*' or %s)$policy$, p_table, p_visible);
end $$;

create procedure lock_to_workspace(p_table regclass, p_workspace text default 'workspace_id')
language plpgsql as $$
begin
  call lock_rows(p_table, format($visible$%s = current_setting('svc.workspace', true)$visible$, p_workspace));
end $$;

-- runs are counted and paged through: there the setting is read once a statement, not once a row
alter table runs enable row level security;
alter table runs force row level security;
create policy of_workspace on runs
  using ((select current_setting('svc.workspace', true)) in ('*', workspace_id));

call lock_to_workspace('workspaces', 'id');
call lock_to_workspace('gates');
call lock_to_workspace('ledger_entries');
call lock_to_workspace('environment_budgets');
call lock_to_workspace('artifacts');
call lock_to_workspace('idempotency_keys');
call lock_to_workspace('console_policies');
call lock_to_workspace('audit_outbox', $$(draft ->> 'workspace_id')$$);

-- What hangs on a run or a gate is visible where that is: the query inside is under its own policy. It is a function, because
-- a subquery in a policy is set up with every statement, also where `*` makes it superfluous.
create function sees_run(p_id text) returns boolean
language plpgsql stable as $$
begin
  return exists (select from runs where id = p_id);
end $$;

create function sees_gate(p_id text) returns boolean
language plpgsql stable as $$
begin
  return exists (select from gates where id = p_id);
end $$;

-- bodies are kept once by content: whoever has an artifact of that content may read it
create function sees_artifact(p_digest text) returns boolean
language plpgsql stable as $$
begin
  return exists (select from artifacts where digest = p_digest);
end $$;
create index artifacts_by_digest on artifacts (digest);

call lock_rows('run_steps', 'sees_run(run_id)');
call lock_rows('run_events', 'sees_run(run_id)');
call lock_rows('run_alerts', 'sees_run(run_id)');
call lock_rows('start_outbox', 'sees_run(run_id)');
call lock_rows('gate_decisions', 'sees_gate(gate_id)');
call lock_rows('artifact_bodies', 'sees_artifact(digest)');

-- The cap of a workspace over all of its environments is kept in the row of the environment `*`.
alter table run_steps add column workspace_budget_day date;

-- Writes one transition of a run: takes or checks the fence, settles a step, opens the next, opens a gate, moves the run,
-- and records events and audit, all or nothing. Answers `{refused: …}` and changes nothing when it may not.
-- A reservation that does not fit raises SVC01 (so that a lost attempt's reservation stays) and becomes such an answer.
create or replace function record_run(p jsonb) returns jsonb
language plpgsql as $$
declare
  v_id constant text := p ->> 'run_id';
  v_run runs;
  v_settle constant jsonb := p -> 'settle';
  v_open constant jsonb := p -> 'open';
  v_gate constant jsonb := p -> 'gate';
  v_status text := p #>> '{run,status}';
  v_step run_steps;
  v_released bigint := 0;
  v_stale bigint := 0;
  v_stale_day date;
  v_stale_workspace_day date;
  v_llm bigint := 0;
  v_gpu bigint := 0;
  v_storage bigint := 0;
  v_reserve bigint := coalesce((v_open ->> 'reserve_micro_usd')::bigint, 0);
  v_day date := (v_open ->> 'budget_day')::date;
  v_last bigint;
  v_audit jsonb;
begin
  select * into v_run from runs where id = v_id for update;
  if not found then return jsonb_build_object('refused', 'not_found'); end if;
  if v_run.ended_at is not null then
    return jsonb_build_object('refused', 'terminal', 'status', v_run.status);
  end if;
  if not coalesce((p ->> 'take_fence')::boolean, false) and not coalesce((p ->> 'any_fence')::boolean, false)
     and v_run.fence is distinct from (p ->> 'fence')::integer then
    return jsonb_build_object('refused', 'fenced');
  end if;
  if v_status = 'running' and v_run.status = 'awaiting_approval'
     and exists (select 1 from gates where run_id = v_id and status = 'open') then
    -- the attempt that parked the run was lost before it could say so: the run still waits
    v_status := null;
  end if;
  if v_run.status = 'cancelling' and (v_open is not null or v_gate is not null or v_status = 'running') then
    return jsonb_build_object('refused', 'cancelling');
  end if;

  if v_settle is not null then
    select * into v_step from run_steps where run_id = v_id and step_id = v_settle ->> 'step_id' for update;
    v_released := coalesce(v_step.reserved_micro_usd, 0);
    v_llm := coalesce((v_settle ->> 'llm_micro_usd')::bigint, 0);
    v_gpu := coalesce((v_settle ->> 'gpu_micro_usd')::bigint, 0);
    v_storage := coalesce((v_settle ->> 'storage_micro_usd')::bigint, 0);
  end if;

  if v_open is not null then
    -- a lost attempt's reservation of this step is replaced, not added to
    select reserved_micro_usd, budget_day, workspace_budget_day into v_stale, v_stale_day, v_stale_workspace_day from run_steps
    where run_id = v_id and step_id = v_open ->> 'step_id' for update;
    v_stale := coalesce(v_stale, 0);
    v_released := v_released + v_stale;
    if v_stale > 0 and v_stale_day is not null then
      update environment_budgets set reserved_micro_usd = reserved_micro_usd - v_stale
      where workspace_id = v_run.workspace_id and environment = v_run.environment and day = v_stale_day;
    end if;
    if v_stale > 0 and v_stale_workspace_day is not null then
      update environment_budgets set reserved_micro_usd = reserved_micro_usd - v_stale
      where workspace_id = v_run.workspace_id and environment = '*' and day = v_stale_workspace_day;
    end if;
  end if;

  if v_reserve > 0 then
    if v_run.llm_micro_usd + v_run.gpu_micro_usd + v_run.storage_micro_usd + v_llm + v_gpu + v_storage
       + v_run.reserved_micro_usd - v_released + v_reserve > v_run.cap_micro_usd then
      raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget', 'scope', 'run', 'cap_micro_usd', v_run.cap_micro_usd,
        'spent_micro_usd', v_run.llm_micro_usd + v_run.gpu_micro_usd + v_run.storage_micro_usd + v_llm + v_gpu + v_storage)::text;
    end if;
    if v_open ? 'daily_cap_micro_usd' then
      insert into environment_budgets as b (workspace_id, environment, day, cap_micro_usd, reserved_micro_usd)
      select v_run.workspace_id, v_run.environment, v_day, (v_open ->> 'daily_cap_micro_usd')::bigint, v_reserve
      where v_reserve <= (v_open ->> 'daily_cap_micro_usd')::bigint
      on conflict (workspace_id, environment, day) do update
        set reserved_micro_usd = b.reserved_micro_usd + v_reserve, cap_micro_usd = excluded.cap_micro_usd
        where b.spent_micro_usd + b.reserved_micro_usd + v_reserve <= excluded.cap_micro_usd;
      if not found then
        raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget', 'scope', 'environment',
          'cap_micro_usd', (v_open ->> 'daily_cap_micro_usd')::bigint)::text;
      end if;
    end if;
    if v_open ? 'workspace_daily_cap_micro_usd' then
      insert into environment_budgets as b (workspace_id, environment, day, cap_micro_usd, reserved_micro_usd)
      select v_run.workspace_id, '*', v_day, (v_open ->> 'workspace_daily_cap_micro_usd')::bigint, v_reserve
      where v_reserve <= (v_open ->> 'workspace_daily_cap_micro_usd')::bigint
      on conflict (workspace_id, environment, day) do update
        set reserved_micro_usd = b.reserved_micro_usd + v_reserve, cap_micro_usd = excluded.cap_micro_usd
        where b.spent_micro_usd + b.reserved_micro_usd + v_reserve <= excluded.cap_micro_usd;
      if not found then
        raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget', 'scope', 'workspace',
          'cap_micro_usd', (v_open ->> 'workspace_daily_cap_micro_usd')::bigint)::text;
      end if;
    end if;
  end if;

  if v_settle is not null then
    insert into run_steps as s (run_id, step_id, ordinal, state, attempt, simulation, outputs, error, message, cost_micro_usd,
      started_at, ended_at)
    values (v_id, v_settle ->> 'step_id', (v_settle ->> 'ordinal')::integer, v_settle ->> 'state',
      coalesce((v_settle ->> 'attempt')::integer, 0), v_settle -> 'simulation', v_settle -> 'outputs', v_settle -> 'error',
      v_settle ->> 'message', v_llm + v_gpu + v_storage, now(), now())
    on conflict (run_id, step_id) do update set state = excluded.state, attempt = excluded.attempt,
      simulation = coalesce(excluded.simulation, s.simulation), outputs = excluded.outputs, error = excluded.error,
      message = excluded.message, cost_micro_usd = s.cost_micro_usd + excluded.cost_micro_usd, reserved_micro_usd = 0,
      ended_at = case when excluded.state in ('succeeded', 'failed', 'skipped', 'cancelled', 'expired') then now() end;
    if coalesce(v_step.reserved_micro_usd, 0) > 0 or v_llm + v_gpu + v_storage > 0 then
      insert into ledger_entries (run_id, step_id, attempt, workspace_id, environment, llm_micro_usd, gpu_micro_usd,
        storage_micro_usd, overrun_micro_usd)
      select v_id, v_settle ->> 'step_id', (v_settle ->> 'attempt')::integer, v_run.workspace_id, v_run.environment,
        v_llm, v_gpu, v_storage, coalesce((v_settle ->> 'overrun_micro_usd')::bigint, 0)
      -- an attempt that cost nothing and is to be repeated leaves its number to whoever settles it for good
      where v_settle ->> 'state' <> 'ready' or v_llm + v_gpu + v_storage > 0;
      if v_step.budget_day is not null then
        update environment_budgets set reserved_micro_usd = reserved_micro_usd - v_step.reserved_micro_usd,
          spent_micro_usd = spent_micro_usd + v_llm + v_gpu + v_storage
        where workspace_id = v_run.workspace_id and environment = v_run.environment and day = v_step.budget_day;
      end if;
      if v_step.workspace_budget_day is not null then
        update environment_budgets set reserved_micro_usd = reserved_micro_usd - v_step.reserved_micro_usd,
          spent_micro_usd = spent_micro_usd + v_llm + v_gpu + v_storage
        where workspace_id = v_run.workspace_id and environment = '*' and day = v_step.workspace_budget_day;
      end if;
    end if;
    insert into artifact_bodies (digest, body)
    select a ->> 'digest', decode(a ->> 'body_base64', 'base64') from jsonb_array_elements(coalesce(v_settle -> 'artifacts', '[]')) t(a)
    on conflict do nothing;
    insert into artifacts (id, run_id, workspace_id, step_id, name, media_type, size_bytes, digest)
    select a ->> 'id', v_id, v_run.workspace_id, v_settle ->> 'step_id', a ->> 'name', a ->> 'media_type',
      (a ->> 'size_bytes')::integer, a ->> 'digest' from jsonb_array_elements(coalesce(v_settle -> 'artifacts', '[]')) t(a)
    on conflict (run_id, name) do nothing;
  end if;

  if v_open is not null then
    insert into run_steps as s (run_id, step_id, ordinal, state, attempt, plan_hash, simulation, reserved_micro_usd,
      budget_day, workspace_budget_day, started_at)
    values (v_id, v_open ->> 'step_id', (v_open ->> 'ordinal')::integer, 'running', (v_open ->> 'attempt')::integer,
      v_open ->> 'plan_hash', v_open -> 'simulation', v_reserve, case when v_open ? 'daily_cap_micro_usd' then v_day end,
      case when v_open ? 'workspace_daily_cap_micro_usd' then v_day end, now())
    on conflict (run_id, step_id) do update set state = 'running', attempt = excluded.attempt, plan_hash = excluded.plan_hash,
      simulation = coalesce(excluded.simulation, s.simulation), reserved_micro_usd = excluded.reserved_micro_usd,
      budget_day = excluded.budget_day, workspace_budget_day = excluded.workspace_budget_day, started_at = coalesce(s.started_at, now()), ended_at = null, error = null;
  end if;

  if v_gate is not null then
    v_status := 'awaiting_approval';
    insert into run_steps as s (run_id, step_id, ordinal, state, attempt, plan_hash, simulation)
    values (v_id, v_gate ->> 'step_id', (v_gate ->> 'ordinal')::integer,
      case v_gate ->> 'kind' when 'outcome_unknown' then 'outcome_unknown' else 'awaiting_approval' end, (v_gate ->> 'attempt')::integer,
      v_gate ->> 'plan_hash', v_gate -> 'simulation')
    on conflict (run_id, step_id) do update set state = excluded.state, plan_hash = excluded.plan_hash,
      simulation = coalesce(excluded.simulation, s.simulation);
    insert into gates (id, run_id, workspace_id, step_id, kind, plan_hash, required, view, expires_at)
    values (v_gate ->> 'id', v_id, v_run.workspace_id, v_gate ->> 'step_id', v_gate ->> 'kind', v_gate ->> 'plan_hash',
      v_gate -> 'required', v_gate -> 'view', (v_gate ->> 'expires_at')::timestamptz);
  end if;

  if v_status in ('succeeded', 'failed', 'rejected', 'cancelled', 'expired') then
    -- what a lost attempt still holds is given back: it was fenced before it could spend
    select v_released + coalesce(sum(reserved_micro_usd), 0) into v_released from run_steps where run_id = v_id;
    update environment_budgets b set reserved_micro_usd = b.reserved_micro_usd - s.reserved_micro_usd
    from run_steps s where s.run_id = v_id and s.reserved_micro_usd > 0 and s.budget_day = b.day
      and b.workspace_id = v_run.workspace_id and b.environment = v_run.environment;
    update environment_budgets b set reserved_micro_usd = b.reserved_micro_usd - s.reserved_micro_usd
    from run_steps s where s.run_id = v_id and s.reserved_micro_usd > 0 and s.workspace_budget_day = b.day
      and b.workspace_id = v_run.workspace_id and b.environment = '*';
    update run_steps set reserved_micro_usd = 0, ended_at = now(),
      message = case when state = 'running' then 'its worker was lost while it ran: how it ended is not known' else message end,
      state = case when v_status = 'cancelled' then 'cancelled' when v_status = 'expired' then 'expired' else 'failed' end
    where run_id = v_id and state in ('running', 'awaiting_approval', 'ready');
    update gates set status = case when v_status = 'expired' then 'expired' else 'cancelled' end, resolved_at = now(),
      resolution = jsonb_build_object('by', 'system', 'channel', 'system', 'cause', 'run_' || v_status)
    where run_id = v_id and status = 'open';
  end if;

  v_last := number_events(v_id, v_run.last_seq, p -> 'events');
  v_audit := append_audit(p -> 'audit');
  update runs set
    fence = fence + case when (p ->> 'take_fence')::boolean then 1 else 0 end,
    status = coalesce(v_status, status),
    status_reason = case when p -> 'run' ? 'status_reason' then p #>> '{run,status_reason}' else status_reason end,
    outputs = coalesce(p #> '{run,outputs}', outputs),
    error = coalesce(p #> '{run,error}', error),
    current_step = coalesce(v_open ->> 'step_id', v_gate ->> 'step_id', current_step),
    llm_micro_usd = llm_micro_usd + v_llm,
    gpu_micro_usd = gpu_micro_usd + v_gpu,
    storage_micro_usd = storage_micro_usd + v_storage,
    reserved_micro_usd = reserved_micro_usd - v_released + v_reserve,
    started_at = case when coalesce(v_status, status) <> 'queued' then coalesce(started_at, now()) else started_at end,
    awaiting_since = case when coalesce(v_status, status) = 'awaiting_approval' then coalesce(awaiting_since, now()) end,
    ended_at = case when v_status in ('succeeded', 'failed', 'rejected', 'cancelled', 'expired') then now() end,
    last_seq = v_last,
    updated_at = now()
  where id = v_id
  returning * into v_run;
  if coalesce((p ->> 'take_fence')::boolean, false) then
    delete from start_outbox where run_id = v_id;
  end if;
  return jsonb_build_object('fence', v_run.fence, 'last_seq', v_last, 'status', v_run.status, 'audit', v_audit);
end $$;
