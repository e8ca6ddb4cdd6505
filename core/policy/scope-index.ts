import { ENVIRONMENT_CLASSES, type EnvironmentClass } from '../environment/environment.ts'
import type { PolicyScope } from './schema.ts'
import type { PolicySubject } from './types.ts'

/**
 * One bit per scope in words of 32, preceded by a summary: one bit per word that tells whether any of its bits is set. One array, so that
 * the same code reads both.
 */
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

/** A bitmap index over the four dimensions of a scope: a decision ANDs the summaries, then only the words that can hold a match. */
export function createScopeIndex(scopes: readonly PolicyScope[]): ScopeIndex {
  const words = Math.ceil(scopes.length / 32)
  const summaryWords = Math.ceil(words / 32)
  const dimension = (valuesOf: (scope: PolicyScope) => readonly string[]) =>
    indexBy(scopes.map(valuesOf), summaryWords, words)
  const environments = dimension((scope) => scope.environments)
  const risks = dimension((scope) => scope.risks)
  const actionTypes = dimension((scope) => scope.action_types)
  const capabilities = dimension((scope) => scope.capabilities)

  return {
    matching(subject) {
      const environment = lookUp(environments, [subject.environment, knownClass(subject)])
      const risk = lookUp(risks, [subject.risk])
      const action = lookUp(actionTypes, subject.action_types)
      const capability = lookUp(capabilities, subject.capabilities)
      const common = (at: number) =>
        anyOf(action, at) & anyOf(capability, at) & anyOf(environment, at) & anyOf(risk, at)
      const found: number[] = []
      for (let at = 0; at < summaryWords; at++) {
        for (let set = common(at); set !== 0; set &= set - 1) {
          const word = at * 32 + lowestBit(set)
          for (let bits = common(summaryWords + word); bits !== 0; bits &= bits - 1)
            found.push(word * 32 + lowestBit(bits))
        }
      }
      return found
    },
  }
}

/** Returns the class of the subject's environment; an unknown one counts as production. */
export function knownClass(subject: Pick<PolicySubject, 'environment_class'>): EnvironmentClass {
  return ENVIRONMENT_CLASSES.find((known) => known === subject.environment_class) ?? 'production'
}

function indexBy(lists: readonly (readonly string[])[], summaryWords: number, words: number): Dimension {
  const add = (bitmap: Bitmap, scope: number) => {
    setBit(bitmap, scope >>> 5)
    setBit(bitmap, summaryWords * 32 + scope)
  }
  const unfiltered: Bitmap = new Uint32Array(summaryWords + words)
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

function setBit(bitmap: Bitmap, bit: number): void {
  bitmap[bit >>> 5] = (bitmap[bit >>> 5] ?? 0) | (1 << (bit & 31))
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word)
}

/** An empty list on the subject matches only what filters nothing. */
function lookUp(dimension: Dimension, values: readonly string[]): Bitmap[] {
  if (values.length === 0) return [dimension.unfiltered]
  return values.map((value) => dimension.byValue.get(value.normalize('NFC')) ?? dimension.unfiltered)
}

function anyOf(bitmaps: readonly Bitmap[], at: number): number {
  let word = 0
  for (const bitmap of bitmaps) word |= bitmap[at] ?? 0
  return word
}
