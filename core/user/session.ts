/** A session of the console also ends this long after its sign-in. */
export const MAX_SESSION_S = 12 * 3_600

interface SessionId {
  sid: string
  /** seconds since 1970 */
  signed_in_at: number
}

/** An ended session as its user's record has it. */
export const endedSession = ({ sid, signed_in_at }: SessionId): string => `${signed_in_at}/${sid}`

/** Those that would not have ended by themselves, with one more. */
export function endedSessions(before: readonly string[], ended: SessionId, now_s: number): string[] {
  const kept = before.filter((each) => Number.parseInt(each, 10) + MAX_SESSION_S > now_s)
  return [...new Set([...kept, endedSession(ended)])]
}
