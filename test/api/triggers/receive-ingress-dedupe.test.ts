import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createIngressDeliveries } from '#store/alerts/ingress-deliveries.ts'
import { createDb } from '#store/db.ts'
import { createHolder, createSessionLocks } from '#store/sql/session-locks.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { createIngressApi, deployment, order, post, runsOf, SECRETS } from '#test/support/ingress.ts'

let away = false

const database = testDatabase()
const api = fileFixture(() => createIngressApi(database, { intake: { away: () => away } }))

describe('a signed delivery', () => {
  it('that is repeated gets the first answer and starts nothing, also under another unsigned id', async () => {
    const body = deployment({ service: 'repeated' })
    const first = await post(api, body, { id: 'guid-2' })
    expect((await post(api, body, { id: 'guid-2' })).body).toEqual(first.body)
    expect((await post(api, body, { id: 'made-up' })).body).toEqual(first.body)
    const alerts = await database.db`select from run_alerts where run_id = ${first.body.run_id ?? ''}`
    expect(alerts).toHaveLength(1)
  })

  it('with a signed id that was seen gets the first answer, no matter what it says', async () => {
    const first = await order(api, '{"service":"signed-id"}', SECRETS.new, { id: 'msg_1' })
    expect((await order(api, '{"service":"another"}', SECRETS.new, { id: 'msg_1' })).body).toEqual(first.body)
    expect(await runsOf(database, 'another')).toHaveLength(0)
  })

  it('that arrives many times at once is handled once', async () => {
    const body = deployment({ service: 'at-once' })
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(api, body)))
    for (const { status } of answers) expect([202, 409]).toContain(status)
    const ids = answers.filter(({ status }) => status === 202).map((each) => each.body.delivery_id)
    expect(new Set(ids).size).toBe(1)
    const alerts =
      await database.db`select from run_alerts a join runs r on r.id = a.run_id where r.fingerprint like '%at-once%'`
    expect(alerts).toHaveLength(1)
  })

  it('whose process died after the run had started is answered with that run', async () => {
    const body = deployment({ service: 'died' })
    const first = await post(api, body)
    const { delivery_id = '', run_id = '' } = first.body
    await database.db`
      update ingress_deliveries set answer = null, claimed_at = now() - interval '2 minutes' where delivery_id = ${delivery_id}`
    expect((await post(api, body)).body).toEqual({ delivery_id, outcome: 'started', run_id })
    expect(await database.db`select from run_alerts where run_id = ${run_id}`).toHaveLength(1)
  })

  it('whose answer could not be kept is answered with its run when it comes again', async () => {
    const body = deployment({ service: 'unkept' })
    const owner = createDb(database.owner_url, { max: 1 })
    await owner.unsafe(`
      create function refuse_answer() returns trigger language plpgsql as $$ begin raise 'disk full' using errcode = '53100'; end $$;
      create trigger refuse_answer before update on ingress_deliveries for each row when (new.answer is not null)
        execute function refuse_answer()`)
    const refused = await post(api, body)
    await owner.unsafe('drop trigger refuse_answer on ingress_deliveries; drop function refuse_answer')
    await owner.end()
    expect(refused.status).toBe(503)
    const [run] = await runsOf(database, 'unkept')
    expect((await post(api, body)).body).toMatchObject({ outcome: 'started', run_id: run?.id })
    expect(await database.db`select from run_alerts where run_id = ${run?.id ?? ''}`).toHaveLength(1)
  })

  it('whose process died is taken at once under its id; while that lives, it is busy', async () => {
    const locks = createSessionLocks(database.url, 'test-dying')
    const dying = createIngressDeliveries(database.db, createHolder(locks, randomUUID))
    const deliveries = createIngressDeliveries(database.db)
    const [row] = await database.db<{ id: string }[]>`select id from workspaces limit 1`
    const ref = { workspace_id: row?.id ?? '', pack: 'p', name: 'n', delivery_key: 'dies' }
    const first = await dying.begin(ref, 'dlv_first')
    if (first.kind !== 'fresh') return expect.fail(first.kind)
    expect(await deliveries.begin(ref, 'dlv_second')).toEqual({ kind: 'busy' })
    await locks.close()
    expect(await deliveries.begin(ref, 'dlv_third')).toMatchObject({ kind: 'resumed', delivery_id: 'dlv_first' })
    // one that has lost it changes nothing any more
    const lost = { ...ref, claim: first.claim }
    expect(await dying.handBack(lost)).toBe(false)
    await dying.release(lost)
    await dying.finish(lost, { late: true })
    const [left] = await database.db`select holder, answer from ingress_deliveries where delivery_key = 'dies'`
    expect(left).toEqual({ holder: null, answer: null })
  })

  it('is remembered for three days', async () => {
    const body = deployment({ service: 'remembered' })
    const { delivery_id = '' } = (await post(api, body)).body
    const deliveries = createIngressDeliveries(database.db)
    await deliveries.purge()
    expect((await post(api, body)).body.delivery_id).toBe(delivery_id)
    await database.db`
      update ingress_deliveries set received_at = now() - interval '73 hours' where delivery_id = ${delivery_id}`
    const later = await post(api, body)
    expect(later.body).toMatchObject({ outcome: 'attached' })
    expect(later.body.delivery_id).not.toBe(delivery_id)
    await database.db`
      update ingress_deliveries set received_at = now() - interval '73 hours' where delivery_id = ${later.body.delivery_id ?? ''}`
    await deliveries.purge()
    expect(
      await database.db`select from ingress_deliveries where delivery_id = ${later.body.delivery_id ?? ''}`,
    ).toHaveLength(0)
  })

  it('is refused while the engine is away and nothing keeps it, and counts when it comes again', async () => {
    const known = deployment({ service: 'known' })
    const first = await post(api, known)
    const body = deployment({ service: 'refused' })
    away = true
    const refused = await post(api, body)
    expect(refused).toMatchObject({ status: 503, body: { code: 'dependency_unavailable' } })
    expect(refused.headers.get('retry-after')).toBe('2')
    expect((await post(api, known)).body).toEqual(first.body)
    away = false
    expect((await post(api, body)).body.outcome).toBe('started')
  })
})
