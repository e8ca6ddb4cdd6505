-- Records of one action are found by an index as those of one category are. The policy reads the
-- stored column of the workspace, so that no draft is unpacked.
alter table audit_outbox add column action text generated always as (draft ->> 'action') stored;
create index audit_outbox_of_action on audit_outbox (workspace_id, action, ts, seq) where seq is not null;
alter policy of_workspace on audit_outbox
  using (current_setting('svc.workspace', true) = '*' or workspace_id = current_setting('svc.workspace', true));
