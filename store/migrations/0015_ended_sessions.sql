-- Sessions of the console that their user has ended before their time: when each began, and its id.
alter table users
  add column ended_sessions text[] not null default '{}';
