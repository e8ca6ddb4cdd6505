-- A start that waits its turn in a living process is no lost start: until then nobody else begins it.
alter table start_outbox add column held_until timestamptz;
