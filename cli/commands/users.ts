import { type Command, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { agoText } from '#core/time/format-time.ts'
import { ROLE_NAMES, type RoleName } from '#core/user/schema.ts'
import type { ApiClient } from '../client/api-client.ts'
import { workspaceNamed } from '../client/find-named.ts'
import { userNamed } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { pc, printable, wholeNumber, workspaceNames } from '../views/format.ts'
import { isJson, type ListFlags, printList, withOutput } from '../views/list-output.ts'
import type { Column } from '../views/table.ts'
import { editOf, type UserFlags } from './users/user-edit.ts'

type User = Schema<'User'>
type Workspaces = readonly Pick<Schema<'Workspace'>, 'id' | 'slug' | 'name'>[]

interface UsersDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(): Pick<ApiClient, 'users' | 'workspaces' | 'inviteUser' | 'changeUser'>
  config(): { publicUrl: string }
}

interface InviteFlags {
  role: RoleName[]
  workspace?: string[]
  approvalRole?: string[]
  scope?: string[]
  name?: string
  json?: boolean
}

const MAX = 1_000

/** `svc users`: lists, invites and changes people and service accounts. */
export function registerUsers(program: Command, deps: UsersDeps): void {
  const users = program.command('users').description('people and service accounts')
  withOutput(users.command('list', { isDefault: true }).description('list them (owner, admin or auditor)'))
    .option('--limit <n>', 'at most so many', wholeNumber(), 200)
    .action((flags: ListFlags & { limit: number }) => list(deps, flags))
  users
    .command('invite')
    .description('invite a person or a service account; the link is shown this once (owner or admin)')
    .argument('<email>', 'the address to sign in with')
    .addOption(roles('--role <role...>', 'what they may do').makeOptionMandatory())
    .option('--workspace <id or name...>', 'where; the first is their home')
    .option('--approval-role <name...>', 'names that policies ask for by approval_role')
    .option('--scope <scope...>', 'rights beyond the roles, such as approvals:on_behalf')
    .option('--name <text>', 'what messages and records call them')
    .option('--json', 'print JSON')
    .action((email: string, flags: InviteFlags) => invite(deps, email, flags))
  users
    .command('set')
    .description('change what a person or a service account may do, and where (owner or admin)')
    .argument('<user>', 'their mail address, name or id')
    .addOption(roles('--role <role...>', 'these roles and no others').conflicts(['addRole', 'removeRole']))
    .addOption(roles('--add-role <role...>', 'these roles too'))
    .addOption(roles('--remove-role <role...>', 'no longer these roles'))
    .addOption(
      new Option(
        '--workspace <id or name...>',
        'these workspaces and no others; the first is their home; * for all',
      ).conflicts(['addWorkspace', 'removeWorkspace']),
    )
    .option('--add-workspace <id or name...>', 'these workspaces too')
    .option('--remove-workspace <id or name...>', 'no longer these workspaces')
    .option('--home <id or name>', 'where they are when they name no workspace')
    .addOption(
      new Option('--approval-role <name...>', 'these approval roles and no others').conflicts([
        'addApprovalRole',
        'removeApprovalRole',
      ]),
    )
    .option('--add-approval-role <name...>', 'these approval roles too')
    .option('--remove-approval-role <name...>', 'no longer these approval roles')
    .option('--scope <scope...>', 'these scopes and no others')
    .option('--name <text>', 'what messages and records call them')
    .addOption(new Option('--disable', 'they can no longer sign in').conflicts('enable'))
    .option('--enable', 'they can sign in again; activates a service account')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nNew roles, --disable and --enable end all sessions of the user.')
    .action((named: string, flags: UserFlags & { json?: boolean }) => set(deps, named, flags))
}

function roles(flags: string, description: string): Option {
  return new Option(flags, description).choices([...ROLE_NAMES])
}

async function list(deps: UsersDeps, flags: ListFlags & { limit: number }): Promise<void> {
  const api = deps.api()
  const [{ items, total }, known] = await Promise.all([
    api.users(flags.limit),
    isJson(flags) ? { items: [] } : api.workspaces(MAX),
  ])
  const empty = 'there are no users; the first one is made with: svc admin bootstrap'
  printList(deps, flags, { columns: columnsAt(Date.now(), known.items), rows: items, empty, total })
}

