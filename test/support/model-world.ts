import OpenAI from 'openai'
import { type ApiServer, serveApi } from '#api/server.ts'
import { type ModelServer, startModelServer } from '#cli/dev/model-server.ts'
import type { Model, ModelRoles } from '#core/models/model.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { EMPTY_LAYER } from '#core/policy/layer.ts'
import type { Effect } from '#core/policy/types.ts'
import { createIds } from '#platform/ids.ts'
import type { ModelSource } from '#platform/models/model-source.ts'
import type { LivePolicySource } from '#platform/policies/policy-source.ts'
import { createTestApi, type TestApi } from './api-client.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { openEnvironments } from './open-environments.ts'
import { scriptedModels } from './scripted-models.ts'

/** The gateway as clients reach it, before a server of scripted models. */
export interface ModelWorld {
  api: TestApi
  database: TestDatabase
  upstream: ModelServer
  url: string
  client: OpenAI
  /** what policies say of calls in the environment `judged`; nothing where it is undefined */
  judge(effect: Effect | undefined): void
  /** the rows of attempts, oldest first */
  calls(): Promise<
    { model: string; state: string; basis: string; reserved: number; charged: number; overrun: number }[]
  >
  close(): Promise<void>
}

export interface ModelWorldOptions {
  files?: Record<string, string>
  roles?: ModelRoles
  change?: (models: Model[]) => Model[]
  /** where models are read from, in place of those that are scripted */
  source?: Pick<ModelSource, 'bound'>
  env?: Record<string, string>
}

const DEVELOPMENT = { 'environments/development.yaml': 'name: development\nworkspaces: ["*"]\n' }

export async function openModelWorld(postgresUrl: string, options: ModelWorldOptions = {}): Promise<ModelWorld> {
  const { files = {}, roles, change = (models) => models } = options
  const database = await createTestDatabase(postgresUrl)
  const upstream = await startModelServer()
  const { environments } = openEnvironments(database.db, { ...DEVELOPMENT, ...files }, { open: true })
  let effect: Effect | undefined
  const bound = scriptedModels(upstream.url, roles)
  const api = await createTestApi(database, {
    models: options.source ?? { ...bound, models: change(bound.models) },
    ...(options.env && { env: options.env }),
    content: {
      environments,
      policies: policiesOnModels(['judged'], () => effect),
    },
  })
  const server: ApiServer = await serveApi(api.app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} })
  return {
    api,
    database,
    upstream,
    url: `${server.url}/v1`,
    client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 2 }),
    judge: (said) => {
      effect = said
    },
    calls: () => database.db`
      select model, state, basis, reserved_micro_usd as reserved, charged_micro_usd as charged, overrun_micro_usd as overrun
      from model_calls order by created_at, id`,
    async close() {
      await server.close()
      await api.close()
      environments.close()
      await upstream.stop()
      await database.drop()
    },
  }
}

/** What policies say of calls of models in these environments, at each moment. */
export function policiesOnModels(
  environments: string[],
  effect: () => Effect | undefined,
): Pick<LivePolicySource, 'effective'> {
  return {
    effective: async (_workspace, environment) =>
      compilePolicies(
        { layers: layersOf(environments, effect()), environment },
        { hash: (text) => `sha256:${text.length}` },
      ),
  }
}

function layersOf(environments: string[], effect: Effect | undefined) {
  const scope = { environments, risks: [], action_types: ['llm.generate'], capabilities: [] }
  const rules = effect && [{ effect, reason: 'so it was decided', channels: [] }]
  const policies = rules ? [{ name: 'models', layer: 'overlay' as const, source: 'models.yaml', scope, rules }] : []
  return { pack: EMPTY_LAYER, overlay: { policies, broken: [] }, console: EMPTY_LAYER }
}
