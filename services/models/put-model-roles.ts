import { DomainError, type FieldError } from '#core/errors.ts'
import type { FileFault } from '#core/file-fault.ts'
import { MODEL_ROLES, type ModelRoles, noSuchModel } from '#core/models/model.ts'
import type { ModelRolesRecord } from '#core/models/roles-record-schema.ts'
import { EVERYWHERE, ROLES_OF_MODELS } from '#store/authored/console-documents.ts'
import { mustBeDeploymentAdmin } from '../authored/setting-record.ts'
import { authoredAudit, authorOf, mustMatch, overtaken } from '../authored-document.ts'
import { defineVerb } from '../define-verb.ts'
import type { ModelAdminPorts } from './model-ports.ts'
import { currentRoles, type RolesContext, toRolesRecord } from './roles-record.ts'

/** Sets the console's bindings of model roles, over `models.yaml`; an absent role is removed from the console's document. */
export const putModelRoles = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (
    ctx: RolesContext,
    { roles, if_match }: { roles: ModelRoles; if_match?: string | undefined },
  ): Promise<ModelRolesRecord> => {
    mustBeDeploymentAdmin(ctx, 'the roles of models')
    const { row, etag } = await currentRoles(ctx)
    mustMatch(if_match, etag)
    mustBeModels(ctx, roles)
    const ordered = Object.fromEntries(MODEL_ROLES.flatMap((role) => (roles[role] ? [[role, roles[role]]] : [])))
    const document = Object.keys(ordered).length === 0 ? undefined : JSON.stringify({ roles: ordered })
    if (document !== row?.document) await store(ctx, row?.document, document)
    await ctx.models.reloadConsole()
    return await getModelRoles(ctx)
  },
)

async function store(ctx: RolesContext, before: string | undefined, document: string | undefined): Promise<void> {
  const name = ROLES_OF_MODELS
  const author = authorOf(ctx)
  const audit = authoredAudit(ctx, {
    action: 'model_roles.updated',
    subject: { type: 'model_roles', id: 'console/model-roles' },
    before,
    after: document,
    data: { author, ...(document !== undefined && JSON.parse(document)) },
  })
  const done =
    before === undefined
      ? document === undefined || (await ctx.model_roles.create(EVERYWHERE, { name, document, author }, audit))
      : document === undefined
        ? await ctx.model_roles.remove(EVERYWHERE, { name, before }, audit)
        : await ctx.model_roles.replace(EVERYWHERE, { name, document, author, before }, audit)
  if (!done) throw overtaken()
}

/** In the words of `models.yaml`. */
function mustBeModels(ctx: Pick<RolesContext, 'models'>, roles: ModelRoles): void {
  const ids = ctx.models.bound().models.map(({ id }) => id)
  const errors = MODEL_ROLES.flatMap((role) =>
    (['model', 'fallback'] as const).flatMap((as): FieldError[] => {
      const name = roles[role]?.[as]
      if (name === undefined || ids.includes(name)) return []
      const msg = noSuchModel(name, ids)
      return [{ pointer: `/roles/${role}/${as}`, loc: ['roles', role, as], msg, type: 'reference' }]
    }),
  )
  const [first] = errors
  if (first !== undefined) throw new DomainError('validation_failed', first.msg, { errors })
}

/** Returns the bindings of roles, and their source. */
export async function getModelRoles(ctx: RolesContext): Promise<ModelRolesRecord> {
  return toRolesRecord(ctx, await currentRoles(ctx))
}

/** Returns the roles that the console bound to models which `models.yaml` no longer has. */
export function roleFaults(models: Pick<ModelAdminPorts['models'], 'bound' | 'layers'>): FileFault[] {
  const ids = models.bound().models.map(({ id }) => id)
  const said = models.layers().console
  return MODEL_ROLES.flatMap((role) =>
    [said[role]?.model, said[role]?.fallback].flatMap((name) => {
      if (name === undefined || ids.includes(name)) return []
      return [{ file: 'what the console says about models', message: `the role ${role}: ${noSuchModel(name, ids)}` }]
    }),
  )
}
