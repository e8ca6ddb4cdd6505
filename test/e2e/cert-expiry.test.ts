import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { startCertificateLab } from '#test/support/certificate-lab.ts'
import { ended, eventsOf, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let lab: Awaited<ReturnType<typeof startCertificateLab>>

beforeAll(async () => {
  lab = await startCertificateLab()
  const environment = (name: string) => `name: ${name}
egress: [loopback]
connections:
  certificate-authority: { kind: http, url: "env:AUTHORITY_URL" }
  certificate-host: { kind: http, url: "env:HOST_URL" }
`
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { AUTHORITY_URL: lab.authority.url, HOST_URL: lab.host.url },
    files: {
      'environments/development.yaml': environment('development'),
      'environments/production.yaml': environment('production'),
    },
  })
})
afterAll(async () => {
  await service.stop()
  await lab.stop()
})
beforeEach(() => {
  Object.assign(lab.authority.state, { names: undefined, answer: undefined })
  Object.assign(lab.host.state, { fault: undefined, installed: undefined, answer: undefined, calls: [] })
})

const inputs = () => ({
  ...{ host: '127.0.0.1', port: lab.host.port, server_name: 'shop.test', ca: lab.ca },
  ...{ settle: '100ms', renew_within_days: 40 },
})
const served = () => {
  const { fingerprint256, subjectAltName } = new X509Certificate(lab.host.state.current.cert)
  return { fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(), names: subjectAltName }
}
async function start(body: object): Promise<string> {
  const { status, body: run } = await service.call<RunBody>('POST', '/packs/sre/cert-expiry/run', body)
  expect(status, JSON.stringify(run)).toBe(202)
  return run.id
}
const reportOf = async (id: string) => (await service.call<string>('GET', `/runs/${id}/report`)).body
interface Pending {
  step: string
  plan: { summary: string; command: string }
  evidence: { step: string; excerpt: string }[]
}
async function approve(id: string, step: string): Promise<Pending> {
  const body = await service.until<Pending>(`/runs/${id}/pending-approval`, (pending) => pending.step === step)
  expect((await service.call('POST', `/runs/${id}/resume`, { decision: 'approve' })).status).toBe(200)
  return body
}

test('in production a certificate is renewed behind gates, and no private key comes to the service', async () => {
  const before = served()
  const id = await start({ inputs: inputs(), environment: 'production' })
  expect((await approve(id, 'sign')).plan.summary).toContain(`POST ${lab.authority.url}/sign`)
  const install = await approve(id, 'install')
  expect(install.plan.command).toContain('-----BEGIN CERTIFICATE-----')
  expect(install.evidence.find(({ step }) => step === 'look')?.excerpt).toContain('days_left: 4')
  const run = await ended(service, id)
  expect(run).toMatchObject({
    status: 'succeeded',
    outputs: { renewed: true, days_left_before: 4, days_left: 29, fingerprint: served().fingerprint },
  })
  expect(served()).toMatchObject({ names: before.names })
  expect(served().fingerprint).not.toBe(before.fingerprint)
  expect(await reportOf(id)).toContain('The new certificate is served.')
  expect(lab.host.state.calls).toEqual(['GET /csr', 'POST /certificate'])

  const { db } = service.database
  const kept = await db`select data::text as text from run_events where run_id = ${id}`
  const steps = await Promise.all(
    run.progress.steps.map(async (step) => (await service.call('GET', `/runs/${id}/steps/${step.id}`)).body),
  )
  const all = JSON.stringify([kept, steps, await eventsOf(service, id)])
  expect(all).toContain('BEGIN CERTIFICATE REQUEST')
  const [, key = ''] = lab.host.state.current.key.split('\n')
  expect([key.length, all.includes(key), all.includes('BEGIN PRIVATE KEY')]).toEqual([64, false, false])
})

test('a certificate for another host is rolled back: the old chain is served again, and the run says so', async () => {
  const before = served()
  lab.authority.state.names = ['DNS:bank.test']
  const id = await start({ inputs: inputs() })
  expect(await ended(service, id)).toMatchObject({
    status: 'failed',
    error: {
      ...{ code: 'failed_by_template', step: 'rolled_back' },
      message: 'The new certificate is taken back: it is not for shop.test',
    },
  })
  expect(lab.host.state.calls).toEqual(['GET /csr', 'POST /certificate', 'POST /restore'])
  expect(served()).toEqual(before)
  const probe = await service.call<{ outputs: { value: unknown } }>('GET', `/runs/${id}/steps/restored`)
  expect(probe.body.outputs.value).toMatchObject({ verified: true, fingerprint: before.fingerprint })
  const report = await reportOf(id)
  expect(report).toContain('**Rolled back**: the new certificate was taken back, and the old one is served again.')
  expect(report).toContain('| Accepted | yes | it is not for shop.test | yes |')
})

