import { canonicalText } from '#core/canonical-text.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'

/** An alert and which member of its fingerprint it speaks of. */
export interface Member {
  alert: NormalizedAlert
  member: string
}

const MAX_ID_CHARS = 200

/** What tells one instance from another: the tool's own id, else the digest of the labels. */
export function memberOf(alert: NormalizedAlert, sha256: (text: string) => string): string {
  const { external_id: id } = alert
  if (id !== undefined && id.length <= MAX_ID_CHARS) return id
  return `sha256:${sha256(id ?? canonicalText(alert.labels))}`
}

/** One text per member of a fingerprint. */
export function memberKey({ alert, member }: { alert: { fingerprint: string }; member: string }): string {
  return JSON.stringify([alert.fingerprint, member])
}

/** Cuts a delivery where a member changes its status, so that each wave may be handled in any order. */
export function alertWaves(members: Member[]): Member[][] {
  if (members.length < 2) return [members]
  const waves: Member[][] = []
  let wave: Member[] = []
  let statuses = new Map<string, string>()
  for (const each of members) {
    const key = memberKey(each)
    const before = statuses.get(key)
    if (before !== undefined && before !== each.alert.status) {
      waves.push(wave)
      wave = []
      statuses = new Map()
    }
    statuses.set(key, each.alert.status)
    wave.push(each)
  }
  return [...waves, wave]
}
