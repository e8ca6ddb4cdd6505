import type { Command } from 'commander'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { askPassword } from '../ask-password.ts'
import type { CliDeps } from '../deps.ts'
import { printable } from '../views/format.ts'

const MIN_PASSWORD = 12
const EMAIL = /^[^\s@]+@[^\s@]{1,200}$/

/** `svc admin bootstrap`: the first owner, made in the database itself because no user can log in yet. */
export function registerAdmin(program: Command, deps: CliDeps): void {
  const admin = program.command('admin').description('set up an installation')
  admin
    .command('bootstrap')
    .description('make the first owner, in the database of DATABASE_URL or of the service that runs on this machine')
    .requiredOption('--email <address>', 'the address to log in with')
    .option('--name <text>', 'what messages and records call them')
    .option('--password-stdin', `read the password (at least ${MIN_PASSWORD} characters) from standard input`)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit status: 0 made, 64 wrong arguments, 69 no database answers, 75 there is an owner already.',
    )
    .action(async (flags: { email: string; name?: string; passwordStdin?: boolean; json?: boolean }) => {
      if (!EMAIL.test(flags.email)) throw new DomainError('validation_failed', '--email takes a mail address')
      const password = await askPassword(deps, {
        stdin: flags.passwordStdin ?? false,
        twice: true,
        min: MIN_PASSWORD,
      })
      await deps.bootstrapOwner({
        email: flags.email,
        password,
        ...(flags.name !== undefined && { display_name: flags.name }),
      })
      if (flags.json) deps.out(visibleJson({ email: flags.email, roles: ['owner'] }))
      else deps.out(`${printable(flags.email)} is the owner; log in with: svc login --email ${printable(flags.email)}`)
      if (deps.config().auth.jwtSecret === undefined)
        deps.err('authentication is off until the service runs with OBS_JWT_SECRET')
    })
}
