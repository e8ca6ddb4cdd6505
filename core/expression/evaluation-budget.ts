/** Cost limit of one evaluation. A unit takes at most 0.1 µs: an evaluated node costs four, an element of a list that is read or made two. */
const MAX_UNITS = 2_000_000

/** Counts what evaluations cost while they run. Several expressions that are evaluated at once share one. */
export interface EvaluationBudget {
  readonly spent: number
  /** Throws `BudgetSpentError` as soon as there is nothing left. */
  spend(units: number): void
}

export class BudgetSpentError extends Error {
  constructor(limit: number) {
    super(`it takes more than ${limit} units of work; loop over fewer items, or make shorter lists and texts`)
    this.name = 'BudgetSpentError'
  }
}

/** With `within`, costs count there as well. */
export function createBudget(limit = MAX_UNITS, within?: EvaluationBudget): EvaluationBudget {
  let spent = 0
  return {
    get spent() {
      return spent
    },
    spend(units) {
      spent += units
      within?.spend(units)
      if (spent > limit) throw new BudgetSpentError(limit)
    },
  }
}
