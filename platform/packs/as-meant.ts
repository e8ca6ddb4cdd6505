import type { z } from 'zod'
import { valueAt } from '#core/json/json.ts'
import { nearestName } from '#core/text/did-you-mean.ts'
import { knownKeys } from './known-keys.ts'

type Path = PropertyKey[]

/** A misspelt key that was read as another one: `as` at `at` in the place of `key`. */
export interface Renamed {
  at: Path
  key: string
  as: string
}

/** A document with misspelt keys and words taken for the nearest that there are; undefined where nothing is near. */
export function asMeant(
  schema: z.ZodType,
  written: unknown,
  issues: readonly z.core.$ZodIssue[],
): { value: unknown; renamed: Renamed[] } | undefined {
  const value = structuredClone(written)
  const renamed: Renamed[] = []
  let isChanged = false
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      const mapping = valueAt(value, issue.path)
      if (!isMapping(mapping)) continue
      for (const key of issue.keys) {
        const free = knownKeys(schema, issue.path).filter((name) => !Object.hasOwn(mapping, name))
        const as = nearestName(key, free)
        if (as === undefined) continue
        mapping[as] = mapping[key]
        delete mapping[key]
        renamed.push({ at: issue.path, key, as })
      }
    } else if (issue.code === 'invalid_value') {
      const [holder, name] = [valueAt(value, issue.path.slice(0, -1)), issue.path.at(-1)]
      const got = valueAt(value, issue.path)
      const meant = typeof got === 'string' ? nearestName(got, issue.values.map(String)) : undefined
      if (meant === undefined || name === undefined || !isMapping(holder)) continue
      holder[String(name)] = meant
      isChanged = true
    }
  }
  return isChanged || renamed.length > 0 ? { value, renamed } : undefined
}

/** Returns the path of a value in the document as written. */
export function writtenPath(path: readonly (string | number)[], renamed: readonly Renamed[]): (string | number)[] {
  return renamed.reduceRight(
    (at, { at: parent, as, key }) =>
      at[parent.length] === as && parent.every((part, index) => part === at[index]) ? at.with(parent.length, key) : at,
    [...path],
  )
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