test.each<[string, { names?: string[]; fault?: 'breaks' | 'fails' }, RegExp]>([
  ['loses a name of the old one', { names: ['DNS:shop.test'] }, /: it is not for 127\.0\.0\.1$/],
  ['takes the host down', { fault: 'breaks' }, /: 127\.0\.0\.1:\d+: ECONNREFUSED$/],
  ['the host cannot install', { fault: 'fails' }, /: the old one is still served$/],
])('so is one that %s', async (_what, { names, fault }, message) => {
  const before = served()
  lab.authority.state.names = names
  lab.host.state.fault = fault
  const id = await start({ inputs: inputs() })
  expect(await ended(service, id)).toMatchObject({
    error: { step: 'rolled_back', message: expect.stringMatching(message) },
  })
  expect(served()).toEqual(before)
})

test.each([
  ['an answer of a proxy', 502, 'it answered 502'],
  ['no answer', 0, 'its answer was lost'],
  ['the answer to a repetition', 409, 'it answered 409'],
])('what is installed with %s is read like any other, and taken back or kept', async (_what, status, said) => {
  const before = served()
  lab.host.state.installed = status
  lab.authority.state.names = ['DNS:bank.test']
  const wrong = await start({ inputs: inputs() })
  expect(await ended(service, wrong)).toMatchObject({ status: 'failed', error: { step: 'rolled_back' } })
  expect(lab.host.state.calls).toEqual(['GET /csr', 'POST /certificate', 'POST /restore'])
  expect(served()).toEqual(before)

  lab.authority.state.names = undefined
  const right = await start({ inputs: inputs() })
  expect(await ended(service, right)).toMatchObject({ status: 'succeeded', outputs: { renewed: true } })
  expect(await reportOf(right)).toContain(said)
  expect(served().fingerprint).not.toBe(before.fingerprint)
})

test('a host that does not put the old certificate back needs a person, and the run says so', async () => {
  const { current } = lab.host.state
  lab.authority.state.names = ['DNS:bank.test']
  lab.host.state.fault = 'forgets'
  const id = await start({ inputs: inputs() })
  expect(await ended(service, id)).toMatchObject({
    error: { step: 'not_restored', message: expect.stringContaining(`(served is ${served().fingerprint})`) },
  })
  expect(await reportOf(id)).toContain('**The old certificate is not served again**')
  await lab.host.serve(current)
})

test.each<[string, 'host' | 'authority', string, string, string[]]>([
  ['no request', 'host', '-----BEGIN EC PRIVATE KEY-----', 'no_request', ['GET /csr']],
  ['no certificate', 'authority', '-----BEGIN EC PRIVATE KEY-----', 'no_certificate', ['GET /csr']],
])('an answer that is %s goes nowhere', async (_what, who, answer, step, calls) => {
  const signed = lab.authority.state.signed.length
  lab[who].state.answer = answer
  const id = await start({ inputs: inputs() })
  expect(await ended(service, id)).toMatchObject({ status: 'failed', error: { code: 'failed_by_template', step } })
  expect(lab.host.state.calls).toEqual(calls)
  expect(lab.authority.state.signed.length - signed).toBe(who === 'host' ? 0 : 1)
})

test('a certificate that is not due is left alone, and a dry run touches nothing', async () => {
  const idle = await start({ inputs: { ...inputs(), renew_within_days: 1 } })
  expect(await ended(service, idle)).toMatchObject({ status: 'succeeded', outputs: { renewed: false } })
  expect(await reportOf(idle)).toContain('Nothing: it is not due.')
  const other = await start({ inputs: { ...inputs(), server_name: 'bank.test', renew_within_days: 1 } })
  expect(await ended(service, other)).toMatchObject({
    error: { step: 'not_accepted', message: expect.stringContaining('(it is not for bank.test)') },
  })
  expect(lab.host.state.calls).toEqual([])

  const signed = lab.authority.state.signed.length
  const dry = await start({ inputs: inputs(), dry_run: true })
  expect(await ended(service, dry)).toMatchObject({ status: 'succeeded' })
  expect([lab.host.state.calls, lab.authority.state.signed.length]).toEqual([['GET /csr'], signed])
})

test('a schedule starts it', async () => {
  const schedule = { name: 'certificates', cron: '* * * * * *', overlap: 'skip', pack: 'sre', template: 'cert-expiry' }
  const { status, body } = await service.call<{ id: string }>('POST', '/triggers/scheduled', {
    ...schedule,
    inputs: { ...inputs(), renew_within_days: 1 },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  const { past } = await service.until<{ past: { run_id?: string }[] }>(
    `/triggers/scheduled/${body.id}/fires`,
    (fires) => fires.past.some(({ run_id }) => run_id !== undefined),
  )
  const run_id = past.find((fire) => fire.run_id !== undefined)?.run_id ?? ''
  expect((await service.call('DELETE', `/triggers/scheduled/${body.id}`)).status).toBe(204)
  expect(await ended(service, run_id)).toMatchObject({ status: 'succeeded', outputs: { days_left: 29 } })
})
