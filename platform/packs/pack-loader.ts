import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { FileFault } from '#core/file-fault.ts'
import { checkIngresses } from '#core/ingress/check-ingress.ts'
import type { Ingress } from '#core/ingress/ingress.ts'
import { createLru, type Lru } from '#core/lru.ts'
import { checkInputs } from '#core/names/check-inputs.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import type { Fault } from '#core/plan/fault.ts'
import type { DeclaredSchedule } from '#core/schedule/schema.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { matchGlob } from '#core/trigger/match-rule.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { RuleSpec } from '#core/trigger/rule-schema.ts'
import { parsePolicyYaml } from '#platform/policies/parse-policy-yaml.ts'
import type { PackPolicyDocument } from '#platform/policies/policy-source.ts'
import { loadSchedules } from '#platform/schedules/load-schedules.ts'
import { EMPTY_FILE, isEmptyFile } from '../policies/policy-files.ts'
import { packSkills } from '../skills/load-skill.ts'
import { loadRules } from './load-rules.ts'
import { loadTemplate } from './load-template.ts'
import type { LoadedPack, LoadedTemplate } from './loaded-pack.ts'
import { PackManifest } from './pack-schema.ts'
import { parseDocument } from './parse-document.ts'
import { filesDigest, type PackFiles, readPackFiles } from './read-pack-files.ts'

export type PackLoad =
  | { pack: LoadedPack; faults: [] }
  /** policies of a broken pack still count, since others may rely on them. They let nothing through */
  | { pack?: undefined; name: string; faults: FileFault[]; policies: PackPolicyDocument[] }

/** Reads, checks and compiles the pack in a directory. Never throws for the content of its files. */
export function loadPack(directory: string, catalog: OperatorCatalog): PackLoad {
  const name = basename(directory)
  const files = readPackFiles(directory, name)
  if (Array.isArray(files)) return { name, faults: files, policies: unreadablePolicies(directory) }
  const loads = loadsOf.get(catalog) ?? createLru(MAX_LOADS)
  loadsOf.set(catalog, loads)
  const key = `${name} ${filesDigest(files.files)}`
  const load = loads.get(key) ?? compilePack(name, files, catalog)
  loads.set(key, load)
  return load
}

/** The registry loads each pack, and so does every check of the deployment. */
const loadsOf = new WeakMap<OperatorCatalog, Lru<string, PackLoad>>()
const MAX_LOADS = 100

function compilePack(name: string, files: PackFiles, catalog: OperatorCatalog): PackLoad {
  const found = policyDocuments(name, files, yamlFiles(files, 'policies'))
  const policies = found.map((document) => ({ ...document, stops_only: true }))
  const manifestBytes = files.files.get('pack.yaml')
  if (manifestBytes === undefined)
    return { name, faults: [{ file: `${name}/pack.yaml`, message: 'the file is missing' }], policies }
  const parsed = parseDocument(PackManifest, `${name}/pack.yaml`, manifestBytes)
  if (Array.isArray(parsed)) return { name, faults: parsed, policies }
  const { data: manifest, yaml } = parsed
  const lists = checkLists(manifest, files)
  const faults: FileFault[] = [
    ...checkManifest(manifest, name, files),
    ...lists.faults,
    ...checkIngresses(manifest.ingress, ['ingress']),
  ].map(yaml.place)
  for (const { source, problem } of found) if (problem !== undefined) faults.push({ file: source, message: problem })
  const facts = { name: manifest.name, version: manifest.version, digest: files.digest }

  const templates: LoadedTemplate[] = []
  for (const path of yamlFiles(files, 'templates')) {
    const loaded = loadTemplate(path, facts, files, catalog)
    if (Array.isArray(loaded)) faults.push(...loaded)
    else templates.push(loaded)
  }
  const rules: TriggerRule[] = []
  for (const path of yamlFiles(files, 'rules')) {
    const origin = { layer: 'pack', file: `${name}/${path}`, pack: manifest.name } as const
    const check = (rule: RuleSpec, at: Fault['path']) =>
      faults.length > 0 ? [] : checkTarget(rule, at, manifest.name, templates)
    const loaded = loadRules(files.files.get(path) ?? new Uint8Array(), origin, check)
    if ('faults' in loaded) faults.push(...loaded.faults)
    else rules.push(...loaded.rules)
  }
  if (faults.length === 0) faults.push(...checkIngressTargets(manifest, templates).map(yaml.place))
  const schedules: DeclaredSchedule[] = []
  for (const path of yamlFiles(files, 'schedules')) {
    const bytes = files.files.get(path) ?? new Uint8Array()
    const loaded = loadSchedules(bytes, { source: 'pack', file: `${name}/${path}` })
    if ('faults' in loaded) faults.push(...loaded.faults)
    else schedules.push(...loaded.schedules)
  }
  if (faults.length > 0) return { name, faults, policies }
  const { version, title, description, license, capabilities, connections } = manifest
  const about = { ...(description !== undefined && { description }), ...(license !== undefined && { license }) }
  return {
    pack: {
      name,
      version,
      digest: files.digest,
      title,
      ...about,
      capabilities,
      connections,
      templates,
      rules,
      ingress: manifest.ingress.map((each, index) => ({
        ...ingressOf(each, name),
        line: yaml.place({ path: ['ingress', index, 'name'], message: '' }).line,
      })),
      policies: manifest.policies === undefined ? found : policyDocuments(name, files, lists.policies),
      metrics: lists.metrics,
      skills: packSkills(name, files),
      schedules,
    },
    faults: [],
  }
}

