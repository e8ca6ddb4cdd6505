import type { Log } from '#core/log.ts'
import { createLru } from '#core/lru.ts'
import type { PolicyNames } from '#core/names/known-names.ts'
import { breakUnresolved } from '#core/policy/break-unresolved.ts'
import { type CompiledPolicies, compilePolicies } from '#core/policy/compile.ts'
import {
  EMPTY_LAYER,
  joinLayers,
  type LayerPolicies,
  type PolicyLayerSource,
  type PolicyLayers,
  problemText,
} from '#core/policy/layer.ts'
import { unreadable } from '#core/policy/parse.ts'
import { askingOnly } from '#core/policy/plan-subjects.ts'
import type { PolicySource } from '#core/policy/types.ts'
import type { Clock } from '#core/time/time.ts'
import type { AuthoredRow } from '../authored-cache.ts'
import { rememberNames } from '../environments/held-names.ts'
import { digestOf } from '../sha256.ts'
import { createConsoleLayer } from './console-layer.ts'
import { openOverlayDirectory } from './overlay-directory.ts'
import { parsePolicyYaml } from './parse-policy-yaml.ts'

/** The text of one policy file of an installed pack. */
export interface PackPolicyDocument {
  pack: string
  /** as people find it: `<pack>/policies/<file>` */
  source: string
  text: string
  /** true if its pack is broken: the policy may stop and ask, and lets nothing through */
  stops_only?: boolean
  /** why the text is missing: the gate is on everywhere */
  problem?: string
}

export interface PolicySourceOptions {
  overlayDir: string
  /** true when the overlay directory was configured, so that it must exist */
  overlayRequired?: boolean
  /** the file that remembers that the overlay directory held policies */
  heldFile?: string
  packPolicies: () => readonly PackPolicyDocument[]
  consolePolicies: (workspaceId: string) => Promise<AuthoredRow[]>
  /** names that policies may use, the same object while they do not change: a policy with an unknown name counts as broken */
  names?: () => PolicyNames
  log: Pick<Log, 'info' | 'warn'>
  clock?: Clock
  /** tells how long a file has been still; the clock of the system */
  file_clock?: Clock
  /** interval of polling the overlay directory; 1,000 */
  poll_ms?: number
  /** cache time of console policies; 1,000 */
  ttl_ms?: number
  /** timeout of the overlay directory and of the console store; 2,000 */
  timeout_ms?: number
}

export interface LivePolicySource extends PolicySource, PolicyLayerSource {
  effective(workspaceId: string, environment: Attached): Promise<CompiledPolicies>
  /** console policies of this workspace have changed */
  invalidate(workspaceId: string): void
  /** reads the overlay directory now */
  reload(): Promise<void>
  close(): Promise<void>
}

type Attached = { name: string; class: string; policies: string[] }

interface CachedSet {
  layers: PolicyLayers
  set: CompiledPolicies
}

const MAX_SETS = 1_000

