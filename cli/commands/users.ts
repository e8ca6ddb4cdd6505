import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { agoText } from '#core/time/format-time.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { wholeNumber } from '../views/format.ts'
import { type ListFlags, printList, withOutput } from '../views/list-output.ts'
import type { Column } from '../views/table.ts'

interface UsersDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(): Pick<ApiClient, 'users'>
}

/** `svc users`: people and service accounts, for owners and admins. */
export function registerUsers(program: Command, deps: UsersDeps): void {
  withOutput(program.command('users').description('list people and service accounts (owner or admin)'))
    .option('--limit <n>', 'at most so many', wholeNumber(), 200)
    .action(async (flags: ListFlags & { limit: number }) => {
      const { items, total } = await deps.api().users(flags.limit)
      const empty = 'there are no users; the first one is made with: svc admin bootstrap'
      const columns = columnsAt(Date.now())
      printList(deps, flags, { columns, rows: items, empty, total })
    })
}

function columnsAt(now: number): Column<Schema<'User'>>[] {
  return [
    { title: 'USER', text: ({ id }) => id },
    { title: 'EMAIL', text: ({ email }) => email ?? '' },
    { title: 'NAME', text: ({ display_name }) => display_name ?? '', cut: true },
    { title: 'ROLES', text: ({ roles }) => roles.join(', ') },
    { title: 'APPROVES AS', text: ({ approval_roles }) => approval_roles.join(', '), cut: true },
    { title: 'WORKSPACES', text: ({ workspaces }) => workspaces.join(', '), wide: true },
    { title: 'STATUS', text: ({ status }) => status },
    { title: 'AWAY UNTIL', text: ({ out_of_office_until }) => out_of_office_until ?? '', wide: true },
    { title: 'LAST SEEN', text: ({ last_login_at }) => (last_login_at ? agoText(last_login_at, now) : '') },
  ]
}
