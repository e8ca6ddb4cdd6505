-- The tools of MCP servers as they were found, and as a person accepted them.
create table mcp_tools (
  connection_id text not null references connections on delete cascade,
  name text not null check (name ~ '^[A-Za-z0-9_.-]{1,128}$'),
  -- the address that it was found at: at another one nothing is accepted
  address text not null,
  definition jsonb not null check (jsonb_typeof(definition) = 'object'),
  definition_digest text not null check (definition_digest ~ '^sha256:[0-9a-f]{64}$'),
  -- the server still has it
  listed boolean not null default true,
  found_at timestamptz not null default now(),
  accepted_definition jsonb,
  accepted_digest text,
  effect text check (effect in ('read', 'write')),
  accepted_by text,
  accepted_at timestamptz,
  state text not null generated always as (
    case when not listed then 'removed' when accepted_digest is null then 'new'
      when accepted_digest = definition_digest then 'accepted' else 'changed' end
  ) stored,
  primary key (connection_id, name),
  constraint mcp_tools_are_accepted_whole
    check (num_nonnulls(accepted_definition, accepted_digest, effect, accepted_by, accepted_at) in (0, 5))
);
