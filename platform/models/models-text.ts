import { isMap, parseDocument } from 'yaml'
import type { FileFault } from '#core/file-fault.ts'
import type { LimitField, ModelPrices, ModelRole } from '#core/models/model.ts'
import { ModelsFile } from '#core/models/models-schema.ts'
import { parseDocument as parseBySchema } from '#platform/packs/parse-document.ts'

/** A model in `models.yaml`. */
export interface ModelText {
  id: string
  provider: string
  model?: string
  base_url?: string
  key?: string
  prices?: ModelPrices
  limits?: { context: number; output: number }
  timeout?: string
  limit_field?: LimitField
}

/** The text of `models.yaml` with one more model at its end, and roles that it has; comments stay. */
export function withModel(text: string | undefined, model: ModelText, roles: readonly ModelRole[] = []): string {
  const document = parseDocument(text ?? '')
  const node = document.createNode(model)
  for (const key of ['prices', 'limits']) {
    const inner = node.get(key, true)
    if (isMap(inner)) inner.flow = true
  }
  if (document.get('models') == null) document.set('models', document.createNode([]))
  document.addIn(['models'], node)
  if (roles.length > 0 && document.get('roles') == null) document.set('roles', document.createNode({}))
  for (const role of roles) document.setIn(['roles', role], model.id)
  return document.toString({ lineWidth: 0 })
}

/** Parses a text, or returns every fault: in the same words as the running service. */
export function parseModels(file: string, text: string): ModelsFile | FileFault[] {
  const parsed = parseBySchema(ModelsFile, file, new TextEncoder().encode(text))
  return Array.isArray(parsed) ? parsed : parsed.data
}
