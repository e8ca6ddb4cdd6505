import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import { workspaceNamed } from '../client/find-named.ts'
import type { CliDeps } from '../deps.ts'
import { dollars, pc, printable, wholeNumber } from '../views/format.ts'
import { type ListFlags, printList, withOutput } from '../views/list-output.ts'
import type { Column } from '../views/table.ts'

type Workspace = Schema<'Workspace'>

interface WorkspacesDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(): Pick<ApiClient, 'workspaces' | 'createWorkspace' | 'changeWorkspace'>
}

/** Limits as options give them; `none` takes one away. */
interface LimitFlags {
  dailyUsd?: number | 'none'
  realtime?: number | 'none'
  background?: number | 'none'
}

interface DraftFlags extends LimitFlags {
  name?: string
  environment?: string
  json?: boolean
}

interface SetFlags extends DraftFlags {
  protected?: boolean
  archive?: boolean
  restore?: boolean
}

const MAX = 1_000

const COLUMNS: Column<Workspace>[] = [
  { title: 'WORKSPACE', text: ({ slug }) => slug },
  { title: 'NAME', text: ({ name }) => name, cut: true },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'ENVIRONMENT', text: ({ default_environment }) => default_environment },
  { title: 'LIMITS', text: limitsText, wide: true },
  { title: 'PROTECTED', text: (each) => (each.protected ? 'yes' : ''), wide: true },
  { title: 'ID', text: ({ id }) => id },
]

/** `svc workspaces`: lists those that the caller may enter, makes and changes them. */
export function registerWorkspaces(program: Command, deps: WorkspacesDeps): void {
  const workspaces = program.command('workspaces').description('workspaces')
  withOutput(workspaces.command('list', { isDefault: true }).description('list those that you may enter'))
    .option('--limit <n>', 'at most so many', wholeNumber(), 200)
    .action(async (flags: ListFlags & { limit: number }) => {
      const { items, total } = await deps.api().workspaces(flags.limit)
      const empty = 'you may enter no workspace: an owner or admin lets you in'
      printList(deps, flags, { columns: COLUMNS, rows: items, empty, total })
    })
  withDraft(workspaces.command('create').description('make a workspace (owner or admin of all workspaces)'))
    .argument('<slug>', 'its short name, which never changes: lower-case letters, digits and dashes')
    .action((slug: string, flags: DraftFlags) => create(deps, slug, flags))
  withDraft(workspaces.command('set').description('change a workspace (owner or admin)'))
    .argument('<workspace>', 'its slug, name or id')
    .option('--protected', 'it cannot be archived')
    .option('--no-protected', 'it can be archived')
    .addOption(new Option('--archive', 'it can be read, and nothing in it changes').conflicts('restore'))
    .option('--restore', 'take it out of the archive')
    .action((named: string, flags: SetFlags) => set(deps, named, flags))
}

function withDraft(command: Command): Command {
  return command
    .option('--name <text>', 'what people call it')
    .option('--environment <name>', 'environment of runs that name none')
    .option('--daily-usd <usd>', 'what it may cost a UTC day, in US dollars; none for no limit', orNone(dollars))
    .option('--realtime <n>', 'operations at once in this lane; none for no limit of its own', orNone(wholeNumber()))
    .option('--background <n>', 'operations at once in this lane; none for no limit of its own', orNone(wholeNumber()))
    .option('--json', 'print JSON')
}

function orNone(parse: (text: string) => number): (text: string) => number | 'none' {
  return (text) => {
    if (text === 'none') return text
    try {
      return parse(text)
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error
      throw new InvalidArgumentError(`${error.message}, or none`)
    }
  }
}

async function create(deps: WorkspacesDeps, slug: string, flags: DraftFlags): Promise<void> {
  const { name = slug, environment } = flags
  const limits = limitsOf({}, flags)
  const made = await deps.api().createWorkspace({
    slug,
    name,
    ...(environment !== undefined && { default_environment: environment }),
    ...(limits !== undefined && { limits }),
  })
  show(deps, made, flags)
  if (!flags.json) deps.out(pc.dim(`  It may use the environments whose files name it: workspaces: [${slug}]`))
}

async function set(deps: WorkspacesDeps, named: string, flags: SetFlags): Promise<void> {
  const api = deps.api()
  const current = workspaceNamed(named, (await api.workspaces(MAX)).items)
  const { name, environment, archive, restore } = flags
  const limits = limitsOf(current.limits, flags)
  const edit: Schema<'WorkspaceEdit'> = {
    ...(name !== undefined && { name }),
    ...(environment !== undefined && { default_environment: environment }),
    ...(limits !== undefined && { limits }),
    ...(flags.protected !== undefined && { protected: flags.protected }),
    ...(archive && { status: 'archived' as const }),
    ...(restore && { status: 'active' as const }),
  }
  if (Object.keys(edit).length === 0)
    throw new DomainError('validation_failed', 'say what changes, such as --name "…"; see svc workspaces set --help')
  show(deps, await api.changeWorkspace(current.id, current.etag, edit), flags)
}

/** Returns all limits, as the API takes them; undefined where none changes. */
function limitsOf(current: Workspace['limits'], flags: LimitFlags): Workspace['limits'] | undefined {
  const { dailyUsd: daily_usd, realtime, background } = flags
  const given = Object.entries({ daily_usd, realtime, background }).filter(([, value]) => value !== undefined)
  if (given.length === 0) return undefined
  const kept = given.filter(([, value]) => value !== 'none')
  const others = Object.entries(current).filter(([name]) => !given.some(([each]) => each === name))
  return Object.fromEntries([...others, ...kept])
}

function limitsText({ limits: { daily_usd, realtime, background } }: Workspace): string {
  const parts = [
    daily_usd === undefined ? '' : `$${daily_usd} a day`,
    realtime === undefined ? '' : `${realtime} realtime`,
    background === undefined ? '' : `${background} background`,
  ]
  return parts.filter(Boolean).join(', ')
}

function show({ out }: Pick<WorkspacesDeps, 'out'>, workspace: Workspace, { json }: DraftFlags): void {
  if (json) {
    out(visibleJson(workspace))
    return
  }
  const { id, slug, name, status, default_environment } = workspace
  const row = (label: string, value: string) => value !== '' && out(`  ${pc.dim(label.padEnd(12))}${printable(value)}`)
  out(printable(`${slug} (${id})`))
  row('name', name === slug ? '' : name)
  row('status', workspace.protected ? `${status}, protected` : status)
  row('environment', default_environment)
  row('limits', limitsText(workspace))
}
