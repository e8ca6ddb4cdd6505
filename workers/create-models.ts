import type { Config } from '#platform/config.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { Logger } from '#platform/logger.ts'
import { createModelFetch } from '#platform/models/model-fetch.ts'
import { createModelSource } from '#platform/models/model-source.ts'
import { createModelUpstream } from '#platform/models/upstream.ts'
import { createModelLeases } from '#services/models/model-leases.ts'
import type { ModelPorts } from '#services/models/model-ports.ts'
import type { Db } from '#store/db.ts'
import { createModelCalls } from '#store/model-calls.ts'

export interface ModelsOptions {
  config: Pick<Config, 'models'>
  db: Db
  egress: Pick<EgressClient, 'resolve'>
  /** the variables that secret references name */
  env: Record<string, string | undefined>
  log: Logger
}

/** What calls that steps make stand on. */
export function createModels({ config, db, egress, env, log }: ModelsOptions): { ports: ModelPorts; close(): void } {
  const models = createModelSource({ file: config.models.file, log })
  const model_calls = createModelCalls(db)
  const leases = createModelLeases({ calls: model_calls, log })
  return {
    ports: {
      models,
      model_calls,
      leases,
      upstream: createModelUpstream({ env, endpoint: config.models, fetch: createModelFetch(egress) }),
    },
    close() {
      models.close()
      leases.close()
    },
  }
}
