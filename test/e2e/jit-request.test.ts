import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Pipeline } from '#core/pipeline/schema.ts'
import { createRoles } from '#test/support/database-roles.ts'
import { type FaultyLine, layFaultyLine } from '#test/support/faulty-line.ts'
import { AUTH_ENV, createIdentities, type Member } from '#test/support/identity.ts'
import { createTestBrowser } from '#test/support/magic-link.ts'
import { linkIn } from '#test/support/notified-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { type RunBody, ended as runEnded } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { type ReceivedMail, startSmtpSink } from '#test/support/smtp-sink.ts'

const ALIAS = 'ann+boss@example.test'

let service: TestService
let roles: Awaited<ReturnType<typeof createRoles>>
let line: FaultyLine
let mail: Awaited<ReturnType<typeof startSmtpSink>>
let ann: Member
let bob: Member
let people: Awaited<ReturnType<typeof createIdentities>>

beforeAll(async () => {
  roles = await createRoles(inject('postgres_url'), ['reporting', 'ann'])
  line = await layFaultyLine(roles.admin_url)
  mail = await startSmtpSink()
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    workers: 0,
    env: {
      ...AUTH_ENV,
      SVC_SECRET_KEY: 'a master key of the tests, long enough',
      ACCESS_URL: line.url(roles.admin_url),
      MAIL_URL: `${mail.url}?tls=none`,
    },
    files: {
      ...(await packAs('acc2')),
      'channels.yaml': `- { name: oncall, kind: email, smtp: "${mail.url}", from: svc@example.test, to: ["${ALIAS}"] }\n`,
      // an environment in which a message carries a code, and in which people may approve their own requests
      'environments/development.yaml': `name: development
approval: { channels: [oncall], links: true, prevent_self: false }
connections:
  access: { kind: postgres, url: "env:ACCESS_URL" }
  mail: { kind: smtp, url: "env:MAIL_URL" }
  svc: { kind: http, url: "env:SVC_API_URL" }
`,
    },
  })
  people = await createIdentities(service)
  ann = await people.add('ann', { roles: ['operator', 'approver'] })
  bob = await people.add('bob', { roles: ['approver'] })
  await service.startWorker({ SVC_API_URL: service.url.replace('://', `://:${people.owner.token}@`) })
})
afterAll(async () => {
  await service?.stop()
  await mail?.close()
  await line?.stop()
  await roles?.drop()
})

/** The shipped pack under another name in the data directory, where it can change as with an upgrade. */
async function packAs(name: string): Promise<Record<string, string>> {
  const entries = await readdir('packs/access', { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.endsWith('tests'))
  const texts = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    const text = (await readFile(path, 'utf8')).replaceAll('access/jit', `${name}/jit`)
    return [path.replace('access', name), text.replaceAll(/^name: access/gm, `name: ${name}`)] as const
  })
  return Object.fromEntries(await Promise.all(texts))
}

const pipelineOf = async (id: string) =>
  (await service.call<Pipeline>('GET', `/pipelines/${id}`, undefined, ann.headers)).body
const ended = (id: string) =>
  service.until<Pipeline>(
    `/pipelines/${id}`,
    ({ status }) => ['succeeded', 'failed', 'cancelled', 'rejected'].includes(status),
    PATIENCE.timeout,
    ann.headers,
  )
const runOf = (pipeline: Pipeline, step: string) =>
  pipeline.steps.find(({ id }) => id === step)?.runs.map(({ run_id }) => run_id)[0] ?? ''
const mailed = (find: (mail: ReceivedMail) => boolean) =>
  vi.waitFor(() => mail.received.find(find) ?? Promise.reject(new Error('no mail yet')), PATIENCE)
const notified = (subject: string) =>
  mailed(({ to, headers }) => to[0] === ann.email && headers['subject']?.[0] === subject)

async function isMember(): Promise<boolean> {
  const [found] = await roles.sql<{ yes: boolean }[]>`
    select pg_has_role(${roles.named('ann')}, ${roles.named('reporting')}, 'MEMBER') as yes`
  return found?.yes ?? false
}

