import { beforeEach, describe, expect, test } from 'vitest'
import { applyEnvironmentFile, SEEDED_ENVIRONMENTS } from '#core/environment/defaults.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { receiveAlerts } from '#services/alerts/receive-alerts.ts'
import type { IntakeContext } from '#services/service-deps.ts'
import { createDb, type Db } from '#store/db.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { createAlertService, groupOf } from './alerts-service.ts'

const HOUR_MS = 3_600_000

let service: ReturnType<typeof createAlertService>

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))
beforeEach(() => {
  service = createAlertService(database.db)
})

type Limits = TriggerRule['limits']
const draft = (fingerprint: string, limits?: Limits, members = 1) =>
  runDraft({
    fingerprint,
    alerts: Array.from({ length: members }, (_, n) => ({ delivery_id: 'dlv_test', member: `m${n}` })),
    ...(limits !== undefined && { limits }),
  })
const finish = (id: string) =>
  runs.record({
    run_id: id,
    take_fence: true,
    run: { status: 'failed', error: {} },
    events: [{ key: 'run/ended', type: 'run.failed' }],
  })
const finishAll = async (fingerprint: string) => {
  const rows = await database.db<{ id: string }[]>`
    select id from runs where fingerprint = ${fingerprint} and ended_at is null`
  await Promise.all(rows.map((row) => finish(row.id)))
}
/** Makes all that has happened to a fingerprint happen earlier. */
const age = (fingerprint: string, ms: number) => database.db`
  with runs_aged as (
    update runs set created_at = created_at - ${ms} * interval '1 millisecond', ended_at = ended_at - ${ms} * interval '1 millisecond'
    where fingerprint = ${fingerprint}
  )
  update trigger_throttles set until = until - ${ms} * interval '1 millisecond' where fingerprint = ${fingerprint}`
const started = (answers: { started: boolean }[]) => answers.filter((each) => each.started).length
const audits = async (action: string, fingerprint?: string) =>
  database.db<{ draft: { action: string; data: object; run_id?: string } }[]>`
    select draft from audit_outbox where draft ->> 'action' = ${action}
      and (${fingerprint ?? null}::text is null or draft #>> '{data,trigger,fingerprint_digest}' = ${fingerprint ?? ''}) order by id`

async function runsOf(fingerprint: string) {
  return database.db<
    {
      id: string
      attached_count: number
      events: number
      last_seq: number
      members: number
      created_at: string
      ended_at: string | null
    }[]
  >`
    select id, attached_count, last_seq, created_at, ended_at,
      (select count(*)::int from run_events where run_id = r.id) as events,
      (select count(*)::int from run_alerts where run_id = r.id) as members
    from runs r where fingerprint = ${fingerprint} order by created_at`
}

