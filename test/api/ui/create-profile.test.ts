import { expect, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('createProfile')

it('makes a profile with the gates that it names, and refuses names that mean nothing', async () => {
  const world = await sharedWorld()
  const name = world.name('careful')
  const post = (text: string) => sendYaml(world.api, ['POST', '/ui/api/profiles'], text, world.as('owner'))
  const text = `name: ${name}\nrequires_approval: [service.restart]\nlimits: { max_usd: 0.2 }\n`
  const answer = await post(text)
  expect([answer.status, await answer.json()]).toMatchObject([
    201,
    { document: text, limits: { max_usd: 0.2 }, loosens: [] },
  ])
  expect(world.api.deps.services.environments.profile(name)).toEqual({
    ...{ name, requires_approval: ['service.restart'], limits: { max_usd: 0.2 } },
  })
  expect(await codeOf(await post(text))).toEqual([409, 'conflict'])
  expect(await auditOf(world.api, `console/profiles/${name}`)).toMatchObject([{ action: 'profile.created' }])
  for (const wrong of [
    'requires_approval: [service.restrat]',
    'environment: prodution',
    'audit: { anchor: elsewhere }',
    'model_roles: { default: nobody-has-this }',
    'limit: {}',
  ])
    expect(await codeOf(await post(`name: ${name}-2\n${wrong}\n`)), wrong).toEqual([422, 'validation_failed'])
})
