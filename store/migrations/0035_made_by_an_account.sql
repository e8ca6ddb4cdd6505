-- The service account that made a schedule, beside the person in whose name it did: what the schedule starts is asked for by both.
alter table schedules add column made_through text;
