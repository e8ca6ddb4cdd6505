import { isCancel, text } from '@clack/prompts'
import type { Command } from 'commander'
import { isLoopback } from '#core/egress/classify.ts'
import { bareHost } from '#core/egress/url.ts'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { askPassword } from '../ask-password.ts'
import { describeProblem } from '../client/api-answers.ts'
import { ApiProblem } from '../client/api-problem.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { printable } from '../views/format.ts'

/** `svc login`: trades a password for a token and keeps it for the API in use. */
export function registerLogin(program: Command, deps: CliDeps): void {
  program
    .command('login')
    .description('log in to the API and keep the token, readable by you alone')
    .option('--email <address>', 'who you are (asked for at a terminal)')
    .option('--password-stdin', 'read the password from standard input')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit status: 0 logged in, 64 wrong arguments, 69 nothing answers, 77 wrong address or password.',
    )
    .action(async (flags: { email?: string; passwordStdin?: boolean; json?: boolean }) => {
      const api = deps.api()
      warnOfPlainHttp(api.url, deps)
      const email = flags.email ?? (await askEmail(deps))
      const password = await askPassword(deps, { stdin: flags.passwordStdin ?? false })
      try {
        const { access_token, expires_in } = await api.login(email, password)
        const expires_at = new Date(Date.now() + expires_in * 1_000).toISOString()
        await deps.credentials().keep(api.url, { access_token, email, expires_at })
        if (flags.json) deps.out(visibleJson({ url: api.url, email, expires_at }))
        else deps.out(`logged in to ${api.url} as ${printable(email)} until ${expires_at}`)
        if (deps.config().auth.token !== undefined) deps.err('SVC_TOKEN is set: commands use that one instead')
      } catch (error) {
        if (!(error instanceof ApiProblem) || (error.code !== 'invalid_grant' && error.status !== 401)) throw error
        for (const line of flags.json ? describeProblem(error, true) : [printable(error.message)]) deps.err(line)
        deps.exit(EXIT.denied)
      }
    })
}

async function askEmail({ interactive }: CliDeps): Promise<string> {
  if (!interactive) throw new DomainError('validation_failed', 'there is no terminal to ask who you are: use --email')
  const answer = await text({ message: 'Email', validate: (value) => (value?.trim() ? undefined : 'who are you?') })
  if (isCancel(answer)) throw new DomainError('validation_failed', 'no address was given')
  return answer.trim()
}

function warnOfPlainHttp(url: string, { err }: CliDeps): void {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'http:' && !isLoopback(bareHost(hostname)))
    err(`${url} is not encrypted: anyone on the way can read the password`)
}
