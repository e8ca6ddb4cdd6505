import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { isModelRole, MODEL_ROLES, type ModelRole } from '#core/models/model.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { type Column, tableLines } from '../views/table.ts'

type Roles = Schema<'ModelRoles'>
type RoleBindings = Schema<'ModelRolesEdit'>['roles']
type Line = { role: ModelRole } & Partial<NonNullable<Roles['roles']['default']>>

interface RolesDeps extends Pick<CliDeps, 'out'> {
  api(): Pick<ApiClient, 'modelRoles' | 'putModelRoles'>
}

const COLUMNS: Column<Line>[] = [
  { title: 'ROLE', text: ({ role }) => role },
  { title: 'MODEL', text: ({ model }) => model ?? '(none)' },
  { title: 'FALLBACK', text: ({ fallback }) => fallback ?? '' },
  { title: 'SAID IN', text: ({ layer }) => (layer === 'file' ? 'models.yaml' : (layer ?? '')) },
  { title: 'PROBLEM', text: ({ problem }) => problem ?? '' },
]

/** Shows the roles; with changes it first binds them over `models.yaml`. */
export async function changeRoles(deps: RolesDeps, changes: string[], { json }: { json?: boolean }): Promise<void> {
  const api = deps.api()
  const before = await api.modelRoles()
  const roles =
    changes.length === 0 ? before : await api.putModelRoles({ roles: changed(before.said, changes) }, before.etag)
  if (json) return deps.out(visibleJson(roles))
  const rows = MODEL_ROLES.map((role): Line => ({ role, ...roles.roles[role] }))
  for (const line of tableLines(COLUMNS, rows)) deps.out(line)
}

/** Parses changes: `small=a`, `judge=a,b` with a fallback, `small=` to remove the console's binding. */
function changed(bound: Roles['said'], changes: readonly string[]): RoleBindings {
  const roles: RoleBindings = { ...bound }
  for (const change of changes) {
    const [role = '', value] = change.split(/=(.*)/s)
    if (!isModelRole(role) || value === undefined)
      throw new DomainError(
        'validation_failed',
        `${change}: say it as small=<model>; the roles are ${MODEL_ROLES.join(', ')}`,
      )
    const [model = '', fallback] = value.split(',')
    if (model === '') delete roles[role]
    else roles[role] = { model, ...(fallback ? { fallback } : {}) }
  }
  return roles
}
