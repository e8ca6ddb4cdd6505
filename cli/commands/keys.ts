import { type Command, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { KEY_DAYS } from '#core/api-key/schema.ts'
import { KEY_SCOPES } from '#core/api-key/scopes.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { agoText } from '#core/time/format-time.ts'
import type { ApiClient } from '../client/api-client.ts'
import { apiKeyIdOf, userNamed, workspaceGiven } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { dollars, pc, printable, wholeNumber } from '../views/format.ts'
import { isJson, type ListFlags, printList, withOutput } from '../views/list-output.ts'
import type { Column } from '../views/table.ts'

type Key = Schema<'ApiKey'>
type Scope = Key['scopes'][number]

const MAX = 1_000

interface CreateFlags {
  account: string
  scope?: Scope[]
  days?: number
  workspace?: string
  dailyUsd?: number
  json?: boolean
}

interface KeysDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(): Pick<ApiClient, 'apiKeys' | 'createApiKey' | 'revokeApiKey' | 'users' | 'workspaces'>
}

/** `svc keys`: lists, makes and revokes the API keys of service accounts. */
export function registerKeys(program: Command, deps: KeysDeps): void {
  const keys = program.command('keys').description('API keys of service accounts (owner or admin)')
  withOutput(
    keys.command('list').description('list the keys, newest first; of a key itself only its beginning is known'),
  ).action(async (flags: ListFlags) => {
    const api = deps.api()
    const [rows, names] = await Promise.all([api.apiKeys(), isJson(flags) ? new Map() : namesOf(api)])
    const empty = 'there are no keys; one is made with: svc keys create'
    printList(deps, flags, { columns: columnsAt(Date.now(), names), rows, empty })
  })
  keys
    .command('create <name>')
    .description('make a key; it is shown this once')
    .requiredOption('--account <id, e-mail or name>', 'the service account that it speaks for')
    .addOption(new Option('--scope <scope...>', 'what it is good for (default: runs:read)').choices([...KEY_SCOPES]))
    .option(
      '--days <n>',
      `how long it is good, at most ${KEY_DAYS.most} (default: ${KEY_DAYS.usual})`,
      wholeNumber(KEY_DAYS.most),
    )
    .option('--workspace <id or name>', 'the only workspace that it may enter')
    .option('--daily-usd <usd>', 'what its calls of models may cost a UTC day, in US dollars', dollars)
    .option('--json', 'print JSON')
    .action((name: string, flags: CreateFlags) => create(deps, name, flags))
  keys
    .command('revoke')
    .argument('<key>', 'its id, its name or its beginning')
    .description('revoke a key at once; runs that were requested with it do nothing further')
    .action(async (named: string) => {
      const api = deps.api()
      await api.revokeApiKey(await apiKeyIdOf(api, named))
    })
}

async function create(deps: KeysDeps, name: string, flags: CreateFlags): Promise<void> {
  const { account, scope, days, workspace, dailyUsd, json } = flags
  const api = deps.api()
  const workspace_id = await workspaceGiven(api, workspace)
  const made = await api.createApiKey({
    name,
    account: (await userNamed(api, account)).id,
    ...(scope !== undefined && { scopes: scope }),
    ...(days !== undefined && { expires_in_days: days }),
    ...(workspace_id !== undefined && { workspace_id }),
    ...(dailyUsd !== undefined && { daily_usd: dailyUsd }),
  })
  if (json) return deps.out(visibleJson(made))
  const { token, ...key } = made
  deps.out(keyLine(key))
  deps.out(token)
  deps.out(pc.dim('  It is shown this once. Send it as a bearer token, or set SVC_TOKEN to it.'))
}

/** Maps ids of users and workspaces to what people call them. */
async function namesOf(api: Pick<ApiClient, 'users' | 'workspaces'>): Promise<ReadonlyMap<string, string>> {
  const [users, workspaces] = await Promise.all([api.users(MAX), api.workspaces(MAX)])
  const named = users.items.map(({ id, email }) => [id, email ?? id] as const)
  return new Map([...named, ...workspaces.items.map(({ id, slug }) => [id, slug] as const)])
}

function columnsAt(now: number, names: ReadonlyMap<string, string>): Column<Key>[] {
  const named = (id: string | undefined) => (id === undefined ? '' : (names.get(id) ?? id))
  return [
    { title: 'KEY', text: ({ id }) => id },
    { title: 'BEGINS', text: beginningOf },
    { title: 'NAME', text: ({ name }) => name, cut: true },
    { title: 'ACCOUNT', text: ({ account }) => named(account) },
    { title: 'ACCOUNT ID', text: ({ account }) => account, wide: true },
    { title: 'SCOPES', text: ({ scopes }) => scopes.join(','), cut: true },
    { title: 'WORKSPACE', text: ({ workspace_id }) => named(workspace_id) },
    { title: 'STATUS', text: ({ status }) => status },
    { title: 'EXPIRES', text: ({ expires_at }) => expires_at.slice(0, 10) },
    { title: 'LAST USED', text: ({ last_used_at }) => (last_used_at ? agoText(last_used_at, now) : 'never') },
    { title: 'MADE BY', text: ({ created_by }) => named(created_by), wide: true },
    { title: 'MADE', text: ({ created_at }) => created_at, wide: true },
    { title: 'REVOKED BY', text: ({ revoked_by }) => named(revoked_by), wide: true },
    { title: 'REVOKED', text: ({ revoked_at }) => revoked_at ?? '', wide: true },
  ]
}

/** Formats a new key. */
function keyLine({ id, name, account, scopes, workspace_id, expires_at, ...key }: Key): string {
  const where = workspace_id === undefined ? '' : `  in ${workspace_id}`
  const until = `until ${expires_at}  never used`
  return printable(`${id}  ${beginningOf(key)}  ${name}  ${account}  ${scopes.join(',')}${where}  ${until}`)
}

function beginningOf({ prefix }: Pick<Key, 'prefix'>): string {
  return `${prefix}…`
}
