-- Deletes the secrets of a run with its end, in the same transaction. As the owner, because the services may not.
create or replace function forget_run_secrets() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from run_secrets where run_id = new.id;
  return null;
end $$;