describe('max_runs', () => {
  const limits = { max_runs: { count: 2, per: HOUR_MS } }

  test('starts so many runs within the time, and the next one when the first has left it', async () => {
    for (const allowed of [true, true, false, false]) {
      const [answer] = await runs.admit([draft('count', limits)])
      expect(answer?.started).toBe(allowed)
      await finishAll('count')
    }
    const [first] = await runsOf('count')
    const [answer] = await runs.admit([draft('count', limits)])
    const until = new Date(Date.parse(first?.created_at ?? '') + HOUR_MS).toISOString()
    expect(answer).toEqual({ started: false, throttled_until: until })
    await age('count', HOUR_MS)
    expect(await runs.admit([draft('count', limits)])).toMatchObject([{ started: true }])
  })

  test('lets every duplicate attach while the last run is active', async () => {
    const once = { max_runs: { count: 1, per: HOUR_MS } }
    const [first] = await runs.admit([draft('active', once)])
    expect(await runs.admit([draft('active', once, 3)])).toEqual([
      { run_id: first?.run_id, started: false, status: 'queued', attached_count: 3 },
    ])
    expect(await runsOf('active')).toMatchObject([{ attached_count: 3, events: 2, last_seq: 2, members: 4 }])
  })

  test('counts for its own fingerprint, in a batch with others', async () => {
    const once = { max_runs: { count: 1, per: HOUR_MS } }
    await runs.admit([draft('mix|b', once)])
    await finishAll('mix|b')
    const answers = await runs.admit([draft('mix|a', once), draft('mix|b', once), draft('mix|c')])
    expect(answers.map((each) => each.started)).toEqual([true, false, true])
    expect(answers[1]).toHaveProperty('throttled_until')
  })

  test('is never passed by 32 connections at once, while runs end all the time', async () => {
    const pools: Db[] = Array.from({ length: 32 }, () => createDb(database.url, { max: 1 }))
    try {
      const three = { max_runs: { count: 3, per: HOUR_MS } }
      const fingerprints = ['storm|a', 'storm|b', 'storm|c']
      let ending = true
      const ender = (async () => {
        while (ending) await Promise.all(fingerprints.map(finishAll))
      })()
      const answers = await Promise.all(
        pools.map(async (pool) => {
          const store = createRunStore(pool)
          const own = []
          for (let n = 0; n < 12; n++) own.push(...(await store.admit(fingerprints.map((each) => draft(each, three)))))
          return own
        }),
      )
      ending = false
      await ender
      expect(started(answers.flat())).toBe(9)
      for (const fingerprint of fingerprints) {
        const rows = await runsOf(fingerprint)
        expect(rows).toHaveLength(3)
        for (const row of rows) expect([row.members, row.events]).toEqual([row.attached_count + 1, row.last_seq])
      }
      const attached = answers.flat().filter((each) => !each.started && !('throttled_until' in each)).length
      const rows = (await Promise.all(fingerprints.map(runsOf))).flat()
      expect(rows.reduce((sum, row) => sum + row.attached_count, 0)).toBe(attached)
    } finally {
      await Promise.all(pools.map((pool) => pool.end()))
    }
  })
})

describe('cooldown', () => {
  const limits = { cooldown: HOUR_MS }

  test('rests after the end of the last run, not after its start', async () => {
    await runs.admit([draft('rest', limits)])
    await age('rest', 2 * HOUR_MS)
    expect(await runs.admit([draft('rest', limits)])).toMatchObject([{ started: false, attached_count: 1 }])
    await finishAll('rest')
    expect(await runs.admit([draft('rest', limits)])).toMatchObject([{ throttled_until: expect.any(String) }])
    await age('rest', HOUR_MS)
    expect(await runs.admit([draft('rest', limits)])).toMatchObject([{ started: true }])
  })

  test('holds when the run ends in the middle of a storm', async () => {
    const pools: Db[] = Array.from({ length: 32 }, () => createDb(database.url, { max: 1 }))
    try {
      const answers = await Promise.all(
        pools.map(async (pool, index) => {
          const store = createRunStore(pool)
          const own = []
          for (let n = 0; n < 10; n++) {
            own.push(...(await store.admit([draft('burst', limits)])))
            if (index === 0 && n === 4) await finishAll('burst')
          }
          return own
        }),
      )
      expect(started(answers.flat())).toBe(1)
      expect(await runsOf('burst')).toHaveLength(1)
    } finally {
      await Promise.all(pools.map((pool) => pool.end()))
    }
  })
})

/** The service with limits on its rule for `Down`. */
function limited(limits: Limits): IntakeContext {
  const { packs } = service.ctx
  return { ...service.ctx, packs: { ...packs, rules: () => packs.rules().map((rule) => ({ ...rule, limits })) } }
}
const receive = async (body: unknown, ctx: IntakeContext = service.ctx) => (await receiveAlerts(ctx, { body })).results
const outcomes = async (...given: Parameters<typeof receive>) => (await receive(...given)).map((each) => each.outcome)

