import type { Command } from 'commander'
import type { FileFault } from '#core/file-fault.ts'
import type { CliDeps } from '../../deps.ts'
import { printable } from '../../views/format.ts'
import { CHECK_EXIT, CHECK_STATUS, countText, isWrong, showFindings } from '../../views/show-findings.ts'

interface LintFlags {
  strict?: boolean
  json?: boolean
}

type LintDeps = Pick<CliDeps, 'checks' | 'out' | 'err' | 'exit'>

/** `svc pipeline lint`: bundles as they are written. No service is needed. */
export function registerPipelineLint(pipeline: Command, deps: LintDeps): void {
  pipeline
    .command('lint <directory...>')
    .description(
      'check bundles, or all bundles in a directory, against the templates of the shipped packs and of SVC_PACKS_DIR',
    )
    .option('--strict', 'warnings count as errors')
    .option('--json', 'one JSON record per line')
    .addHelpText('after', CHECK_STATUS)
    .exitOverride((error) => deps.exit(error.exitCode === 0 ? CHECK_EXIT.clean : CHECK_EXIT.usage))
    .action((directories: string[], flags: LintFlags) => lint(deps, directories, flags))
}

async function lint(deps: LintDeps, directories: readonly string[], { json, strict }: LintFlags): Promise<void> {
  const checks = await deps.checks()
  const findings: FileFault[] = []
  for (const directory of directories) {
    const found = checks.pipelines(directory)
    if (found === undefined) return noBundle(deps, directory)
    findings.push(...found)
  }
  showFindings(findings, json, deps)
  if (!json) deps.out(findings.length === 0 ? 'Nothing is wrong.' : countText(findings))
  if (isWrong(findings, strict)) deps.exit(CHECK_EXIT.errors)
}

function noBundle({ err, exit }: LintDeps, directory: string): never {
  const isFile = /\.ya?ml$/.test(directory)
  err(
    printable(
      isFile ? `${directory} is a file: name the directory of the bundle` : `there is no pipeline.yaml in ${directory}`,
    ),
  )
  return exit(CHECK_EXIT.usage)
}
