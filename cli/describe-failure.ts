import { CommanderError } from 'commander'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/visible-text.ts'
import { ConfigError } from '#platform/config.ts'
import { ApiProblem } from './api-problem.ts'
import { describeProblem } from './describe-problem.ts'
import { EXIT, exitCodeOf, exitCodeOfProblem } from './exit-codes.ts'
import { printableLines } from './printable.ts'

/** What a command that failed says on standard error, and its exit code; undefined for a fault of ours. */
export function describeFailure(error: unknown, json: boolean): { lines: string[]; code: number } | undefined {
  if (error instanceof ConfigError) {
    const lines = error.problems.map(({ name, got, takes }) => `  ${name} is ${got}; it takes ${takes}`)
    const detail = 'The settings cannot be used'
    const problem = problemJson('invalid_settings', detail, { errors: error.problems })
    return { lines: json ? [problem] : [`${detail}:`, ...lines], code: EXIT.config }
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return { lines: [], code: EXIT.ok }
    const detail = error.message.replace(/^error: /, '')
    // in words the library has said already what is wrong
    return { lines: json ? [problemJson('validation_failed', detail)] : [], code: EXIT.usage }
  }
  if (error instanceof ApiProblem) return { lines: describeProblem(error, json), code: exitCodeOfProblem(error) }
  if (!(error instanceof DomainError)) return undefined
  const lines = json ? [problemJson(error.code, error.message)] : printableLines(error.message)
  return { lines, code: exitCodeOf(error.code) }
}

/** RFC 9457, of what this side found wrong. */
function problemJson(code: string, detail: string, more: object = {}): string {
  return visibleJson({ type: `/problems/${code}`, title: detail.split('\n')[0], detail, code, ...more })
}
