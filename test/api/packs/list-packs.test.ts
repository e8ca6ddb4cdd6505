import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PackTemplate } from '#api/schemas/packs.ts'
import { startingEngine, testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('listPacks')

const started: string[] = []

const database = testDatabase()
const api = testApi(database, {
  services: { engine: startingEngine(async (input) => void started.push(input.run_id)) },
})

describe('GET /packs', () => {
  it('lists every template in the documented shape', async () => {
    const items = z.array(z.strictObject(PackTemplate.shape)).parse(await (await api.get('/packs')).json())
    expect(items.map((item) => `${item.pack}/${item.template}`)).toEqual(['incident/service-recovery'])
  })
})
