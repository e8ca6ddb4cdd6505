-- What an authorisation was begun with: it ends with its API key, or with the sign-ins of its user.
alter table oauth_flows
  add column key_id text,
  add column token_version integer,
  add constraint oauth_flows_have_one_credential check (num_nonnulls(key_id, token_version) <= 1);

-- When its owner was last told of a state: once an hour at most.
alter table connection_grants
  add column failed_notified_at timestamptz,
  add column unknown_notified_at timestamptz;
