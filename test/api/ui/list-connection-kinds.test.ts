import { expect, it } from 'vitest'
import { ajv } from '#test/support/described-answers.ts'
import { guardWorld, itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('listConnectionKinds')

const world = guardWorld()

it('shows the fields of each kind as a JSON Schema that tells a good configuration from a bad one', async () => {
  const answer = await world.api.get('/ui/api/connection-kinds', world.as('viewer'))
  const kinds = (await answer.json()) as { kind: string; auth: string[]; schema: object }[]
  expect(kinds.map(({ kind, auth }) => [kind, auth])).toEqual([
    ['http', ['bearer', 'basic', 'oauth2', 'none']],
    ['postgres', ['basic', 'none']],
    ['prometheus', ['bearer', 'basic', 'none']],
    ['smtp', ['basic', 'none']],
    ['slack', ['bearer']],
    ['s3', ['key']],
    ['mcp', ['bearer', 'oauth2', 'none']],
  ])
  const [http] = kinds
  const isGood = ajv.compile(http?.schema ?? {})
  expect([isGood({ base_url: 'https://api.example.com/' }), isGood({ token: 'x' })]).toEqual([true, false])
})
