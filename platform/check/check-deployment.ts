import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { z } from 'zod'
import {
  applyEnvironmentFile,
  profileFromFile,
  removedEnvironment,
  SEEDED_ENVIRONMENTS,
} from '#core/environment/defaults.ts'
import { DEFAULT_PROFILE, type Environment, type Profile } from '#core/environment/environment.ts'
import { EnvironmentFile, ProfileFile } from '#core/environment/schema.ts'
import type { FileFault } from '#core/file-fault.ts'
import { type Model, whyNeverCalled } from '#core/models/model.ts'
import { ModelsFile } from '#core/models/models-schema.ts'
import { checkEnvironmentNames } from '#core/names/check-environment-names.ts'
import { checkProfileNames, type KnownNames } from '#core/names/known-names.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import { breakUnresolved } from '#core/policy/break-unresolved.ts'
import { EMPTY_LAYER, type PolicyLayers } from '#core/policy/layer.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import type { Channel } from '#platform/notify/channel-kind.ts'
import { ChannelsFile } from '#platform/notify/channel-kinds.ts'
import { loadRules } from '#platform/packs/load-rules.ts'
import { type MeantDocument, parseAsMeant, parseDocument } from '#platform/packs/parse-document.ts'
import { ownRoot } from '#platform/pipelines/pipeline-roots.ts'
import { kindsOfSteps } from '#platform/policies/policy-names.ts'
import type { PackPolicyDocument } from '#platform/policies/policy-source.ts'
import { loadSchedules } from '#platform/schedules/load-schedules.ts'
import { parseNamed } from '../environments/environment-files.ts'
import { bundleFaults } from './bundle-faults.ts'
import { packNames, ruleNames, scheduleNames } from './pack-names.ts'
import { policyLayer } from './policy-layer.ts'
import { type Document, foldersIn, namesIn, readDocument, readDocuments } from './read-documents.ts'
import { type FoundPack, readPacks, templatesOf } from './read-packs.ts'
import { skillFaults } from './skill-names.ts'

const FOLDERS = ['environments', 'profiles', 'rules', 'schedules', 'skills', 'policies']
const EXPECTED = [...FOLDERS, 'knowledge', 'packs', 'pipelines', 'channels.yaml', 'models.yaml']

/**
 * Reports entries of a data directory that are not read, but were probably meant to be: a folder or file with nearly the right name, YAML
 * under another suffix.
 */
function misplaced(home: string): FileFault[] {
  const folders = foldersIn(home)
  const others = namesIn(home)
    .filter((name) => !EXPECTED.includes(name) && (folders.includes(name) || /\.(ya?ml|json)$/i.test(name)))
    .flatMap((name): FileFault[] => {
      const hint = didYouMean(name, EXPECTED)
      return hint === '' ? [] : [{ file: name, message: `is not read${hint}` }]
    })
  const inside = FOLDERS.filter((folder) => folder !== 'skills' && folder !== 'policies').flatMap((folder) =>
    namesIn(join(home, folder))
      .filter((name) => /\.(json[5c]?|yam|ymal|yaml\.[a-z]+)$/i.test(name))
      .map(
        (name): FileFault => ({
          file: `${folder}/${name}`,
          message: 'is not read: files here end in .yaml or .yml',
        }),
      ),
  )
  return [...others, ...inside]
}

export interface CheckOptions {
  /** the data directory */
  home: string
  policiesDir: string
  /** `models.yaml`, wherever it is */
  modelsFile: string
  /** directories whose folders are packs */
  packDirs: readonly string[]
  /** the directory whose folders are pipeline bundles */
  pipelinesDir?: string | undefined
  catalog: OperatorCatalog
  /** the policies that ship with the platform */
  defaults: readonly PackPolicyDocument[]
  /** true if the service is asked for what only it knows */
  service_checks?: boolean
  /** the directory of the shipped packs */
  shippedDir?: string
  /** names in the database */
  online?: Pick<KnownNames, 'console_policies' | 'corpora' | 'approval_roles' | 'workspaces' | 'stored_connections'> & {
    /** environments and profiles of the console only */
    console_environments?: readonly string[]
    console_profiles?: readonly string[]
  }
}

