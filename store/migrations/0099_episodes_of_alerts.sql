-- Each member of a run's alerts with the newest time at which it fired and the newest at which it ended: it fires while it has not ended
-- since. Times of one sender alone are compared; what says none stands after what is known, beginning with 1970.
create table run_alert_members (
  run_id text not null references runs (id),
  member text not null,
  fired_at timestamptz,
  ended_at timestamptz,
  primary key (run_id, member)
);
create index run_alert_members_of_member on run_alert_members (member, run_id desc);
call lock_rows('run_alert_members', 'sees_run(run_id)');

insert into run_alert_members (run_id, member, fired_at, ended_at)
select distinct on (a.run_id, a.member) a.run_id, a.member, 'epoch', case when a.status = 'resolved' then timestamptz 'epoch' end
from run_alerts a join runs r on r.id = a.run_id and r.status in ('queued', 'running', 'awaiting_approval', 'cancelling')
order by a.run_id, a.member, a.id desc;

-- Ends, also of alerts that have not fired here yet. `scope` is the tool where the member is its own id for the alert, else the fingerprint.
create table alert_ends (
  workspace_id text not null,
  scope text not null,
  member text not null,
  ended_at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (workspace_id, scope, member)
);
create index alert_ends_by_age on alert_ends (received_at);
call lock_to_workspace('alert_ends');

-- its successor is told when an alert ended
drop function resolve_alerts(text, text, text[], text[], text[]);

create or replace function publish_not_understood() returns trigger
language plpgsql as $$
begin
  perform publish_events(jsonb_build_array(jsonb_build_object(
    'specversion', '1.0', 'id', new.draft ->> 'id', 'source', 'svc/alerts', 'type', 'alert.not_understood',
    'subject', new.subject_id, 'time', new.draft ->> 'ts', 'datacontenttype', 'application/json', 'workspaceid', new.workspace_id,
    'data', new.draft -> 'data')));
  return null;
end $$;

create trigger tell_bus after insert on refusals for each row when (new.action = 'alert.not_understood')
  execute function publish_not_understood();
