-- A dead letter that an operator sends through its subscriber once more; the subscriber's process picks it up by itself.
alter table bus_dead_letters add column redrive_at timestamptz;
create index bus_dead_letters_to_redrive on bus_dead_letters (subscriber, message_id) where redrive_at is not null;

-- Raised by whoever takes a subscriber's place: what an earlier holder still says about it changes nothing.
alter table bus_cursors add column holder bigint not null default 0;
