-- Skills that fire on events of the bus.

-- One row per skill and event. It names the run before there is one, so that a second delivery, also after a crash in
-- between, meets the run of the first.
create table skill_firings (
  skill text not null,
  workspace_id text not null references workspaces,
  -- over the event's source and id, which together name it (CloudEvents)
  event_key text not null,
  message_id text not null,
  topic text not null,
  run_id text not null,
  outcome text check (outcome in ('started', 'denied', 'frozen', 'invalid', 'suppressed')),
  reason text,
  claimed_at timestamptz not null default now(),
  settled_at timestamptz,
  primary key (skill, workspace_id, event_key),
  constraint skill_firings_settled_when check ((outcome is null) = (settled_at is null))
);
create index skill_firings_age on skill_firings (claimed_at);

call lock_to_workspace('skill_firings');