describe('a limit', () => {
  test.each<[string, Limits]>([
    ['max_runs', { max_runs: { count: 1, per: HOUR_MS + 1 } }],
    ['cooldown', { cooldown: HOUR_MS + 1 }],
  ])(
    'of the kind %s counts the runs of its own workspace, each with a window and a record of its own',
    async (kind, limits) => {
      const other = ids.next('workspace')
      await addWorkspace(database, other, kind.replace('_', '-'))
      const fingerprint = `both|${kind}`
      const here = () => draft(fingerprint, limits)
      const there = () => {
        const { audit, ...rest } = here()
        return { ...rest, workspace_id: other, audit: audit && { ...audit, workspace_id: other } }
      }
      const recorded = async () => {
        const rows = await database.db<{ workspace: string }[]>`
        select draft ->> 'workspace_id' as workspace from audit_outbox
        where draft ->> 'action' = 'run.throttled' and draft #> '{data,limits}' = ${database.db.json(limits ?? {})}::jsonb order by id`
        return rows.map(({ workspace }) => workspace)
      }
      await runs.admit([there()])
      await finishAll(fingerprint)
      expect(await runs.admit([here()])).toMatchObject([{ started: true }])
      await finishAll(fingerprint)
      expect(started(await runs.admit([there()]))).toBe(0)
      expect(await recorded()).toEqual([other])
      expect(started(await runs.admit([here(), there()]))).toBe(0)
      expect(await recorded()).toEqual([other, DEFAULT_WORKSPACE_ID])
    },
  )
})

describe('an alert beyond the limits of its rule', () => {
  test('is throttled, starts nothing, and is put on record once a window', async () => {
    const ctx = limited({ max_runs: { count: 1, per: HOUR_MS } })
    const fingerprint = 'alertmanager|hot|down'
    expect(await outcomes(groupOf([{ service: 'hot' }]), ctx)).toEqual(['started'])
    await finishAll(fingerprint)
    const group = groupOf(Array.from({ length: 5 }, (_, n) => ({ service: 'hot', id: `m${n}` })))
    const results = await receive(group, ctx)
    expect(results[0]).toEqual({
      fingerprint,
      outcome: 'throttled',
      rule: 'down',
      detail: expect.stringMatching(/^the limits of its rule allow the next run at 2\d{3}-.*Z$/),
    })
    expect(results.map((each) => each.outcome)).toEqual(Array(5).fill('throttled'))
    await Promise.all(Array.from({ length: 10 }, () => receive(group, ctx)))
    const digest = `sha256:${ctx.sha256(fingerprint)}`
    const recorded = await audits('run.throttled', digest)
    expect(recorded).toHaveLength(1)
    expect(recorded[0]?.draft).toMatchObject({
      category: 'trigger',
      subject: { type: 'template', id: 'test/recover' },
      data: { trigger: { rule: 'down' }, limits: { max_runs: { count: 1, per: HOUR_MS } }, until: expect.any(String) },
    })
    expect(recorded[0]?.draft).not.toHaveProperty('run_id')
    expect(await runsOf(fingerprint)).toHaveLength(1)
    await age(fingerprint, HOUR_MS)
    expect(await outcomes(groupOf([{ service: 'hot' }]), ctx)).toEqual(['started'])
    await finishAll(fingerprint)
    await receive(group, ctx)
    expect(await audits('run.throttled', digest)).toHaveLength(2)
  })

  test('is answered by itself in a group of firing, resolved and throttled ones', async () => {
    const ctx = limited({ cooldown: HOUR_MS })
    await receive(groupOf([{ service: 'cool' }, { service: 'warm', id: 'a' }]), ctx)
    await finishAll('alertmanager|cool|down')
    const group = groupOf([
      { service: 'cool' },
      { service: 'warm', id: 'a', status: 'resolved' },
      { service: 'new' },
      { service: 'cool', status: 'resolved' },
      { service: 'warm', id: 'b' },
    ])
    expect(await outcomes(group, ctx)).toEqual(['throttled', 'resolved', 'started', 'unmatched', 'attached'])
  })
})

