import { type Command, Option } from 'commander'
import { auditAbout, auditAction, auditActor, auditOutcome } from '#client/audit-text.ts'
import type { Schema } from '#client/create-client.ts'
import { AUDIT_CATEGORIES, type AuditCategory } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { USER_IDS } from '#core/user/schema.ts'
import type { ApiClient } from '../client/api-client.ts'
import { runIdOf } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { momentOf, wholeNumber } from '../views/format.ts'
import { type ListFlags, printList, withOutput } from '../views/list-output.ts'
import type { Column } from '../views/table.ts'

type Row = Schema<'AuditRecord'>

/** Columns of a list of audit records: who did what, in names. */
const AUDIT_COLUMNS: readonly Column<Row>[] = [
  { title: 'TIME', text: ({ event }) => event.ts.replace('T', ' ') },
  { title: 'WHO', text: (row) => named(row, auditActor(row)) },
  { title: 'DID', text: auditAction },
  { title: 'ABOUT', text: (row) => named(row, auditAbout(row)), cut: true },
  { title: 'WHAT', text: (row) => named(row, auditOutcome(row)), cut: true },
  { title: 'ACTION', text: ({ event }) => event.action, wide: true },
  { title: 'RUN', text: ({ event }) => event.run_id ?? '', wide: true },
  { title: 'VIA', text: ({ event }) => event.channel ?? '', wide: true },
  { title: 'CATEGORY', text: ({ event }) => event.category, wide: true },
  { title: 'RECORD', text: ({ seq }) => `#${seq}`, wide: true },
]

const MAX_REASON_CHARACTERS = 500

interface AuditFlags extends ListFlags {
  category?: AuditCategory
  actor?: string
  people?: boolean
  run?: string
  since?: string
  until?: string
  limit: number
  workspace?: string
}

interface AuditDeps extends Pick<CliDeps, 'acceptAudit' | 'out' | 'err' | 'screen'> {
  api(workspace?: string): Pick<ApiClient, 'audit' | 'runs'>
}

/** `svc audit`: who did what, and `svc audit accept`: a person's word that the audit log is right where the database does not know it. */
export function registerAudit(program: Command, deps: AuditDeps): void {
  const audit = withOutput(
    program.command('audit').description('list the audit log of a workspace: who did what, newest first'),
  )
    .addOption(new Option('--category <name>', 'only of this category').choices([...AUDIT_CATEGORIES]))
    .option('--actor <who>', 'only what they did: an id, or a part of the name, the mail address or the id of people')
    .option('--people', 'only what people did')
    .option('--run <run>', 'only about this run; the first characters of its id are enough')
    .option('--since <time>', 'from then on: 2h, 7d or a time (RFC 3339)', momentOf)
    .option('--until <time>', 'before then', momentOf)
    .option('--limit <n>', 'at most so many', wholeNumber(), 20)
    .option('--workspace <id or name>', 'where (default: SVC_WORKSPACE, else your own)')
    .addHelpText('after', '\nNothing is verified here: svc lineage <run> verifies the log.')
    .action((flags: AuditFlags) => list(deps, flags))
  audit
    .command('accept')
    .description('take over into the database the records that only the audit log has, after the database was restored')
    .requiredOption('--reason <text>', 'why the log is right; it is recorded')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit status: 0 taken over, 64 no reason, 69 the log or the database cannot be used, 75 there is nothing to accept.',
    )
    // options that `svc audit` has too are parsed by it, wherever they are written
    .action((_: object, command: Command) => accept(deps, command.optsWithGlobals()))
}

async function list(deps: AuditDeps, flags: AuditFlags): Promise<void> {
  const { category, actor, people, run, since, until, limit, workspace } = flags
  const api = deps.api(workspace)
  const query = {
    ...(category !== undefined && { category }),
    ...(actor !== undefined && { actor }),
    ...(people && { people: 'true' as const }),
    ...(run !== undefined && { run_id: await runIdOf(api, run) }),
    ...(since !== undefined && { from: since }),
    ...(until !== undefined && { to: until }),
  }
  const { items: rows, ...counted } = await api.audit(query, limit)
  printList(deps, flags, { columns: AUDIT_COLUMNS, rows, empty: 'no record matches', ...counted })
}

async function accept(deps: AuditDeps, { reason, json }: { reason: string; json?: boolean }): Promise<void> {
  const text = reason.trim()
  if (text === '' || text.length > MAX_REASON_CHARACTERS)
    throw new DomainError('validation_failed', `--reason takes 1 to ${MAX_REASON_CHARACTERS} characters`)
  const accepted = await deps.acceptAudit(text)
  if (json) return deps.out(visibleJson(accepted))
  const { from_seq, to_seq, records } = accepted
  deps.out(`${records} records taken over, ${from_seq} to ${to_seq}; the worker continues within half a minute`)
}

/** The text with names in the place of the ids of people. */
function named({ people = [] }: Row, text: string): string {
  return text.replaceAll(USER_IDS, (id) => people.find((person) => person.id === id)?.display ?? id)
}
