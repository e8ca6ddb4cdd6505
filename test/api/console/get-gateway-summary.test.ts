import { beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '#platform/ids.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openModelWorld } from '#test/support/model-world.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { admitTestRun } from '#test/support/test-runs.ts'

itIsGuarded('getGatewaySummary')

const HELLO = {
  model: 'default',
  messages: [{ role: 'user' as const, content: 'hello there, gateway' }],
  max_tokens: 20,
}
const OTHER = createIds().next('workspace')

let run: string
const world = fileFixture(openModelWorld)
beforeAll(async () => {
  await addWorkspace(world.database, OTHER, 'other')
  run = await admitTestRun(world.api, { cap_micro_usd: 200_000 })
  const ask = (model: string, headers: Record<string, string> = {}) =>
    world.client.chat.completions.create({ ...HELLO, model }, { headers, maxRetries: 0 }).catch(() => undefined)
  await ask('echo', { 'X-Svc-Run-Id': run })
  await ask('echo', { 'X-Svc-Workspace': OTHER })
  await ask('no-usage')
  await ask('refuses')
  // beyond the cap of the run
  for (let n = 0; n < 2; n += 1)
    await world.client.chat.completions
      .create(
        { ...HELLO, max_tokens: 100, messages: [{ role: 'user', content: 'x'.repeat(2_000) }] },
        { headers: { 'X-Svc-Run-Id': run } },
      )
      .catch(() => undefined)
  await world.api.deps.refusals.flush()
})

const summary = async (query = '', headers: Record<string, string> = {}) =>
  (await (await world.api.get(`/console/api/gateway/summary${query}`, headers)).json()) as Record<string, unknown>

describe('GET /console/api/gateway/summary', () => {
  it('adds up what calls cost, by model, run, person and day', async () => {
    const [, , guess] = await world.calls()
    const unknown = (guess?.charged ?? 0) / 1_000_000
    expect(unknown).toBeGreaterThan(0)
    const all = Math.round(5_600 + unknown * 1_000_000) / 1_000_000
    const day = new Date().toISOString().slice(0, 10)
    expect(await summary()).toMatchObject({
      complete: true,
      totals: { calls: 3, usd: all, overrun_usd: 0, reported: 1, estimated: 1, unspent: 1 },
      by_model: [
        { model: 'no-usage', calls: 1, usd: unknown },
        { model: 'echo', calls: 1, usd: 0.0056 },
        { model: 'refuses', calls: 1, usd: 0 },
      ],
      by_run: [
        { calls: 2, usd: unknown },
        { run_id: run, calls: 1, usd: 0.0056 },
      ],
      by_person: [{ person: 'usr_local', calls: 3, usd: all }],
      by_day: [{ day, calls: 3, usd: all }],
      open: { calls: 0, reserved_usd: 0 },
      refusals: [{ code: 'BudgetExceeded', count: 2 }],
    })
    expect(await summary('?limit=1')).toMatchObject({ by_model: [{ model: 'no-usage' }], totals: { calls: 3 } })
  })

  it('is of one workspace', async () => {
    expect(await summary('', { 'x-svc-workspace': OTHER })).toMatchObject({
      totals: { calls: 1, usd: 0.0056 },
      by_run: [{ calls: 1 }],
      refusals: [],
    })
  })

  it('shows what is under way', async () => {
    const left = new AbortController()
    const hanging = world.client.chat.completions
      .create({ ...HELLO, model: 'hang' }, { signal: left.signal, maxRetries: 0 })
      .catch(() => 'gone')
    await expect
      .poll(async () => (await summary())['open'])
      .toMatchObject({
        calls: 1,
        reserved_usd: expect.any(Number),
        oldest_at: expect.any(String),
      })
    left.abort()
    await hanging
    await expect.poll(async () => (await summary())['open']).toMatchObject({ calls: 0, reserved_usd: 0 })
  })

  it('is of a window, or of the time between two moments', async () => {
    const none = { totals: { calls: 0, usd: 0 }, by_model: [], by_day: [], refusals: [] }
    expect(await summary('?from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z')).toMatchObject({
      ...none,
      window: { from: '2020-01-01T00:00:00.000Z', to: '2020-02-01T00:00:00.000Z' },
    })
    expect(await summary('?window=24h')).toMatchObject({ by_model: [{}, {}, {}, {}] })
    for (const query of [
      '?window=24h&from=2020-01-01T00:00:00Z',
      '?from=2020-01-01T00:00:00Z',
      '?from=2020-02-01T00:00:00Z&to=2020-01-01T00:00:00Z',
    ])
      expect(await codeOf(await world.api.get(`/console/api/gateway/summary${query}`))).toEqual([
        422,
        'validation_failed',
      ])
  })
})
