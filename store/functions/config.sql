-- The only writer of the known configuration. All items must follow the stored state (`version`), or nothing happens and the answer is
-- null; their audit records are queued with them.
create or replace function record_config(p_items jsonb, p_audit jsonb) returns jsonb
language plpgsql as $$
begin
  lock table config_items in exclusive mode;
  if exists (
    select from jsonb_to_recordset(p_items) as given(item text, version bigint) left join config_items known using (item)
    where given.version <> coalesce(known.version, 0) + 1
  ) then
    return null;
  end if;
  insert into config_items (item, workspace_id, kind, layer, pack, state, version, about, body)
  select item, coalesce(workspace_id, '*'), kind, layer, pack, state, version, about, body
  from jsonb_to_recordset(p_items) as given(item text, workspace_id text, kind text, layer text, pack text, state text, version bigint,
    about jsonb, body text)
  on conflict (item) do update set workspace_id = excluded.workspace_id, kind = excluded.kind, layer = excluded.layer,
    pack = excluded.pack, state = excluded.state, version = excluded.version, about = excluded.about, body = excluded.body;
  return append_audit(p_audit);
end $$;