async function request(inputs: object, who: Member = ann, pack = 'access'): Promise<{ pipeline: string; run: string }> {
  const asked = { role: roles.named('reporting'), login: roles.named('ann'), reason: 'month end', person: ann.email }
  const { status, body } = await service.call<{ pipeline_id: string }>(
    'POST',
    '/pipelines/run',
    {
      ...{ bundle_path: `${pack}/jit-request`, pipeline_name: 'jit-request', environment: 'development' },
      inputs: { ...asked, mail_from: 'access@example.test', ...inputs },
    },
    who.headers,
  )
  expect(status, JSON.stringify(body)).toBe(202)
  const waiting = await service.until<Pipeline>(
    `/pipelines/${body.pipeline_id}`,
    ({ steps, status: state }) =>
      state === 'failed' || steps.some(({ id, state: at }) => id === 'grant' && at === 'awaiting_approval'),
    PATIENCE.timeout,
    ann.headers,
  )
  return { pipeline: body.pipeline_id, run: runOf(waiting, 'grant') }
}
const approve = (run: string, { headers }: Member) =>
  service.call('POST', `/runs/${run}/resume`, { decision: 'approve', note: 'until the close' }, headers)

test('a link to an alias of the requester grants nothing; another person grants it, and the clock takes it back', async () => {
  const { pipeline, run } = await request({ for: '3s', quote_audit: true })
  const message = await mailed(({ to, parts }) => to[0] === ALIAS && (parts['text/plain'] ?? '').includes(run))
  const { url, code } = linkIn(message)
  expect(code).toBe('')
  const { pathname, search } = new URL(url)
  const app = { request: (path: string, init?: RequestInit) => fetch(`${service.url}${path}`, init) }
  const browser = createTestBrowser({ app: app as never })
  const { nonce } = await browser.open(`${pathname}${search}`)
  const sent = { nonce, decision: 'approve', sure: '1' }
  const anonymous = await browser.submit(`${pathname}${search}`, { ...sent, code: 'AB12CD' })
  expect([anonymous.response.status, anonymous.html]).toEqual([401, expect.stringContaining('sign in')])
  const signedIn = { email: ann.email, password: AUTH_ENV.SVC_ADMIN_PASSWORD }
  const own = await browser.submit(`${pathname}${search}`, { ...sent, ...signedIn })
  expect([own.response.status, own.html]).toEqual([403, expect.stringContaining('you shaped this run')])
  expect(await approve(run, ann)).toMatchObject({ status: 403, body: { code: 'self_approval' } })
  const refusals = await service.database.db<{ action: string; code: string; actor: string }[]>`
    select action, draft -> 'data' ->> 'code' as code, draft -> 'actor' ->> 'id' as actor from refusals where draft ->> 'run_id' = ${run}`
  expect(refusals).toContainEqual({ action: 'gate.refused', code: 'self_approval', actor: ann.id })
  expect(refusals).toContainEqual(expect.objectContaining({ action: 'link.refused', code: 'unauthenticated' }))
  expect(await isMember()).toBe(false)

  const { body: pending } = await service.call<{ plan: { summary: string; command: string } }>(
    'GET',
    `/runs/${run}/pending-approval`,
    undefined,
    bob.headers,
  )
  expect(pending.plan.command).toBe(`GRANT "${roles.named('reporting')}" TO "${roles.named('ann')}"`)
  expect(pending.plan.summary).toContain('for 3s, because: month end')
  expect((await approve(run, bob)).status).toBe(200)
  await expect.poll(isMember, PATIENCE).toBe(true)
  const done = await ended(pipeline)
  expect(done).toMatchObject({ status: 'succeeded', outputs: { granted: true, revoked: true } })
  expect(await isMember()).toBe(false)
  await notified(`Granted: ${roles.named('reporting')} for 3s`)
  await notified(`Taken back: ${roles.named('reporting')}`)

  const { body: report } = await service.call<string>(
    'GET',
    `/runs/${runOf(done, 'report')}/report`,
    undefined,
    ann.headers,
  )
  expect(report).toContain('Asked for because: month end')
  expect(report).toContain(`- ${bob.email}: approve, `)
  expect(report).toMatch(/\| \d+ \| \S+ \| gate\.decided \| \S+ \| grant \| `[0-9a-f]{16}` \|/)
})

