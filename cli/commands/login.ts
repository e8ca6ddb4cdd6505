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
import { pc, printable, workspaceNames } from '../views/format.ts'

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

/** `svc logout`: forgets the kept token and, where the API answers, ends every session of the caller. */
export function registerLogout(program: Command, deps: CliDeps): void {
  program
    .command('logout')
    .description('forget the kept token; where the API answers, all of your sessions end')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const api = deps.api()
      const kept = await deps.credentials().find(api.url)
      const revoked =
        kept !== undefined &&
        (await api.logout(kept.access_token).then(
          () => true,
          () => false,
        ))
      const forgotten = await deps.credentials().forget(api.url)
      if (json) return deps.out(visibleJson({ url: api.url, forgotten, revoked }))
      if (!forgotten) return deps.out(`there was no login to ${api.url}`)
      deps.out(`logged out of ${api.url}`)
      if (!revoked) deps.err('the API did not revoke the token: it stays good until it expires')
    })
}

const MOST = 1_000

/** `svc whoami`: the caller's identity for the API. */
export function registerWhoami(program: Command, deps: CliDeps): void {
  program
    .command('whoami')
    .description('print whom the API takes you for')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const api = deps.api()
      const me = await api.me()
      if (json) return deps.out(visibleJson(me))
      const row = (label: string, value: string) => deps.out(`${pc.dim(label.padEnd(10))} ${printable(value)}`)
      row('account', [me.email, me.display_name, me.id].filter(Boolean).join('  '))
      row('roles', [...me.roles, ...(me.approval_roles ?? [])].join(', ') || 'none')
      const { items } = await api.workspaces(MOST)
      row('workspaces', workspaceNames(me.workspaces, items, true) || 'none')
      row('API', api.url)
    })
}
