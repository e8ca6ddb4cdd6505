import { MODEL_ROLES, type RoleBinding, whyNeverCalled } from '#core/models/model.ts'
import { type ModelRolesRecord, parseConsoleRoles } from '#core/models/roles-record-schema.ts'
import type { AuthoredRow } from '#store/authored/authored.ts'
import { EVERYWHERE, ROLES_OF_MODELS } from '#store/authored/console-documents.ts'
import { isDeployments } from '../authored/setting-record.ts'
import { digestOf } from '../authored-document.ts'
import type { ServiceContext } from '../context.ts'
import type { ModelAdminPorts } from './model-ports.ts'

export type RolesContext = ServiceContext & Pick<ModelAdminPorts, 'models' | 'model_roles'>

/** The roles by the text that is stored and the file as this process knows it. */
export async function currentRoles(ctx: RolesContext): Promise<{ row: AuthoredRow | undefined; etag: string }> {
  const row = await ctx.model_roles.find(EVERYWHERE, ROLES_OF_MODELS)
  const { file } = ctx.models.layers()
  return { row, etag: `"${digestOf(ctx, JSON.stringify([file, row?.document ?? null]))}"` }
}

export function toRolesRecord(
  ctx: RolesContext,
  { row, etag }: Awaited<ReturnType<typeof currentRoles>>,
): ModelRolesRecord {
  const said = (row && parseConsoleRoles(row.document)) ?? {}
  const { file } = ctx.models.layers()
  const roles = MODEL_ROLES.flatMap((role) => {
    const binding = said[role] ?? file[role]
    if (binding === undefined) return []
    const problem = problemOf(ctx, binding)
    const layer: 'console' | 'file' = said[role] === undefined ? 'file' : 'console'
    return [[role, { ...binding, layer, ...(problem !== undefined && { problem }) }] as const]
  })
  return {
    roles: Object.fromEntries(roles),
    said,
    ...(row !== undefined && { updated_at: row.updated_at, ...(isDeployments(ctx) && { author: row.author }) }),
    etag,
  }
}

function problemOf(ctx: Pick<RolesContext, 'models'>, binding: RoleBinding): string | undefined {
  const { models } = ctx.models.bound()
  for (const name of [binding.model, binding.fallback]) {
    if (name === undefined) continue
    const model = models.find(({ id }) => id === name)
    if (model === undefined) return `there is no model ${name} in models.yaml`
    const never = whyNeverCalled(model)
    if (never !== undefined) return `the model ${name} is never called: ${never}`
  }
  return undefined
}
