import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { AUTH_ENV, createIdentities, type Member } from '#test/support/identity.ts'
import {
  expectExactFold,
  expectSoundRecord,
  type Outcome,
  startWatchedLab,
  type WatchedLab,
} from '#test/support/lab-run.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { awaiting, ended, eventsOf, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const RULES = `- name: withdraw-it
  on: alert
  match: { source: alertmanager, service: fickle }
  run: sre/service-recovery
  on_resolved: withdraw
  inputs: { url: "\${{ alert.annotations.url }}" }
`

/** Waits until Alertmanager has posted something that was answered so. */
const answered = (lab: WatchedLab, fits: (outcome: Outcome) => boolean): Promise<Outcome> =>
  vi.waitFor(() => {
    const found = lab.outcomes().find(fits)
    if (found === undefined) throw new Error(`not yet: ${JSON.stringify(lab.relay.seen)}`)
    return found
  }, PATIENCE)

const isResolved = ({ status }: Outcome) => status === 'resolved'

/** The run that Alertmanager has started once the demo service is ill. */
async function breakIt(lab: WatchedLab): Promise<string> {
  await fetch(`${lab.demo.url}/fault`, { method: 'POST' })
  return (await answered(lab, ({ outcome }) => outcome === 'started')).run_id ?? ''
}

/** States of the alerts as Prometheus itself has them. */
async function alertStates(lab: WatchedLab): Promise<string[]> {
  const response = await fetch(`${lab.prometheus_url}/api/v1/alerts`)
  const { data } = (await response.json()) as { data: { alerts: { state: string }[] } }
  return data.alerts.map(({ state }) => state)
}

const NEIGHBOURS = needs('prometheus', 'alertmanager', 'python3')

describe.concurrent('a real Prometheus and a real Alertmanager', NEIGHBOURS, () => {
  const labs: WatchedLab[] = []
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      files: { 'rules/lab.yaml': RULES },
    })
    for (const name of ['demo', 'fickle', 'crowd']) labs.push(await startWatchedLab(service, { service: name }))
  })
  afterAll(async () => {
    for (const lab of labs) await lab.stop()
    await service?.stop()
  })

  const labOf = (name: string): WatchedLab => {
    const lab = labs.find((each) => each.service === name)
    if (lab === undefined) throw new Error(`no lab of ${name}`)
    return lab
  }

  const runOf = async (id: string) => (await service.call<RunBody>('GET', `/runs/${id}`)).body

  test('a rule fires, duplicates fold, a person agrees, the service is restarted once, and the rule resolves', async () => {
    const lab = labOf('demo')
    const id = await breakIt(lab)
    await awaiting(service, id)
    expect(await alertStates(lab)).toEqual(['firing'])
    await answered(lab, ({ attached_count }) => attached_count === 2)
    expect(new Set(lab.outcomes().map(({ run_id }) => run_id))).toEqual(new Set([id]))
    expect(lab.demo.state().calls).toBe(0)

    const reply = await service.call('POST', `/runs/${id}/resume`, { decision: 'approve', note: 'go on' })
    expect(reply.status).toBe(200)
    expect(await ended(service, id)).toMatchObject({
      status: 'succeeded',
      outputs: { recovered: true, acted: true, status_before: 503 },
    })
    expect(lab.demo.state().actions).toMatchObject([{ kind: 'restart', key: `${id}:act` }])

    await answered(lab, isResolved)
    expect(await alertStates(lab)).toEqual([])
    await lab.stopAlerts()
    expectExactFold(lab, await runOf(id))
    // a recovery that Prometheus sees after the run has ended finds nothing to close
    const resolved = lab.outcomes().filter((each) => isResolved(each) && each.run_id === id)
    const noted = (await eventsOf(service, id)).filter(({ type }) => type === 'alert.resolved')
    expect(noted).toHaveLength(resolved.length)
    // what Alertmanager repeats after the run has ended leaves the healthy service alone
    const late = lab.outcomes().filter(({ outcome, run_id }) => outcome === 'started' && run_id !== id)
    for (const { run_id = '' } of late)
      expect(await ended(service, run_id)).toMatchObject({ status: 'succeeded', outputs: { acted: false } })
    expect(lab.demo.state().calls).toBe(1)
    await expectSoundRecord(service, id)
  })

  test('a condition that clears by itself withdraws the gate, and nothing is done', async () => {
    const lab = labOf('fickle')
    const id = await breakIt(lab)
    await awaiting(service, id)
    await fetch(`${lab.demo.url}/fault`, { method: 'DELETE' })
    expect(await answered(lab, isResolved)).toMatchObject({ outcome: 'resolved', run_id: id })
    expect(await ended(service, id)).toMatchObject({ status: 'expired', status_reason: 'condition_cleared' })
    const noted = (await eventsOf(service, id)).filter(({ type }) => type === 'alert.resolved')
    expect(noted).toMatchObject([{ data: { remaining: 0 } }])
    await lab.stopAlerts()
    expectExactFold(lab, await runOf(id))
    expect(lab.demo.state().calls).toBe(0)
    await expectSoundRecord(service, id)
  })

  test('200 alerts at once, of 20 services and repeated for ever, are 20 runs with exact counts', async () => {
    const lab = labOf('crowd')
    await fetch(`${lab.demo.url}/fault`, { method: 'POST' })
    const alerts = Array.from({ length: 200 }, (_, n) => ({
      labels: { alertname: 'ServiceDown', service: `storm-${n % 20}`, instance: `node-${n}`, severity: 'high' },
      annotations: { url: lab.demo.url },
    }))
    const posted = await fetch(`${lab.alertmanager_url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    })
    expect(posted.status).toBe(200)
    const storm = () => lab.relay.seen.filter(({ body }) => body.includes('ServiceDown'))
    // three rounds of 20 groups, by the intervals of Alertmanager and the speed of the machine
    await vi.waitFor(() => expect(storm().length).toBeGreaterThanOrEqual(60), { ...PATIENCE, timeout: 240_000 })
    await lab.stopAlerts()

    const outcomes = storm().flatMap(({ answer }) => (JSON.parse(answer) as { results: Outcome[] }).results)
    const started = outcomes.filter(({ outcome }) => outcome === 'started')
    expect(started).toHaveLength(20)
    const runs = await Promise.all(started.map(({ run_id = '' }) => awaiting(service, run_id)))
    for (const run of runs) expectExactFold(lab, run)
    expect(runs.reduce((sum, run) => sum + run.attached_count, 0)).toBe(outcomes.length - 20)
    expect(lab.demo.state().calls).toBe(0)
  })
})

