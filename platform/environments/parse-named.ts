import { posix } from 'node:path'
import type { z } from 'zod'
import { parseDocument } from '#platform/packs/parse-document.ts'
import type { ParsedFile } from './yaml-folder.ts'

/** A file is called like what it describes, so that no two files can describe the same. */
export function parseNamed<Schema extends z.ZodType<{ name: string }>>(
  schema: Schema,
  file: string,
  bytes: Uint8Array,
): ParsedFile<z.output<Schema>> {
  const parsed = parseDocument(schema, file, bytes)
  if (Array.isArray(parsed)) return { faults: parsed }
  const { data, yaml } = parsed
  if (posix.basename(file).replace(/\.ya?ml$/i, '') === data.name) return { value: data }
  return {
    faults: [
      yaml.place({ path: ['name'], message: `the name is ${data.name}, so the file must be called ${data.name}.yaml` }),
    ],
  }
}