/** The effective policies of every workspace and environment, kept current while decisions use the last complete set. */
export function createPolicySource(options: PolicySourceOptions): LivePolicySource {
  const { log } = options
  const packs = createPackLayer(options.packPolicies, (layer) => report(log, 'pack', layer))
  const held = options.heldFile === undefined ? undefined : rememberNames(options.heldFile)
  const overlay = openOverlayDirectory(options.overlayDir, {
    poll_ms: options.poll_ms ?? 1_000,
    answer_ms: options.timeout_ms ?? 2_000,
    expected: options.overlayRequired === true || held?.names().includes(options.overlayDir) === true,
    onHeld: (holds) => held?.remember(holds ? [options.overlayDir] : []),
    clock: options.file_clock,
    onChange(layer) {
      log.info({ policies: layer.policies.length, broken: layer.broken.length }, 'overlay policies loaded')
      report(log, 'overlay', layer)
    },
  })
  const console = createConsoleLayer({
    load: options.consolePolicies,
    ttl_ms: options.ttl_ms ?? 1_000,
    timeout_ms: options.timeout_ms ?? 2_000,
    clock: options.clock ?? (() => performance.now()),
    onUnreachable: (workspace_id, err) =>
      log.warn({ workspace_id, err }, 'console policies unreachable: the gate is on where any is attached'),
  })
  const sets = createLru<string, CachedSet>(MAX_SETS)
  const checked = new WeakMap<LayerPolicies, { basis: readonly unknown[]; layer: LayerPolicies }>()

  /** Marks policies with unknown names as broken. Repeated when the layer, or the known names, have changed. */
  function resolved(name: string, layer: LayerPolicies, lower: readonly LayerPolicies[]): LayerPolicies {
    const names = options.names?.()
    if (names === undefined) return layer
    const basis = [names, ...lower]
    const known = checked.get(layer)
    if (known?.basis.every((part, index) => part === basis[index])) return known.layer
    const found = breakUnresolved(layer, names, lower)
    const broken = found.broken.slice(layer.broken.length)
    if (JSON.stringify(broken) !== JSON.stringify(known?.layer.broken.slice(layer.broken.length) ?? []))
      report(log, name, { policies: [], broken })
    checked.set(layer, { basis, layer: found })
    return found
  }

  /** Returns the layers; the console's only for a named workspace. */
  async function layersOf(workspaceId?: string): Promise<PolicyLayers> {
    const pack = packs()
    const ofFiles = await overlay.current()
    const ofConsole = workspaceId === undefined ? undefined : await console.current(workspaceId)
    return {
      overlay: resolved('overlay', ofFiles, [pack]),
      console: ofConsole === undefined ? EMPTY_LAYER : resolved('console', ofConsole, [pack, ofFiles]),
      pack: resolved('pack', pack, []),
    }
  }

  return {
    layers: layersOf,
    async effective(workspaceId, environment) {
      // Without attachments no console policy applies: one set serves every workspace, and the store is not read.
      const isAttached = environment.policies.length > 0
      const layers = await layersOf(isAttached ? workspaceId : undefined)
      const key = isAttached ? JSON.stringify([workspaceId, environment.policies]) : ''
      const cached = sets.get(key)
      if (cached !== undefined && sameLayers(cached.layers, layers)) return cached.set
      const set = compilePolicies({ layers, environment }, { hash: digestOf })
      warnOfOverrides(log, workspaceId, environment.name, set)
      sets.set(key, { layers, set })
      return set
    },
    invalidate: console.invalidate,
    reload: overlay.reload,
    close: overlay.close,
  }
}

function sameLayers(a: PolicyLayers, b: PolicyLayers): boolean {
  return a.pack === b.pack && a.overlay === b.overlay && a.console === b.console
}

/** Parses the packs' documents again only when one of them differs. */
function createPackLayer(read: () => readonly PackPolicyDocument[], onChange: (layer: LayerPolicies) => void) {
  let known: readonly PackPolicyDocument[] = []
  let layer = EMPTY_LAYER
  return (): LayerPolicies => {
    const documents = read()
    if (sameDocuments(documents, known)) return layer
    known = documents.map((document) => ({ ...document }))
    layer = joinLayers(known.map(parseDocument))
    onChange(layer)
    return layer
  }
}

function parseDocument({ pack, source, text, stops_only, problem }: PackPolicyDocument): LayerPolicies {
  const origin = { layer: 'pack', pack, source } as const
  if (problem !== undefined) return { policies: [], broken: [unreadable(origin, [{ message: problem, path: [] }])] }
  const parsed = parsePolicyYaml(text, origin)
  return stops_only ? { ...parsed, policies: parsed.policies.flatMap(askingOnly) } : parsed
}

function sameDocuments(a: readonly PackPolicyDocument[], b: readonly PackPolicyDocument[]): boolean {
  return (
    a.length === b.length &&
    a.every((document, index) => {
      const other = b[index]
      return (
        document.text === other?.text &&
        document.pack === other.pack &&
        document.source === other.source &&
        document.stops_only === other.stops_only &&
        document.problem === other.problem
      )
    })
  )
}

function report(log: Pick<Log, 'info' | 'warn'>, layer: string, { broken }: LayerPolicies): void {
  for (const { label, source, problems } of broken) {
    const texts = problems.map((problem) => problemText(source, problem))
    log.warn({ layer, policy: label, problems: texts }, 'broken policy: the gate is on in its scope')
  }
}

function warnOfOverrides(
  log: Pick<Log, 'info' | 'warn'>,
  workspace_id: string,
  environment: string,
  { merged }: CompiledPolicies,
): void {
  for (const warning of merged.warnings) log.warn({}, warning)
  for (const { fact } of merged.overrides) {
    const { name, layer, author, loosens } = fact
    if (loosens) log.warn({ workspace_id, environment, policy: name, layer, author }, 'a policy override may loosen')
  }
}
