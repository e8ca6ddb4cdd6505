/** Exit codes after sysexits.h, so that scripts can tell the cases apart. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 64,
  unavailable: 69,
  /** another process holds the data directory or the port; try again later */
  busy: 75,
  config: 78,
} as const
