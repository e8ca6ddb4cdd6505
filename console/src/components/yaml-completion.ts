import { autocompletion, type CompletionSource } from '@codemirror/autocomplete'
import { type DocumentSchema, suggestYaml } from '../lib/suggest-yaml.ts'
import { yamlPosition } from '../lib/yaml-position.ts'
import { DOCUMENTS } from '../words/documents.ts'

/** Offers what may stand at the caret. Anyone who types before the schema is there is offered it when it comes; nothing where it cannot be read. */
export function yamlCompletion(readSchema: () => Promise<DocumentSchema | undefined>) {
  const source: CompletionSource = async ({ state, pos, explicit }) => {
    const place = yamlPosition(state.sliceDoc(0, pos))
    if (place.word === '' && !explicit) return null
    const known = await readSchema().catch(() => undefined)
    if (known === undefined) return null
    const options = suggestYaml(known, place).map(({ label, insert, about, is_required }) => ({
      ...{ label, apply: insert },
      ...(about !== undefined && { info: about }),
      ...(is_required && { detail: DOCUMENTS.required, boost: 1 }),
    }))
    return { from: pos - place.word.length, options, validFor: /^[\w.-]*$/ }
  }
  return autocompletion({ override: [source], icons: false })
}
