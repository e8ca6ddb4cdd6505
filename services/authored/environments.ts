import { loosenedSettings } from '#core/config/loosened-settings.ts'
import type {
  BackendsEdit,
  ConsoleEnvironment,
  EnvironmentRecord,
  SettingLayers,
} from '#core/environment/console-schema.ts'
import { type Environment, EVERY_WORKSPACE, grantsOf, isGranted } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import type { ConnectionContext } from '../connections/connection-ports.ts'
import { defineVerb } from '../define-verb.ts'
import { defineSetting } from './define-setting.ts'
import type { SettingContext, SettingKind } from './setting-ports.ts'

/** Every environment that the caller may know of. */
export const environments = defineSetting(
  {
    kind: 'environment',
    called: 'an environment',
    audit: {
      created: { action: 'environment.created' },
      updated: { action: 'environment.updated' },
      deleted: { action: 'environment.deleted' },
    },
  },
  environmentKind,
)

type Shown = Omit<EnvironmentRecord, keyof SettingLayers>

/** Environments, as the caller may know of them: those that runs of the caller's workspace may use. */
function environmentKind(ctx: SettingContext): SettingKind<Environment, ConsoleEnvironment, Shown> {
  const everywhere = ctx.actor.workspaces === '*'
  return {
    kind: 'environment',
    lint: ctx.setting_ports.lintEnvironment,
    composed: (document, name) => ctx.setting_ports.source.composed(name, document),
    async loosened(before, after) {
      const attached = (after?.policies ?? []).filter((name) => before?.policies.includes(name) !== true)
      const found = loosenedSettings(before, after)
      if (attached.length === 0 || found.includes('policies')) return found
      return (await ctx.setting_ports.attachingLoosens(attached)) ? [...found, 'policies'] : found
    },
    names: () => ctx.environments.list().map(({ name }) => name),
    isSeen: (environment) => everywhere || isGranted(environment, ctx.workspace_slug),
    shown: (environment) => ({
      ...shown(environment, everywhere ? undefined : ctx.workspace_slug),
      granted: isGranted(environment, ctx.workspace_slug),
    }),
  }
}

/** Without secrets, and of the workspaces that may use it only the caller's own. */
function shown(environment: Environment, slug: string | undefined): Omit<Shown, 'granted'> {
  const {
    name,
    policies,
    knowledge = [],
    cost_gate,
    approval,
    freeze,
    profile,
    notify,
    on_lost_standing,
    connections,
    queues = {},
    backends = { object_store: 'fs' },
  } = environment
  const grants = grantsOf(environment)
  return {
    name,
    class: environment.class,
    policies,
    knowledge,
    workspaces: grants.filter((each) => slug === undefined || each === slug || each === EVERY_WORKSPACE),
    cost_gate,
    approval: { ...approval },
    freeze: freeze.map((window) => ({ ...window })),
    ...(profile !== undefined && { profile }),
    ...(notify !== undefined && { notify }),
    ...(on_lost_standing !== undefined && { on_lost_standing }),
    backends: { ...backends },
    connections: Object.entries(connections).map(([id, { kind }]) => ({ id, kind })),
    queues: Object.entries(queues).map(([queue, binding]) => ({ name: queue, ...binding })),
  }
}

interface At {
  name: string
  if_match?: string | undefined
}

/** Sets the policies of the console that an environment attaches. The rest of its document stays. */
export const attachPolicies = defineVerb(
  environments.update.needs,
  async (ctx: SettingContext, { policies, ...at }: At & { policies: string[] }) =>
    await editEnvironment(ctx, at, { policies }),
)

/** Sets the corpora that an environment attaches. The rest of its document stays. */
export const attachKnowledge = defineVerb(
  environments.update.needs,
  async (ctx: SettingContext, { knowledge, ...at }: At & { knowledge: string[] }) =>
    await editEnvironment(ctx, at, { knowledge }),
)

/** Sets where an environment keeps the artifacts of its runs. The rest of its document stays, and so do artifacts where they are. */
export const setBackends = defineVerb(
  environments.update.needs,
  async (ctx: SettingContext & ConnectionContext, { backends, ...at }: At & { backends: BackendsEdit }) => {
    await mustBeBucket(ctx, backends)
    return await editEnvironment(ctx, at, { backends })
  },
)

async function mustBeBucket(
  { connection_ports }: ConnectionContext,
  { object_connection }: BackendsEdit,
): Promise<void> {
  if (object_connection === undefined) return
  const kind = (await connection_ports.store.find(object_connection))?.kind
  if (kind === 's3') return
  const msg =
    kind === undefined ? `there is no connection ${object_connection}` : `${object_connection} is of the kind ${kind}`
  throw new DomainError('validation_failed', `/object_connection: ${msg}`, {
    errors: [{ pointer: '/object_connection', loc: ['object_connection'], msg, type: 'connection' }],
  })
}

async function editEnvironment(ctx: SettingContext, { name, if_match }: At, edit: Record<string, unknown>) {
  return await environments.change(ctx, { key: name, if_match }, ({ row }) =>
    ctx.setting_ports.edited(row?.document, name, edit),
  )
}
