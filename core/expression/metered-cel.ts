import type { Environment, ParseResult } from '@marcbachmann/cel-js'
import { toDouble } from './cel-value.ts'
import { BudgetSpentError, type EvaluationBudget } from './evaluation-budget.ts'
import { costOfCall, costOfLoop, sizeOf, spendOnOperator } from './operation-cost.ts'

type Node = ParseResult['ast']
type Handle = (...args: unknown[]) => unknown
/** Every node but a constant, a variable and a literal does its work in `handle`, with the values of its operands. */
type CheckedNode = Node & { handle?: Handle; evaluate: Evaluate; meta: { alternate?: CheckedNode } }
type Evaluate = (evaluator: Evaluator, node: CheckedNode, context: unknown) => unknown

/** The object that evaluates the nodes of an environment; every node but the root passes through `run`. */
interface Evaluator {
  run(node: CheckedNode, context: unknown): unknown
  tryEval(node: CheckedNode, context: unknown): unknown
}

export interface MeteredCel {
  /** Must be called once for an expression that has been checked. */
  meter(root: ParseResult): void
  evaluate<Result>(budget: EvaluationBudget, act: () => Result): Result
}

const UNITS_PER_NODE = 4
/** an error is made with its stack, and an operand of `||` or a round of `exists` may hide it */
const UNITS_PER_ERROR = 200
/** they return an existing value */
const MAKES_NOTHING: ReadonlySet<string> = new Set(['.', '.?', '[]', '[?]', '?:'])

/** Makes an environment spend a budget with every node that it evaluates, no matter what functions it has. */
export function meterCel(environment: Environment): MeteredCel {
  const evaluator = evaluatorOf(environment)
  const metered = new WeakSet<Node>()
  // an evaluation is synchronous, so there is one at a time
  let budget: EvaluationBudget | undefined

  function spend(units: number): void {
    if (budget === undefined) throw new Error('an expression was evaluated without a budget')
    budget.spend(units)
  }

  function meter(node: CheckedNode): void {
    if (metered.has(node)) return
    metered.add(node)
    // the expansion of a macro: a loop
    if (node.meta.alternate !== undefined) meter(node.meta.alternate)
    const { handle } = node
    if (handle === undefined) return
    node.handle = (...args) => {
      spendOn(node, args, spend)
      if (node.op === 'call' && node.args[0] === 'double') toDouble((args[0] as unknown[])[0])
      const result = handle(...args)
      if (!MAKES_NOTHING.has(node.op)) spend(sizeOf(result))
      return result
    }
  }

  evaluator.run = (node, context) => {
    meter(node)
    spend(UNITS_PER_NODE)
    return node.evaluate(evaluator, node, context)
  }
  evaluator.tryEval = (node, context) => {
    try {
      return evaluator.run(node, context)
    } catch (error) {
      if (error instanceof BudgetSpentError) throw error
      spend(UNITS_PER_ERROR)
      return error
    }
  }

  return {
    meter: ({ ast }) => meter(ast as CheckedNode),
    evaluate(given, act) {
      const before = budget
      budget = given
      try {
        spend(UNITS_PER_NODE)
        return act()
      } finally {
        budget = before
      }
    },
  }
}

/** The library passes it only to the functions that it evaluates. */
function evaluatorOf(environment: Environment): Evaluator {
  const probe = environment.parse('0')
  let found: Evaluator | undefined
  Object.assign(probe.ast, {
    evaluate(evaluator: Evaluator) {
      found = evaluator
    },
  })
  probe()
  if (found === undefined) throw new Error('this release of the CEL library evaluates in another way')
  return found
}

function spendOn(node: CheckedNode, args: unknown[], spend: (units: number) => void): void {
  if (node.op === 'call' || node.op === 'rcall') spend(costOfCall(node.args[0], args[0] as unknown[]))
  else if ((node.op as string) === 'comprehension') spend(costOfLoop(args[0]))
  else if (!MAKES_NOTHING.has(node.op)) spendOnOperator(node.op, args[0], args[1], spend)
}
