import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { buildTimeline, type RunTimeline } from '#core/audit/timeline.ts'
import type { AuditEvent } from '#core/audit/types.ts'
import type { PendingApproval } from '#core/run/approval-schema.ts'
import { verifyFile } from '#platform/audit-sink/verify-range.ts'
import { poll } from '#platform/embedded/processes.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { AUTH_ENV, createIdentities, type Identities, type Member } from '#test/support/identity.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { readChain } from '#test/support/read-chain.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const ENVIRONMENT = (name: string, more = '') => `name: ${name}\nclass: development\negress: [loopback]\n${more}`

let service: TestService
let identities: Identities
let approver: Member
let elsewhere: string
let packs: string
let target: Canary
/** responses to first steps, by run, until somebody lets them go */
const open = new Map<string, () => void>()

beforeAll(async () => {
  packs = await mkdtemp(join(tmpdir(), 'svc-standing-'))
  await writePack(packs)
  target = await startCanary((request, response) => {
    const url = new URL(request.url ?? '', 'http://target')
    if (url.pathname === '/first') return void open.set(url.searchParams.get('run') ?? '', () => response.end('ok'))
    response.writeHead(url.pathname === '/fails' ? 503 : 200).end()
  })
  // without a worker what starts stays in line
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { ...AUTH_ENV, SVC_PACKS_DIR: packs, SVC_LANE_BACKGROUND: '20' },
    files: {
      'environments/strict.yaml': ENVIRONMENT('strict', 'on_lost_standing: cancel\n'),
      'environments/lent.yaml': ENVIRONMENT('lent'),
    },
    workers: 0,
  })
  identities = await createIdentities(service)
  approver = await identities.add('approver', { roles: ['approver'] })
  const made = await service.call<{ id: string }>('POST', '/workspaces', { slug: 'else', name: 'Else' }, owner())
  elsewhere = made.body.id
})
afterAll(async () => {
  for (const release of open.values()) release()
  await service.stop()
  await target.stop()
  await rm(packs, { recursive: true })
})

const owner = () => identities.owner.headers

async function writePack(directory: string): Promise<void> {
  const folder = join(directory, 'standing')
  await mkdir(join(folder, 'templates'), { recursive: true })
  const step = (id: string, more = '') =>
    `  - id: ${id}\n    operator: http.request\n${more}    with: { method: POST, url: "\${{ inputs.url }}/${id}?run=\${{ run.id }}" }\n`
  const templates: Record<string, string> = {
    plain: step('act'),
    pair: `${step('first')}${step('act')}`,
    later: `  - id: wait\n    operator: core.wait\n    with: { for: 3s }\n${step('act')}`,
    gated: step('act', '    requires_approval: true\n'),
    retried: step('fails', '    retry: { max_attempts: 3, initial: 3s, backoff: 1, max: 3s }\n'),
  }
  const listed = Object.keys(templates).map((id) => `{ id: ${id}, file: templates/${id}.yaml }`)
  await writeFile(
    join(folder, 'pack.yaml'),
    `apiVersion: svc/v1\nname: standing\nversion: 1.0.0\ntitle: Standing\ncapabilities: ["http.egress:*"]\ntemplates: [${listed.join(', ')}]\n`,
  )
  const inputs = '{ type: object, required: [url], properties: { url: { type: string, pattern: "^https?://" } } }'
  for (const [id, steps] of Object.entries(templates)) {
    const head = `apiVersion: svc/v1\nid: ${id}\ntitle: ${id}\nrisk: low\naction_types: [service.restart]\ninputs: ${inputs}\n`
    await writeFile(join(folder, 'templates', `${id}.yaml`), `${head}steps:\n${steps}`)
  }
}

/** What may be taken from somebody, as an admin does it. */
const LOSSES = {
  disabled: () => ({ status: 'disabled' }),
  moved: () => ({ workspaces: [elsewhere] }),
  'a viewer': () => ({ roles: ['viewer'] }),
}
type Loss = keyof typeof LOSSES

async function lose(who: Member, loss: Loss): Promise<void> {
  const changed = await service.call('PATCH', `/admin/users/${who.id}`, LOSSES[loss](), owner())
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
}

