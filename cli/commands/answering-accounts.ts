import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import type { ApiClient } from '../client/api-client.ts'
import { answeringAccountNamed } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { printable } from '../views/format.ts'
import { type ListFlags, printList, withOutput } from '../views/list-output.ts'
import type { Column } from '../views/table.ts'

type Account = Schema<'AnsweringAccount'>

interface Deps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(): Pick<ApiClient, 'answeringAccounts' | 'addAnsweringAccount' | 'removeAnsweringAccount'>
}

/** `svc answering-accounts`: which service accounts may answer gates for the caller. */
export function registerAnsweringAccounts(program: Command, deps: Deps): void {
  const accounts = program
    .command('answering-accounts')
    .description('the service accounts that may answer gates for you')
  withOutput(accounts.command('list').description('list those that could, and which of them do')).action(
    async (flags: ListFlags) => {
      const rows = await deps.api().answeringAccounts()
      const empty =
        'no service account of your workspaces could answer for you: it needs the role service and the scope approvals:on_behalf'
      printList(deps, flags, { columns: COLUMNS, rows, empty })
    },
  )
  accounts
    .command('add')
    .description('let a service account answer gates for you; its answers are your votes')
    .argument('<account>', 'its mail address, name or id')
    .action(async (name: string) => {
      const { id, display } = await answeringAccountNamed(deps.api(), name)
      await deps.api().addAnsweringAccount(id)
      deps.out(printable(`${display} may answer gates for you; to stop it: svc answering-accounts remove ${id}`))
    })
  accounts
    .command('remove')
    .description('let it no longer answer for you; its answers count no longer at open gates')
    .argument('<account>', 'its mail address, name or id')
    .action(async (name: string) => {
      const { id, display } = await answeringAccountNamed(deps.api(), name)
      await deps.api().removeAnsweringAccount(id)
      deps.out(printable(`${display} no longer answers gates for you`))
    })
}

const COLUMNS: Column<Account>[] = [
  { title: 'ACCOUNT', text: ({ id }) => id },
  { title: 'EMAIL', text: ({ email }) => email ?? '' },
  { title: 'NAME', text: ({ display, email }) => (display === email ? '' : display), cut: true },
  { title: 'ANSWERS FOR YOU', text: ({ named, answers }) => (answers ? 'yes' : named ? 'named, but cannot' : 'no') },
]
