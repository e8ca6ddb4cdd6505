import { expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('updateConsoleTrigger')
itRefuses('updateConsoleTrigger', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('console_documents')],
])

it('replaces the text that was read, keeps the name, and keeps both digests on record', async () => {
  const world = await sharedWorld()
  const name = await world.rule()
  const owner = { ...world.as('owner'), 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
  const text = `name: ${name}\non: pattern\nrun: incident/service-recovery\n`
  const put = (document: string, headers: Record<string, string> = {}) =>
    sendYaml(world.api, ['PUT', `/ui/api/triggers/${name}`], document, { ...owner, ...headers })
  const first = (await world.api.get(`/ui/api/triggers/${name}`, owner)).headers.get('etag') ?? ''
  const changed = await put(text, { 'if-match': first })
  expect([changed.status, await changed.json()]).toMatchObject([200, { document: text, on: 'pattern' }])
  expect(await codeOf(await put(text, { 'if-match': first }))).toEqual([412, 'version_conflict'])
  for (const wrong of [text.replace(name, 'other'), text.replace('pattern', 'patern'), ''])
    expect(await codeOf(await put(wrong))).toEqual([422, 'validation_failed'])
  const records = await auditOf(world.api, `console/${DEFAULT_WORKSPACE_ID}/rules/${name}`)
  expect(records.map(({ action }) => action)).toEqual(['rule.created', 'rule.updated'])
  expect(records[1]?.data['before']).toBe(records[0]?.data['after'])
})
