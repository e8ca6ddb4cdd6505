/** How long a lease lasts without a renewal, by the clock of the database. */
export const LEASE_MS = 3_000
export const RENEW_EVERY_MS = 1_000
/** A holder stops this long before the database may give its lease to another process. */
const LEASE_MARGIN_MS = 500

/** What a write of a holder carries: the database refuses it once the epoch has moved. */
export interface LeaseToken {
  name: string
  epoch: number
}

/** What a process knows of a lease that it took. Times are of its own monotonic clock. */
export interface HeldLease {
  epoch: number
  until: number
}

/**
 * A take or a renewal was answered that was sent at `sent_at`. The database counts from when it executed the statement, which is
 * later, so the holder's end comes before the database's, no matter what either clock shows.
 */
export function taken(epoch: number, sent_at: number): HeldLease {
  return { epoch, until: sent_at + LEASE_MS - LEASE_MARGIN_MS }
}

export function isHeld(lease: HeldLease, now: number): boolean {
  return now < lease.until
}

/** A renewal was confirmed. One that is confirmed too late revives nothing: somebody may have acted on the loss. */
export function renewed(lease: HeldLease, sent_at: number, now: number): HeldLease {
  return isHeld(lease, now) ? taken(lease.epoch, sent_at) : lease
}
