import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { InputsAnswer } from '#core/plan/preflight-schema.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { onePack } from '#test/support/one-pack.ts'

itIsGuarded('validateInputs')

let api: TestApi
const SCHEMA = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string' },
    action: { enum: ['restart', 'rollback'], default: 'restart' },
    token: { type: 'string', writeOnly: true },
  },
}

const database = testDatabase()
beforeAll(async () => {
  const packs = onePack()
  const found = packs.findTemplate('incident', 'service-recovery')
  const strict = found && { ...found, inputs_schema: SCHEMA }
  api = await createTestApi(database, { services: { packs: { ...packs, findTemplate: () => strict } } })
})
afterAll(() => api?.close())

const ask = async (inputs: unknown) => {
  const answer = await api.post('/packs/incident/service-recovery/validate', { inputs })
  return [answer.status, InputsAnswer.parse(await answer.json())] as const
}

describe('POST /packs/{pack}/{tpl}/validate', () => {
  it('fills in what the schema says, and sends no secret back', async () => {
    const [status, found] = await ask({ url: 'x', token: 'hunter2' })
    expect([status, found]).toEqual([200, { valid: true, errors: [], normalized: expect.anything() }])
    expect(found.normalized).toMatchObject({ url: 'x', action: 'restart' })
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })

  it('answers what does not fit as a result', async () => {
    const [status, found] = await ask({ action: 'explode', surplus: 1, token: 'hunter2' })
    expect([status, found.valid]).toEqual([200, false])
    expect(found.errors.map(({ pointer }) => pointer)).toEqual(expect.arrayContaining(['/action']))
    expect(found.errors.length).toBeGreaterThanOrEqual(3)
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })
})