describe('a duplicate of an active run attaches', () => {
  test('while the environment is frozen, and the freeze is put on record for those only that it stops', async () => {
    await receive(groupOf([{ service: 'icy' }]))
    const now = Date.now()
    const interval = { from: new Date(now - HOUR_MS).toISOString(), to: new Date(now + HOUR_MS).toISOString() }
    const freeze = [{ name: 'holidays', scope: 'writes' as const, freeze_approvers: [], interval }]
    const frozen: IntakeContext = {
      ...service.ctx,
      environments: {
        ...service.ctx.environments,
        get: (name) => {
          const seeded = SEEDED_ENVIRONMENTS.find((each) => each.name === name)
          return seeded && applyEnvironmentFile(seeded, { name, freeze })
        },
      },
    }
    const results = await receive(
      groupOf([{ service: 'icy' }, { service: 'icy', id: 'b' }, { service: 'snow' }]),
      frozen,
    )
    expect(results.map((each) => [each.outcome, each.attached_count])).toEqual([
      ['attached', 1],
      ['attached', 2],
      ['frozen', undefined],
    ])
    expect(await audits('run.frozen')).toHaveLength(1)
    expect(await runsOf('alertmanager|icy|down')).toMatchObject([
      { attached_count: 2, members: 3, events: 2, last_seq: 2 },
    ])
    await finishAll('alertmanager|icy|down')
    expect(await outcomes(groupOf([{ service: 'icy' }]), frozen)).toEqual(['frozen'])
  })

  test('while a policy denies its template, also when it ends in between', async () => {
    await runs.admit([draft('alertmanager|guarded|denied')])
    const denied = groupOf([{ service: 'guarded', alertname: 'Denied' }])
    expect(await outcomes(denied)).toEqual(['attached'])
    const storm = Promise.all(Array.from({ length: 20 }, () => outcomes(denied)))
    await finishAll('alertmanager|guarded|denied')
    const counted = (await storm).flat()
    const [run] = await runsOf('alertmanager|guarded|denied')
    expect(run?.attached_count).toBe(1 + counted.filter((each) => each === 'attached').length)
    expect(await outcomes(denied)).toEqual(['denied'])
    expect(await runsOf('alertmanager|guarded|denied')).toHaveLength(1)
  })
})

describe('a row that somebody never lets go of', () => {
  /** Holds the active run of a fingerprint until it is told to let go. */
  async function hold(fingerprint: string): Promise<() => Promise<unknown>> {
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let locked: () => void = () => undefined
    const taken = new Promise<void>((resolve) => {
      locked = resolve
    })
    const holder = database.db.begin(async (sql) => {
      await sql`select from runs where fingerprint = ${fingerprint} for update`
      locked()
      await released
    })
    await taken
    return () => {
      release()
      return holder
    }
  }

  test('fails alerts and recoveries with a retry, loses and doubles nothing, and lets the next ones pass', async () => {
    await receive(groupOf([{ service: 'stuck', id: 'a' }]))
    const letGo = await hold('alertmanager|stuck|down')
    const group = groupOf([{ service: 'stuck', id: 'b' }, { service: 'beside' }])
    const recovery = groupOf([{ service: 'stuck', id: 'a', status: 'resolved' }])
    const failed = await Promise.allSettled([receive(group), receive(recovery)])
    for (const each of failed) {
      expect(each).toMatchObject({
        status: 'rejected',
        reason: { code: 'dependency_unavailable', details: { retry_after_s: 1 } },
      })
    }
    expect(await runsOf('alertmanager|beside|down')).toEqual([])
    expect(await outcomes(groupOf([{ service: 'beside' }]))).toEqual(['started'])
    await letGo()
    expect(await outcomes(group)).toEqual(['attached', 'attached'])
    expect(await outcomes(recovery)).toEqual(['resolved'])
    expect(await runsOf('alertmanager|stuck|down')).toMatchObject([{ attached_count: 1, members: 3 }])
  })
})
