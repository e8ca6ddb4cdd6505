import type { FileFault } from '#core/file-fault.ts'
import { valueAt } from '#core/json/json.ts'
import { checkStartNames } from '#core/names/check-start-names.ts'
import { type KnownNames, named } from '#core/names/known-names.ts'
import type { Fault } from '#core/plan/fault.ts'
import { TemplateSpec } from '#core/plan/template-schema.ts'
import { ScheduleFile } from '#core/schedule/schema.ts'
import { checkRule } from '#core/trigger/rule.ts'
import { RuleFile } from '#core/trigger/rule-schema.ts'
import { PackManifest } from '../packs/pack-schema.ts'
import { parseAsMeant } from '../packs/parse-document.ts'
import type { FoundPack } from './read-packs.ts'

export interface PackNames extends KnownNames {
  /** connections that some environment has */
  environment_connections: readonly string[]
}

/** Returns unknown names in the files of a pack: targets of rules and schedules, connections of templates. */
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

/** Returns unknown names in the rules of a file, and invalid expressions. */
export function ruleNames(file: string, bytes: Uint8Array, known: KnownNames): FileFault[] {
  const { meant } = parseAsMeant(RuleFile, file, bytes)
  if (meant === undefined) return []
  return meant.data
    .flatMap((rule, index) => [
      ...checkRule(rule, [index]),
      ...checkStartNames(rule, { run: [index, 'run'], at: [index] }, known),
    ])
    .map(meant.place)
}

function manifestNames(file: string, bytes: Uint8Array, known: PackNames): FileFault[] {
  const { meant } = parseAsMeant(PackManifest, file, bytes)
  if (meant === undefined) return []
  const { data, place: placed } = meant
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
  return [...ofIngress, ...missing].map(placed)
}

function manifestConnections(files: FoundPack['files']): string[] {
  const { meant } = parseAsMeant(PackManifest, 'pack.yaml', files.get('pack.yaml') ?? new Uint8Array())
  return meant === undefined ? [] : meant.data.connections.map(({ id }) => id)
}

/** A connection that is spelt out, in a step or as the default of the input that a step takes it from. */
function templateNames(file: string, bytes: Uint8Array, declared: string[], known: PackNames): FileFault[] {
  const { meant } = parseAsMeant(TemplateSpec, file, bytes)
  if (meant === undefined) return []
  const { data, place } = meant
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
  return distinct(faults.map(place))
}

function distinct(faults: FileFault[]): FileFault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()]
}

/** Returns unknown names in the schedules of a file. */
export function scheduleNames(file: string, bytes: Uint8Array, known: KnownNames): FileFault[] {
  const { meant } = parseAsMeant(ScheduleFile, file, bytes)
  if (meant === undefined) return []
  return meant.data
    .flatMap(({ pack, template, config_preset, ...rest }, index): Fault[] => [
      ...checkStartNames({ run: `${pack}/${template}`, ...rest }, { run: [index, 'template'], at: [index] }, known),
      ...(config_preset === undefined
        ? []
        : [{ path: [index, 'config_preset'], message: 'a file names no config preset: give the inputs' }]),
    ])
    .map(meant.place)
}
