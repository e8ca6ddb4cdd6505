import type { Command } from 'commander'
import { visibleJson } from '#core/text/visible-text.ts'
import { describeConfig } from '#platform/describe-config.ts'
import type { CliDeps } from '../deps.ts'
import { pc } from '../views/format.ts'

/** `svc config`: the effective settings, secrets hidden. */
export function registerConfig(program: Command, deps: CliDeps): void {
  program
    .command('config')
    .description('print the effective settings, with secrets hidden')
    .option('--json', 'one line of JSON')
    .action(({ json }: { json?: boolean }) => {
      const rows = describeConfig(deps.config())
      if (json) return deps.out(visibleJson(rows))
      for (const { name, value, source, takes, meaning } of rows) {
        deps.out(`${pc.bold(name)} = ${value ?? pc.dim('unset')}${source === 'env' ? pc.cyan('  (environment)') : ''}`)
        deps.out(pc.dim(`  ${meaning}. Takes ${takes}.`))
      }
    })
}
