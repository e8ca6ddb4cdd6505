import { expect, test } from 'vitest'
import { ApiProblem } from '#cli/client/api-problem.ts'
import { probeModels } from '#cli/models/probe-models.ts'
import type { Schema } from '#client/create-client.ts'

const ECHO: Schema<'RegisteredModel'> = {
  ...{ id: 'echo', provider: 'openai_compatible', provider_model: 'echo', timeout_ms: 1_000, callable: true },
  roles: [{ role: 'default', as: 'model' }],
}

test.each([
  ['ecoh', 'there is no model ecoh; did you mean echo?'],
  ['default', 'there is no model default; it is a role, which echo has'],
  ['gpt', 'there is no model gpt'],
])('to probe %s, which is no model, says so', async (id, message) => {
  const api = {
    probeModel: async () => {
      throw new ApiProblem(404, { detail: 'Nothing that you may see has this address.', code: 'not_found' })
    },
    models: async () => [ECHO],
  }
  const probing = probeModels({ api: () => api, out: () => undefined, exit: () => undefined as never }, [id], {})
  await expect(probing).rejects.toMatchObject({ code: 'not_found', message })
})
