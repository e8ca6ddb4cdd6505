import { DomainError } from '#core/errors.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { loadRule } from '#platform/packs/load-rules.ts'
import { type AuthoredRow, createAuthoredCache } from '../authored-cache.ts'

export interface ConsoleRules {
  /**
   * The rules of a workspace, at most `ttl_ms` old, and the same list while nothing changes. While the store does not answer, the
   * last known ones. Rejects when none are known yet: without them an alert might start something else, or nothing.
   */
  current(workspaceId: string): Promise<readonly TriggerRule[]>
  invalidate(workspaceId: string): void
}

/** Rules that were authored in the console, as every process that takes alerts follows them. */
export function createConsoleRules(deps: {
  load(workspaceId: string): Promise<AuthoredRow[]>
  ttl_ms?: number
  timeout_ms?: number
  clock?: () => number
}): ConsoleRules {
  const { load, ttl_ms = 1_000, timeout_ms = 2_000, clock = () => performance.now() } = deps
  return createAuthoredCache<readonly TriggerRule[]>({
    load,
    ttl_ms,
    timeout_ms,
    clock,
    empty: [],
    parse: (rows) => rows.flatMap(soundRule),
    failed(_workspaceId, error, { sound, isKnown }) {
      if (!isKnown) throw error
      return sound
    },
    late: () => new DomainError('dependency_unavailable', 'The rules of this workspace cannot be read now.'),
  })
}

/** Faults are refused at writing. A rule of an older release that this one cannot read matches nothing. */
function soundRule({ document, author, authors = [] }: AuthoredRow): TriggerRule[] {
  const loaded = loadRule(new TextEncoder().encode(document), author)
  return 'faults' in loaded ? [] : [{ ...loaded.rule, authors: [...new Set([...authors, author])] }]
}
