import { expect, test } from 'vitest'
import { createHealthCheck } from '#services/health/check-health.ts'
import type { HealthViews } from '#store/health.ts'

const views: HealthViews = {
  ping: async () => {},
  auditProblem: async () => null,
  serverVersion: async () => '18',
  freshWorkers: async () => [
    { worker_id: 'w1', lanes: ['realtime', 'background'], audit_leader: true, audit_ok: true, age_ms: 5 },
  ],
}

test('health is looked into once for all who ask at the same time, and again for who asks later', async () => {
  let looks = 0
  let answer = () => {}
  const engine = new Promise<void>((resolve) => {
    answer = resolve
  })
  const check = createHealthCheck({
    health: views,
    pingEngine: () => {
      looks += 1
      return engine
    },
  })
  const asked = Array.from({ length: 50 }, check)
  answer()
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(50).fill('ok'))
  expect(looks).toBe(1)
  expect((await check()).status).toBe('ok')
  expect(looks).toBe(2)
})

test('a log that is wrong is not healthy, no matter who leads, and the check says what is wrong', async () => {
  const problem = 'Record 7 of the audit log is not the one that the database has.'
  const check = createHealthCheck({
    health: { ...views, auditProblem: async () => problem },
    pingEngine: async () => {},
  })
  expect(await check()).toMatchObject({ status: 'unavailable', checks: { audit: { ok: false, detail: problem } } })
})