describe.concurrent('with authentication on', NEIGHBOURS, () => {
  const labs: WatchedLab[] = []
  let service: TestService
  let approver: Member
  let robot: Member
  beforeAll(async () => {
    service = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: AUTH_ENV,
    })
    const people = await createIdentities(service)
    robot = await people.add('alertmanager', { roles: ['service'] })
    approver = await people.add('approver', { roles: ['approver'] })
    for (const token of [robot.token, undefined]) labs.push(await startWatchedLab(service, { token }))
  })
  afterAll(async () => {
    for (const lab of labs) await lab.stop()
    await service?.stop()
  })

  const labAt = (index: number): WatchedLab => {
    const lab = labs[index]
    if (lab === undefined) throw new Error(`no lab ${index}`)
    return lab
  }

  test('Alertmanager is let in by its bearer token, may not decide, and an approver does', async () => {
    const lab = labAt(0)
    const id = await breakIt(lab)
    const parked = await service.until<RunBody & { provenance: object }>(
      `/runs/${id}`,
      ({ status }) => status === 'awaiting_approval',
      PATIENCE.timeout,
      approver.headers,
    )
    expect(parked.provenance).toMatchObject({ actor: { id: robot.id }, trigger: { source: 'alertmanager' } })
    const resume = (headers: Record<string, string>) =>
      service.call('POST', `/runs/${id}/resume`, { decision: 'approve' }, headers)
    expect((await resume(robot.headers)).status).toBe(403)
    expect((await resume(approver.headers)).status).toBe(200)
    expect((await ended(service, id, PATIENCE.timeout, approver.headers)).status).toBe('succeeded')
    expect(lab.demo.state().actions).toHaveLength(1)
    await answered(lab, isResolved)
    expect(new Set(lab.relay.seen.map(({ status }) => status))).toEqual(new Set([202]))
    await expectSoundRecord(service, id)
  })

  test('without a token it is turned away each time, and no run is started', async () => {
    const lab = labAt(1)
    await fetch(`${lab.demo.url}/fault`, { method: 'POST' })
    await vi.waitFor(() => expect(lab.relay.seen.length).toBeGreaterThan(1), PATIENCE)
    expect(new Set(lab.relay.seen.map(({ status }) => status))).toEqual(new Set([401]))
    expect(lab.outcomes()).toEqual([])
  })
})