test('what is cancelled after the grant is taken back at once, and who has the role is granted nothing', async () => {
  const { pipeline, run } = await request({ for: '30m' })
  expect((await approve(run, bob)).status).toBe(200)
  await expect.poll(isMember, PATIENCE).toBe(true)
  const again = await request({ for: '30m' })
  expect((await pipelineOf(again.pipeline)).status).toBe('failed')
  const { body } = await service.call<RunBody>('GET', `/runs/${again.run}`, undefined, ann.headers)
  expect(body).toMatchObject({ status: 'failed', error: { code: 'failed_by_template', step: 'already' } })
  expect(await isMember()).toBe(true)

  const before = mail.received.length
  await service.until<Pipeline>(
    `/pipelines/${pipeline}`,
    ({ steps }) => steps.some(({ id, state }) => id === 'hold' && state === 'waiting_timer'),
    PATIENCE.timeout,
    ann.headers,
  )
  await service.call('POST', `/pipelines/${pipeline}/cancel`, {}, ann.headers)
  const cancelled = await ended(pipeline)
  expect(cancelled).toMatchObject({ status: 'cancelled' })
  expect(cancelled.not_taken_back ?? []).toEqual([])
  expect(await isMember()).toBe(false)
  const subject = `Taken back: ${roles.named('reporting')}`
  await mailed((each) => mail.received.indexOf(each) >= before && each.headers['subject']?.[0] === subject)
})

test('who leaves while they have the role loses it when its time is over, and no owner has to answer for them', async () => {
  const leaving = await people.add('leaving', { roles: ['operator'] })
  const { pipeline, run } = await request({ for: '5s' }, leaving)
  expect((await approve(run, bob)).status).toBe(200)
  await expect.poll(isMember, PATIENCE).toBe(true)
  const left = await service.call('PATCH', `/admin/users/${leaving.id}`, { status: 'disabled' }, people.owner.headers)
  expect(left.status).toBe(200)
  await expect.poll(isMember, PATIENCE).toBe(false)
  const { steps } = await pipelineOf(pipeline)
  const revocation = runOf({ steps } as Pipeline, 'revoke')
  const gates = await service.database.db`select from gates where run_id = ${revocation} and step_id = 'revoke'`
  expect([revocation === '', gates.length]).toEqual([false, 0])
})

test('who asked cannot keep the role by a halt over what takes it back', async () => {
  const { pipeline, run } = await request({ for: '30m' })
  expect((await approve(run, bob)).status).toBe(200)
  await expect.poll(isMember, PATIENCE).toBe(true)
  const halt = await service.call<{ id: string }>(
    'POST',
    '/console/api/halts',
    { scope: { workspace: DEFAULT_WORKSPACE_ID, template: 'access/jit-revoke' }, reason: 'it misbehaves' },
    ann.headers,
  )
  expect(halt.status).toBe(201)
  await service.call('POST', `/pipelines/${pipeline}/cancel`, {}, ann.headers)
  expect(await ended(pipeline)).toMatchObject({ status: 'cancelled' })
  expect(await isMember()).toBe(false)
  await service.call('DELETE', `/console/api/halts/${halt.body.id}`, undefined, people.owner.headers)
})

test('the grant alone fails before anybody is asked: nothing would take the role back', async () => {
  const inputs = { role: roles.named('reporting'), login: roles.named('ann'), for: '3s', reason: 'month end' }
  const start = async (body: object, path = '/packs/access/jit-grant/run') => {
    const { status, body: run } = await service.call<RunBody>('POST', path, body, ann.headers)
    expect(status, JSON.stringify(run)).toBe(202)
    return await runEnded(service, run.id, PATIENCE.timeout, ann.headers)
  }
  const alone = { status: 'failed', error: { code: 'failed_by_template', step: 'alone' } }
  const first = await start({ inputs, environment: 'development' })
  expect(first).toMatchObject(alone)
  expect(first.error?.message).toContain('nothing would take the role back after 3s')

  // nor does the run of a pipeline once it is started again, without the pipeline
  const { run } = await request({ for: '30m' })
  expect(
    (await service.call('POST', `/runs/${run}/resume`, { decision: 'reject', note: 'no' }, bob.headers)).status,
  ).toBe(200)
  await runEnded(service, run, PATIENCE.timeout, ann.headers)
  expect(await start({}, `/runs/${run}/start-again`)).toMatchObject(alone)
  expect(await isMember()).toBe(false)
})

