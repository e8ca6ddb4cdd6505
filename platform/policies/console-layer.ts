import { EMPTY_LAYER, joinLayers, type LayerPolicies } from '#core/policy/layer.ts'
import { unreadable } from '#core/policy/parse.ts'
import type { Clock } from '#core/time.ts'
import { parsePolicyYaml } from './parse-policy-yaml.ts'

/** A policy authored in the console, as the store keeps it. */
export interface ConsolePolicyRow {
  name: string
  /** YAML text of one policy */
  document: string
  author: string
}

export interface ConsoleLayer {
  /** The policies of a workspace, at most `ttl_ms` old. While the store does not answer: the last good ones, and the gate on. */
  current(workspaceId: string): Promise<LayerPolicies>
  invalidate(workspaceId: string): void
}

interface Cached {
  digest: string
  sound: LayerPolicies
  /** `sound`, or `sound` with the mark of a store that does not answer */
  shown: LayerPolicies
  fresh_until: number
  loading: Promise<void> | undefined
}

export function createConsoleLayer(deps: {
  load(workspaceId: string): Promise<ConsolePolicyRow[]>
  ttl_ms: number
  timeout_ms: number
  clock: Clock
  onUnreachable(workspaceId: string, error: unknown): void
}): ConsoleLayer {
  // without a bound: whoever forgets the last good policies of a workspace loosens it, and there are only so many workspaces
  const workspaces = new Map<string, Cached>()

  async function refresh(workspaceId: string, cached: Cached): Promise<void> {
    const fresh_until = deps.clock() + deps.ttl_ms
    try {
      const rows = await within(deps.timeout_ms, deps.load(workspaceId))
      const digest = JSON.stringify(rows.map(({ name, document, author }) => [name, document, author]))
      if (cached.digest !== digest) {
        cached.sound = joinLayers(rows.map(parseRow))
        cached.digest = digest
      }
      cached.shown = cached.sound
    } catch (error) {
      if (cached.shown === cached.sound) {
        deps.onUnreachable(workspaceId, error)
        cached.shown = { ...cached.sound, broken: [...cached.sound.broken, UNREACHABLE] }
      }
    }
    cached.fresh_until = fresh_until
  }

  return {
    async current(workspaceId) {
      let cached = workspaces.get(workspaceId)
      if (cached === undefined) {
        cached = { digest: '[]', sound: EMPTY_LAYER, shown: EMPTY_LAYER, fresh_until: -Infinity, loading: undefined }
        workspaces.set(workspaceId, cached)
      }
      if (deps.clock() < cached.fresh_until) return cached.shown
      const entry = cached
      entry.loading ??= refresh(workspaceId, entry).finally(() => {
        entry.loading = undefined
      })
      await entry.loading
      return entry.shown
    },
    /** A load that is under way may have begun before the change, so its answer goes to an entry that nobody reads any more. */
    invalidate(workspaceId) {
      const cached = workspaces.get(workspaceId)
      if (cached !== undefined) workspaces.set(workspaceId, { ...cached, fresh_until: -Infinity, loading: undefined })
    },
  }
}

const UNREACHABLE = unreadable({ layer: 'console', source: 'console policies' }, [
  { message: 'the store does not answer; the last known ones stay in force', path: [] },
])

function parseRow({ name, document, author }: ConsolePolicyRow): LayerPolicies {
  const origin = { layer: 'console', source: `console policy ${name}`, name, author } as const
  const parsed = parsePolicyYaml(document, origin)
  const count = parsed.policies.length + parsed.broken.length
  if (count === 1) return parsed
  return { policies: [], broken: [unreadable(origin, [{ message: `holds ${count} policies, takes one`, path: [] }])] }
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
