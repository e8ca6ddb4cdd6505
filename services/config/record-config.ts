import type { AuditDraft, AuditLine } from '#core/audit/types.ts'
import { type ConfigChange, configChanges, nameOf } from '#core/config/changes.ts'
import type { ConfigItem, FoundConfig, KnownItem } from '#core/config/types.ts'
import { DEFAULT_WORKSPACE_ID, type Ids } from '#core/id.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import { joinLayers, type LayerPolicies } from '#core/policy/layer.ts'
import { loosenedBy } from '#core/policy/loosened.ts'
import type { PolicyOrigin } from '#core/policy/parse.ts'
import type { PolicyLayer } from '#core/policy/types.ts'
import type { Clock } from '#core/time/time.ts'
import type { ConfigItems } from '#store/authored/config-items.ts'
import { systemAudit } from '../audit/system-audit.ts'
import { consoleItems, type SeenConsole } from './console-items.ts'
import { loosenedByFile, type SettingsParsers } from './loosened-by-file.ts'

/** As many items as the record of a first reading names; the digest is over all of them. */
const BASELINE_ITEMS = 500

export interface ConfigDeps extends SettingsParsers {
  items: ConfigItems
  read(): Promise<FoundConfig>
  parsePolicies(text: string, origin: Omit<PolicyOrigin, 'locate'>): LayerPolicies
  audit: Pick<AuditLine, 'offer'>
  sha256: (text: string) => string
  clock: Clock
  ids: Ids
}

export type DetectionTime = 'at_start' | 'running'

/**
 * Compares the protective configuration with its last record, and records every difference with both digests and its owner. The record is
 * read before the files, and is written only if it has not changed meanwhile: a second writer has written nothing, and reads again. Returns
 * the number of changes.
 */
export async function recordConfig(deps: ConfigDeps, memory: ConfigMemory, noticed: DetectionTime): Promise<number> {
  for (;;) {
    memory.known ??= new Map((await deps.items.known()).map((each) => [each.item, each]))
    const { known } = memory
    const files = await deps.read()
    const found = { ...files, items: [...files.items, ...(await consoleItems(deps, memory.console))] }
    const changes = configChanges(known, found)
    if (changes.length === 0) return 0
    const drafts = known.size === 0 ? [baseline(deps, found.items)] : changeDrafts(deps, known, changes, noticed)
    const next = changes.map(knownNext)
    const places = await deps.items.record(next, drafts)
    if (places === undefined) {
      memory.known = undefined
      continue
    }
    for (const each of next) known.set(each.item, each)
    const byId = new Map(drafts.map((draft) => [draft.id, draft]))
    deps.audit.offer(
      places.flatMap(({ outbox_id, draft_id }) => {
        const draft = byId.get(draft_id)
        return draft === undefined ? [] : [{ outbox_id, draft }]
      }),
    )
    return drafts.length
  }
}

/** The record's last known content; undefined until it was read, and again after another process has written it. */
export interface ConfigMemory {
  known: Map<string, KnownItem> | undefined
  console: SeenConsole
}

function knownNext({ before, after }: ConfigChange): KnownItem {
  const version = (before?.version ?? 0) + 1
  if (after !== undefined) return { ...after, version }
  if (before === undefined) throw new Error('a change of nothing')
  const { body: _body, ...rest } = before
  return { ...rest, state: null, version }
}

/** The first reading of a deployment: what there was from then on, in one record. */
function baseline(deps: ConfigDeps, items: ConfigItem[]): AuditDraft {
  const states = items.map(({ item, state }): [string, string] => [item, state]).sort()
  return draftOf(deps, {
    action: 'config.baseline',
    subject: { type: 'config', id: 'deployment' },
    data: {
      count: states.length,
      digest: `sha256:${deps.sha256(canonicalText(states))}`,
      items: Object.fromEntries(states.slice(0, BASELINE_ITEMS)),
    },
  })
}

function changeDrafts(
  deps: ConfigDeps,
  known: ReadonlyMap<string, KnownItem>,
  changes: ConfigChange[],
  noticed: DetectionTime,
): AuditDraft[] {
  const loosens = loosenedNames(deps, known, changes)
  return changes.map((change) => {
    const { action, before, after } = change
    const item = after ?? before
    const by = after?.about ?? before?.about ?? {}
    const names = [...loosens(change), ...loosenedByFile(deps, change)]
    return draftOf(deps, {
      action,
      // the author of a removed item need not be the one who removed it
      ...(after?.layer === 'console' && by.author !== undefined
        ? { actor: { type: 'user', id: by.author, auth: 'none' } as const }
        : {}),
      workspace_id: item?.workspace_id ?? DEFAULT_WORKSPACE_ID,
      subject: { type: item?.kind ?? 'config', id: nameOf(change) },
      data: {
        kind: item?.kind ?? null,
        layer: item?.layer ?? null,
        before: before?.state ?? null,
        after: after?.state ?? null,
        // a removed item does not tell who removed it: this is its owner
        ...by,
        noticed,
        ...(item?.pack !== undefined && { pack: item.pack }),
        ...(names.length === 0 ? {} : { loosens: names }),
      },
    })
  })
}

function draftOf(
  deps: Pick<ConfigDeps, 'ids' | 'clock'>,
  given: { action: string; subject: AuditDraft['subject']; data: JsonObject } & Partial<
    Pick<AuditDraft, 'actor' | 'workspace_id'>
  >,
): AuditDraft {
  return systemAudit(deps, {
    category: 'config',
    workspace_id: DEFAULT_WORKSPACE_ID,
    channel: 'system',
    ...given,
  })
}

/** For each change the names of the policies in it by which something may be laxer now than it was. */
function loosenedNames(
  deps: ConfigDeps,
  known: ReadonlyMap<string, KnownItem>,
  changes: ConfigChange[],
): (change: ConfigChange) => string[] {
  if (!changes.some(({ before, after }) => (after ?? before)?.kind === 'policy')) return () => []
  const next = new Map<string, ConfigItem | KnownItem>(known)
  for (const change of changes) {
    if (change.after === undefined) next.delete(nameOf(change))
    else next.set(nameOf(change), change.after)
  }
  const names = loosenedBy(layersOf(deps, known.values()), layersOf(deps, next.values()))
  return ({ before, after }) => {
    const { policies } = joinLayers([before, after].map((item) => parsed(deps, item)))
    return [...new Set(policies.map(({ name }) => name))].filter((name) => names.has(name)).sort()
  }
}

function layersOf(deps: ConfigDeps, items: Iterable<ConfigItem | KnownItem>): Record<PolicyLayer, LayerPolicies> {
  const layers: Record<PolicyLayer, LayerPolicies[]> = { pack: [], overlay: [], console: [] }
  for (const item of items) if (item.state !== null) layers[layerOf(item)].push(parsed(deps, item))
  return { pack: joinLayers(layers.pack), overlay: joinLayers(layers.overlay), console: joinLayers(layers.console) }
}

function parsed(deps: ConfigDeps, item: ConfigItem | KnownItem | undefined): LayerPolicies {
  if (item?.body === undefined || item.body === null) return { policies: [], broken: [] }
  return deps.parsePolicies(item.body, {
    layer: layerOf(item),
    source: item.item,
    ...(item.pack !== undefined && { pack: item.pack }),
    ...(item.about.author !== undefined && { author: item.about.author }),
  })
}

/** Shipped defaults are in the layer of the packs, so that every deployment can override them. */
function layerOf({ layer }: Pick<ConfigItem, 'layer'>): PolicyLayer {
  return layer === 'default' ? 'pack' : layer
}
