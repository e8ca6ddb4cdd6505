import { DomainError } from '#core/errors.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { loadRule } from '#platform/packs/load-rules.ts'

interface RuleRow {
  name: string
  document: string
  author: string
}

export interface ConsoleRules {
  /**
   * The rules of a workspace, at most `ttl_ms` old, and the same list while nothing changes. While the store does not answer, the
   * last known ones. Rejects when none are known yet: without them an alert might start something else, or nothing.
   */
  current(workspaceId: string): Promise<readonly TriggerRule[]>
  invalidate(workspaceId: string): void
}

interface Cached {
  digest: string | undefined
  rules: readonly TriggerRule[]
  fresh_until: number
  loading: Promise<void> | undefined
}

/** Rules that were authored in the console, as every process that takes alerts follows them. */
export function createConsoleRules(deps: {
  load(workspaceId: string): Promise<RuleRow[]>
  ttl_ms?: number
  timeout_ms?: number
  clock?: () => number
}): ConsoleRules {
  const { ttl_ms = 1_000, timeout_ms = 2_000, clock = () => performance.now() } = deps
  const workspaces = new Map<string, Cached>()

  async function refresh(workspaceId: string, cached: Cached): Promise<void> {
    const fresh_until = clock() + ttl_ms
    try {
      const rows = await within(timeout_ms, deps.load(workspaceId))
      const digest = JSON.stringify(rows.map(({ name, document, author }) => [name, document, author]))
      if (cached.digest !== digest) {
        cached.rules = rows.flatMap(soundRule)
        cached.digest = digest
      }
    } catch (error) {
      if (cached.digest === undefined) throw error
    }
    cached.fresh_until = fresh_until
  }

  return {
    async current(workspaceId) {
      let cached = workspaces.get(workspaceId)
      if (cached === undefined) {
        cached = { digest: undefined, rules: [], fresh_until: -Infinity, loading: undefined }
        workspaces.set(workspaceId, cached)
      }
      if (clock() < cached.fresh_until) return cached.rules
      const entry = cached
      entry.loading ??= refresh(workspaceId, entry).finally(() => {
        entry.loading = undefined
      })
      await entry.loading
      return entry.rules
    },
    /** A load that is under way may have begun before the change, so its answer goes to an entry that nobody reads any more. */
    invalidate(workspaceId) {
      const cached = workspaces.get(workspaceId)
      if (cached !== undefined) workspaces.set(workspaceId, { ...cached, fresh_until: -Infinity, loading: undefined })
    },
  }
}

/** What is broken was refused when it was written. What an older release wrote and this one cannot read fits nothing. */
function soundRule({ document, author }: RuleRow): TriggerRule[] {
  const loaded = loadRule(new TextEncoder().encode(document), author)
  return 'faults' in loaded ? [] : [loaded.rule]
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new DomainError('dependency_unavailable', 'The rules of this workspace cannot be read now.')),
      timeoutMs,
    )
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
