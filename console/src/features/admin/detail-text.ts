/** The details of a check in words; their units stand behind the numbers: `latency_ms: 7.2` is `latency 7.2 ms`. */
export function detailText(detail: Record<string, unknown> | undefined): string {
  return Object.entries(detail ?? {})
    .filter(([name]) => name !== 'ok')
    .map(factText)
    .join(', ')
}

function factText([name, value]: [string, unknown]): string {
  const [, of = name, unit] = /^(.+)_(ms|bytes)$/.exec(name) ?? []
  return [of.replaceAll('_', ' '), flatText(value), unit].filter((part) => part !== undefined).join(' ')
}

/** Lists and objects without the marks of JSON. */
function flatText(value: unknown): string {
  if (Array.isArray(value)) return value.map(flatText).join(' and ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value).map(factText).join(' ')
}
