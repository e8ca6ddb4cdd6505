-- Who is told about a gate, and the links that may decide it.

-- What there is to tell, written in the transaction that opens or resolves the gate: no code path can forget it, and
-- nothing is sent inside that transaction. A loop hands each row to the engine.
create table gate_notices (
  id bigint generated always as identity primary key,
  gate_id text not null references gates,
  run_id text not null references runs,
  workspace_id text not null references workspaces,
  kind text not null check (kind in ('opened', 'resolved')),
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  attempts integer not null default 0,
  handed_at timestamptz,
  unique (gate_id, kind)
);
create index gate_notices_unhanded on gate_notices (id) where handed_at is null;

-- Whether anybody is to hear of a gate: at once, or when nobody answers.
create function is_announced(view jsonb) returns boolean
language sql immutable parallel safe
return coalesce(jsonb_typeof(view -> 'channels') = 'array' and view -> 'channels' <> '[]', false)
  or coalesce(jsonb_typeof(view #> '{sla,escalate_to}') = 'array' and view #> '{sla,escalate_to}' <> '[]', false);

create function note_gate() returns trigger
language plpgsql as $$
begin
  insert into gate_notices (gate_id, run_id, workspace_id, kind)
  values (new.id, new.run_id, new.workspace_id, case when new.status = 'open' then 'opened' else 'resolved' end)
  on conflict do nothing;
  return null;
end $$;

create trigger gates_note_opened after insert on gates for each row
  when (is_announced(new.view))
  execute function note_gate();
create trigger gates_note_resolved after update of status on gates for each row
  when (old.status = 'open' and new.status <> 'open' and is_announced(new.view))
  execute function note_gate();

-- One link per gate and recipient. The secret part is the signature of its token, which is not kept.
create table magic_links (
  jti text primary key check (starts_with(jti, 'lnk_') and length(jti) = 30),
  gate_id text not null references gates,
  workspace_id text not null references workspaces,
  recipient text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  views integer not null default 0,
  wrong_codes integer not null default 0,
  used_at timestamptz,
  used_decision text check (used_decision in ('approve', 'reject')),
  unique (gate_id, recipient),
  constraint magic_links_used_for_something check ((used_at is null) = (used_decision is null))
);

-- What became of each notice to each recipient; the reference finds a message again when the gate is resolved.
create table notice_deliveries (
  gate_id text not null references gates,
  kind text not null check (kind in ('opened', 'reminder', 'escalated', 'resolved')),
  channel text not null,
  recipient text not null,
  workspace_id text not null references workspaces,
  status text not null check (status in ('delivered', 'failed')),
  attempts integer not null default 1,
  detail text,
  reference jsonb,
  delivered_at timestamptz,
  updated_at timestamptz not null default now(),
  primary key (gate_id, kind, channel, recipient),
  constraint notice_deliveries_delivered_when check ((status = 'delivered') = (delivered_at is not null))
);

call lock_to_workspace('gate_notices');
call lock_to_workspace('magic_links');
call lock_to_workspace('notice_deliveries');
