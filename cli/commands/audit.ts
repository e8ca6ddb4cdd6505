import type { Command } from 'commander'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { CliDeps } from '../deps.ts'

const MAX_REASON_CHARACTERS = 500

/** `svc audit accept`: a person's word that the audit log is right where the database does not know it. */
export function registerAudit(program: Command, deps: CliDeps): void {
  program
    .command('audit')
    .description('look after the audit log of this machine')
    .command('accept')
    .description('take over into the database the records that only the audit log has, after the database was restored')
    .requiredOption('--reason <text>', 'why the log is right; it is recorded')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit status: 0 taken over, 64 no reason, 69 the log or the database cannot be used, 75 there is nothing to accept.',
    )
    .action(async ({ reason, json }: { reason: string; json?: boolean }) => {
      const text = reason.trim()
      if (text === '' || text.length > MAX_REASON_CHARACTERS)
        throw new DomainError('validation_failed', `--reason takes 1 to ${MAX_REASON_CHARACTERS} characters`)
      const accepted = await deps.acceptAudit(text)
      if (json) return deps.out(visibleJson(accepted))
      const { from_seq, to_seq, records } = accepted
      deps.out(`${records} records taken over, ${from_seq} to ${to_seq}; the worker continues within half a minute`)
    })
}
