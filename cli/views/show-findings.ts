import { type FileFault, faultText } from '#core/file-fault.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { counted, printable } from './format.ts'

/** Exit codes of a check, so that a CI can tell the cases apart. */
export const CHECK_EXIT = { clean: EXIT.ok, errors: EXIT.failed, usage: 2 } as const

/** The last line of the help of every check. */
export const CHECK_STATUS = '\nExit status: 0 clean, 1 errors found (with --strict also warnings), 2 wrong arguments.'

/** Errors and warnings, one a line: as text, or as JSON. */
export function showFindings(
  findings: readonly FileFault[],
  json: boolean | undefined,
  { out }: Pick<CliDeps, 'out'>,
): void {
  for (const finding of findings) {
    const { warning, ...place } = finding
    const severity = warning ? 'warning' : 'error'
    out(json ? visibleJson({ severity, ...place }) : printable(`${severity}  ${faultText(finding)}`))
  }
}

/** `2 errors, 1 warning` */
export function countText(findings: readonly FileFault[]): string {
  const warnings = findings.filter(({ warning }) => warning).length
  return `${counted(findings.length - warnings, 'error')}, ${counted(warnings, 'warning')}`
}

/** Tells whether findings need a correction before use. */
export function isWrong(findings: readonly FileFault[], strict: boolean | undefined): boolean {
  return findings.some(({ warning }) => strict || !warning)
}
