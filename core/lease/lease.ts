/** Duration of a lease without renewal, by the clock of the database. */
export const LEASE_MS = 3_000
export const RENEW_EVERY_MS = 1_000
/** A holder stops this long before the database may give its lease to another process. */
const LEASE_MARGIN_MS = 500

/** The token of a holder's write: the database refuses it once the epoch has moved. */
export interface LeaseToken {
  name: string
  epoch: number
}

/** A lease held by this process. Times are of its own monotonic clock. */
export interface HeldLease {
  epoch: number
  until: number
}

/**
 * Applies the answer to a take or a renewal that was sent at `sent_at`. The database counts from when it executed the statement, which is
 * later, so the holder's end comes before the database's, whatever either clock shows.
 */
export function taken(epoch: number, sent_at: number): HeldLease {
  return { epoch, until: sent_at + LEASE_MS - LEASE_MARGIN_MS }
}

export function isHeld(lease: HeldLease, now: number): boolean {
  return now < lease.until
}

/** Applies a confirmed renewal. One that is confirmed too late revives nothing: another process may have taken over. */
export function renewed(lease: HeldLease, sent_at: number, now: number): HeldLease {
  return isHeld(lease, now) ? taken(lease.epoch, sent_at) : lease
}
