import type { Clock } from '#core/time/time.ts'
import { within } from './within.ts'

/** A stored console document. */
export interface AuthoredRow {
  name: string
  /** YAML text */
  document: string
  author: string
  /** everyone who has written it, where that is kept */
  authors?: string[]
}

interface Cached<Parsed> {
  digest: string | undefined
  sound: Parsed
  /** `sound`, or a substitute while the store does not answer */
  shown: Parsed
  fresh_until: number
  loading: Promise<void> | undefined
}

export interface AuthoredCacheDeps<Parsed> {
  load(workspaceId: string): Promise<AuthoredRow[]>
  parse(rows: AuthoredRow[]): Parsed
  empty: Parsed
  /** returns the substitute when the store does not answer; its exceptions reach the reader */
  failed(workspaceId: string, error: unknown, last: { sound: Parsed; isKnown: boolean }): Parsed
  /** the error of a load that takes too long */
  late(timeout_ms: number): Error
  ttl_ms: number
  timeout_ms: number
  clock: Clock
}

/** Caches the documents of each workspace, at most `ttl_ms` old, and as the same object while nothing changes. */
export function createAuthoredCache<Parsed>(deps: AuthoredCacheDeps<Parsed>) {
  const { empty, timeout_ms } = deps
  // unbounded: forgetting the last good policies of a workspace would loosen it, and the number of workspaces is
  // limited
  const workspaces = new Map<string, Cached<Parsed>>()

  async function refresh(workspaceId: string, cached: Cached<Parsed>): Promise<void> {
    const fresh_until = deps.clock() + deps.ttl_ms
    try {
      const rows = await within(timeout_ms, deps.load(workspaceId), () => {
        throw deps.late(timeout_ms)
      })
      const digest = JSON.stringify(
        rows.map(({ name, document, author, authors }) => [name, document, author, authors]),
      )
      if (cached.digest !== digest) {
        cached.sound = deps.parse(rows)
        cached.digest = digest
      }
      cached.shown = cached.sound
    } catch (error) {
      const last = { sound: cached.sound, isKnown: cached.digest !== undefined }
      if (cached.shown === cached.sound) cached.shown = deps.failed(workspaceId, error, last)
    }
    cached.fresh_until = fresh_until
  }

  return {
    async current(workspaceId: string): Promise<Parsed> {
      let cached = workspaces.get(workspaceId)
      if (cached === undefined) {
        cached = { digest: undefined, sound: empty, shown: empty, fresh_until: -Infinity, loading: undefined }
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
    /** A running load may have begun before the change, so its result goes to an entry without readers. */
    invalidate(workspaceId: string): void {
      const cached = workspaces.get(workspaceId)
      if (cached !== undefined) workspaces.set(workspaceId, { ...cached, fresh_until: -Infinity, loading: undefined })
    },
  }
}