function checkManifest(manifest: PackManifest, directory: string, files: PackFiles): Fault[] {
  const faults: Fault[] = []
  if (manifest.name !== directory) {
    faults.push({
      path: ['name'],
      message: `the pack is called ${manifest.name}, so its directory must be, not ${directory}`,
    })
  }
  const found = yamlFiles(files, 'templates')
  const listed = manifest.templates?.map(({ file }) => file)
  manifest.templates?.forEach(({ file }, index) => {
    if (!found.includes(file))
      faults.push({ path: ['templates', index, 'file'], message: `there is no template file ${file}` })
  })
  for (const file of found) {
    if (listed !== undefined && !listed.includes(file))
      faults.push({ path: ['templates'], message: `${file} is not listed` })
  }
  if (manifest.digest !== undefined && manifest.digest !== files.digest)
    faults.push({ path: ['digest'], message: `the digest of this pack's files is ${files.digest}` })
  return faults
}

/** Checks that files named by `policies` and `metrics` exist, and that no policy file is left out by mistake. */
function checkLists(manifest: PackManifest, { files }: PackFiles) {
  const policies = listedFiles(manifest.policies ?? [], files.keys(), 'policies')
  const metrics = listedFiles(manifest.metrics, files.keys(), 'metrics')
  const inFolder = [...files.keys()].filter((path) => path.startsWith('policies/'))
  const left = inFolder.filter((path) => IS_YAML.test(path) && !policies.paths.includes(path))
  const faults: Fault[] = [
    ...policies.faults,
    ...metrics.faults,
    ...(manifest.policies === undefined ? [] : left).map((path) => ({
      path: ['policies'],
      message: `${path} is not listed`,
    })),
    ...inFolder
      .filter((path) => /\.json[5c]?$/i.test(path))
      .map((path) => ({ path: [], message: `${path} is not read: policies are in *.yaml and *.yml` })),
    ...policies.paths
      .filter((path) => !IS_YAML.test(path))
      .map((path) => ({ path: ['policies'], message: `${path} is not a *.yaml or *.yml file` })),
  ]
  return { policies: policies.paths, metrics: metrics.paths, faults }
}

function checkIngressTargets({ name, ingress }: PackManifest, templates: LoadedTemplate[]): Fault[] {
  return ingress.flatMap(({ rules }, at) =>
    rules.flatMap((rule, index) => checkTarget(rule, ['ingress', at, 'rules', index], name, templates)),
  )
}

function ingressOf(spec: PackManifest['ingress'][number], pack: string): Ingress {
  const origin = `${pack}/pack.yaml`
  return { ...spec, pack, rules: spec.rules.map((rule) => ({ ...rule, layer: 'pack', origin, pack })) }
}

/** A rule of a pack that starts one of its own templates must fit that template's inputs. */
function checkTarget(rule: RuleSpec, path: Fault['path'], pack: string, templates: LoadedTemplate[]): Fault[] {
  const [owner, id] = rule.run.split('/')
  if (owner !== pack) return []
  const template = templates.find((each) => each.template === id)
  if (template === undefined) {
    const hint = didYouMean(
      id ?? '',
      templates.map((each) => each.template),
    )
    return [{ path: [...path, 'run'], message: `there is no template ${id} in this pack${hint}` }]
  }
  return checkInputs(rule, template.inputs_schema, path)
}

function policyDocuments(pack: string, { files }: PackFiles, paths: string[]): PackPolicyDocument[] {
  return paths.map((path) => {
    const source = `${pack}/${path}`
    const text = new TextDecoder().decode(files.get(path))
    const isEmpty = isEmptyFile(parsePolicyYaml(text, { layer: 'pack', pack, source }))
    return { pack, source, text, ...(isEmpty && { problem: EMPTY_FILE }) }
  })
}

/** The policies of an unreadable pack are unknown. */
export function unreadablePolicies(directory: string): PackPolicyDocument[] {
  if (!existsSync(join(directory, 'policies'))) return []
  const pack = basename(directory)
  return [{ pack, source: `${pack}/policies`, text: '', problem: 'the pack cannot be read' }]
}

const IS_YAML = /\.ya?ml$/i

function yamlFiles({ files }: PackFiles, folder: string): string[] {
  return [...files.keys()].filter((path) => path.startsWith(`${folder}/`) && IS_YAML.test(path))
}

interface ListedFiles {
  /** in the order of the pack's files */
  paths: string[]
  faults: Fault[]
}

/** Returns the files of a pack that a list of `pack.yaml` names, by path or glob: `*` matches anything within a folder. */
function listedFiles(globs: readonly string[], paths: Iterable<string>, key: string): ListedFiles {
  const all = [...paths]
  const faults = globs.flatMap((glob, index): Fault[] => {
    if (all.some((path) => fits(glob, path))) return []
    return [{ path: [key, index], message: `there is no file ${glob} in this pack` }]
  })
  return { paths: all.filter((path) => globs.some((glob) => fits(glob, path))), faults }
}

function fits(glob: string, path: string): boolean {
  const [wanted, parts] = [glob.split('/'), path.split('/')]
  return wanted.length === parts.length && wanted.every((part, index) => matchGlob(part, parts[index] ?? ''))
}
