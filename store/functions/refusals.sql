-- Counts refusals (`{kind, draft, more}`, and `subject_id` where what is counted together has many subjects), and puts them in line for the audit log unless some like them were there within the last minute.
-- One that is to be on record `once` is not counted again, and stays known while it repeats.
-- Without a new one (`more` is 0) it reports those of which the log does not know yet: also the end of a flood is a number there.
create or replace function record_refusals(p_refusals jsonb) returns void
language plpgsql as $$
declare
  v_given record;
  v_row refusals;
begin
  for v_given in
    select each ->> 'kind' as kind, each -> 'draft' as draft, (each ->> 'more')::integer as more,
      coalesce((each ->> 'once')::boolean, false) as once,
      coalesce(each ->> 'subject_id', each #>> '{draft,subject,id}') as subject_id, left(each #>> '{draft,actor,id}', 200) as who
    from jsonb_array_elements(p_refusals) each
    -- in the order of their keys, so that no two batches lock the same rows in opposite order
    order by each #>> '{draft,action}', subject_id, kind, who
  loop
    insert into refusals as r (action, kind, subject_id, who, workspace_id, draft, refused)
    values (v_given.draft ->> 'action', v_given.kind, v_given.subject_id, v_given.who,
      v_given.draft ->> 'workspace_id', v_given.draft, v_given.more)
    on conflict (action, subject_id, kind, who) do update set draft = excluded.draft,
      refused = r.refused + case when v_given.once then 0 else excluded.refused end,
      reported_at = case when v_given.once then clock_timestamp() else r.reported_at end
    returning * into v_row;
    continue when v_row.reported_at > clock_timestamp() - interval '1 minute' or v_row.refused = v_row.reported;
    update refusals set reported = refused, reported_at = clock_timestamp()
    where action = v_row.action and subject_id = v_row.subject_id and kind = v_row.kind and who = v_row.who;
    perform append_audit(jsonb_build_array(
      jsonb_set(v_given.draft, '{data,times}', to_jsonb(v_row.refused - v_row.reported))));
  end loop;
end $$;

-- A claim is recorded under the run, schedule or pipeline that it is about; claims about unknown subjects are counted together.
create or replace function refuse_claim(p_kind text, p_subject text, p_workspace text, p_draft jsonb, p_more integer) returns void
language plpgsql as $$
declare
  v_workspace text;
  v_is_run boolean;
begin
  select workspace_id, true into v_workspace, v_is_run from runs where id = p_subject;
  if not found then select workspace_id, false into v_workspace, v_is_run from schedules where id = p_subject; end if;
  if not found then select workspace_id, false into v_workspace, v_is_run from pipelines where id = p_subject; end if;
  perform record_refusals(jsonb_build_array(jsonb_build_object('kind', p_kind, 'more', p_more,
    'subject_id', case when v_workspace is null then '' else p_subject end, 'draft',
    case when v_is_run then p_draft else p_draft - 'run_id' end
    || jsonb_build_object('workspace_id', coalesce(v_workspace, p_workspace)))));
end $$;
