import { parse } from 'postgres-array'

type ArrayType = readonly [array: number, element: number]

/** Object ids of the array types that we use ourselves, the same in every PostgreSQL. */
const OURS: readonly ArrayType[] = [
  [1000, 16], // bool
  [1007, 23], // integer
  [1009, 25], // text
  [1016, 20], // bigint
  [1185, 1184], // timestamptz
]

type Conversions = Record<number, (value: never) => unknown>

/**
 * Registers array types with a pool. The driver would query them in every new session, and a session that is lost meanwhile crashes the
 * process, because nothing there awaits the answer.
 */
export function addArrayTypes(
  { parsers, serializers }: { parsers: Conversions; serializers: Conversions },
  types: readonly ArrayType[] = OURS,
): void {
  for (const [array, element] of types) {
    parsers[array] = (text: string) => parse(text, (one: string) => parsers[element]?.(one as never) ?? one)
    serializers[array] = (values: unknown) => arrayText(values, (one) => serializers[element]?.(one as never) ?? one)
  }
}

function arrayText(values: unknown, textOf: (element: unknown) => unknown): unknown {
  if (!Array.isArray(values)) return values
  const elements = values.map((value: unknown) => {
    if (value === null) return 'NULL'
    if (Array.isArray(value)) return arrayText(value, textOf)
    return `"${String(textOf(value)).replace(/["\\]/g, '\\$&')}"`
  })
  return `{${elements.join(',')}}`
}
