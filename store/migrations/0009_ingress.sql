-- Signed webhooks: what was received already, so that a delivery that is sent again is not a second one.

create table ingress_deliveries (
  workspace_id text not null references workspaces,
  pack text not null,
  name text not null,
  delivery_key text not null check (length(delivery_key) <= 300),
  delivery_id text not null check (starts_with(delivery_id, 'dlv_')),
  -- null while the delivery is being handled
  answer jsonb,
  received_at timestamptz not null default now(),
  claimed_at timestamptz not null default now(),
  primary key (workspace_id, pack, name, delivery_key)
);
create index ingress_deliveries_by_age on ingress_deliveries (received_at);

call lock_to_workspace('ingress_deliveries');
