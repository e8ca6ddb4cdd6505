import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule, TestSpecification, TestSuite } from 'vitest/node'
import { type ProgramName, type Provided, SOURCES } from './programs/program.ts'

const EVERY_MS = 15_000

/** What a person who waits wants to know: how far it is, and at the end which tests did not run here, why, and what brings them. */
export default class RunReporter implements Reporter {
  #began = 0
  #said = 0
  #files = 0
  #done = 0
  #passed = 0
  #failed = 0

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#began = Date.now()
    this.#files = specifications.length
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result()
    if (state === 'passed') this.#passed += 1
    if (state !== 'failed') return
    this.#failed += 1
    // at once: the end, where they are listed, is far away
    for (const { message, diff = '' } of errors)
      process.stdout.write(
        `!! ${relative(process.cwd(), test.module.moduleId)}: ${test.fullName}\n${message}\n${diff}\n`,
      )
  }

  onTestModuleEnd(module: TestModule): void {
    this.#done += 1
    const now = Date.now()
    // a terminal has a line of its own for this
    if (process.stdout.isTTY || now - this.#said < EVERY_MS) return
    this.#said = now
    const share = `${this.#done} of ${this.#files} files`
    const counts = `${this.#passed} passed, ${this.#failed} failed`
    process.stdout.write(`-- ${clock(now - this.#began)}  ${share}  ${counts}  (${module.project.name})\n`)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => ({
        file: relative(process.cwd(), module.moduleId),
        missing: missingOf(test),
      })),
    )
    const provided = modules[0]?.project.getProvidedContext().programs ?? {}
    for (const line of notRun(lines, provided)) process.stdout.write(`${line}\n`)
  }
}

export interface NotRun {
  file: string
  missing: readonly ProgramName[]
}

/** One line a program that cannot be had: the tests that did not run, why, and the command that brings it. */
export function notRun(tests: readonly NotRun[], provided: Provided): string[] {
  const names = [...new Set(tests.flatMap(({ missing }) => missing))]
  return names.map((name) => {
    const without = tests.filter(({ missing }) => missing.includes(name))
    const files = [...new Set(without.map(({ file }) => file))].join(', ')
    const found = provided[name]
    const { why, cure } = found !== undefined && 'why' in found ? found : { why: 'not looked for', cure: 'npm test' }
    const count = without.length === 1 ? '1 test that needs' : `${without.length} tests that need`
    return `Not run: ${count} ${SOURCES[name].title}, in ${files}. Why: ${why}. To run them: ${cure}`
  })
}

function missingOf(test: TestCase): ProgramName[] {
  const parents: (TestCase | TestSuite)[] = [test]
  for (let at = test.parent; at.type === 'suite'; at = at.parent) parents.push(at)
  return parents.flatMap((task) => task.meta().missing ?? [])
}

function clock(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
