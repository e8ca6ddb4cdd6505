import { RE2JS } from 're2js'
import { createLru } from '../lru.ts'

const patterns = createLru<string, RE2JS>(1_000)

/** Compiles a pattern that is matched with what callers send: in linear time. Throws where it is none. */
export function linearPattern(pattern: string): RE2JS {
  const known = patterns.get(pattern)
  if (known !== undefined) return known
  const made = RE2JS.compile(pattern)
  patterns.set(pattern, made)
  return made
}
