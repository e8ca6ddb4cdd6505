/** What one question to the database says of its clock. Times are in milliseconds. */
export interface ClockReading {
  /** the database's clock minus the monotonic clock of this process */
  offset_ms: number
  /** the database told its time somewhere between question and answer: half of that */
  error_ms: number
}

/** `sent_at` and `answered_at` by the monotonic clock, `shown_ms` by the clock of the database. */
export function clockReading(sent_at: number, answered_at: number, shown_ms: number): ClockReading {
  return { offset_ms: shown_ms - (sent_at + answered_at) / 2, error_ms: (answered_at - sent_at) / 2 }
}

/** The more exact of two readings, unless the later one shows that the clocks have moved against each other. */
export function keptReading(before: ClockReading, later: ClockReading): ClockReading {
  const moved = Math.abs(later.offset_ms - before.offset_ms) > later.error_ms + before.error_ms
  return moved || later.error_ms <= before.error_ms ? later : before
}
