import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { Starters } from '#core/trigger/starters-schema.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { sendYaml } from '#test/support/authoring.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openEnvironments } from '#test/support/open-environments.ts'

itIsGuarded('listStarters')

const rule = (name: string, environment: string) =>
  `- { name: ${name}, on: alert, match: { service: shop }, run: incident/service-recovery, environment: ${environment} }\n`

let database: TestDatabase
let opened: ReturnType<typeof openEnvironments>
let api: TestApi

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  opened = openEnvironments(database.db, {
    'environments/theirs.yaml': 'name: theirs\nclass: staging\nworkspaces: [payments]\n',
    'rules/shop.yaml': `${rule('of-a-file', 'development')}${rule('of-others', 'theirs')}`,
  })
  api = await createTestApi(database, { content: { environments: opened.environments } })
})
afterAll(async () => {
  await api?.close()
  opened?.environments.close()
  await database?.drop()
})

describe('GET /triggers/starters', () => {
  it('lists rules as they are tried, the console first, and none for environments of others', async () => {
    const text = 'name: authored\non: alert\nmatch: { service: shop }\nrun: incident/service-recovery\n'
    expect((await sendYaml(api, ['POST', '/ui/api/triggers'], text)).status).toBe(201)
    await expect
      .poll(async () => Starters.parse(await (await api.get('/triggers/starters')).json()).rules)
      .toMatchObject([
        { name: 'authored', layer: 'console', on: 'alert', run: 'incident/service-recovery' },
        {
          name: 'of-a-file',
          layer: 'overlay',
          origin: expect.stringContaining('shop.yaml'),
          environment: 'development',
        },
      ])
  })
})
