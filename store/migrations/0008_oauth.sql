-- OAuth 2: `auth` of a connection, whose secret is that of the client.
alter table connections drop constraint connections_auth_check;
alter table connections add constraint connections_auth_check check (auth in ('none', 'basic', 'bearer', 'oauth2'));

-- What a person has authorised at a provider. Its tokens are a JWE that opens for its connection, number and address alone.
create table connection_grants (
  connection_id text primary key references connections on delete cascade,
  -- of the authorisation: a refresh keeps it
  id text not null check (starts_with(id, 'grt_') and length(id) = 30),
  -- the environment whose egress rules hold for requests to the provider
  environment text not null,
  scopes text[] not null check (array_position(scopes, null) is null),
  authorized_by text not null,
  authorized_at timestamptz not null default now(),
  -- of its refresh. unknown: a process ended, and nobody knows whether the provider had given new tokens
  state text not null default 'active' check (state in ('active', 'degraded', 'failed', 'unknown')),
  detail text,
  kid text not null,
  sealed text not null,
  -- counts the tokens that were stored
  tokens integer not null default 1,
  refreshable boolean not null,
  -- null where the provider does not say
  expires_at timestamptz,
  refresh_at timestamptz,
  -- counts the attempts: the outcome of one that another has overtaken is dropped
  refresh_fence integer not null default 0,
  refreshing_until timestamptz,
  constraint connection_grants_say_why check ((state = 'active') = (detail is null)),
  constraint connection_grants_refreshed_sometime check (refreshable = (refresh_at is not null))
);

-- An authorisation under way, in one browser. Used once.
create table oauth_flows (
  state_hash text primary key,
  connection_id text not null references connections on delete cascade,
  version integer not null,
  -- who has begun it, as records name them
  actor jsonb not null,
  environment text not null,
  issuer text not null,
  redirect_uri text not null,
  -- the code verifier (RFC 7636), sealed
  pkce_sealed text not null,
  browser_hash text not null,
  expires_at timestamptz not null,
  consumed_at timestamptz
);
create index oauth_flows_of_connection on oauth_flows (connection_id);