/** A deployment by its files, with every fault. */
export interface CheckedDeployment {
  /** by file, then by place */
  findings: FileFault[]
  packs: FoundPack[]
  environments: Environment[]
  profiles: Profile[]
  channels: readonly Channel[]
  models: readonly Model[]
  policies: PolicyLayers
}

/** Reads every file of a deployment and checks every name in it. Runs nothing, and connects to nothing. */
export function checkDeployment(options: CheckOptions): CheckedDeployment {
  const { home, policiesDir, catalog, pipelinesDir } = options
  const pipelines =
    pipelinesDir === undefined ? undefined : ownRoot(pipelinesDir, pipelinesDir === join(home, 'pipelines'))
  const faults: FileFault[] = misplaced(home)
  const documents = (folder: string, directory = join(home, folder)) => readDocuments(directory, folder, faults)
  const named = <Schema extends z.ZodType<{ name: string }>>(schema: Schema, folder: string) =>
    documents(folder).map((document) => ({ document, ...readNamed(schema, document, faults) }))

  const environmentFiles = named(EnvironmentFile, 'environments')
  const profileFiles = named(ProfileFile, 'profiles')
  const rules = documents('rules')
  const schedules = documents('schedules')
  const channels = readChannels(home, faults)
  const models = readModels(options.modelsFile, faults)
  const { packs, faults: packFaults } = readPacks(options.packDirs, catalog)
  faults.push(...packFaults, ...packs.flatMap((pack) => pack.faults))
  for (const dir of options.packDirs)
    if (!existsSync(dir) && dir !== join(home, 'packs'))
      faults.push({ file: dir, message: 'there is no such directory' })

  const environments = effective(environmentFiles)
  const profiles = profileFiles.flatMap(({ data }) => (data === undefined ? [] : [profileFromFile(data)]))
  const sound = packs.flatMap(({ loaded }) => loaded ?? [])
  const { console_environments = [], console_profiles = [], ...online } = options.online ?? {}
  const known: KnownNames = {
    environments: [...environments.map(({ name }) => name), ...console_environments],
    profiles: [...new Set([DEFAULT_PROFILE, ...profileFiles.map(({ stem }) => stem), ...console_profiles])],
    templates: new Map(packs.flatMap(templatesOf)),
    ...(channels !== undefined && { channels: channels.map(({ name }) => name) }),
    ...kindsOfSteps(sound, catalog),
    connections: [...new Set(sound.flatMap((pack) => pack.connections.map(({ id }) => id)))],
    ...(models !== undefined && { models: models.map(({ id }) => id) }),
    ...online,
    ...(options.service_checks && { service_checks: true }),
  }
  const environment_connections = [...new Set(environments.flatMap((each) => Object.keys(each.connections)))]

  for (const { meant } of environmentFiles)
    if (meant) faults.push(...checkEnvironmentNames(meant.data, known).map(meant.place))
  for (const { meant } of profileFiles) if (meant) faults.push(...checkProfileNames(meant.data, known).map(meant.place))
  for (const { file, bytes } of rules) {
    const loaded = loadRules(bytes, { layer: 'overlay', file })
    faults.push(...('faults' in loaded ? loaded.faults : []), ...ruleNames(file, bytes, known))
  }
  for (const { file, bytes } of schedules) {
    const loaded = loadSchedules(bytes, { source: 'overlay', file })
    faults.push(...('faults' in loaded ? loaded.faults : []), ...scheduleNames(file, bytes, known))
  }
  for (const pack of packs)
    faults.push(...elsewhere(packNames(pack, { ...known, environment_connections }), pack.faults))
  faults.push(...skillFaults(home, packs, known))
  faults.push(...bundleFaults(packs, { packs, own: pipelines }))

  // the approvers of a shipped pack are required only once an environment has a connection that the pack names
  const { approval_roles: _roles, ...withoutRoles } = known
  const isConnected = (id: string, kind: string) => environments.some((each) => each.connections[id]?.kind === kind)
  const isInUse = (pack: FoundPack | undefined) =>
    pack === undefined ||
    dirname(pack.folder) !== options.shippedDir ||
    pack.loaded?.connections.some(({ id, kind }) => isConnected(id, kind)) === true
  const overlay = policyLayer(
    documents('policies', policiesDir).map(({ file, bytes }) => ({
      file,
      text: new TextDecoder().decode(bytes),
      layer: 'overlay' as const,
    })),
    known,
  )
  const ofPacks = policyLayer(
    [...options.defaults, ...packs.flatMap((pack) => pack.policies)].map(({ pack, source, text }) => ({
      file: source,
      text,
      layer: 'pack' as const,
      pack,
    })),
    known,
    ({ pack }) => (isInUse(packs.find(({ name }) => name === pack)) ? known : withoutRoles),
  )
  faults.push(...overlay.faults, ...ofPacks.faults)
  return {
    findings: inOrder(faults),
    packs,
    environments,
    profiles,
    channels: channels ?? [],
    models: models ?? [],
    policies: {
      overlay: breakUnresolved(overlay.layer, known, [ofPacks.layer]),
      console: EMPTY_LAYER,
      pack: breakUnresolved(ofPacks.layer, known, []),
    },
  }
}

