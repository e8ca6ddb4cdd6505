import type { BenchStack } from './stack.ts'

/** The arguments of the command line. */
export interface Given {
  /** `--quick`: a look, not a figure */
  quick: boolean
  /** `--deep`, `--full` */
  has(name: 'deep' | 'full'): boolean
  /** `--name=7` */
  number(name: string, otherwise: number): number
}

export type StartStack = () => Promise<BenchStack>

/** One benchmark: it measures, prints its tables and returns its figures. */
export interface Scenario {
  id: string
  /** its servers; adjacent scenarios with the same ones share them */
  stack: StartStack | undefined
  measure(given: Given, stack: BenchStack | undefined): Promise<unknown>
}

interface Parts<Row> {
  id: string
  show(row: Row): void
}

interface OnStack<Row> extends Parts<Row> {
  stack: StartStack
  run(given: Given, stack: BenchStack): Promise<Row>
}

interface OnItsOwn<Row> extends Parts<Row> {
  stack?: undefined
  run(given: Given): Promise<Row>
}

export function defineScenario<Row>(of: OnStack<Row> | OnItsOwn<Row>): Scenario {
  return {
    id: of.id,
    stack: of.stack,
    async measure(given, stack) {
      const row = await (of.stack === undefined ? of.run(given) : of.run(given, there(stack)))
      of.show(row)
      return row
    },
  }
}

function there(stack: BenchStack | undefined): BenchStack {
  if (stack === undefined) throw new Error('the servers of the benchmark were not started')
  return stack
}
