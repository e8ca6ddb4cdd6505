import { beforeAll, describe, expect, test } from 'vitest'
import type { ScriptedRequest } from '#cli/dev/scripted-answer.ts'
import { createDb } from '#store/db.ts'
import { type AskWorld, calls, sharedAskWorld, shownResults } from '#test/support/ask-world.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer } from '#test/support/users.ts'

type Result = Record<string, unknown>
/** A question, what is looked up for it, what a reader of the result says, and what is known to be true. */
interface Known {
  question: string
  tool: [name: string, args?: object]
  read(result: Result): string
  answer: string
  ref: string
}

let world: AskWorld
let who: Record<string, string>
let workspace: string
const made: Record<string, string> = {}

beforeAll(async () => {
  world = await sharedAskWorld()
  workspace = ids.next('workspace')
  await addWorkspace(world.database, workspace, 'facts')
  const user = await addUser(world.api.deps, { roles: ['operator'], workspaces: [workspace] })
  who = await bearer(world.api.deps, user)
  await addRuns()
  await addOthers()
}, 60_000)

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
      open: { step_id: 'evidence', ordinal: 0, attempt: 1, plan_hash: `sha256:${'a'.repeat(64)}` },
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
  await db`
    insert into pipelines (id, workspace_id, name, bundle_path, bundle_digest, definition, definition_digest, environment, environment_class,
      profile, status, inputs, inputs_hash, provenance)
    values (${pipeline}, ${workspace}, 'release', 'release', 'd', '{}', 'd', 'staging', 'staging', 'default', 'running', '{}', 'h', '{}')`
  await db`
    insert into pipeline_steps (pipeline_id, step_id, ordinal, state, topic)
    values (${pipeline}, 'build', 1, 'succeeded', null), (${pipeline}, 'wait', 2, 'waiting_event', 'pack.ci.green')`
  await db`
    insert into halts (id, workspace_id, environment, reason, set_by) values (${halt}, ${workspace}, 'production', 'a drill', '{}')`
  await db`
    insert into environment_budgets (workspace_id, environment, day, cap_micro_usd, spent_micro_usd)
    values (${workspace}, 'staging', (now() at time zone 'utc')::date, 2000000, 500000)`
  await db`
    insert into model_calls (id, workspace_id, environment, model, state, basis, reserved_micro_usd, charged_micro_usd, record, leased_until, settled_at)
    values (${ids.next('model_call')}, ${workspace}, 'staging', 'gpt-4o-mini', 'settled', 'reported', 700, 700, '{}', now(), now())`
  await db`update audit_outbox set seq = 1000000 + id, hash = 'h' where seq is null and workspace_id = ${workspace}`
  await db`update runs set llm_micro_usd = case when status = 'failed' then 250000 else 1000 end
    where workspace_id = ${workspace} and (id = ${id('slow')} or status = 'succeeded')`
  Object.assign(made, { schedule, paused, pipeline, halt })
  await db.end()
}

/** The members of a list in a result. */
const list = (result: Result, name: string) => result[name] as Result[]
const group = (result: Result, name: string) => list(result, 'groups').find((each) => each['group'] === name)
const id = (name: string) => made[name] ?? ''

