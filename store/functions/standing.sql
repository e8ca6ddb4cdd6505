-- Returns the first requester of a run who may no longer start it, and why; null while all of them may, and for those with an owner
-- override. Programs and schedules are not checked: the person behind them is, if there is one. An API key counts beside its account: its
-- requests end with it.
create or replace function lost_standing(p_run runs, p_vouched text[] default '{}') returns jsonb
language plpgsql stable as $$
declare
  v_ids constant text[] := requesters_of(p_run.provenance);
  v_lost jsonb;
begin
  select jsonb_build_object('who', asked.id, 'why', case
      when coalesce(u.id, k.id) is null then 'unknown'
      when k.revoked_at is not null then 'key_revoked'
      when k.expires_at <= now() then 'key_expired'
      when k.id is not null then 'not_in_workspace'
      when u.status <> 'active' then 'not_active'
      when not u.workspaces && array['*', p_run.workspace_id] then 'not_in_workspace'
      else 'role_taken' end) into v_lost
  from unnest(v_ids) asked (id) left join users u on u.id = asked.id left join api_keys k on k.id = asked.id
  where asked.id <> all (p_vouched) and case
    when starts_with(asked.id, 'usr_') then (u.status = 'active' and u.workspaces && array['*', p_run.workspace_id]
      and u.roles && array['operator', 'admin', 'owner', 'service']) is not true
    when starts_with(asked.id, 'key_') then (k.revoked_at is null and k.expires_at > now()
      and coalesce(k.workspace_id, p_run.workspace_id) = p_run.workspace_id) is not true
    else false end
  order by asked.id limit 1;
  return v_lost;
end $$;

-- Returns the requesters with an owner override at this opening: those of an approved gate, of this very plan where it is the gate of the
-- step itself. The author of the override is checked in their place: an owner, or the delegate of one, who still is and may enter here.
create or replace function vouched_for(p_run runs, p_step text, p_plan_hash text) returns text[]
language plpgsql stable as $$
declare
  v_here constant text[] := array['*', p_run.workspace_id];
begin
  return coalesce((
    select array_agg(lost.id)
    from gates g
      join users giver on giver.id = g.resolution ->> 'by'
      cross join jsonb_array_elements_text(g.required -> 'vouches_for') lost (id)
    where g.run_id = p_run.id and g.kind = 'standing_lost' and g.status = 'approved'
      and (g.step_id <> p_step or g.plan_hash = p_plan_hash)
      and giver.status = 'active' and giver.workspaces && v_here
      and exists (
        select from users o where o.status = 'active' and 'owner' = any (o.roles) and o.workspaces && v_here
          and (o.id = giver.id or o.delegate_to = giver.id and exists (
            select from gate_decisions d cross join jsonb_array_elements(d.command -> 'delegations') lent (of)
            where d.gate_id = g.id and d.decided_by = giver.id and lent.of ->> 'of' = o.id)))), '{}');
end $$;

-- Returns why a step may not begin now; null when it may.
create or replace function refuse_opening(p_run runs, p_open jsonb) returns jsonb
language plpgsql as $$
declare
  v_halt text;
  v_archived boolean;
  v_lost jsonb;
begin
  select (select h.id from halts h where h.lifted_at is null and is_halted_by(p_run, h) order by h.created_at limit 1), status = 'archived'
  into v_halt, v_archived from workspaces where id = p_run.workspace_id;
  if v_halt is not null or v_archived then return jsonb_build_object('refused', 'halted', 'halt_id', v_halt); end if;
  -- false while authentication is off, for a compensation, and for a step that revokes access
  if not coalesce((p_open ->> 'ask_standing')::boolean, true) then return null; end if;
  v_lost := lost_standing(p_run);
  if v_lost is null then return null; end if;
  v_lost := lost_standing(p_run, vouched_for(p_run, p_open ->> 'step_id', p_open ->> 'plan_hash'));
  if v_lost is null then return null; end if;
  return jsonb_build_object('refused', 'standing_lost') || v_lost;
end $$;