async function invite(deps: UsersDeps, email: string, flags: InviteFlags): Promise<void> {
  const api = deps.api()
  const { items: known } = await api.workspaces(MAX)
  const { role, approvalRole, scope, name } = flags
  const workspaces = homeFor(flags, known)
  const invited = await api.inviteUser({
    email,
    roles: role,
    ...(workspaces !== undefined && { workspaces }),
    ...(approvalRole !== undefined && { approval_roles: approvalRole }),
    ...(scope !== undefined && { scopes: scope }),
    ...(name !== undefined && { display_name: name }),
  })
  const link = `${deps.config().publicUrl}/console/join#${invited.id}.${invited.invite_token}`
  if (flags.json) return deps.out(visibleJson({ ...invited, link }))
  for (const line of userLines(invited, known)) deps.out(line)
  if (invited.roles.includes('service')) {
    deps.out(pc.dim(`  activate it with: svc users set ${invited.id} --enable`))
    return
  }
  deps.out(link)
  deps.out(pc.dim(`  It is shown this once and good until ${invited.invite_expires_at}; its holder sets the password.`))
}

/** Of several workspaces one must be named; a single one is assumed. */
function homeFor({ role, workspace }: InviteFlags, known: Workspaces): string[] | undefined {
  if (workspace !== undefined)
    return workspace.map((named) => (named === '*' ? named : workspaceNamed(named, known).id))
  if (role.includes('owner') || role.includes('admin')) return undefined
  const [only, ...others] = known
  if (only !== undefined && others.length === 0) return [only.id]
  const slugs = known.map(({ slug }) => slug)
  throw new DomainError(
    'validation_failed',
    `say where with --workspace <name>; there are: ${slugs.join(', ') || 'none'}`,
  )
}

async function set(deps: UsersDeps, named: string, flags: UserFlags & { json?: boolean }): Promise<void> {
  const api = deps.api()
  const [user, { items: known }] = await Promise.all([userNamed(api, named), api.workspaces(MAX)])
  const edit = editOf(user, flags, (place) => workspaceNamed(place, known).id)
  const changed = await api.changeUser(user.id, user.etag, edit)
  if (flags.json) return deps.out(visibleJson(changed))
  for (const line of userLines(changed, known)) deps.out(line)
}

function userLines(user: User, known: Workspaces): string[] {
  const { id, email, display_name, roles: held, approval_roles, scopes, status } = user
  const row = (label: string, value: string) =>
    value === '' ? [] : [`  ${pc.dim(label.padEnd(12))}${printable(value)}`]
  return [
    printable(`${[email, display_name].filter(Boolean).join('  ')} (${id})`),
    ...row('roles', held.join(', ')),
    ...row('workspaces', workspaceNames(user.workspaces, known, true)),
    ...row('approves as', approval_roles.join(', ')),
    ...row('scopes', scopes.join(', ')),
    ...row('status', status),
  ]
}

function columnsAt(now: number, known: Workspaces): Column<User>[] {
  return [
    { title: 'USER', text: ({ id }) => id },
    { title: 'EMAIL', text: ({ email }) => email ?? '' },
    { title: 'NAME', text: ({ display_name }) => display_name ?? '', cut: true },
    { title: 'ROLES', text: (user) => user.roles.join(', ') },
    { title: 'APPROVES AS', text: ({ approval_roles }) => approval_roles.join(', '), cut: true },
    { title: 'WORKSPACES', text: ({ workspaces }) => workspaceNames(workspaces, known, false), cut: true },
    { title: 'WORKSPACE IDS', text: ({ workspaces }) => workspaces.join(', '), wide: true },
    { title: 'STATUS', text: ({ status }) => status },
    { title: 'AWAY UNTIL', text: ({ out_of_office_until }) => out_of_office_until ?? '', wide: true },
    { title: 'LAST SEEN', text: ({ last_login_at }) => (last_login_at ? agoText(last_login_at, now) : '') },
  ]
}
