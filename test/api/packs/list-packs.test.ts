import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { PackTemplate } from '#api/schemas/packs.ts'
import { DomainError } from '#core/errors.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('listPacks')

let database: TestDatabase
let api: TestApi
const started: string[] = []

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  api = await createTestApi(database, {
    services: {
      engine: {
        start: async (input) => void started.push(input.run_id),
        decide: () => Promise.reject(new DomainError('internal', 'not here')),
        cancel: async () => {},
        alive: async () => true,
      },
    },
  })
})
afterAll(async () => {
  await api?.close()
  await database?.drop()
})

describe('GET /packs', () => {
  it('lists every template in the documented shape', async () => {
    const items = z.array(z.strictObject(PackTemplate.shape)).parse(await (await api.get('/packs')).json())
    expect(items.map((item) => `${item.pack}/${item.template}`)).toEqual(['incident/service-recovery'])
  })
})
