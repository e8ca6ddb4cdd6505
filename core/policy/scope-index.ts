import { ENVIRONMENT_CLASSES, type EnvironmentClass } from '../environment.ts'
import type { PolicyScope } from './schema.ts'
import type { PolicySubject } from './types.ts'

/** One bit per scope, in words of 32. */
type Bitmap = Uint32Array

/** For one dimension: who matches a value (those without a filter included), and who filters nothing. */
interface Dimension {
  byValue: Map<string, Bitmap>
  unfiltered: Bitmap
}

/** Finds the scopes that match a subject, in order, without looking at the others one by one. */
export interface ScopeIndex {
  matching(subject: PolicySubject): number[]
}

/** A bitmap index over the four dimensions of a scope: a decision ANDs a handful of words for every 32 scopes. */
export function createScopeIndex(scopes: readonly PolicyScope[]): ScopeIndex {
  const words = Math.ceil(scopes.length / 32)
  const dimension = (valuesOf: (scope: PolicyScope) => readonly string[]) => indexBy(scopes.map(valuesOf), words)
  const environments = dimension((scope) => scope.environments)
  const risks = dimension((scope) => scope.risks)
  const actionTypes = dimension((scope) => scope.action_types)
  const capabilities = dimension((scope) => scope.capabilities)

  return {
    matching(subject) {
      const environment = [lookUp(environments, subject.environment), lookUp(environments, knownClass(subject))]
      const risk = lookUp(risks, subject.risk)
      const action = lookUpAll(actionTypes, subject.action_types)
      const capability = lookUpAll(capabilities, subject.capabilities)
      const found: number[] = []
      for (let word = 0; word < words; word++) {
        let bits = anyOf(environment, word) & at(risk, word) & anyOf(action, word) & anyOf(capability, word)
        while (bits !== 0) {
          const lowest = bits & -bits
          found.push(word * 32 + 31 - Math.clz32(lowest))
          bits ^= lowest
        }
      }
      return found
    },
  }
}

/** The class of the subject's environment; one that nobody knows counts as production. */
export function knownClass(subject: Pick<PolicySubject, 'environment_class'>): EnvironmentClass {
  return ENVIRONMENT_CLASSES.find((known) => known === subject.environment_class) ?? 'production'
}

function indexBy(lists: readonly (readonly string[])[], words: number): Dimension {
  const unfiltered: Bitmap = new Uint32Array(words)
  lists.forEach((values, scope) => {
    if (values.length === 0) add(unfiltered, scope)
  })
  const byValue = new Map<string, Bitmap>()
  lists.forEach((values, scope) => {
    for (const value of values) {
      const key = value.normalize('NFC')
      const bitmap = byValue.get(key) ?? unfiltered.slice()
      add(bitmap, scope)
      byValue.set(key, bitmap)
    }
  })
  return { byValue, unfiltered }
}

function add(bitmap: Bitmap, scope: number): void {
  bitmap[scope >>> 5] = at(bitmap, scope >>> 5) | (1 << (scope & 31))
}

function lookUp(dimension: Dimension, value: string): Bitmap {
  return dimension.byValue.get(value.normalize('NFC')) ?? dimension.unfiltered
}

/** An empty list on the subject matches only what filters nothing. */
function lookUpAll(dimension: Dimension, values: readonly string[]): Bitmap[] {
  const bitmaps = values.map((value) => lookUp(dimension, value))
  return bitmaps.length === 0 ? [dimension.unfiltered] : bitmaps
}

function at(bitmap: Bitmap, word: number): number {
  return bitmap[word] ?? 0
}

function anyOf(bitmaps: readonly Bitmap[], word: number): number {
  let bits = 0
  for (const bitmap of bitmaps) bits |= at(bitmap, word)
  return bits
}
