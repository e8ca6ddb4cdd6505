-- The tables of transitions, as the triggers of runs, steps, gates and pipelines ask them. Written by npm run pins from core/run, core/gate and core/pipeline.
create or replace function check_run_transition() returns trigger language plpgsql as $$
begin
  if new.status = old.status or (case coalesce(old.status, 'none')
      when 'none' then new.status in ('queued')
      when 'queued' then new.status in ('running', 'cancelling', 'failed')
      when 'running' then new.status in ('awaiting_approval', 'cancelling', 'succeeded', 'failed', 'cancelled')
      when 'awaiting_approval' then new.status in ('running', 'cancelling', 'failed', 'rejected', 'cancelled', 'expired')
      when 'cancelling' then new.status in ('succeeded', 'failed', 'cancelled')
      else false end) then return new; end if;
  raise exception '% cannot go from % to %', 'run ' || new.id, coalesce(old.status, 'none'), new.status
    using errcode = 'check_violation', table = 'runs', column = 'status', constraint = 'check_run_transition';
end $$;

create or replace function check_step_transition() returns trigger language plpgsql as $$
begin
  if new.state = old.state or (case coalesce(old.state, 'pending')
      when 'pending' then new.state in ('ready', 'running', 'awaiting_approval', 'succeeded', 'failed', 'skipped')
      when 'ready' then new.state in ('running', 'awaiting_approval', 'succeeded', 'failed', 'skipped', 'cancelled')
      when 'running' then new.state in ('ready', 'awaiting_approval', 'succeeded', 'failed', 'cancelled', 'outcome_unknown')
      when 'awaiting_approval' then new.state in ('ready', 'failed', 'cancelled', 'expired')
      when 'outcome_unknown' then new.state in ('ready', 'cancelled', 'expired')
      else false end) then return new; end if;
  raise exception '% cannot go from % to %', 'step ' || new.step_id || ' of run ' || new.run_id, coalesce(old.state, 'pending'), new.state
    using errcode = 'check_violation', table = 'run_steps', column = 'state', constraint = 'check_step_transition';
end $$;

create or replace function check_gate_transition() returns trigger language plpgsql as $$
begin
  if new.status = old.status or (case coalesce(old.status, 'none')
      when 'none' then new.status in ('open')
      when 'open' then new.status in ('approved', 'rejected', 'expired', 'cancelled')
      else false end) then return new; end if;
  raise exception '% cannot go from % to %', 'gate ' || new.id, coalesce(old.status, 'none'), new.status
    using errcode = 'check_violation', table = 'gates', column = 'status', constraint = 'check_gate_transition';
end $$;

create or replace function check_pipeline_transition() returns trigger language plpgsql as $$
begin
  if new.status = old.status or (case coalesce(old.status, 'none')
      when 'none' then new.status in ('queued')
      when 'queued' then new.status in ('running', 'blocked', 'succeeded', 'failed', 'cancelled')
      when 'running' then new.status in ('blocked', 'succeeded', 'failed', 'rejected', 'cancelled')
      when 'blocked' then new.status in ('running', 'succeeded', 'failed', 'rejected', 'cancelled')
      else false end) then return new; end if;
  raise exception '% cannot go from % to %', 'pipeline ' || new.id, coalesce(old.status, 'none'), new.status
    using errcode = 'check_violation', table = 'pipelines', column = 'status', constraint = 'check_pipeline_transition';
end $$;

create or replace function check_pipeline_step_transition() returns trigger language plpgsql as $$
begin
  if new.state = old.state or (case coalesce(old.state, 'none')
      when 'none' then new.state in ('pending')
      when 'pending' then new.state in ('waiting_timer', 'waiting_event', 'ready', 'running', 'succeeded', 'failed', 'skipped', 'cancelled')
      when 'waiting_timer' then new.state in ('succeeded', 'cancelled')
      when 'waiting_event' then new.state in ('succeeded', 'failed', 'cancelled')
      when 'ready' then new.state in ('running', 'succeeded', 'failed', 'expired', 'cancelled')
      when 'awaiting_approval' then new.state in ('running', 'succeeded', 'failed', 'rejected', 'cancelled', 'expired')
      when 'running' then new.state in ('awaiting_approval', 'succeeded', 'failed', 'rejected', 'cancelled', 'expired')
      else false end) then return new; end if;
  raise exception '% cannot go from % to %', 'step ' || new.step_id || ' of pipeline ' || new.pipeline_id, coalesce(old.state, 'none'), new.state
    using errcode = 'check_violation', table = 'pipeline_steps', column = 'state', constraint = 'check_pipeline_step_transition';
end $$;
