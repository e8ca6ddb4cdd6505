import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { PATIENCE } from '#test/support/patience.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

interface Pending {
  authorities: { policy: { effect: string; matched: { name: string; layer: string }[] } }
  required: { approvals: number }
}

let service: TestService
let alerts = 0

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    workers: 1,
  })
})
afterAll(() => service?.stop())

test('what is authored over the API starts runs, and holds them where it says', async () => {
  const written = await service.call('POST', '/ui/api/environments', {
    ...{ name: 'canary', class: 'sandbox', approval: { min_approvals: 2 } },
  })
  expect(written.status).toBe(201)
  const policy = { name: 'night-guard', rules: [{ effect: 'require_hitl', reason: 'Nobody acts alone at night.' }] }
  expect((await service.call('POST', '/ui/api/policies', policy)).status).toBe(201)
  const attached = await service.call('PUT', '/ui/api/environments/canary/policies', { policies: ['night-guard'] })
  expect(attached.body).toMatchObject({ policies: ['night-guard'], approval: { min_approvals: 2 } })
  const rule = {
    ...{ name: 'shop-down', on: 'alert', match: { service: 'shop' }, run: 'sre/service-recovery' },
    ...{ environment: 'canary', inputs: { url: 'http://127.0.0.1:1', service: 'shop' } },
  }
  expect((await service.call('POST', '/ui/api/triggers', rule)).body).toMatchObject({ name: 'shop-down', problems: [] })

  const run = await vi.waitFor(() => heldRun(), PATIENCE)
  // even its first step, which only reads, waits for two people: the worker knows the environment and the policy
  const { body: gate } = await service.call<Pending>('GET', `${run}/pending-approval`)
  expect(gate).toMatchObject({
    required: { approvals: 2 },
    authorities: { policy: { effect: 'require_hitl', matched: expect.arrayContaining([expect.anything()]) } },
  })
  expect(gate.authorities.policy.matched).toContainEqual(
    expect.objectContaining({ name: 'night-guard', layer: 'console' }),
  )
})

/** Another alert for the rule, until the worker has followed: within a second or so of the writing. */
async function heldRun(): Promise<string> {
  alerts += 1
  const alert = { source: 'probe', service: 'shop', symptom: `Down${alerts}` }
  const { body } = await service.call<{ results: { outcome: string; rule: string; run_id: string }[] }>(
    'POST',
    '/triggers/alert',
    alert,
  )
  expect(body.results).toMatchObject([{ outcome: 'started', rule: 'shop-down' }])
  const run = `/runs/${body.results[0]?.run_id}`
  const isSettled = ({ status }: { status: string }) => ['awaiting_approval', 'failed', 'succeeded'].includes(status)
  expect((await service.until<{ status: string }>(run, isSettled)).status).toBe('awaiting_approval')
  return run
}
