-- Connections are found by name and id alone, as workspaces and environments are: there is one account, and a second one would need its
-- own lists before it can have connections.
alter table connections
  add constraint connections_of_the_only_account check (account_id = 'acc_local'),
  -- a name is looked up beside the ids, and must not pass for one
  add constraint connections_have_names_that_are_no_ids check (not starts_with(name, 'conn_'));
