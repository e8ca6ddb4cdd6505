-- The processes that took a subscriber's place and neither gave it back nor went past what was in doubt: each but the one at work has ended.
alter table bus_cursors add column claims smallint not null default 0;
