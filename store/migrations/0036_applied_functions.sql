-- Which files of `store/functions` the functions of this database come from. One row; written by whoever migrates.
create table applied_functions (
  one boolean primary key default true check (one),
  digest text not null default '',
  applied_at timestamptz not null default now()
);
insert into applied_functions default values;

drop function settle_firing(text, timestamptz, text, text, text);
-- Settles a firing that is not settled yet, and notes it on the schedule; only then its audit record stands in line.
create function settle_firing(p_schedule text, p_nominal timestamptz, p_outcome text, p_run text, p_reason text,
  p_audit jsonb default null)
returns schedule_firings
language plpgsql as $$
declare
  v_firing schedule_firings;
begin
  insert into schedule_firings as f (schedule_id, nominal_at, workspace_id, run_id, outcome, reason)
  select id, p_nominal, workspace_id, p_run, p_outcome, p_reason from schedules where id = p_schedule
  on conflict (schedule_id, nominal_at) do update
    set outcome = excluded.outcome, run_id = excluded.run_id, reason = excluded.reason, actual_at = now()
    where f.outcome in ('claimed', 'waiting')
  returning * into v_firing;
  if not found then
    select * into v_firing from schedule_firings where schedule_id = p_schedule and nominal_at = p_nominal;
    return v_firing;
  end if;
  update schedules set last_fire = jsonb_strip_nulls(jsonb_build_object('nominal_at', v_firing.nominal_at,
    'actual_at', v_firing.actual_at, 'run_id', v_firing.run_id, 'outcome', v_firing.outcome, 'reason', v_firing.reason))
  where id = p_schedule and coalesce((last_fire ->> 'nominal_at')::timestamptz <= p_nominal, true);
  perform append_audit(jsonb_build_array(p_audit)) where p_audit is not null;
  return v_firing;
end $$;
