-- Health lists what did not arrive in the last day.
create index notice_deliveries_failed on notice_deliveries (workspace_id, updated_at) where status = 'failed';
