-- Who is the only one at something. The epoch rises with every change of holder and never falls, so a write that carries an
-- older one is refused. It is part of a key: a renewal does not wait for a write that holds on to the epoch, a takeover does.
create table leases (
  name text primary key,
  holder text not null,
  epoch bigint not null,
  expires_at timestamptz not null,
  unique (name, epoch)
);
