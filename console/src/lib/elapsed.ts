const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const

/** How long something took, short: `1.2 s`, `3 min 20 s`. Undefined while its beginning is not known. */
export function elapsedText(from: string | undefined, to: string | number | undefined): string | undefined {
  if (from === undefined || to === undefined) return undefined
  const ms = Math.max(0, (typeof to === 'number' ? to : Date.parse(to)) - Date.parse(from))
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  let left = Math.round(ms / 1_000) * 1_000
  const parts = UNITS.flatMap(([unit_ms, name]) => {
    const count = Math.floor(left / unit_ms)
    left -= count * unit_ms
    return count === 0 ? [] : [`${count} ${name}`]
  })
  return parts.slice(0, 2).join(' ')
}