test('a role is taken back, and not before its time, when the pack changes while it is held', async () => {
  const { pipeline, run } = await request({ for: '6s' }, ann, 'acc2')
  expect((await approve(run, bob)).status).toBe(200)
  await expect.poll(isMember, PATIENCE).toBe(true)
  await appendFile(join(service.home, 'packs/acc2/templates/jit-report.md.liquid'), '\nA word more.\n')
  const done = await ended(pipeline)
  expect(done).toMatchObject({ status: 'failed', error: { code: 'plan_changed', step: 'revoke' } })
  expect(done.steps.find(({ id }) => id === 'hold')).toMatchObject({ state: 'succeeded' })
  expect(done.not_taken_back ?? []).toEqual([])
  expect(await isMember()).toBe(false)
  const undo = done.steps.flatMap(({ runs }) => runs).find(({ role }) => role === 'compensation')
  const { body } = await service.call('GET', `/runs/${undo?.run_id}`, undefined, ann.headers)
  expect(body).toMatchObject({
    status: 'succeeded',
    provenance: { trigger: { compensation: true, template_before: { digest: expect.stringMatching(/^sha256:/) } } },
  })
})

test('what the pack of today cannot take back is not taken back, and the pipeline says so', async () => {
  const { pipeline, run } = await request({ for: '3s' }, ann, 'acc2')
  expect((await approve(run, bob)).status).toBe(200)
  await expect.poll(isMember, PATIENCE).toBe(true)
  const template = join(service.home, 'packs/acc2/templates/jit-revoke.yaml')
  const text = await readFile(template, 'utf8')
  const asksMore = 'required: [role, login, ticket]\n  properties:\n    ticket: { type: string }'
  await writeFile(template, text.replace('required: [role, login]\n  properties:', asksMore))
  const { not_taken_back = [], status } = await ended(pipeline)
  expect([status, not_taken_back]).toMatchObject(['failed', [{ step: 'grant', error: { code: 'validation_failed' } }]])
  const inputs = { role: roles.named('reporting'), login: roles.named('ann') }
  const by_hand = { inputs, environment: 'development' }
  const { body } = await service.call<RunBody>('POST', '/packs/access/jit-revoke/run', by_hand, ann.headers)
  await runEnded(service, body.id, PATIENCE.timeout, ann.headers)
  expect(await isMember()).toBe(false)
})

test('the time runs also where the answer to the grant is lost, and where no other comes the role is taken back', async () => {
  const lose = async (run: string) => {
    line.arm(/^commit/i, 'unknown')
    expect((await approve(run, bob)).status).toBe(200)
    await expect.poll(isMember, PATIENCE).toBe(true)
  }
  const once = await request({ for: '2s' })
  await lose(once.run)
  expect(await ended(once.pipeline)).toMatchObject({ status: 'succeeded', outputs: { granted: true, revoked: true } })
  expect(line.disarm().failed).toBe(true)
  expect(await isMember()).toBe(false)
  const { body } = await service.call<RunBody>('GET', `/runs/${once.run}`, undefined, ann.headers)
  expect(body.progress.steps.find(({ id }) => id === 'grant')).toMatchObject({ state: 'succeeded', attempt: 2 })

  const never = await request({ for: '30m' })
  await lose(never.run)
  line.arm(0, 'away')
  const failed = await runEnded(service, never.run, PATIENCE.timeout, ann.headers)
  expect(failed).toMatchObject({ status: 'failed', error: { step: 'grant', code: 'unreachable' } })
  expect(await isMember()).toBe(true)
  line.disarm()
  expect(await ended(never.pipeline)).toMatchObject({ status: 'failed' })
  expect(await isMember()).toBe(false)
})
