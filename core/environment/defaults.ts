import type { ConsoleProfile } from './console-schema.ts'
import {
  type ApprovalSettings,
  ENVIRONMENT_CLASSES,
  type Environment,
  type EnvironmentClass,
  type Profile,
} from './environment.ts'
import type { EnvironmentFile, ProfileFile } from './schema.ts'

/** The environments of a fresh deployment, one per class. Only `development` reaches loopback, so that a laptop can be tried on. */
export const SEEDED_ENVIRONMENTS: readonly Environment[] = ENVIRONMENT_CLASSES.map((name) => blank(name, name))

/** Applies an environment file over the values below it. A new environment without a class counts as production. */
export function applyEnvironmentFile(base: Environment | undefined, file: EnvironmentFile): Environment {
  const under = base ?? blank(file.name, 'production')
  const profile = file.profile ?? under.profile
  const workspaces = file.workspaces ?? under.workspaces
  const notify = file.notify ?? under.notify
  const knowledge = file.knowledge ?? under.knowledge
  const backends = file.backends ?? under.backends
  const queues = { ...under.queues, ...file.queues }
  const processes = file.processes ?? under.processes
  const on_lost_standing = file.on_lost_standing ?? under.on_lost_standing
  return {
    name: file.name,
    class: file.class ?? under.class,
    policies: file.policies ?? under.policies,
    ...(knowledge !== undefined && { knowledge }),
    cost_gate: { ...under.cost_gate, ...withoutUndefined(file.cost_gate ?? {}) },
    approval: { ...under.approval, ...approvalOf(file.approval ?? {}) },
    // the reach of a laptop must not be inherited by another class
    egress: file.egress ?? (file.class === undefined || file.class === under.class ? under.egress : []),
    ...(processes !== undefined && { processes }),
    ...(profile !== undefined && { profile }),
    ...(notify !== undefined && { notify }),
    connections: { ...under.connections, ...file.connections },
    ...(Object.keys(queues).length > 0 && { queues }),
    freeze: file.freeze ?? under.freeze,
    ...(workspaces !== undefined && { workspaces }),
    ...(on_lost_standing !== undefined && { on_lost_standing }),
    ...(backends !== undefined && { backends }),
  }
}

/** Always active, without approvers. */
const UNKNOWN: Environment['freeze'][number] = {
  name: 'environment-unknown',
  interval: { from: '1970-01-01T00:00:00Z', to: '9999-12-31T00:00:00Z' },
  scope: 'writes',
  freeze_approvers: [],
}

/**
 * Returns the strictest environment there is, for one that was removed or whose restrictions are unknown: production without connections or
 * reach, where every step may only read, since its quorum and its freezes are unknown too.
 */
export function removedEnvironment(name: string): Environment {
  return {
    ...blank(name, 'production'),
    cost_gate: { max_usd: 0 },
    approval: { prevent_self: true, min_approvals: 1, escalate_to: [], channels: [], links: false },
    egress: [],
    freeze: [UNKNOWN],
  }
}

export function profileFromFile(file: ProfileFile): Profile {
  const { environment, limits, require_plan_hash, model_roles, audit } = file
  return {
    name: file.name,
    requires_approval: file.requires_approval,
    ...withoutUndefined({ environment, require_plan_hash }),
    ...(limits !== undefined && { limits: withoutUndefined(limits) }),
    ...modelSettings({}, { model_roles, audit }),
  }
}

/** Applies a console document of a profile over the values below it. */
export function applyConsoleProfile(base: Profile | undefined, document: ConsoleProfile): Profile {
  const { environment, requires_approval, require_plan_hash, limits, model_roles, audit } = document
  const under = base ?? { name: document.name, requires_approval: [] }
  return {
    ...under,
    ...withoutUndefined({ environment, requires_approval, require_plan_hash }),
    ...(limits !== undefined && { limits: { ...under.limits, ...withoutUndefined(limits) } }),
    ...modelSettings(under, { model_roles, audit }),
  }
}

/** Overrides role by role. */
function modelSettings(
  under: Partial<Profile>,
  document: Pick<ProfileFile, 'model_roles' | 'audit'>,
): Partial<Profile> {
  const model_roles = { ...under.model_roles, ...withoutUndefined(document.model_roles ?? {}) }
  const model_texts = document.audit?.model_texts ?? under.audit?.model_texts
  return {
    ...(Object.keys(model_roles).length > 0 && { model_roles }),
    ...(model_texts !== undefined && { audit: { model_texts } }),
  }
}

function approvalOf(file: NonNullable<EnvironmentFile['approval']>): Partial<ApprovalSettings> {
  const { remind_after: remind_after_ms, escalate_after: escalate_after_ms, ...rest } = file
  return withoutUndefined({ ...rest, remind_after_ms, escalate_after_ms })
}

function blank(name: string, environmentClass: EnvironmentClass): Environment {
  return {
    name,
    class: environmentClass,
    policies: [],
    cost_gate: {},
    approval: { prevent_self: false, min_approvals: 1, escalate_to: [], channels: [], links: true },
    egress: name === 'development' && environmentClass === 'development' ? ['loopback'] : [],
    connections: {},
    freeze: [],
  }
}

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}
