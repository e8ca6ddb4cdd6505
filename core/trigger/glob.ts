import type { EvaluationBudget } from '../expression/evaluation-budget.ts'

const COMPARED_AT_ONCE = 1_024
const UNITS_AT_ONCE = 256

/** Whether text fits a glob in which `*` is any text and `?` any one character; at most glob × text comparisons. */
export function matchGlob(glob: string, text: string, budget?: EvaluationBudget): boolean {
  if (glob === '*' || glob === text) return true
  if (!/[*?]/.test(glob)) return false
  const pattern = [...glob]
  const chars = [...text]
  let at = 0
  let star = -1
  let retry = 0
  let compared = 0
  for (let index = 0; index < chars.length; ) {
    if (++compared % COMPARED_AT_ONCE === 0) budget?.spend(UNITS_AT_ONCE)
    if (at < pattern.length && pattern[at] === '*') {
      star = at++
      retry = index
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === chars[index])) {
      at++
      index++
    } else if (star !== -1) {
      at = star + 1
      index = ++retry
    } else return false
  }
  return pattern.slice(at).every((char) => char === '*')
}
