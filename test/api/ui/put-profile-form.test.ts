import { expect, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { sendYaml } from '#test/support/authoring.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('putProfileForm')
itRefuses('putProfileForm', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('console_documents')],
])

it('writes what the form says into the text, keeps its comments, and takes out what the form leaves out', async () => {
  const world = await sharedWorld()
  const name = world.name('form')
  const owner = world.as('owner')
  const text = `# who reads this\nname: ${name}\nrequire_plan_hash: true\nlimits: { max_usd: 1 } # a dollar\n`
  const made = await sendYaml(world.api, ['POST', '/ui/api/profiles'], text, owner)
  const put = (values: object, headers: Record<string, string> = {}) =>
    world.api.app.request(`/ui/api/profiles/${name}/form`, {
      method: 'PUT',
      body: JSON.stringify({ values }),
      headers: { ...owner, 'content-type': 'application/json', ...headers },
    })
  const etag = made.headers.get('etag') ?? ''
  const answer = await put({ requires_approval: ['service.restart'], require_plan_hash: true }, { 'if-match': etag })
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    {
      values: { requires_approval: ['service.restart'], require_plan_hash: true },
      in_force: {
        document: `# who reads this\nname: ${name}\nrequire_plan_hash: true\nrequires_approval: [ service.restart ]\n`,
        loosens: ['limits.max_usd'],
      },
    },
  ])
  expect(await codeOf(await put({}, { 'if-match': etag }))).toEqual([412, 'version_conflict'])
  expect(await codeOf(await put({ requires_approval: ['service.restrat'] }))).toEqual([422, 'validation_failed'])
})
