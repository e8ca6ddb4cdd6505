import type { z } from 'zod'
import { didYouMean } from '#core/did-you-mean.ts'
import { type Fault, schemaFaults } from '#core/plan/fault.ts'
import type { FileFault } from './file-fault.ts'
import { knownKeys } from './known-keys.ts'
import { readYaml, type YamlFile } from './read-yaml.ts'

export interface ParsedDocument<Output> {
  data: Output
  yaml: YamlFile
}

/** Reads a YAML file and parses it by its schema; every fault carries its place. */
export function parseDocument<Schema extends z.ZodType>(
  schema: Schema,
  file: string,
  bytes: Uint8Array,
): ParsedDocument<z.output<Schema>> | FileFault[] {
  const yaml = readYaml(file, bytes)
  if (Array.isArray(yaml)) return yaml
  const parsed = schema.safeParse(yaml.value)
  if (parsed.success) return { data: parsed.data, yaml }
  return parsed.error.issues.flatMap((issue) =>
    schemaFaults([issue]).map((fault) =>
      yaml.place({
        ...fault,
        message: `${pathText(fault.path)}${fault.message}${hint(schema, issue, fault, yaml.value)}`,
      }),
    ),
  )
}

/** The key, or the value, that was most likely meant. */
function hint(schema: z.ZodType, issue: z.core.$ZodIssue, { path, key }: Fault, document: unknown): string {
  if (key === true) return didYouMean(String(path.at(-1)), knownKeys(schema, path.slice(0, -1)))
  const got = valueAt(document, path)
  return issue.code === 'invalid_value' && typeof got === 'string' ? didYouMean(got, issue.values.map(String)) : ''
}

/** Own members only. */
function valueAt(document: unknown, path: Fault['path']): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, key)?.value : undefined),
    document,
  )
}

function pathText(path: (string | number)[]): string {
  const last = path.at(-1)
  return last === undefined || typeof last === 'number' ? '' : `${last}: `
}
