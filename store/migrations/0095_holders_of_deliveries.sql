-- The session lock of the process that works on a delivery; empty where it was handed back.
alter table ingress_deliveries add column holder text;
