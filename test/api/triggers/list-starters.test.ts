import { describe, expect, it } from 'vitest'
import { Starters } from '#core/trigger/starters-schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { sendYaml } from '#test/support/authoring.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openEnvironments } from '#test/support/open-environments.ts'

itIsGuarded('listStarters')

const rule = (name: string, environment: string) =>
  `- { name: ${name}, on: alert, match: { service: shop }, run: incident/service-recovery, environment: ${environment} }\n`

const database = testDatabase()
const opened = fileFixture(
  () =>
    openEnvironments(database.db, {
      'environments/theirs.yaml': 'name: theirs\nclass: staging\nworkspaces: [payments]\n',
      'rules/shop.yaml': `${rule('of-a-file', 'development')}${rule('of-others', 'theirs')}`,
    }),
  (opened) => opened.environments.close(),
)
const api = testApi(database, () => ({ content: { environments: opened.environments } }))

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
