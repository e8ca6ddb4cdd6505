alter table users
  drop constraint users_know_their_roles,
  drop constraint users_everywhere_only_above,
  add constraint users_know_their_roles check (
    cardinality(roles) > 0 and roles <@ array['owner', 'admin', 'operator', 'approver', 'viewer', 'service', 'auditor']),
  add constraint users_everywhere_only_above check (
    '*' <> all (workspaces)
    or (cardinality(workspaces) = 1 and (roles && array['owner', 'admin'] or roles <@ array['auditor'])));
