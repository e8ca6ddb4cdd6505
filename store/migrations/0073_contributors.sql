-- Who has written what goes into runs. Of what was written before only the last author is known.
alter table presets add column authors text[] not null default '{}';
update presets set authors = array[author];
alter table console_documents add column authors text[] not null default '{}';
update console_documents set authors = array[author];

-- The service accounts that may answer gates for somebody; of those that did before nobody has said so.
-- Beside them who else has let a user in or changed what they may do, when by this clock, and what that was. What was done before is unknown.
alter table users
  add column answering_accounts text[] not null default '{}',
  add column changed_by jsonb not null default '{}',
  add constraint users_answering_accounts_check check (cardinality(answering_accounts) <= 20 and array_position(answering_accounts, null) is null),
  add constraint users_changed_by_check check (jsonb_typeof(changed_by) = 'object');
create index api_keys_of_account on api_keys (user_id);
