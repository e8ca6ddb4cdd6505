import type { z } from 'zod'
import { schemaFaults } from '#core/plan/fault.ts'
import type { FileFault } from './file-fault.ts'
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
  return schemaFaults(parsed.error.issues).map(({ path, message, ...rest }) =>
    yaml.place({ path, message: `${pathText(path)}${message}`, ...rest }),
  )
}

function pathText(path: (string | number)[]): string {
  const last = path.at(-1)
  return last === undefined || typeof last === 'number' ? '' : `${last}: `
}
