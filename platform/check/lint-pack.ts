import { resolve } from 'node:path'
import { SEEDED_ENVIRONMENTS } from '#core/environment/defaults.ts'
import type { FileFault } from '#core/file-fault.ts'
import type { KnownNames } from '#core/names/known-names.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import type { Fault } from '#core/plan/fault.ts'
import { keysOf } from '#core/plan/known-errors.ts'
import { TemplateSpec } from '#core/plan/template-schema.ts'
import { parseDocument } from '#platform/packs/parse-document.ts'
import { readYaml } from '#platform/packs/read-yaml.ts'
import { kindsOfSteps } from '#platform/policies/policy-names.ts'
import { bundleFaults } from './bundle-faults.ts'
import { packNames } from './pack-names.ts'
import { policyLayer } from './policy-layer.ts'
import { type FoundPack, readPack, readPacks, templatesOf } from './read-packs.ts'
import { skillFaults } from './skill-names.ts'

export interface LintOptions {
  /** the pack's folder */
  folder: string
  /** directories with packs that it may name */
  packDirs: readonly string[]
  catalog: OperatorCatalog
}

/**
 * Returns every fault of a pack on its own, and advice for its readers. It may use names that every deployment has: the seeded
 * environments.
 */
export function lintPack({ folder, packDirs, catalog }: LintOptions): { pack: FoundPack; findings: FileFault[] } {
  const pack = readPack(resolve(folder), catalog)
  const others = readPacks(packDirs, catalog).packs.filter(({ name }) => name !== pack.name)
  const all = [...others, pack]
  const sound = all.flatMap(({ loaded }) => loaded ?? [])
  const known: KnownNames = {
    environments: SEEDED_ENVIRONMENTS.map(({ name }) => name),
    profiles: ['default'],
    templates: new Map(all.flatMap(templatesOf)),
    ...kindsOfSteps(sound, catalog),
    connections: [],
  }
  const policies = policyLayer(
    pack.policies.map(({ source, text }) => ({ file: source, text, layer: 'pack' as const, pack: pack.name })),
    known,
  )
  const declared = (pack.loaded?.connections ?? []).map(({ id }) => id)
  const findings = [
    ...pack.faults,
    ...(pack.loaded === undefined ? [] : packNames(pack, { ...known, environment_connections: declared })),
    ...skillFaults(undefined, [pack], known),
    ...bundleFaults([pack], { packs: all }),
    ...policies.faults,
    ...[...pack.files].flatMap(([path, bytes]) => advice(`${pack.name}/${path}`, path, bytes, pack.files)),
  ]
  const distinct = [...new Map(findings.map((each) => [JSON.stringify(each), each])).values()]
  return { pack, findings: distinct.map((each) => (isOfDeployment(each) ? { ...each, warning: true } : each)) }
}

/** A name that the deployment may have, and that is not nearly one of those that are always there: `svc check` knows. */
function isOfDeployment({ message }: FileFault): boolean {
  return /^there is no (environment|profile|channel)/.test(message) && !message.includes('did you mean')
}

/** Returns advice: valid, but a reader or an operator on call will miss it. */
function advice(file: string, path: string, bytes: Uint8Array, files: FoundPack['files']): FileFault[] {
  if (!/^templates\/.*\.ya?ml$/i.test(path)) return []
  const [parsed, raw] = [parseDocument(TemplateSpec, file, bytes), readYaml(file, bytes)]
  if (Array.isArray(parsed) || Array.isArray(raw)) return []
  const { data, yaml } = parsed
  const text = [...files].flatMap(([name, body]) =>
    name === path || name.endsWith('.liquid') ? new TextDecoder().decode(body) : [],
  )
  const isUsed = (input: string) => text.some((each) => new RegExp(`\\binputs(\\.\\??|\\[["'])${input}\\b`).test(each))
  const steps = valuesOf(raw.value, 'steps')
  const faults: Fault[] = [
    ...(data.description === undefined
      ? [{ path: ['title'], message: 'it has no description: say what it does and when it stops' }]
      : []),
    ...keysOf(data.inputs)
      .filter((input) => !isUsed(input))
      .map((input) => ({
        path: ['inputs', 'properties', input],
        message: `the input ${input} is never used`,
        key: true,
      })),
    ...data.steps.flatMap(({ id, name }, index): Fault[] => [
      ...(name === undefined
        ? [{ path: ['steps', index, 'id'], message: `step ${id} has no name: people read it in progress and reports` }]
        : []),
      ...(Object.hasOwn(steps[index] ?? {}, 'timeout') || !ACTS_OUTSIDE.test(data.steps[index]?.operator ?? '')
        ? []
        : [{ path: ['steps', index, 'id'], message: `step ${id} has no timeout: it may take 60s` }]),
    ]),
  ]
  return faults.map((fault) => yaml.place({ ...fault, warning: true }))
}

/** Operators that wait for something outside. */
const ACTS_OUTSIDE = /^(http|postgres)\./

function valuesOf(document: unknown, key: string): object[] {
  const found: unknown =
    typeof document === 'object' && document !== null ? Object.getOwnPropertyDescriptor(document, key)?.value : []
  return Array.isArray(found) ? found.filter((each) => typeof each === 'object' && each !== null) : []
}
