-- Takes a lease that has expired, that was released, or that the same holder has; returns its new epoch, null while another process holds
-- it. Time is the database's alone. A failed call locks nothing. An expiry further ahead than a lease lasts is from before the clock was
-- set back: it lasts for one lease from now on.
create or replace function take_lease(p_name text, p_holder text, p_ms integer) returns bigint
language sql as $$
  with shortened as (
    update leases set expires_at = clock_timestamp() + p_ms * interval '1 millisecond'
    where name = p_name and holder <> p_holder and expires_at > clock_timestamp() + p_ms * interval '1 millisecond')
  insert into leases as l (name, holder, epoch, expires_at)
  select p_name, p_holder, 1, clock_timestamp() + p_ms * interval '1 millisecond'
  where not exists (select from leases where name = p_name and holder <> p_holder and expires_at > clock_timestamp())
  on conflict (name) do update
    set holder = excluded.holder, epoch = l.epoch + 1, expires_at = clock_timestamp() + p_ms * interval '1 millisecond'
    where l.holder = excluded.holder or l.expires_at <= clock_timestamp()
  returning epoch
$$;

-- Renews leases by name and epoch; returns the names of those that the holder still has.
create or replace function renew_leases(p_holder text, p_names text[], p_epochs bigint[], p_ms integer) returns setof text
language sql as $$
  update leases l set expires_at = clock_timestamp() + p_ms * interval '1 millisecond'
  from unnest(p_names, p_epochs) as held (name, epoch)
  where l.name = held.name and l.epoch = held.epoch and l.holder = p_holder
  returning l.name
$$;

-- Refuses the statement that calls it once the epoch of the lease has moved; until that statement has committed, the lease cannot be taken.
create or replace function require_lease(p_name text, p_epoch bigint) returns boolean
language plpgsql as $$
begin
  perform from leases where name = p_name and epoch = p_epoch for key share;
  if not found then
    raise exception 'the lease % is no longer that of epoch %', p_name, p_epoch using errcode = 'object_not_in_prerequisite_state';
  end if;
  return true;
end $$;
