-- Returns who made a service account or one of its keys: who invited it, set its password, or made the key. A person has no maker.
create or replace function makers_of(p_id text) returns table (of text, by text, did text, key text)
language sql stable as $$
  select u.id, u.invited_by, 'invited_account', null::text from users u
  where u.id = p_id and 'service' = any (u.roles) and u.invited_by is not null
  union
  select u.id, c.id, case kind when 'invited' then 'invited_account' else 'set_password' end, null
  from users u cross join jsonb_each(u.changed_by) c (id, kinds) cross join jsonb_object_keys(c.kinds) kind
  where u.id = p_id and 'service' = any (u.roles) and kind in ('invited', 'password')
  union
  select p_id, k.created_by, 'made_key', k.id from api_keys k where k.user_id = p_id or k.id = p_id
$$;
