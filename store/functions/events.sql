-- RFC 3339, in UTC with milliseconds, as in all records.
create or replace function iso_time(p_time timestamptz) returns text
language sql stable as $$ select to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- Numbers events after `p_last_seq`, skips those with a known key, returns the new last number. The caller holds the run row.
create or replace function number_events(p_run_id text, p_last_seq bigint, p_events jsonb) returns bigint
language plpgsql as $$
declare
  v_count bigint;
begin
  if p_events is null or p_events = '[]' then return p_last_seq; end if;
  if exists (select from run_events where run_id = p_run_id
             and event_key = any (array(select e ->> 'key' from jsonb_array_elements(p_events) t(e)))) then
    select coalesce(jsonb_agg(e order by position), '[]') into p_events
    from jsonb_array_elements(p_events) with ordinality t(e, position)
    where not exists (select from run_events x where x.run_id = p_run_id and x.event_key = e ->> 'key');
  end if;
  insert into run_events (run_id, seq, event_key, type, ts, step_id, actor, data)
  select p_run_id, p_last_seq + n, e ->> 'key', e ->> 'type', date_trunc('milliseconds', clock_timestamp()),
         e ->> 'step', e -> 'actor', coalesce(e -> 'data', '{}')
  from jsonb_array_elements(p_events) with ordinality t(e, n);
  get diagnostics v_count = row_count;
  return p_last_seq + v_count;
end $$;

-- Appends events to a run of which nothing else changes.
create or replace function append_events(p_run_id text, p_events jsonb) returns bigint
language plpgsql as $$
declare
  v_last bigint;
begin
  select last_seq into v_last from runs where id = p_run_id for update;
  if not found then return null; end if;
  v_last := number_events(p_run_id, v_last, p_events);
  update runs set last_seq = v_last, updated_at = now() where id = p_run_id;
  return v_last;
end $$;
