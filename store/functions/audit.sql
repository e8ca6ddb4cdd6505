-- Queues audit drafts for the sequencer; returns their places in the queue.
create or replace function append_audit(p_drafts jsonb) returns jsonb
language plpgsql as $$
declare
  v_places jsonb;
begin
  if p_drafts is null or p_drafts = '[]' then return '[]'; end if;
  with written as (
    insert into audit_outbox (draft)
    select d from jsonb_array_elements(p_drafts) with ordinality t(d, position) order by position
    returning id, draft ->> 'id' as draft_id
  )
  select jsonb_agg(jsonb_build_object('outbox_id', id, 'draft_id', draft_id) order by id) into v_places from written;
  return v_places;
end $$;

-- A chained record never changes: a lost file is written again from it.
create or replace function keep_chained() returns trigger language plpgsql as $$
begin
  raise exception 'audit record % is in the chain', old.seq using errcode = 'integrity_constraint_violation';
end $$;
