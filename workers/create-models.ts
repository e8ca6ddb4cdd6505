import type { Config } from '#platform/config.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { Logger } from '#platform/logger.ts'
import { layerModels } from '#platform/models/layered-models.ts'
import { createModelFetch } from '#platform/models/measured-fetch.ts'
import { createModelSource } from '#platform/models/model-source.ts'
import { createModelUpstream } from '#platform/models/upstream.ts'
import { createModelLeases } from '#services/models/model-leases.ts'
import type { ModelPorts } from '#services/models/model-ports.ts'
import { readConsoleRoles } from '#store/authored/console-documents.ts'
import type { Db } from '#store/db.ts'
import { createModelCalls } from '#store/models/model-calls.ts'

export interface ModelsOptions {
  config: Pick<Config, 'models'>
  db: Db
  egress: Pick<EgressClient, 'resolve'>
  /** the variables that secret references name */
  env: Record<string, string | undefined>
  log: Logger
}

export interface Models {
  ports: ModelPorts
  /** resolves when the console's bindings of roles are in force */
  reloadConsole(): Promise<void>
  close(): void
}

/** Makes the dependencies of steps' model calls. */
export function createModels({ config, db, egress, env, log }: ModelsOptions): Models {
  const files = createModelSource({ file: config.models.file, log })
  const models = layerModels(files, { load: () => readConsoleRoles(db), log })
  const model_calls = createModelCalls(db)
  const leases = createModelLeases({ calls: model_calls, log })
  return {
    ports: {
      models,
      model_calls,
      leases,
      upstream: createModelUpstream({ env, endpoint: config.models, fetch: createModelFetch(egress) }),
    },
    reloadConsole: models.reloadConsole,
    close() {
      models.close()
      files.close()
      leases.close()
    },
  }
}
