-- Marks the Idempotency-Key of a request with its result, in the same transaction. A request that has lost its key to another one changes
-- nothing: its transaction fails.
create or replace function mark_attempt() returns trigger language plpgsql as $$
begin
  update idempotency_keys set done = coalesce(done, jsonb_build_object('subject', new.draft -> 'subject', 'data', new.draft -> 'data',
    'action', new.draft -> 'action'))
  where delivery_id = new.draft #>> '{attempt,id}' and turn = new.draft #>> '{attempt,turn}';
  if not found then
    raise exception 'another request has taken over the Idempotency-Key' using errcode = 'SV001';
  end if;
  new.draft := new.draft - 'attempt';
  return new;
end $$;

-- Tells whether any session has the lock of this name. It ends with the connection, and so with the process.
create or replace function is_session_locked(p_name text) returns boolean
language sql stable as $$
  select exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and l.database = (select oid from pg_database where datname = current_database())
      and ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended('svc:' || p_name, 0))
$$;