interface NamedFile<Data> {
  /** the name that the file has; also where it cannot be read, so that what names it is not to blame */
  stem: string
  /** only of a file in which nothing is wrong */
  data?: Data
  meant: MeantDocument<Data>['meant']
}

function readNamed<Schema extends z.ZodType<{ name: string }>>(
  schema: Schema,
  { file, bytes }: Document,
  faults: FileFault[],
): NamedFile<z.output<Schema>> {
  const stem = file.replace(/^.*\//, '').replace(/\.ya?ml$/i, '')
  const parsed = parseNamed(schema, file, bytes)
  const { meant } = parseAsMeant(schema, file, bytes)
  if (parsed.faults === undefined) return { stem, data: parsed.value, meant }
  faults.push(...parsed.faults)
  return { stem, meant }
}

/** An unreadable environment is the strictest one. */
function effective(files: readonly NamedFile<EnvironmentFile>[]): Environment[] {
  const environments = new Map(SEEDED_ENVIRONMENTS.map((each) => [each.name, each]))
  for (const { stem, data } of files)
    environments.set(
      stem,
      data === undefined ? removedEnvironment(stem) : applyEnvironmentFile(environments.get(stem), data),
    )
  return [...environments.values()]
}

/** Undefined for an unreadable file, whose channels are unknown. */
function readChannels(home: string, faults: FileFault[]): readonly Channel[] | undefined {
  const document = readDocument(join(home, 'channels.yaml'), 'channels.yaml', faults)
  if (document === undefined) return []
  const parsed = parseDocument(ChannelsFile, document.file, document.bytes)
  if (!Array.isArray(parsed)) return parsed.data
  faults.push(...parsed)
  return undefined
}

/** Empty without the file. Undefined for an unreadable one, whose models are unknown. */
function readModels(path: string, faults: FileFault[]): readonly Model[] | undefined {
  const document = readDocument(path, basename(path), faults)
  if (document === undefined) return existsSync(path) ? undefined : []
  const parsed = parseDocument(ModelsFile, document.file, document.bytes)
  if (Array.isArray(parsed)) {
    faults.push(...parsed)
    return undefined
  }
  for (const [index, model] of parsed.data.models.entries()) {
    const why = whyNeverCalled(model)
    if (why === undefined) continue
    const message = `the model ${model.id} is never called: ${why}`
    faults.push(parsed.yaml.place({ path: ['models', index], message, warning: true }))
  }
  return parsed.data.models
}

/** Returns the faults in places without another fault: one mistake is reported once. */
function elsewhere(faults: FileFault[], others: readonly FileFault[]): FileFault[] {
  const placeOf = ({ file, line, column }: FileFault) => `${file}:${line}:${column}`
  const places = new Set(others.map(placeOf))
  return faults.filter((fault) => !places.has(placeOf(fault)))
}

function inOrder(faults: FileFault[]): FileFault[] {
  const distinct = [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()]
  return distinct.sort((a, b) =>
    a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
}
