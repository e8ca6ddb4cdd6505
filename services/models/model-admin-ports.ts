import type { Model } from '#core/models/model.ts'
import type { LayeredModels } from '#platform/models/layered-models.ts'
import type { CatalogFile } from '#platform/models/model-catalog.ts'
import type { EndpointShown } from '#platform/models/model-endpoint.ts'
import type { AuthoredStore } from '#store/authored.ts'
import type { ModelProbes } from '#store/model-probes.ts'
import type { ModelSpendViews } from '#store/model-spend.ts'

/** What administering models stands on, beside what calling them does. */
export interface ModelAdminPorts {
  models: Pick<LayeredModels, 'bound' | 'layers' | 'lookAtConsole'>
  model_roles: AuthoredStore
  probes: ModelProbes
  spend: ModelSpendViews
  catalog: CatalogFile
  /** where a model is asked, without anything secret */
  endpointOf(model: Model): EndpointShown
}
