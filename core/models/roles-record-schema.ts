import { z } from 'zod'
import { AUTHORED } from '../policy/console-schema.ts'
import type { ModelRoles } from './model.ts'
import { ofRoles, RoleBindings } from './role-schema.ts'

const Bound = z.object({ model: z.string(), fallback: z.string().optional() })
const InForce = Bound.extend({
  layer: z.enum(['file', 'console']).meta({ description: 'Where it is said' }),
  problem: z.string().optional().meta({ description: 'Why nothing answers in this role' }),
})

/** The console's bindings of roles. An absent role keeps the binding of `models.yaml`. */
export const ModelRolesEdit = z
  .strictObject({
    roles: RoleBindings.meta({ example: { default: { model: 'gpt-4o-mini', fallback: 'echo' }, small: 'echo' } }),
  })
  .meta({ id: 'ModelRolesEdit' })

/** The bindings of roles, and their source. */
export const ModelRolesRecord = z
  .object({
    roles: z.object(ofRoles(InForce)).meta({ description: 'What counts; a profile may say otherwise for its runs' }),
    said: z.object(ofRoles(Bound)).meta({ description: 'What the console says' }),
    /** absent where the console has no document */
    author: AUTHORED.author.optional(),
    updated_at: AUTHORED.updated_at.optional(),
    etag: z.string(),
  })
  .meta({ id: 'ModelRoles', description: 'The bindings of model roles, and their layers' })
export type ModelRolesRecord = z.output<typeof ModelRolesRecord>

/** Parses the stored document of the console; undefined where it is unreadable. */
export function parseConsoleRoles(text: string): ModelRoles | undefined {
  try {
    const parsed = ModelRolesEdit.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data.roles : undefined
  } catch {
    return undefined
  }
}
