import { createLru } from '#core/lru.ts'

/** Fingerprints that have had a run through this process: in a storm nearly every alert is of one of them. */
export interface SeenFingerprints {
  has(workspace_id: string, fingerprint: string): boolean
  add(workspace_id: string, fingerprint: string): void
  forget(workspace_id: string, fingerprint: string): void
}

const MOST_SEEN = 100_000

export function createSeenFingerprints(): SeenFingerprints {
  const seen = createLru<string, true>(MOST_SEEN)
  const keyOf = (workspace_id: string, fingerprint: string) => `${workspace_id}/${fingerprint}`
  return {
    has: (workspace_id, fingerprint) => seen.get(keyOf(workspace_id, fingerprint)) === true,
    add: (workspace_id, fingerprint) => seen.set(keyOf(workspace_id, fingerprint), true),
    forget: (workspace_id, fingerprint) => seen.delete(keyOf(workspace_id, fingerprint)),
  }
}
