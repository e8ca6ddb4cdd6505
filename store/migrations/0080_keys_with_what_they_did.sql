-- A key knows the request that has it, whether the process of that request lives, and what it did: the act itself says so, in its
-- own transaction. `holder` is null in rows of an earlier release, and empty once the request has ended without an answer.
alter table idempotency_keys
  add column turn text,
  add column holder text,
  add column done jsonb;
create unique index idempotency_keys_by_delivery on idempotency_keys (delivery_id) where delivery_id is not null;

create function mark_attempt() returns trigger language plpgsql as $$
begin
  update idempotency_keys set done = coalesce(done, jsonb_build_object('action', new.draft -> 'action', 'subject', new.draft -> 'subject',
    'data', new.draft -> 'data'))
  where delivery_id = new.draft #>> '{attempt,id}' and turn = new.draft #>> '{attempt,turn}';
  if not found then
    raise exception 'another request has taken over the Idempotency-Key' using errcode = 'SV001';
  end if;
  new.draft := new.draft - 'attempt';
  return new;
end $$;
create trigger mark_attempt before insert on audit_outbox for each row when (new.draft ? 'attempt') execute function mark_attempt();
