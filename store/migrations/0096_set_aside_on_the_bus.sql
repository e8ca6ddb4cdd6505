create or replace function publish_set_aside() returns trigger
language plpgsql as $$
begin
  perform publish_events(jsonb_build_array(jsonb_build_object(
    'specversion', '1.0', 'id', new.subject || '.set_aside.' || floor(extract(epoch from new.created_at) * 1000)::bigint,
    'source', 'svc/set-aside', 'type', 'work.set_aside', 'subject', new.subject, 'time', iso_time(new.created_at),
    'datacontenttype', 'application/json', 'workspaceid', new.workspace_id, 'partitionkey', new.subject,
    'data', jsonb_build_object('kind', new.kind, 'reason', new.reason)
      || case when new.kind = 'run' then jsonb_build_object('run_id', new.subject) else '{}' end)));
  return null;
end $$;

create trigger tell_bus after insert on set_aside for each row execute function publish_set_aside();
