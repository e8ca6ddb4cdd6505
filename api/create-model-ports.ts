import type { Config } from '#platform/config.ts'
import { createKnowledgeFiles } from '#platform/knowledge/knowledge-files.ts'
import { layerModels } from '#platform/models/layered-models.ts'
import { createModelFetch } from '#platform/models/measured-fetch.ts'
import { MODEL_CATALOG } from '#platform/models/model-catalog.ts'
import { showEndpoint } from '#platform/models/model-endpoint.ts'
import { createModelUpstream } from '#platform/models/upstream.ts'
import { packDirs } from '#platform/packs/pack-registry.ts'
import type { KnowledgePorts } from '#services/knowledge/knowledge-ports.ts'
import { createModelLeases } from '#services/models/model-leases.ts'
import { createConsoleDocuments, readConsoleRoles } from '#store/authored/console-documents.ts'
import { createKnowledgeStore } from '#store/knowledge/knowledge.ts'
import { createKnowledgeSearch } from '#store/knowledge/knowledge-search.ts'
import { createModelCalls } from '#store/models/model-calls.ts'
import { createModelProbes } from '#store/models/model-probes.ts'
import { createModelSpend } from '#store/models/model-spend.ts'
import type { ApiParts } from './api-parts.ts'
import type { ApiDeps } from './deps.ts'

/** Makes the dependencies of model calls, and of administering models. */
export function createModelPorts(
  { models: endpoint }: Config,
  { db, tenants, env, egress, models, log }: ApiParts,
): ApiDeps['models'] {
  const model_calls = createModelCalls(db)
  return {
    models: layerModels(models, { load: () => readConsoleRoles(db), log }),
    model_calls,
    upstream: createModelUpstream({ env, endpoint, fetch: createModelFetch(egress) }),
    leases: createModelLeases({ calls: model_calls, log }),
    model_roles: createConsoleDocuments(db, 'model_roles'),
    probes: createModelProbes(db, tenants),
    spend: createModelSpend(tenants),
    catalog: MODEL_CATALOG,
    unread_ms: endpoint.unread_ms,
    endpointOf: (model) => showEndpoint(model, { env, endpoint }),
  }
}

/** Makes the dependencies of corpora. */
export function createKnowledgePorts(
  { knowledgeDir, packsDir }: Config,
  { db, tenants, content }: ApiParts,
): KnowledgePorts {
  const hasPack = (name: string) => content.packs.list().some((pack) => pack.name === name)
  return {
    store: createKnowledgeStore(db, tenants),
    search: createKnowledgeSearch(tenants),
    files: createKnowledgeFiles({ root: knowledgeDir, packDirs: packDirs(packsDir), hasPack }),
  }
}
