import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { needs, programOf } from '#test/support/programs/needs.ts'
import { type AlertReply, ended, type RunBody } from '#test/support/recovery.ts'
import { ERROR_RATE, RELEASE_FILE, startReleaseLab } from '#test/support/release-lab.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let lab: Awaited<ReturnType<typeof startReleaseLab>>

const ENVIRONMENT = `name: development
egress: [loopback]
connections:
  releases: { kind: http, url: "env:RELEASES_URL" }
  metrics: { kind: prometheus, url: "env:METRICS_URL" }
  deploys: { kind: http, url: "env:DEPLOYS_URL" }
`
const broken = (rate: number) => rate > 0.5

interface Pending {
  step: string
  plan: { summary: string; diff?: { body: string } }
  evidence: { step: string; excerpt: string }[]
}
async function parked(id: string): Promise<Pending> {
  return await service.until<Pending>(`/runs/${id}/pending-approval`, ({ step }) => step === 'roll_back')
}
const approve = (id: string) => service.call('POST', `/runs/${id}/resume`, { decision: 'approve', note: 'go back' })
async function start(changes: object, body: object = {}): Promise<string> {
  const inputs = { service: 'shop', repository: 'shop.git', query: ERROR_RATE, watch: '4s', ...changes }
  const { status, body: run } = await service.call<RunBody>('POST', '/packs/sre/deploy-rollback/run', {
    ...body,
    inputs,
  })
  expect(status, JSON.stringify(run)).toBe(202)
  return run.id
}
const reportOf = async (id: string) => (await service.call<string>('GET', `/runs/${id}/report`)).body

describe('a release that breaks the error rate', needs('prometheus'), () => {
  beforeAll(async () => {
    lab = await startReleaseLab(programOf('prometheus'))
    service = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: { RELEASES_URL: lab.git.url, METRICS_URL: lab.metrics.url, DEPLOYS_URL: lab.proxy.url },
      files: { 'environments/development.yaml': ENVIRONMENT },
    })
  })
  afterAll(async () => {
    await service?.stop()
    await lab?.stop()
  })

  test('is rolled back once a person agrees, and the run ends when Prometheus sees the objective met', async () => {
    const bad = await lab.release('v2')
    await lab.sees(broken)
    const id = await start({})
    await parked(id)
    expect(lab.proxy.state).toEqual({ version: 'v2', deployed: [] })
    await approve(id)
    const done = await ended(service, id)
    const head = await lab.git.head()
    expect(done).toMatchObject({
      status: 'succeeded',
      outputs: { rolled_back: true, error_rate: 0, commit: head, error_rate_before: expect.any(Number) },
    })
    expect(lab.proxy.state).toEqual({ version: 'v1', deployed: [head] })
    expect(await lab.git.git(lab.git.bare, 'show', `${head}:${RELEASE_FILE}`)).toBe('version: v1')
    expect(await lab.git.git(lab.git.bare, 'log', '-1', '--format=%P', head)).toBe(bad)
    const report = await reportOf(id)
    expect(report).toContain('After 4s the error rate is 0.')
    expect(report).toMatch(/- usr_local: approve \(roll_back\), .*, "go back"/)
  })

  test('starts a run by its alert; a branch that moved after the approval is plan_changed, and nothing is deployed', async () => {
    const bad = await lab.release('v2')
    const { deployed } = structuredClone(lab.proxy.state)
    await lab.sees(broken)
    const { body } = await service.call<AlertReply>('POST', '/triggers/alert?source=generic', {
      source: 'generic',
      service: 'shop',
      symptom: 'ErrorRateHigh',
      labels: { release_repository: 'shop.git' },
      annotations: { error_rate_query: ERROR_RATE },
    })
    expect(body.results).toMatchObject([{ outcome: 'started' }])
    const id = body.results[0]?.run_id ?? ''
    const pending = await parked(id)
    expect(pending.plan.summary).toContain(`on ${bad}`)
    expect(pending.plan.diff?.body).toContain(`write ${RELEASE_FILE}\n\nversion: v1\n`)
    const seen = Object.fromEntries(pending.evidence.map(({ step, excerpt }) => [step, excerpt]))
    expect(seen['difference']).toContain('-version: v2')
    expect(seen['difference']).toContain('+version: v1')

    const moved = await lab.git.commit({ 'README.md': 'meanwhile' })
    expect((await approve(id)).status).toBe(200)
    expect(await ended(service, id)).toMatchObject({
      status: 'failed',
      error: { code: 'plan_changed', step: 'roll_back' },
    })
    expect([await lab.git.head(), lab.proxy.state]).toEqual([moved, { version: 'v2', deployed }])
  })

  test('escalates if going back did not help, and leaves the deployment to others where there is no hook', async () => {
    await lab.release('v2')
    const state = structuredClone(lab.proxy.state)
    const hookless = { deploy_hook: false, author_email: 'sre@example.test' }
    const id = await start({ query: 'vector(1)', to: lab.first, watch: '100ms', ...hookless })
    await parked(id)
    await approve(id)
    const message = `shop was rolled back to ${lab.first}, and after 100ms its error rate is 1: a person has to look.`
    expect(await ended(service, id)).toMatchObject({ status: 'failed', error: { step: 'escalate', message } })
    expect(lab.proxy.state).toEqual(state)
    expect(await lab.git.git(lab.git.bare, 'log', '-1', '--format=%ae')).toBe('sre@example.test')
  })

  test.each<[string, object, object]>([
    ['the objective is met', { query: 'vector(0)' }, { status: 'succeeded', outputs: { rolled_back: false } }],
    ['the error rate is not known', { query: '', service: 'bank' }, { error: { step: 'unknown' } }],
    ['it was as high before the release', { query: 'vector(1)' }, { error: { step: 'other_cause' } }],
    ['the release is the same', { query: 'vector(1)', to: 'main' }, { error: { step: 'no_way_back' } }],
    ['it lacks the file', { query: 'vector(1)', to: 'main', paths: ['no.yaml'] }, { error: { step: 'no_way_back' } }],
  ])('is left alone where %s', async (_what, inputs, expected) => {
    const head = await lab.git.head()
    const id = await start(inputs)
    expect(await ended(service, id)).toMatchObject(expected)
    expect(await lab.git.head()).toBe(head)
  })

  test('a dry run shows the commit and makes none', async () => {
    await lab.release('v2')
    const [head, deployed] = [await lab.git.head(), lab.proxy.state.deployed.length]
    const id = await start({ query: 'vector(1)', to: lab.first }, { dry_run: true })
    const run = await ended(service, id)
    expect(run.status).toBe('succeeded')
    expect(JSON.stringify(run.outputs)).toContain('would commit 1 changed files to main of shop.git')
    expect([await lab.git.head(), lab.proxy.state.deployed.length]).toEqual([head, deployed])
  })
})
