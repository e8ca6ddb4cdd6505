import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { canonicalText } from '#core/json/canonical.ts'
import type { Plan } from '#core/plan/types.ts'
import { createDb, type Db } from '#store/db.ts'
import { createPlanStore } from '#store/plans.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const database = testDatabase()

function planOf(title: string): Plan {
  const { plan } = runDraft()
  if (plan === undefined) throw new Error('a draft has a plan')
  const { digest: _digest, ...content } = { ...plan, title, outputs: { n: 1.5, big: 1e21, text: 'ß\u202e"\\' } }
  return { ...content, digest: `sha256:${sha256(canonicalText(content))}` }
}

test('a plan is loaded as what was admitted, byte for byte in its canonical form', async () => {
  const plan = planOf('one')
  await createRunStore(database.db).admit([runDraft({ plan, plan_digest: plan.digest })])
  expect(await createPlanStore(database.db, sha256).load(plan.digest)).toEqual(plan)
})

test('a plan that was changed where it is stored runs nothing', async () => {
  const plan = planOf('two')
  await createRunStore(database.db).admit([runDraft({ plan, plan_digest: plan.digest })])
  // the service itself may not: it takes the owner of the database
  const owner = createDb(database.owner_url, { max: 1 })
  await owner`update plans set plan = jsonb_set(plan, '{title}', '"another"') where digest = ${plan.digest}`
  await owner.end()
  await expect(createPlanStore(database.db, sha256).load(plan.digest)).rejects.toThrow('is not what its digest says')
})

test('a plan under the name of another runs nothing, and an unknown one neither', async () => {
  const [plan, other] = [planOf('three'), planOf('four')]
  await createRunStore(database.db).admit([runDraft({ plan: other, plan_digest: plan.digest })])
  const plans = createPlanStore(database.db, sha256)
  await expect(plans.load(plan.digest)).rejects.toThrow('is not what its digest says')
  await expect(plans.load(other.digest)).rejects.toThrow('there is no plan')
})

test('a plan is sent once, and again while nothing was written of it', async () => {
  const sent: unknown[] = []
  const json: Db['json'] = (value) => {
    sent.push(...(Array.isArray(value) ? value : [value]).map((draft) => Object.hasOwn(Object(draft), 'plan')))
    return database.db.json(value)
  }
  const runs = createRunStore(
    new Proxy(database.db, { get: (db, name) => (name === 'json' ? json : Reflect.get(db, name)) }),
  )
  const plan = planOf('five')
  const drafts = () => [runDraft({ plan, plan_digest: plan.digest })]
  const halt = ids.next('halt')
  await database.db`insert into halts (id, reason, set_by) values (${halt}, 'drill', '{}')`
  expect(await runs.admit(drafts(), [])).toBeUndefined()
  expect(await runs.admit(drafts(), [halt])).toMatchObject([{ started: true }])
  expect(await runs.admit(drafts(), [halt])).toMatchObject([{ started: true }])
  expect(sent).toEqual([true, true, false])
})
