import canonicalize from 'canonicalize'

/// <reference lib="es2024.string" />
/** Returns the RFC 8785 text of a JSON value; members that are `undefined` are left out. Throws for a value without a canonical form. */
export const canonical = (value: unknown): string => {
  const text = quick(value) ?? canonicalize(value)
  if (text === undefined) throw new TypeError('a value without a JSON form has no canonical form')
  return text
}

/**
 * Returns the value with every lone surrogate replaced by U+FFFD and every non-finite number by `null`, so that it has a canonical form. A
 * value that needs no change is returned itself.
 */
export const wellFormed = <T>(value: T): T => (isWellFormed(value) ? value : (repaired(value) as T))

const isWellFormed = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (!isTree(value)) return true
  if (Array.isArray(value)) return value.every(isWellFormed)
  for (const key of Object.keys(value)) if (!key.isWellFormed() || !isWellFormed(value[key])) return false
  return true
}

const repaired = (value: unknown): unknown => {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (!isTree(value)) return value
  if (Array.isArray(value)) return value.map(repaired)
  const members = new Map<string, unknown>()
  for (const key of Object.keys(value)) {
    let name = key.toWellFormed()
    // Two broken names may become one name; a record must not lose a member over that.
    while (name !== key && (members.has(name) || Object.hasOwn(value, name))) name += '\ufffd'
    members.set(name, repaired(value[key]))
  }
  return Object.fromEntries(members)
}

/**
 * `JSON.stringify` writes exactly the canonical form when all keys are in order, three times faster than the general way. Returns
 * `undefined` when it cannot be sure: keys that an engine reorders, lone surrogates, numbers that are not finite.
 */
const quick = (value: unknown): string | undefined => {
  let sorted = value
  if (!inOrder(value)) {
    sorted = ordered(value)
    if (!inOrder(sorted)) return undefined
  }
  const text = JSON.stringify(sorted)
  return text === undefined || text.includes('\\ud') ? undefined : text
}

const inOrder = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isFinite(value)
  if (!isTree(value)) return true
  if (Array.isArray(value)) return value.every(inOrder)
  let last = ''
  for (const key of Object.keys(value)) {
    if (key < last || !inOrder(value[key])) return false
    last = key
  }
  return true
}

const ordered = (value: unknown): unknown => {
  if (!isTree(value)) return value
  if (Array.isArray(value)) return value.map(ordered)
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value).sort()) {
    const member = ordered(value[key])
    // Assigning to `__proto__` would not make a member of it.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, enumerable: true })
    else copy[key] = member
  }
  return copy
}

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The RFC 8785 text of any JSON value that came from outside; what every digest of ours is taken over. */
export const canonicalText = (value: unknown): string => canonical(wellFormed(value))
