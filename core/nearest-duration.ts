/** The spellings that people use, by what is understood. */
const UNITS: Record<string, readonly string[]> = {
  ms: ['ms', 'msec', 'msecs', 'millis', 'millisecond', 'milliseconds'],
  s: ['s', 'sec', 'secs', 'second', 'seconds'],
  m: ['m', 'min', 'mins', 'minute', 'minutes'],
  h: ['h', 'hr', 'hrs', 'hour', 'hours'],
  d: ['d', 'day', 'days'],
}

/** `; did you mean 30s?` for `30sec` or `30 seconds`; nothing where the unit is not to be guessed. */
export function nearestDuration(text: string): string {
  const [, amount, unit = ''] = /^\s*(\d+)\s*([A-Za-z]+)\s*$/.exec(text) ?? []
  const known = Object.entries(UNITS).find(([, spellings]) => spellings.includes(unit.toLowerCase()))
  return amount === undefined || known === undefined ? '' : `; did you mean ${amount}${known[0]}?`
}
