import { createDb } from '#store/db.ts'
import { addChunks } from './ask-documents.ts'
import type { AskWorld } from './ask-world.ts'
import { ids, runDraft } from './run-drafts.ts'
import { addWorkspace } from './tenants.ts'
import { admitTestRun, parkTestRun } from './test-runs.ts'
import { addUser, bearer } from './users.ts'

/** What is known of a workspace: who may ask about it, and the ids of what was made there, by their names. */
export interface AskFacts {
  who: Record<string, string>
  id(name: string): string
}

/** Makes a workspace of which everything is known. */
export async function makeAskFacts(world: AskWorld): Promise<AskFacts> {
  const workspace = ids.next('workspace')
  const made: Record<string, string> = {}
  const id = (name: string) => made[name] ?? ''
  await addWorkspace(world.database, workspace, `facts-${workspace.slice(-8)}`)
  const user = await addUser(world.api.deps, { roles: ['operator'], workspaces: [workspace] })
  await addRuns()
  await addOthers()
  made['corpus'] = await addChunks(world.database, workspace, {
    name: 'runbooks',
    chunks: [
      { heading: 'Checkout', text: 'When the checkout is down, restart it before you roll back.' },
      { heading: 'Billing', text: 'Billing is looked after by the payments team.' },
    ],
  })
  return { who: await bearer(world.api.deps, user), id }

  async function run(name: string, draft: Partial<Parameters<typeof runDraft>[0]> = {}): Promise<string> {
    const id = ids.next('run')
    const audit = {
      ...runDraft().audit,
      id: ids.next('audit'),
      workspace_id: workspace,
      run_id: id,
      actor: { type: 'user' as const, id: 'usr_ann', auth: 'jwt' as const },
    }
    await admitTestRun(world.api, { id, workspace_id: workspace, audit, ...draft })
    made[name] = id
    return id
  }

  async function addRuns(): Promise<void> {
    const { record, take } = world.api.runs
    const end = async (id: string, failure?: { code: string; message: string }) => {
      await take(id)
      await record({
        run_id: id,
        any_fence: true,
        open: {
          step_id: 'evidence',
          ordinal: 0,
          attempt: 1,
          plan_hash: `sha256:${'a'.repeat(64)}`,
          reserve_micro_usd: 0,
        },
      })
      await record({
        ...{ run_id: id, any_fence: true },
        run: failure
          ? { status: 'failed', error: { ...failure, step: 'evidence', retryable: false } }
          : { status: 'succeeded' },
        settle: {
          step_id: 'evidence',
          ordinal: 0,
          attempt: 1,
          state: failure ? 'failed' : 'succeeded',
          outputs: { status: 503 },
          ...(failure && { error: failure, message: failure.message }),
        },
        events: [{ key: 'run/ended', type: failure ? 'run.failed' : 'run.succeeded' }],
      })
    }
    for (let n = 0; n < 4; n += 1)
      await end(await run(`good ${n}`, { environment: 'staging', environment_class: 'staging' }))
    await end(await run('slow', { reason: 'nightly check' }), { code: 'timeout', message: 'no answer within 30 s' })
    await end(await run('refused', { inputs: { url: 'http://checkout' } }), {
      code: 'auth_failed',
      message: '401 from checkout',
    })
    const parked = await run('parked', { reason: 'errors after the deploy', risk: 'high' })
    made['gate'] = await parkTestRun(world.api, parked)
    await run('alerted', {
      provenance: { trigger: { type: 'alert' }, actor: { type: 'system', id: 'svc', display: 'svc' } },
    })
  }

  /** As the owner and past the triggers: nothing of it has to happen for it to be there. */
  async function addOthers(): Promise<void> {
    const db = createDb(world.database.owner_url, { max: 1 })
    await db`set session_replication_role = replica`
    const [schedule, paused, pipeline, halt] = [
      ids.next('schedule'),
      ids.next('schedule'),
      ids.next('pipeline'),
      ids.next('halt'),
    ]
    const dst = db.json({ gap: 'run_at_end', fold: 'first' })
    await db`
    insert into schedules (id, workspace_id, name, source, cron, timezone, pack, template, dst, enabled)
    values (${schedule}, ${workspace}, 'nightly', 'console', '0 3 * * *', 'UTC', 'incident', 'service-recovery', ${dst}, true),
      (${paused}, ${workspace}, 'weekly', 'pack', '0 3 * * 1', 'UTC', 'incident', 'service-recovery', ${dst}, false)`
    await db`
    insert into schedule_firings (schedule_id, nominal_at, workspace_id, outcome, reason)
    values (${schedule}, '2026-01-05T03:00:00Z', ${workspace}, 'missed', 'the service was down')`
    const definition = db.json({ title: 'Release', steps: [] })
    await db`
    insert into pipelines (id, workspace_id, name, bundle_path, bundle_digest, definition, definition_digest, environment, environment_class,
      profile, status, inputs, inputs_hash, provenance)
    values (${pipeline}, ${workspace}, 'release', 'release', 'd', ${definition}, 'd', 'staging', 'staging', 'default', 'running', '{}', 'h', '{}')`
    await db`insert into pipeline_budgets (pipeline_id, cap_micro_usd) values (${pipeline}, 1000)`
    await db`
    insert into pipeline_steps (pipeline_id, step_id, ordinal, state, topic)
    values (${pipeline}, 'build', 1, 'succeeded', null), (${pipeline}, 'wait', 2, 'waiting_event', 'pack.ci.green')`
    await db`
    insert into halts (id, workspace_id, environment, reason, set_by) values (${halt}, ${workspace}, 'production', 'a drill', '{"type":"user","id":"usr_somebody","display":"somebody"}')`
    await db`
    insert into environment_budgets (workspace_id, environment, day, cap_micro_usd, spent_micro_usd)
    values (${workspace}, 'staging', (now() at time zone 'utc')::date, 2000000, 500000)`
    await db`
    insert into model_calls (id, workspace_id, environment, model, state, basis, reserved_micro_usd, charged_micro_usd, record, leased_until, settled_at)
    values (${ids.next('model_call')}, ${workspace}, 'staging', 'gpt-4o-mini', 'settled', 'reported', 700, 700, '{}', now(), now())`
    await db`update audit_outbox set seq = 1000000 + id, hash = repeat('a', 64) where seq is null and workspace_id = ${workspace}`
    await db`update runs set llm_micro_usd = case when status = 'failed' then 250000 else 1000 end
    where workspace_id = ${workspace} and (id = ${id('slow')} or status = 'succeeded')`
    Object.assign(made, { schedule, paused, pipeline, halt })
    await db.end()
  }
}
