import { type Command, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { type HaltScope, scopeText } from '#core/halt/halt.ts'
import type { HaltRecord } from '#core/halt/schema.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { formatTime } from '#core/time/format-time.ts'
import type { ApiClient } from '../client/api-client.ts'
import { haltIdOf, workspaceGiven } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { counted, pc, printable, wholeNumber } from '../views/format.ts'
import { restOf } from '../views/list-output.ts'

interface HaltFlags {
  workspace?: string
  environment?: string
  template?: string
  requester?: string
  reason?: string
  list?: boolean
  lift?: string
  refused?: string
  start?: string
  limit?: number
  json?: boolean
}

interface HaltDeps extends Pick<CliDeps, 'out' | 'err'> {
  api(
    workspace?: string,
  ): Pick<
    ApiClient,
    'halts' | 'setHalt' | 'liftHalt' | 'me' | 'workspace' | 'workspaces' | 'refusedStarts' | 'startRefused'
  >
}

const MAX_REFUSED = 1_000
const MAX_WORKSPACES = 10_000
/** a start is looked for as far as its list goes */
const ALL_REFUSED = Number.MAX_SAFE_INTEGER

/** `svc halt`: stops what the caller may stop, or what its options narrow it to; `--list` and `--lift` show it and end it. */
export function registerHalt(program: Command, deps: HaltDeps): void {
  const other = (flags: string, description: string) => new Option(flags, description).conflicts('reason')
  program
    .command('halt')
    .description('stop everything you may stop, or what the options narrow it to, until it is lifted')
    .option('--workspace <id or name>', 'only in this workspace (default: all of them, else each of yours)')
    .option('--environment <name>', 'only in this environment')
    .option('--template <pack/template>', 'only runs of this template')
    .option('--requester <id or e-mail>', 'only what this person, service account or schedule asked for')
    .option('--reason <text>', 'why; everybody who is stopped reads it')
    .addOption(other('--list', 'list the halts in force').conflicts(['lift', 'refused']))
    .addOption(other('--refused <id>', 'list the starts that a halt has refused').conflicts('lift'))
    .addOption(new Option('--start <id>', 'with --refused: start the one with this id'))
    .option('--limit <n>', `with --refused: list at most so many (default: ${MAX_REFUSED})`, wholeNumber())
    .addOption(other('--lift <id>', 'lift a halt, by its id or the first characters of it: held runs continue'))
    .option('--json', 'print JSON')
    .action((flags: HaltFlags) => halt(deps, flags))
}

async function halt(
  deps: HaltDeps,
  { list, lift, refused, start, limit, json = false, reason, ...named }: HaltFlags,
): Promise<void> {
  if (refused !== undefined)
    return start === undefined
      ? await listRefused(deps, refused, { limit, json })
      : await startRefused(deps, { refused, start })
  if (start !== undefined)
    throw new DomainError('validation_failed', 'name the halt as well: svc halt --refused <halt> --start <id>')
  if (lift !== undefined) {
    const api = deps.api()
    const id = await haltIdOf(api, lift)
    await api.liftHalt(id)
    return deps.out(json ? visibleJson({ id, lifted: true }) : `${printable(id)}  lifted; held runs continue`)
  }
  if (list) {
    const halts = await deps.api().halts()
    if (json) return deps.out(visibleJson(halts))
    const names = await namesOf(deps.api(), halts)
    for (const each of halts) deps.out(haltLine(each, names))
    return
  }
  if (reason === undefined) throw new DomainError('validation_failed', 'say why: svc halt --reason "…"')
  await setHalts(deps, named, { reason, json })
}

/** Sets the halts, and prints one result for each. Throws when one could not be set. */
async function setHalts(
  deps: HaltDeps,
  named: HaltScope,
  { reason, json }: { reason: string; json: boolean },
): Promise<void> {
  const api = deps.api()
  const me = await api.me()
  const isAdmin = me.roles.some((role) => role === 'admin' || role === 'owner')
  const scopes = await scopesOf(api, named, { isAdmin, workspaces: me.workspaces })
  const outcomes = await Promise.allSettled(scopes.map((scope) => api.setHalt({ scope, reason })))
  const made = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const refused = outcomes.flatMap((each, at) =>
    each.status === 'rejected' ? [{ scope: scopes[at] ?? {}, error: each.reason as unknown }] : [],
  )
  const [first] = refused
  if (first !== undefined && scopes.length === 1) throw first.error
  const names = await namesOf(
    api,
    scopes.map((scope) => ({ scope })),
  )
  for (const each of made) {
    if (json) deps.out(visibleJson(each))
    else printMade(deps, each, { names, isAdmin })
  }
  if (!json && named.workspace === undefined && made.some(({ scope }) => scope.workspace !== undefined))
    deps.out(`  it covers your ${made.length === 1 ? 'workspace' : `${made.length} workspaces`}; others continue`)
  for (const { scope, error } of refused)
    deps.err(printable(`not halted: ${scopeText(scope, names)}: ${error instanceof Error ? error.message : error}`))
  if (first !== undefined)
    throw new DomainError('conflict', `${refused.length} of ${scopes.length} workspaces are not halted`)
}

function printMade(
  { out }: Pick<HaltDeps, 'out'>,
  made: HaltRecord,
  { names, isAdmin }: { names: ReadonlyMap<string, string>; isAdmin: boolean },
): void {
  out(haltLine(made, names))
  const lifters = made.may_lift.length === 0 ? 'its admins' : printable(made.may_lift.join(', '))
  out(pc.dim(isAdmin ? `  lift it with: svc halt --lift ${made.id}` : `  you cannot lift it; ask ${lifters}`))
}

/** Without a workspace the halt covers all; a caller who may not halt all halts each of their own. */
async function scopesOf(
  api: Pick<ApiClient, 'workspace' | 'workspaces'>,
  { workspace, ...named }: HaltScope,
  { isAdmin, workspaces }: { isAdmin: boolean; workspaces: readonly string[] },
): Promise<HaltScope[]> {
  const given = await workspaceGiven(api, workspace)
  if (given !== undefined) return [{ ...named, workspace: given }]
  const isOfAll = workspaces.includes('*')
  if (isAdmin && isOfAll) return [named]
  const own = isOfAll ? [await api.workspace()] : workspaces
  return own.map((id) => ({ ...named, workspace: id }))
}

/** Names of the workspaces of these halts by their ids; none where they cannot be read, because the halt counts more. */
async function namesOf(
  api: Pick<ApiClient, 'workspaces'>,
  halts: readonly { scope: HaltScope }[],
): Promise<ReadonlyMap<string, string>> {
  if (halts.every(({ scope }) => scope.workspace === undefined)) return new Map()
  const { items } = await api.workspaces(MAX_WORKSPACES).catch(() => ({ items: [] }))
  return new Map(items.map(({ id, name }) => [id, name]))
}

async function listRefused(
  deps: HaltDeps,
  halt: string,
  { limit = MAX_REFUSED, json }: { limit: number | undefined; json: boolean },
): Promise<void> {
  const { items, total } = await deps.api().refusedStarts(halt, limit)
  if (json) for (const each of items) deps.out(visibleJson(each))
  else if (items.length === 0) deps.err('it has refused nothing')
  else printRefused(deps, halt, items)
  const rest = restOf({ rows: items, total })
  if (rest !== undefined) deps.err(pc.dim(rest))
}

function printRefused(deps: HaltDeps, halt: string, items: Schema<'RefusedStart'>[]): void {
  const now = new Date().toISOString()
  for (const each of items) {
    const { id, trigger, title, template, environment, requested_by, refused, last_at } = each
    const times = refused === 1 ? formatTime(last_at, now) : `${refused} times, last ${formatTime(last_at, now)}`
    deps.out(printable(`${id}  ${trigger}  ${title}  ${template}  ${environment}  ${requested_by}  ${times}`))
    deps.out(pc.dim(printable(`  ${howToStart(halt, each)}`)))
  }
}

function howToStart(halt: string, { id, template, environment, start, run_id }: Schema<'RefusedStart'>): string {
  if (run_id !== undefined) return `started since: ${run_id}`
  if (start !== undefined) return `start it with: svc halt --refused ${halt} --start ${id}`
  return `its inputs are not kept; start it with: svc run ${template} --environment ${environment} -i …`
}

async function startRefused(deps: HaltDeps, { refused, start }: { refused: string; start: string }): Promise<void> {
  const { items } = await deps.api().refusedStarts(refused, ALL_REFUSED)
  const found = items.find(({ id }) => id === start)
  if (found === undefined) throw new DomainError('not_found', `${refused} has refused no ${start}`)
  deps.out(visibleJson(await deps.api(found.workspace_id).startRefused(found)))
}

/** What is shown of a halt in a line. */
export type ListedHalt = Pick<HaltRecord, 'id' | 'scope' | 'reason' | 'created_at' | 'held'> & {
  by: { display: string }
}

export function haltLine(
  { id, scope, reason, by, created_at, held }: ListedHalt,
  names?: ReadonlyMap<string, string>,
): string {
  return printable(
    `${id}  ${scopeText(scope, names)}  ${counted(held.runs, 'run')}  ${by.display}  ${created_at}  ${reason}`,
  )
}
