/** Fingerprints that have had a run through this process: in a storm nearly every alert is of one of them. */
export interface SeenFingerprints {
  has(workspace_id: string, fingerprint: string): boolean
  add(workspace_id: string, fingerprint: string): void
  forget(workspace_id: string, fingerprint: string): void
}

const MOST_SEEN = 100_000

export function createSeenFingerprints(): SeenFingerprints {
  const seen = new Set<string>()
  const keyOf = (workspace_id: string, fingerprint: string) => `${workspace_id}/${fingerprint}`
  return {
    has: (workspace_id, fingerprint) => seen.has(keyOf(workspace_id, fingerprint)),
    add(workspace_id, fingerprint) {
      if (seen.size >= MOST_SEEN) seen.clear()
      seen.add(keyOf(workspace_id, fingerprint))
    },
    forget: (workspace_id, fingerprint) => void seen.delete(keyOf(workspace_id, fingerprint)),
  }
}