/** Grants an environment to these workspaces, and waits until the worker has read it. */
async function grant(name: string, workspaces: string): Promise<void> {
  const loads = async () =>
    (await readFile(join(service.home, 'workers-main.ts.log'), 'utf8')).split('environments loaded').length
  const before = await loads()
  await writeFile(join(service.home, `environments/${name}.yaml`), ENVIRONMENT(name, `workspaces: ${workspaces}\n`))
  await expect.poll(loads, PATIENCE).toBeGreaterThan(before)
}

let people = 0
async function begin(template: string, environment = 'development'): Promise<{ id: string; who: Member }> {
  people += 1
  const who = await identities.add(`requester-${people}`, { roles: ['operator'] })
  const body = { inputs: { url: target.url }, environment }
  const started = await service.call<RunBody>('POST', `/packs/standing/${template}/run`, body, who.headers)
  expect(started.status, JSON.stringify(started.body)).toBe(202)
  return { id: started.body.id, who }
}

const requestsOf = (id: string, path: string) =>
  target.requests.filter(({ url }) => url.startsWith(`/${path}?`) && url.includes(id)).length
const until = async (done: () => boolean) => expect(await poll(async () => done(), PATIENCE.timeout, 20)).toBe(true)
const runOf = (id: string, done: (run: RunBody) => boolean) =>
  service.until<RunBody>(`/runs/${id}`, done, PATIENCE.timeout, owner())
const pendingOf = async (id: string) =>
  (await service.call<PendingApproval>('GET', `/runs/${id}/pending-approval`, undefined, owner())).body
const answer = (id: string, headers: Record<string, string>) =>
  service.call<{ code?: string }>('POST', `/runs/${id}/resume`, { decision: 'approve' }, headers)

async function expectAsked(id: string, who: Member): Promise<void> {
  await runOf(id, ({ status }) => status === 'awaiting_approval')
  const pending = await pendingOf(id)
  expect(pending).toMatchObject({ kind: 'standing_lost', required: { approvals: 1, approval_roles: [['owner']] } })
  expect(pending.because.join()).toContain(who.id)
}

/** What the chain alone says of a run. */
async function timelineOf(id: string): Promise<RunTimeline | undefined> {
  const unchained = () => service.database.db`select from audit_outbox where seq is null and draft ->> 'run_id' = ${id}`
  await expect.poll(async () => (await unchained()).length, PATIENCE).toBe(0)
  const events: AuditEvent[] = []
  const onRecord = ({ event }: { event: AuditEvent }) => {
    if (event.run_id === id) events.push(event)
  }
  await verifyFile(join(service.home, 'audit.jsonl'), { onRecord })
  return buildTimeline(events)
}

interface Brought {
  id: string
  who: Member
  /** of the effect that must not happen, and how often it had happened before */
  path: string
  before: number
}

/** Brings a run of somebody's into a state, takes their standing, and lets the run go on. */
const STATES = {
  async queued(loss: Loss) {
    const { id, who } = await begin('plain')
    await lose(who, loss)
    return { id, who, path: 'act', before: 0 }
  },
  async 'between its steps'(loss: Loss) {
    const { id, who } = await begin('pair')
    await until(() => open.has(id))
    await lose(who, loss)
    open.get(id)?.()
    return { id, who, path: 'act', before: 0 }
  },
  async delayed(loss: Loss) {
    const { id, who } = await begin('later')
    await runOf(id, ({ progress }) => progress.steps[0]?.state === 'ready')
    await lose(who, loss)
    return { id, who, path: 'act', before: 0 }
  },
  async 'at a gate'(loss: Loss) {
    const { id, who } = await begin('gated')
    await runOf(id, ({ status }) => status === 'awaiting_approval')
    await lose(who, loss)
    expect((await answer(id, approver.headers)).status).toBe(200)
    return { id, who, path: 'act', before: 0 }
  },
  async 'about to retry'(loss: Loss) {
    const { id, who } = await begin('retried')
    await until(() => requestsOf(id, 'fails') === 1)
    await lose(who, loss)
    return { id, who, path: 'fails', before: 1 }
  },
} satisfies Record<string, (loss: Loss) => Promise<Brought>>

