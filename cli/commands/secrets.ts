import type { Command } from 'commander'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { CliDeps } from '../deps.ts'
import { printable } from '../views/format.ts'

/** `svc secrets reseal`: seals the secrets of connections with the first key of the ring. */
export function registerSecrets(program: Command, deps: Pick<CliDeps, 'resealSecrets' | 'out' | 'err'>): void {
  program
    .command('secrets')
    .description('secrets that are kept in the database')
    .command('reseal')
    .description('seal the secrets of connections with the first key of SVC_SECRET_KEYS, while the service runs')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit status: 0 done, 69 no database answers, 78 no key of the ring opens some of them.')
    .action(async ({ json }: { json?: boolean }) => {
      const { kid, resealed, left } = await deps.resealSecrets()
      if (json === true) deps.out(visibleJson({ kid, resealed, left }))
      else deps.out(`${resealed} sealed with key ${kid}`)
      if (left.length === 0) return
      for (const { id, problem } of left) deps.err(`${printable(id)}: ${printable(problem)}`)
      throw new DomainError('not_configured', `${left.length} could not be opened and stay as they are`)
    })
}
