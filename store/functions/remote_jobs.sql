-- Remote jobs are created and taken back with the attempt of their step. The caller holds the run row.

create or replace function create_remote_job(p_run runs, p_open jsonb) returns void
language sql as $$
  insert into remote_jobs (id, run_id, workspace_id, step_id, attempt, environment, queue, task_queue, activity, plan_hash, input_digest,
    attest, idempotent, spec, result_schema, deadline)
  select j ->> 'id', p_run.id, p_run.workspace_id, p_open ->> 'step_id', (p_open ->> 'attempt')::integer, p_run.environment,
    j ->> 'queue', j #>> '{spec,task_queue}', j #>> '{spec,activity}', p_open ->> 'plan_hash', j ->> 'input_digest',
    j ->> 'attest', (j ->> 'idempotent')::boolean, j -> 'spec', j -> 'result_schema',
    clock_timestamp() + (j ->> 'deadline_ms')::float8 * interval '1 millisecond'
  from (select p_open -> 'remote_job') t(j)
$$;

-- Nothing was dispatched for an attempt that gives back what it holds: a workflow that was started for it all the same finds it ended.
create or replace function take_back_remote_job(p_step run_steps) returns void
language plpgsql as $$
begin
  update remote_jobs set state = 'not_dispatched', ended_at = now()
  where run_id = p_step.run_id and step_id = p_step.step_id and attempt = p_step.attempt and state = 'created';
  if exists (select from remote_jobs where run_id = p_step.run_id and step_id = p_step.step_id and attempt = p_step.attempt
      and state <> 'not_dispatched') then
    raise exception 'the remote job of step % of run % has been dispatched', p_step.step_id, p_step.run_id;
  end if;
end $$;

-- Tells whether an external worker does an attempt: no process of ours was lost with it.
create or replace function is_remote(p_step run_steps) returns boolean
language sql stable as $$
  select exists (select from remote_jobs where run_id = p_step.run_id and step_id = p_step.step_id and attempt = p_step.attempt
    and state <> 'not_dispatched')
$$;