describe('the run of somebody who may not start it any more', () => {
  test('has no effect afterwards and asks an owner, no matter what state it was in', async () => {
    const losses = Object.keys(LOSSES) as Loss[]
    const { queued, ...rest } = STATES
    const inLine = await Promise.all(losses.map((loss) => queued(loss)))
    await service.startWorker()
    const others = await Promise.all(Object.values(rest).flatMap((bring) => losses.map((loss) => bring(loss))))
    for (const run of [...inLine, ...others]) {
      await expectAsked(run.id, run.who)
      expect([run.id, requestsOf(run.id, run.path)]).toEqual([run.id, run.before])
    }
  })

  test('goes on with an owner’s answer, which nobody else can give, and asks for no approval twice', async () => {
    const { id, who } = await STATES['at a gate']('disabled')
    await expectAsked(id, who)
    expect(await answer(id, approver.headers)).toMatchObject({ status: 403, body: { code: 'approver_not_allowed' } })
    // for a second the token may still be known
    expect([401, 403]).toContain((await answer(id, who.headers)).status)
    expect((await answer(id, owner())).status).toBe(200)
    expect((await ended(service, id, PATIENCE.timeout, owner())).status).toBe('succeeded')
    expect(requestsOf(id, 'act')).toBe(1)
    const gates = await service.database.db<{ id: string }[]>`
      select id, kind, status, resolution ->> 'by' as by from gates where run_id = ${id} order by opened_at`
    expect(gates).toMatchObject([
      { kind: 'approval', status: 'approved', by: approver.id },
      { kind: 'standing_lost', status: 'approved', by: identities.owner.id },
    ])
    const timeline = await timelineOf(id)
    expect(timeline?.gates.map(({ kind, met }) => [kind, met])).toEqual([
      ['approval', true],
      ['standing_lost', true],
    ])
    expect(timeline?.as_approved).toBe(true)
    const [approval, standing] = gates.map((gate) => gate.id)
    expect(timeline?.effects).toMatchObject([{ approved_by: approval, vouched_by: standing, as_approved: true }])
    expect(readChain(service.home).get(id)?.as_approved).toBe(true)
  })

  test('ends where its environment says so', async () => {
    const { id, who } = await begin('pair', 'strict')
    await until(() => open.has(id))
    await lose(who, 'disabled')
    open.get(id)?.()
    expect(await ended(service, id, PATIENCE.timeout, owner())).toMatchObject({
      status: 'cancelled',
      status_reason: 'standing_lost',
    })
    expect(requestsOf(id, 'act')).toBe(0)
  })

  test('waits while its workspace may not use its environment, no matter who answers, and goes on with the grant', async () => {
    const { id } = await begin('gated', 'lent')
    await runOf(id, ({ status }) => status === 'awaiting_approval')
    await grant('lent', '[else]')
    expect((await answer(id, approver.headers)).status).toBe(200)
    const asked = async () => {
      await runOf(id, ({ status }) => status === 'awaiting_approval')
      const pending = await pendingOf(id)
      expect(pending).toMatchObject({ kind: 'standing_lost', required: { approval_roles: [['owner']] } })
      return pending.gate_id
    }
    const first = await asked()
    expect((await answer(id, owner())).status).toBe(200)
    await expect.poll(async () => (await pendingOf(id)).gate_id ?? first, PATIENCE).not.toBe(first)
    await asked()
    expect(requestsOf(id, 'act')).toBe(0)
    await grant('lent', '[default]')
    expect((await answer(id, owner())).status).toBe(200)
    expect((await ended(service, id, PATIENCE.timeout, owner())).status).toBe('succeeded')
    expect(requestsOf(id, 'act')).toBe(1)
    expect((await timelineOf(id))?.as_approved).toBe(true)
    expect(readChain(service.home).get(id)?.as_approved).toBe(true)
  })

  test('goes on by itself while everybody keeps what they had', async () => {
    const { id } = await begin('plain')
    expect((await ended(service, id, PATIENCE.timeout, owner())).status).toBe('succeeded')
    expect(requestsOf(id, 'act')).toBe(1)
  })
})
