import { checkStartNames } from '#core/names/check-start-names.ts'
import type { KnownNames } from '#core/names/known-names.ts'
import { named } from '#core/names/named.ts'
import type { Fault } from '#core/plan/fault.ts'
import { TemplateSpec } from '#core/plan/template-schema.ts'
import { RuleFile } from '#core/trigger/rule-schema.ts'
import type { FileFault } from '#platform/packs/file-fault.ts'
import { PackManifest } from '#platform/packs/pack-schema.ts'
import { parseDocument } from '#platform/packs/parse-document.ts'
import type { FoundPack } from './read-packs.ts'
import { scheduleNames } from './schedule-names.ts'

export interface PackNames extends KnownNames {
  /** connections that some environment has */
  environment_connections: readonly string[]
}

/** What the files of a pack name and is not there: where rules and schedules start what, connections of templates. */
export function packNames({ name, files }: FoundPack, known: PackNames): FileFault[] {
  return [...files].flatMap(([path, bytes]): FileFault[] => {
    const file = `${name}/${path}`
    if (path === 'pack.yaml') return manifestNames(file, bytes, known)
    if (!/\.ya?ml$/i.test(path)) return []
    if (path.startsWith('rules/')) return ruleNames(file, bytes, known)
    if (path.startsWith('schedules/')) return scheduleNames(file, bytes, known)
    if (path.startsWith('templates/')) return templateNames(file, bytes, manifestConnections(files), known)
    return []
  })
}

/** What the rules of a file name and is not there. */
export function ruleNames(file: string, bytes: Uint8Array, known: KnownNames): FileFault[] {
  const parsed = parseDocument(RuleFile, file, bytes)
  if (Array.isArray(parsed)) return []
  return parsed.data
    .flatMap((rule, index) => checkStartNames(rule, { run: [index, 'run'], at: [index] }, known))
    .map(parsed.yaml.place)
}

function manifestNames(file: string, bytes: Uint8Array, known: PackNames): FileFault[] {
  const parsed = parseDocument(PackManifest, file, bytes)
  if (Array.isArray(parsed)) return []
  const { data, yaml } = parsed
  const ofIngress = data.ingress.flatMap(({ rules }, place) =>
    rules.flatMap((rule, index) => {
      const at = ['ingress', place, 'rules', index]
      return checkStartNames(rule, { run: [...at, 'run'], at }, known)
    }),
  )
  const missing = data.connections.flatMap(({ id, optional }, index): Fault[] => {
    if (optional || known.environment_connections.includes(id)) return []
    return [{ path: ['connections', index, 'id'], message: `no environment has the connection ${id}`, warning: true }]
  })
  return [...ofIngress, ...missing].map(yaml.place)
}

function manifestConnections(files: FoundPack['files']): string[] {
  const parsed = parseDocument(PackManifest, 'pack.yaml', files.get('pack.yaml') ?? new Uint8Array())
  return Array.isArray(parsed) ? [] : parsed.data.connections.map(({ id }) => id)
}

/** A connection that is spelt out, in a step or as the default of the input that a step takes it from. */
function templateNames(file: string, bytes: Uint8Array, declared: string[], known: PackNames): FileFault[] {
  const parsed = parseDocument(TemplateSpec, file, bytes)
  if (Array.isArray(parsed)) return []
  const { data, yaml } = parsed
  const names = [...declared, ...known.environment_connections]
  const faults = data.steps.flatMap((step, index): Fault[] => {
    const { connection } = step.with
    if (typeof connection !== 'string') return []
    const input = /^\$\{\{\s*inputs\.(\w+)\s*\}\}$/.exec(connection)?.[1]
    if (input === undefined)
      return connection.includes('${{')
        ? []
        : named('connection', connection, names, ['steps', index, 'with', 'connection'])
    const path = ['inputs', 'properties', input, 'default']
    const preset = valueAt(data, path)
    return typeof preset === 'string' ? named('connection', preset, names, path) : []
  })
  return distinct(faults.map(yaml.place))
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, key)?.value : undefined),
    value,
  )
}

function distinct(faults: FileFault[]): FileFault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()]
}
