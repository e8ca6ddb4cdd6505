import type { NormalizedAlert } from '#core/trigger/alert.ts'
import type { AlertIdentity } from '#core/trigger/alert-identity.ts'

/** An alert and which member of its fingerprint it speaks of. */
export interface Member extends AlertIdentity {
  alert: NormalizedAlert
}

/** Returns the key of a member of a fingerprint. */
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
