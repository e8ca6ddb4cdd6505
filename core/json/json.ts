/** Formats a path into a value (RFC 6901). */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Parses a JSON Pointer to names. */
export function pointerParts(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Own members only, so that a name such as `constructor` finds nothing. */
export function valueAt(value: Json | undefined, path: readonly PropertyKey[]): Json | undefined
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, key)?.value : undefined),
    value,
  )
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// Reads an object of a record; any other value reads as empty.

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

export function textOrNull(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

export function nullable(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

export function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** The record without the members that are undefined: absent and undefined are one on the wire, and two inside. */
export function defined<T extends object>(record: T): Defined<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Defined<T>
}
