import { createLru } from '#core/lru.ts'
import { MAX_STATES } from '#core/trigger/alert-record.ts'

interface Known {
  run_id: string
  /** digests by member */
  members: Map<string, string>
}

/** Recorded states of members that this process knows: in a storm, nearly all. */
export interface KnownStates {
  /** true when the state of a member must be stored */
  isChanged(fingerprint: string, member: string, digest: string): boolean
  /** the run for which they are known */
  runOf(fingerprint: string): string | undefined
  note(fingerprint: string, run_id: string, states: readonly { member: string; digest: string }[]): void
  forget(fingerprint: string): void
}

const MAX_FINGERPRINTS = 2_000
/** one more than are kept, so that the record shows that there were more */
const MAX_MEMBERS = MAX_STATES + 1

export function createKnownStates(): KnownStates {
  const known = createLru<string, Known>(MAX_FINGERPRINTS)
  return {
    isChanged(fingerprint, member, digest) {
      const members = known.get(fingerprint)?.members
      if (members === undefined) return true
      const before = members.get(member)
      return before === undefined ? members.size < MAX_MEMBERS : before !== digest
    },
    runOf: (fingerprint) => known.get(fingerprint)?.run_id,
    note(fingerprint, run_id, states) {
      const before = known.get(fingerprint)
      const now = before?.run_id === run_id ? before : { run_id, members: new Map<string, string>() }
      for (const { member, digest } of states)
        if (now.members.has(member) || now.members.size < MAX_MEMBERS) now.members.set(member, digest)
      known.set(fingerprint, now)
    },
    forget: (fingerprint) => known.delete(fingerprint),
  }
}
