import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../../client/api-client.ts'
import { connectionNamed } from '../../client/named-records.ts'
import type { CliDeps } from '../../deps.ts'
import { EXIT } from '../../exit-codes.ts'
import { printable } from '../../views/format.ts'

const [FIRST_MS, MAX_MS] = [1_000, 10_000]

interface AuthorizeDeps extends Pick<CliDeps, 'out' | 'err' | 'exit'> {
  api(): Pick<ApiClient, 'connections' | 'connection' | 'authorizeConnection'>
}

/** `svc connections authorize`: a person consents at the provider, in any browser, and types in the code that stands here. */
export function registerAuthorize(connections: Command, deps: AuthorizeDeps): void {
  connections
    .command('authorize')
    .argument('<connection>', 'its id or its name')
    .description(
      'authorise a connection (OAuth 2): shows the page of the provider and a code, and waits until you consented',
    )
    .option('--environment <name>', 'whose egress rules apply')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe page can be opened in any browser, in which you need not be signed in to svc.\nExit status: 0 authorised, 1 not within ten minutes, 75 it is no connection with OAuth 2, 69 the provider cannot be asked.',
    )
    .action(async (named: string, flags: { environment?: string; json?: boolean }) => {
      const api = deps.api()
      const before = await connectionNamed(api, named)
      const { environment, json } = flags
      const body = { confirm: 'code' as const, ...(environment !== undefined && { environment }) }
      const { authorization_url, expires_at, code = '' } = await api.authorizeConnection(before.id, body)
      // standard output has the outcome alone
      for (const line of [
        `Open this page in a browser, and consent:\n\n  ${authorization_url}\n`,
        `Then type in this code: ${code}`,
        'Go on only if the page names the same connection. Waiting…',
      ])
        deps.err(line)
      const found = await authorizedSince(api, before, Date.parse(expires_at))
      if (found === undefined) {
        deps.err('Nobody has authorised it: begin again.')
        return deps.exit(EXIT.failed)
      }
      deps.out(json ? visibleJson(found) : printable(`${found.name} is authorised${lessThanAsked(found)}`))
    })
}

/** The connection as soon as it is authorised; undefined when the time is over. It asks less and less often. */
async function authorizedSince(
  api: Pick<ApiClient, 'connection'>,
  { id, grant }: Schema<'Connection'>,
  until: number,
): Promise<Schema<'Connection'> | undefined> {
  for (let wait = FIRST_MS; ; wait = Math.min(MAX_MS, wait * 1.5)) {
    const found = await api.connection(id)
    if (found.grant !== undefined && found.grant.authorized_at !== grant?.authorized_at) return found
    if (Date.now() + wait > until) return undefined
    await sleep(wait)
  }
}

function lessThanAsked({ grant }: Schema<'Connection'>): string {
  const missing = grant?.missing_scopes ?? []
  return missing.length === 0 ? '' : `; the provider has not granted ${missing.join(', ')}`
}
