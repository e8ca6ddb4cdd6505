import { autocompletion, type CompletionSource } from '@codemirror/autocomplete'
import { type DocumentSchema, suggestYaml } from '../lib/suggest-yaml.ts'
import { yamlPlace } from '../lib/yaml-place.ts'
import { DOCUMENTS } from '../words/documents.ts'

/** Offers what may stand at the caret, as soon as the schema is there. */
export function yamlCompletion(schema: () => DocumentSchema | undefined) {
  const source: CompletionSource = ({ state, pos, explicit }) => {
    const known = schema()
    const place = yamlPlace(state.sliceDoc(0, pos))
    if (known === undefined || (place.word === '' && !explicit)) return null
    const options = suggestYaml(known, place).map(({ label, insert, about, is_required }) => ({
      ...{ label, apply: insert },
      ...(about !== undefined && { info: about }),
      ...(is_required && { detail: DOCUMENTS.required, boost: 1 }),
    }))
    return { from: pos - place.word.length, options, validFor: /^[\w.-]*$/ }
  }
  return autocompletion({ override: [source], icons: false })
}
