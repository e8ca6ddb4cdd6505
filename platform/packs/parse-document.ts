import type { z } from 'zod'
import type { FileFault } from '#core/file-fault.ts'
import { valueAt } from '#core/json/json.ts'
import { type Fault, schemaFaults } from '#core/plan/fault.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { MAX_FAULTS } from '../yaml-nodes.ts'
import { asMeant, type Renamed, writtenPath } from './as-meant.ts'
import { knownKeys } from './known-keys.ts'
import { readYaml, type YamlFile } from './read-yaml.ts'

export interface ParsedDocument<Output> {
  data: Output
  yaml: YamlFile
}

/** A document with its faults, and the document as probably meant. */
export interface MeantDocument<Output> {
  faults: FileFault[]
  /** for further checks only: it must not be in force while there are faults */
  meant?: { data: Output; place: YamlFile['place'] }
}

/** A misspelt key may hide others below it, and those others again. */
const MAX_ROUNDS = 5

/** Reads a YAML file and parses it by its schema; every fault has its place, and at most 100 are reported. */
export function parseDocument<Schema extends z.ZodType>(
  schema: Schema,
  file: string,
  bytes: Uint8Array,
): ParsedDocument<z.output<Schema>> | FileFault[] {
  const yaml = readYaml(file, bytes)
  if (Array.isArray(yaml)) return yaml
  const { faults, meant } = validate(schema, yaml)
  return faults.length > 0 || meant === undefined ? faults : { data: meant.data, yaml }
}

/** The same, with misspelt keys read as the likely ones. */
export function parseAsMeant<Schema extends z.ZodType>(
  schema: Schema,
  file: string,
  bytes: Uint8Array,
): MeantDocument<z.output<Schema>> {
  const yaml = readYaml(file, bytes)
  return Array.isArray(yaml) ? { faults: yaml } : validate(schema, yaml)
}

function validate<Schema extends z.ZodType>(schema: Schema, yaml: YamlFile): MeantDocument<z.output<Schema>> {
  const found = new Map<string, FileFault>()
  const renamed: Renamed[] = []
  const place = (fault: Fault) => yaml.place({ ...fault, path: writtenPath(fault.path, renamed) })
  let { value } = yaml
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const parsed = schema.safeParse(value)
    if (parsed.success) return { faults: [...found.values()], meant: { data: parsed.data, place } }
    for (const issue of parsed.error.issues)
      for (const fault of schemaFaults([firstOf(issue)])) {
        if (found.size === MAX_FAULTS) return { faults: [...found.values()] }
        const message = `${pathText(fault.path)}${fault.message}${hint(schema, issue, fault, value)}`
        const placed = place({ ...fault, message })
        found.set(JSON.stringify(placed), placed)
      }
    const next = asMeant(schema, value, parsed.error.issues)
    if (next === undefined) break
    value = next.value
    renamed.push(...next.renamed)
  }
  return { faults: [...found.values()] }
}

/** One issue names all unknown keys of a mapping. */
function firstOf(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  return issue.code === 'unrecognized_keys' ? { ...issue, keys: issue.keys.slice(0, MAX_FAULTS + 1) } : issue
}

/** The key, or the value, that was most likely meant. */
function hint(schema: z.ZodType, issue: z.core.$ZodIssue, { path, key }: Fault, document: unknown): string {
  if (key === true) return didYouMean(String(path.at(-1)), knownKeys(schema, path.slice(0, -1)))
  const got = valueAt(document, path)
  return issue.code === 'invalid_value' && typeof got === 'string' ? didYouMean(got, issue.values.map(String)) : ''
}

function pathText(path: (string | number)[]): string {
  const last = path.at(-1)
  return last === undefined || typeof last === 'number' ? '' : `${last}: `
}
