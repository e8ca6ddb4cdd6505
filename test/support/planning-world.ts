import { fileURLToPath } from 'node:url'
import { createOperators } from '#activities/operators/index.ts'
import { serveApi } from '#api/server.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { EMPTY_LAYER } from '#core/policy/layer.ts'
import type { Effect } from '#core/policy/types.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createIds } from '#platform/ids.ts'
import { createPackRegistry } from '#platform/packs/pack-registry.ts'
import { createTestApi, type TestApi, type TestApiOptions } from './api-client.ts'
import type { CliResult } from './cli.ts'
import { runCliInProcess } from './cli-in-process.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { openEnvironments } from './open-environments.ts'

const PLACES = {
  'environments/development.yaml': 'name: development\nworkspaces: ["*"]\n',
  'environments/live.yaml': 'name: live\nclass: production\nworkspaces: ["*"]\n',
  'environments/shut.yaml': 'name: shut\nclass: staging\nworkspaces: ["*"]\n',
  'profiles/careful.yaml': 'name: careful\nrequires_approval: [http.write]\n',
}
const PACKS = fileURLToPath(new URL('../packs/asked', import.meta.url))

/** An API with the pack `asked`, served to commands that run in this process. Nothing that starts is ever carried out. */
export interface PlanningWorld {
  api: TestApi
  database: TestDatabase
  url: string
  svc(args: string[], input?: string): Promise<CliResult>
  /** what a policy says of everything in the environment `staging`; nothing where it is undefined */
  judge(effect: Effect | undefined): void
  /** how many runs there are */
  runs(): Promise<number>
  close(): Promise<void>
}

export async function openPlanningWorld(postgresUrl: string, options: TestApiOptions = {}): Promise<PlanningWorld> {
  const database = await createTestDatabase(postgresUrl)
  const { environments } = openEnvironments(database.db, PLACES, { open: true })
  const catalog = createOperators({ egress: createEgressClient() })
  for (const operator of catalog.list()) await operator.ready?.()
  const packs = createPackRegistry({ dirs: [PACKS], catalog, log: { info: () => {}, warn: () => {} } })
  if (packs.errors().length > 0) throw new Error(JSON.stringify(packs.errors()))
  let judged: Effect | undefined
  const api = await createTestApi(database, {
    ...options,
    services: { packs, ...options.services },
    content: {
      environments,
      policies: {
        effective: async (_workspace, environment) =>
          compilePolicies({ layers: layersOf(judged), environment }, { hash: (text) => `sha256:${text.length}` }),
      },
      ...options.content,
    },
  })
  const server = await serveApi(api.app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} })
  return {
    api,
    database,
    url: server.url,
    svc: (args, input) => runCliInProcess(args, { url: server.url, ...(input !== undefined && { input }) }),
    judge: (effect) => {
      judged = effect
    },
    runs: async () => Number((await database.db`select count(*)::int as runs from runs`)[0]?.['runs']),
    async close() {
      await server.close()
      await api.close()
      environments.close()
      packs.close()
      await database.drop()
    },
  }
}

function layersOf(effect: Effect | undefined) {
  const policy = (name: string, effect: Effect) => ({
    name,
    layer: 'overlay' as const,
    source: `${name}.yaml`,
    scope: { environments: [name], risks: [], action_types: [], capabilities: [] },
    rules: [{ effect, reason: `so it was decided for ${name}`, channels: [] }],
  })
  const policies = [policy('shut', 'deny'), ...(effect === undefined ? [] : [policy('staging', effect)])]
  return { pack: EMPTY_LAYER, overlay: { policies, broken: [] }, console: EMPTY_LAYER }
}
