import { expect, test } from 'vitest'
import type { Model, ModelRoles } from '#core/models/model.ts'
import { layerModels } from '#platform/models/layered-models.ts'
import { roleFaults } from '#services/models/put-model-roles.ts'

const model = (id: string): Model => ({ id, model: id, provider: 'openai', timeout_ms: 1, structured_outputs: true })
const FILE: ModelRoles = { default: { model: 'big' }, small: { model: 'big' } }

function layered(load: () => Promise<string | undefined>) {
  const warnings: string[] = []
  const files = { bound: () => ({ models: [model('big'), model('tiny')], roles: FILE }) }
  const models = layerModels(files, {
    load,
    log: { warn: (_fields, text) => void warnings.push(text) },
    poll_ms: 3_600_000,
  })
  return { models, warnings }
}

test('a role is what the console says, else what the file says', async () => {
  let text: string | undefined = '{"roles":{"small":{"model":"tiny","fallback":"big"}}}'
  const { models } = layered(async () => text)
  expect(models.bound().roles).toEqual(FILE)
  await models.reloadConsole()
  expect(models.bound().roles).toEqual({ default: { model: 'big' }, small: { model: 'tiny', fallback: 'big' } })
  text = undefined
  await models.reloadConsole()
  expect(models.bound().roles).toEqual(FILE)
  models.close()
})

test('what cannot be read, or not be reached, leaves the last known in force', async () => {
  const answers = ['{"roles":{"judge":"tiny"}}', '{"roles":{"jury":"tiny"}}', '{', new Error('away')]
  const { models, warnings } = layered(async () => {
    const next = answers.shift()
    if (next instanceof Error) throw next
    return next
  })
  for (let n = 0; n < 3; n += 1) await models.reloadConsole()
  await expect(models.reloadConsole()).rejects.toThrow('away')
  expect(models.bound().roles.judge).toEqual({ model: 'tiny' })
  expect(warnings).toHaveLength(2)
  models.close()
})

test('a role whose model is gone is a fault that names the nearest', async () => {
  const { models } = layered(async () => '{"roles":{"small":{"model":"tinny","fallback":"big"}}}')
  await models.reloadConsole()
  expect(roleFaults(models)).toEqual([
    {
      file: 'what the console says about models',
      message: 'the role small: there is no model tinny; did you mean tiny?',
    },
  ])
  models.close()
})
