import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { KEY_DAYS } from '#core/api-key/schema.ts'
import { KEY_SCOPES } from '#core/api-key/scopes.ts'
import { visibleJson } from '#core/visible-text.ts'
import type { ApiClient } from '../api-client.ts'
import { pc } from '../colors.ts'
import type { CliDeps } from '../deps.ts'
import { printable } from '../printable.ts'

type Scope = Schema<'ApiKey'>['scopes'][number]

interface CreateFlags {
  account: string
  scope?: Scope[]
  days?: number
  workspace?: string
  json?: boolean
}

interface KeysDeps extends Pick<CliDeps, 'out'> {
  api(): Pick<ApiClient, 'apiKeys' | 'createApiKey' | 'revokeApiKey'>
}

/** `svc keys`: lists, makes and revokes the API keys of service accounts. */
export function registerKeys(program: Command, deps: KeysDeps): void {
  const keys = program.command('keys').description('API keys of service accounts (owner or admin)')
  keys
    .command('list')
    .description('list the keys, newest first; of a key itself only its beginning is known')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const found = await deps.api().apiKeys()
      if (json) return deps.out(visibleJson(found))
      for (const each of found) deps.out(keyLine(each))
    })
  keys
    .command('create <name>')
    .description('make a key; it is shown this once')
    .requiredOption('--account <id or e-mail>', 'the service account that it speaks for')
    .addOption(new Option('--scope <scope...>', 'what it is good for (default: runs:read)').choices([...KEY_SCOPES]))
    .option('--days <n>', `how long it is good, at most ${KEY_DAYS.most} (default: ${KEY_DAYS.usual})`, wholeNumber)
    .option('--workspace <id>', 'the only workspace that it may enter')
    .option('--json', 'print JSON')
    .action((name: string, flags: CreateFlags) => create(deps, name, flags))
  keys
    .command('revoke <id>')
    .description('revoke a key at once; what was asked for with it does nothing further')
    .action((id: string) => deps.api().revokeApiKey(id))
}

async function create(deps: KeysDeps, name: string, flags: CreateFlags): Promise<void> {
  const { account, scope, days, workspace, json } = flags
  const made = await deps.api().createApiKey({
    name,
    account,
    ...(scope === undefined ? {} : { scopes: scope }),
    ...(days === undefined ? {} : { expires_in_days: days }),
    ...(workspace === undefined ? {} : { workspace_id: workspace }),
  })
  if (json) return deps.out(visibleJson(made))
  const { token, ...key } = made
  deps.out(keyLine(key))
  deps.out(token)
  deps.out(pc.dim('  It is shown this once. Send it as a bearer token, or set SVC_TOKEN to it.'))
}

/** One key on one line. */
function keyLine({ id, name, prefix, account, scopes, ...key }: Schema<'ApiKey'>): string {
  const until = key.status === 'active' ? `until ${key.expires_at}` : key.status
  const used = key.last_used_at === undefined ? 'never used' : `used ${key.last_used_at}`
  const where = key.workspace_id === undefined ? '' : `  in ${key.workspace_id}`
  return printable(`${id}  ${prefix}…  ${name}  ${account}  ${scopes.join(',')}${where}  ${until}  ${used}`)
}

function wholeNumber(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('takes a whole number of days')
}