/** Made when the world is there: some of them name what was made. */
const known = (): Known[] => [
  {
    question: 'How many runs failed?',
    tool: ['count_runs'],
    read: (r) => `${group(r, 'failed')?.['runs']} failed.`,
    answer: '2 failed.',
    ref: '/runs',
  },
  {
    question: 'How many succeeded?',
    tool: ['count_runs'],
    read: (r) => `${group(r, 'succeeded')?.['runs']} succeeded.`,
    answer: '4 succeeded.',
    ref: '/runs',
  },
  {
    question: 'How many runs are there?',
    tool: ['list_runs', { limit: 1 }],
    read: (r) => `There are ${r['total']}.`,
    answer: 'There are 8.',
    ref: '/runs?limit=1',
  },
  {
    question: 'What went wrong most often?',
    tool: ['count_runs', { group_by: 'failure', status: 'failed' }],
    read: (r) =>
      `${list(r, 'groups')
        .map((g) => g['group'])
        .join(', ')}.`,
    answer: 'auth_failed, timeout.',
    ref: '/runs?status=failed',
  },
  {
    question: 'Where do runs run?',
    tool: ['count_runs', { group_by: 'environment' }],
    read: (r) =>
      list(r, 'groups')
        .map((g) => `${g['runs']} in ${g['group']}`)
        .join(', '),
    answer: '4 in development, 4 in staging',
    ref: '/runs',
  },
  {
    question: 'What do alerts start?',
    tool: ['count_runs', { group_by: 'template', trigger: 'alert' }],
    read: (r) => `${list(r, 'groups')[0]?.['group']}: ${list(r, 'groups')[0]?.['runs']}.`,
    answer: 'incident/service-recovery: 1.',
    ref: '/runs?trigger=alert',
  },
  {
    question: 'Which run is about the nightly check?',
    tool: ['list_runs', { text: 'nightly', limit: 5 }],
    read: (r) => `It is ${list(r, 'runs')[0]?.['run_id']}.`,
    answer: `It is ${id('slow')}.`,
    ref: '/runs?limit=5',
  },
  {
    question: 'What is queued?',
    tool: ['list_runs', { status: 'queued' }],
    read: (r) => `${list(r, 'runs')[0]?.['run_id']} by ${list(r, 'runs')[0]?.['trigger']}.`,
    answer: `${id('alerted')} by alert.`,
    ref: '/runs?status=queued&limit=10',
  },
  {
    question: 'Why did it fail?',
    tool: ['get_run', { run_id: id('slow') }],
    read: (r) => `Because: ${(r['error'] as Result)['message']}.`,
    answer: 'Because: no answer within 30 s.',
    ref: `/runs/${id('slow')}`,
  },
  {
    question: 'At which step?',
    tool: ['get_run', { run_id: id('refused') }],
    read: (r) => `At ${(r['error'] as Result)['step']}.`,
    answer: 'At evidence.',
    ref: `/runs/${id('refused')}`,
  },
  {
    question: 'What was it given?',
    tool: ['get_run', { run_id: id('refused') }],
    read: (r) => `The address \`${(r['inputs'] as Result)['url']}\`.`,
    answer: 'The address `http://checkout`.',
    ref: `/runs/${id('refused')}`,
  },
  {
    question: 'What did it cost?',
    tool: ['get_run', { run_id: id('slow') }],
    read: (r) => `It cost ${(r['cost'] as Result)['total_usd']} USD.`,
    answer: 'It cost 0.25 USD.',
    ref: `/runs/${id('slow')}`,
  },
  {
    question: 'Who asked for it?',
    tool: ['get_run', { run_id: id('slow') }],
    read: (r) => `${(r['actor'] as Result)['display']} did.`,
    answer: 'Someone did.',
    ref: `/runs/${id('slow')}`,
  },
  {
    question: 'Which steps were made?',
    tool: ['list_run_steps', { run_id: id('slow') }],
    read: (r) =>
      list(r, 'steps')
        .map((s) => `${s['step']} ${s['state']}`)
        .join(', '),
    answer: 'evidence failed',
    ref: `/runs/${id('slow')}/steps`,
  },
  {
    question: 'What did the step find?',
    tool: ['get_run_step', { run_id: id('refused'), step: 'evidence' }],
    read: (r) => `Status ${(r['outputs'] as Result)['status']}.`,
    answer: 'Status 503.',
    ref: `/runs/${id('refused')}/steps/evidence`,
  },
  {
    question: 'What happened last?',
    tool: ['list_run_events', { run_id: id('slow'), type: 'run.failed', limit: 1 }],
    read: (r) => `${list(r, 'events')[0]?.['type']}.`,
    answer: 'run.failed.',
    ref: `/runs/${id('slow')}/events`,
  },
  {
    question: 'Who waits for an approval?',
    tool: ['list_gates'],
    read: (r) => `${list(r, 'gates')[0]?.['run_id']} at ${list(r, 'gates')[0]?.['step']}.`,
    answer: `${id('parked')} at act.`,
    ref: '/runs?status=awaiting_approval&limit=10',
  },
  {
    question: 'How many answers does it need?',
    tool: ['list_gates'],
    read: (r) => `${(list(r, 'gates')[0]?.['required'] as Result)['approvals']} approval.`,
    answer: '1 approval.',
    ref: '/runs?status=awaiting_approval&limit=10',
  },
  {
    question: 'Was anything rejected?',
    tool: ['list_gates', { status: 'rejected' }],
    read: (r) => `${list(r, 'gates').length} gates were.`,
    answer: '0 gates were.',
    ref: '/runs?limit=10',
  },
  {
    question: 'What is the riskiest that waits?',
    tool: ['list_runs', { status: 'awaiting_approval' }],
    read: (r) => `Risk ${list(r, 'runs')[0]?.['risk']}: ${list(r, 'runs')[0]?.['reason']}.`,
    answer: 'Risk high: errors after the deploy.',
    ref: '/runs?status=awaiting_approval&limit=10',
  },
  {
    question: 'What costs the most?',
    tool: ['sum_costs', { group_by: 'run' }],
    read: (r) => `${list(r, 'costs')[0]?.['group']}: ${list(r, 'costs')[0]?.['total_usd']} USD.`,
    answer: `${id('slow')}: 0.25 USD.`,
    ref: '/runs',
  },
  {
    question: 'And by environment?',
    tool: ['sum_costs', { group_by: 'environment' }],
    read: (r) =>
      list(r, 'costs')
        .map((c) => `${c['group']} ${c['total_usd']}`)
        .join(', '),
    answer: 'development 0.25, staging 0.004',
    ref: '/runs',
  },
  {
    question: 'What is left of the budget?',
    tool: ['sum_costs'],
    read: (r) =>
      `${Number(list(r, 'budgets')[0]?.['cap_usd']) - Number(list(r, 'budgets')[0]?.['spent_usd'])} USD in ${list(r, 'budgets')[0]?.['environment']}.`,
    answer: '1.5 USD in staging.',
    ref: '/runs',
  },
  {
    question: 'What do models cost?',
    tool: ['sum_costs'],
    read: (r) => `${list(r, 'models').find((m) => m['model'] === 'gpt-4o-mini')?.['cost_usd']} USD.`,
    answer: '0.0007 USD.',
    ref: '/runs',
  },
  {
    question: 'Who started it, by the audit log?',
    tool: ['search_audit', { run_id: id('slow'), action: 'run.admitted' }],
    read: (r) => `${(list(r, 'records')[0]?.['actor'] as Result)['id']} did.`,
    answer: 'usr_ann did.',
    ref: `/console/api/audit?run_id=${id('slow')}&limit=10`,
  },
  {
    question: 'Which pipelines run?',
    tool: ['list_pipelines', { status: 'running' }],
    read: (r) => `${list(r, 'pipelines')[0]?.['name']}.`,
    answer: 'release.',
    ref: '/pipelines?limit=10',
  },
  {
    question: 'What does it wait for?',
    tool: ['get_pipeline', { pipeline_id: id('pipeline') }],
    read: (r) => `For ${list(r, 'steps').find((s) => s['state'] === 'waiting_event')?.['topic']}.`,
    answer: 'For pack.ci.green.',
    ref: `/pipelines/${id('pipeline')}`,
  },
  {
    question: 'What runs next by itself?',
    tool: ['list_schedules'],
    read: (r) =>
      `${list(r, 'schedules')[0]?.['name']} at ${String(list(r, 'schedules')[0]?.['next_fire_at']).slice(11, 16)}.`,
    answer: 'nightly at 03:00.',
    ref: '/triggers/scheduled',
  },
  {
    question: 'What is paused?',
    tool: ['list_schedules'],
    read: (r) =>
      `${list(r, 'schedules')
        .filter((s) => !s['enabled'])
        .map((s) => s['name'])}.`,
    answer: 'weekly.',
    ref: '/triggers/scheduled',
  },
  {
    question: 'What became of the last time?',
    tool: ['list_schedule_firings', { schedule_id: id('schedule') }],
    read: (r) => `It was ${list(r, 'firings')[0]?.['outcome']}: ${list(r, 'firings')[0]?.['reason']}.`,
    answer: 'It was missed: the service was down.',
    ref: `/triggers/scheduled/${id('schedule')}/fires`,
  },
  {
    question: 'Why does nothing start in production?',
    tool: ['list_halts'],
    read: (r) => `A halt is on: ${list(r, 'halts')[0]?.['reason']}.`,
    answer: 'A halt is on: a drill.',
    ref: '/console/api/halts',
  },
  {
    question: 'What restarts a service?',
    tool: ['list_packs', { text: 'restart' }],
    read: (r) => `${list(r, 'templates')[0]?.['template']}.`,
    answer: 'incident/service-recovery.',
    ref: '/packs',
  },
  {
    question: 'What does it take?',
    tool: ['get_contract', { template: 'incident/service-recovery' }],
    read: (r) => `${((r['inputs'] as Result)['required'] as string[]).join(' and ')}.`,
    answer: 'url and token.',
    ref: '/packs/incident/service-recovery/contract',
  },
]

describe('questions whose answers are known', () => {
  test('are answered from the record, with what opens it', async () => {
    const questions = known()
    expect(questions.length).toBeGreaterThanOrEqual(30)
    for (const { question, tool, read, answer, ref } of questions) {
      const say = (request: ScriptedRequest) => ({ say: `${read(shownResults(request)['t1'] ?? {})}[^t1]` })
      const { status, body } = await world.ask([calls(tool), say], { query: question, who })
      expect([status, body['answer'], body['grounded']], question).toEqual([200, `${answer}[^t1]`, true])
      const [citation] = body['citations'] as { ref: string; tool: string }[]
      expect([citation?.tool, citation?.ref.replace(/\?after_seq=\d+$/, '')], question).toEqual([tool[0], ref])
      const opened = await world.api.get(citation?.ref ?? '', who)
      expect(opened.status, `${question}: ${citation?.ref}`).toBe(200)
    }
  }, 120_000)
})
