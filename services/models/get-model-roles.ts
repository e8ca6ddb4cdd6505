import type { ModelRolesRecord } from '#core/models/roles-record-schema.ts'
import { type RolesContext, standingRoles, toRolesRecord } from './roles-record.ts'

/** Which models the roles are, and where that is said. */
export async function getModelRoles(ctx: RolesContext): Promise<ModelRolesRecord> {
  return toRolesRecord(ctx, await standingRoles(ctx))
}
