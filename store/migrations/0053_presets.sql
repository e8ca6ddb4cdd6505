-- What starts of a template begin with: the values that a workspace has set for it, named sets of them (`config`), and inputs that
-- people keep for its form (`input`). No secret stands here.
create table presets (
  id text primary key,
  workspace_id text not null,
  kind text not null check (kind in ('workflow', 'config', 'input')),
  pack text not null,
  template text not null,
  name text not null check (length(name) <= 100),
  inputs jsonb not null check (jsonb_typeof(inputs) = 'object' and length(inputs::text) <= 262144),
  is_default boolean not null default false,
  -- counts the changes of what is in it, and not of its name
  version integer not null default 1,
  author text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint presets_by_name unique (workspace_id, kind, pack, template, name),
  constraint presets_of_a_workflow_are_one check ((kind = 'workflow') = (name = '')),
  constraint presets_of_a_workflow_always_count check (kind <> 'workflow' or not is_default)
);
create unique index presets_with_one_default on presets (workspace_id, kind, pack, template) where is_default;
call lock_to_workspace('presets');
