import { ASK_ROLE } from '../ask/ask-role.ts'
import type { Grant, OwnedObject, Rights, RoleFacts } from './read-rights.ts'
import {
  APP_ROLE,
  appPrivileges,
  askColumns,
  isLocked,
  isOfRelease,
  mayAskCall,
  SERVICE_ROLES,
} from './release-rights.ts'

/** A difference between the rights of a database and those of the release. */
export interface Difference {
  text: string
  /** the statement that repairs it, if one can */
  statement?: string
}

/** Restricts the ask agent to the workspace of its session: `*` shows the services every workspace. */
const ASK_POLICY = 'ask_in_one_workspace'
const WORKSPACE_POLICY = 'of_workspace'

/** Harmless rights that other roles may have. */
const HARMLESS: Partial<Record<OwnedObject['kind'], string>> = { schema: 'USAGE', table: 'SELECT' }

/**
 * Returns all differences between the rights and those of the release: owners, privileges, default privileges, row-level security and
 * attributes of the service roles. `complete` names the service roles that must have every right of the release; the others may have fewer.
 */
export function compareRights(found: Rights, complete: readonly string[]): Difference[] {
  const rights = ofRelease(found)
  const owner = SERVICE_ROLES.includes(rights.owner) ? rights.me : rights.owner
  return [
    ...rights.objects.flatMap((object) => wrongOwner(object, owner)),
    ...rights.roles.flatMap(excessOfRole),
    ...rights.defaults.map(({ schema, on, grantee, privilege }) => ({
      text: `${who(grantee)} would get ${privilege} on all new ${on}`,
      statement: `alter default privileges for role ${quoted(owner)}${schema === null ? '' : ` in schema ${quoted(schema)}`} revoke ${privilege} on ${on} from ${role(grantee)} cascade`,
    })),
    ...excess(rights),
    ...missing(rights, complete),
    ...rights.objects.flatMap((object) => openTable(object, complete)),
  ]
}

function ofRelease({ objects, grants, ...rights }: Rights): Rights {
  const own = objects.filter(({ kind, plain }) => isOfRelease(kind, plain))
  const names = new Set(own.map(({ kind, name }) => `${kind} ${name}`))
  return { ...rights, objects: own, grants: grants.filter(({ kind, name }) => names.has(`${kind} ${name}`)) }
}

function wrongOwner({ kind, name, owner }: OwnedObject, expected: string): Difference[] {
  // a sequence belongs to the table of its column
  if (kind === 'schema' || kind === 'sequence' || owner === expected) return []
  const statement = `alter ${kind} ${name} owner to ${quoted(expected)}`
  return [{ text: `${kind} ${name} belongs to ${owner} and not to ${expected}`, statement }]
}

function excessOfRole({ name, attributes, memberships }: RoleFacts): Difference[] {
  return [
    ...attributes.map((attribute) => ({
      text: `role ${name} is ${attribute}`,
      statement: `alter role ${name} no${attribute}`,
    })),
    ...memberships.map((other) => ({
      text: `role ${name} is a member of ${other}`,
      statement: `revoke ${quoted(other)} from ${name}`,
    })),
  ]
}

function excess({ objects, grants }: Rights): Difference[] {
  const plain = new Map(objects.map(({ kind, name, plain }) => [`${kind} ${name}`, plain]))
  return grants.flatMap((grant) => {
    const { kind, name, column, grantee, privilege, grantable } = grant
    const columns = column === null ? '' : ` (${quoted(column)})`
    const on = `${privilege}${columns} on ${kind} ${name}`
    const from = `from ${role(grantee)} cascade`
    if (!isReleased(grant, plain.get(`${kind} ${name}`) ?? name))
      return [{ text: `${who(grantee)} has ${on}`, statement: `revoke ${on} ${from}` }]
    if (grantable && SERVICE_ROLES.includes(grantee))
      return [{ text: `${who(grantee)} may hand on ${on}`, statement: `revoke grant option for ${on} ${from}` }]
    return []
  })
}

function isReleased({ kind, grantee, privilege, column }: Grant, plain: string): boolean {
  if (kind === 'schema') return privilege === 'USAGE'
  if (grantee === APP_ROLE)
    return column === null
      ? appRights({ kind, plain }).includes(privilege)
      : kind === 'table' && appPrivileges(plain).includes(privilege)
  if (grantee === ASK_ROLE) {
    const columns = kind === 'table' ? askColumns(plain) : undefined
    if (columns !== undefined && privilege === 'SELECT')
      return columns === 'all' || (column !== null && columns.includes(column))
    return kind === 'function' && mayAskCall(plain)
  }
  return grantee !== 'public' && HARMLESS[kind] === privilege
}

/** Returns the rights of the services' role on an object. */
function appRights({ kind, plain }: Pick<OwnedObject, 'kind' | 'plain'>): string[] {
  if (kind === 'table') return appPrivileges(plain)
  if (kind === 'function') return ['EXECUTE']
  return kind === 'procedure' ? [] : ['USAGE']
}

function missing({ objects, grants }: Rights, complete: readonly string[]): Difference[] {
  const has = new Set(grants.map((each) => key(each.kind, each.name, each.column, each.grantee, each.privilege)))
  const app = objects.flatMap((object) =>
    appRights(object).map((privilege) => ({ ...object, privilege, column: null })),
  )
  const ask = objects.flatMap((object) => {
    const wanted = (privilege: string, column: string | null) => ({ ...object, privilege, column })
    if (object.kind === 'schema') return [wanted('USAGE', null)]
    if (object.kind === 'function') return mayAskCall(object.plain) ? [wanted('EXECUTE', null)] : []
    const columns = object.kind === 'table' ? askColumns(object.plain) : undefined
    if (columns === undefined) return []
    return columns === 'all' ? [wanted('SELECT', null)] : columns.map((column) => wanted('SELECT', column))
  })
  const lacks = (grantee: string, all: typeof app | typeof ask) =>
    complete.includes(grantee)
      ? all
          .filter(({ kind, name, column, privilege }) => !has.has(key(kind, name, column, grantee, privilege)))
          .map(({ kind, name, column, privilege }): Difference => {
            const on = `${privilege}${column === null ? '' : ` (${quoted(column)})`} on ${kind} ${name}`
            return { text: `${grantee} lacks ${on}`, statement: `grant ${on} to ${grantee}` }
          })
      : []
  return [...lacks(APP_ROLE, app), ...lacks(ASK_ROLE, ask)]
}

function openTable({ kind, name, plain, locked, policies }: OwnedObject, complete: readonly string[]): Difference[] {
  if (kind !== 'table' || locked === null) return []
  const found: Difference[] = []
  if (isLocked(plain) && !locked)
    found.push({
      text: `table ${name} is without row-level security`,
      statement: `alter table ${name} enable row level security; alter table ${name} force row level security`,
    })
  // its condition is in the migration of the table
  if (isLocked(plain) && !policies.includes(WORKSPACE_POLICY))
    found.push({ text: `table ${name} has no policy ${WORKSPACE_POLICY}: the restore is incomplete, restore again` })
  if (askColumns(plain) !== undefined && complete.includes(ASK_ROLE) && !policies.includes(ASK_POLICY))
    found.push({
      text: `table ${name} has no policy ${ASK_POLICY}`,
      statement: `create policy ${ASK_POLICY} on ${name} as restrictive for select to ${ASK_ROLE} using ((select current_setting('svc.workspace', true)) <> '*')`,
    })
  return found
}

const key = (...parts: (string | null)[]) => JSON.stringify(parts)
const who = (grantee: string) => (grantee === 'public' ? 'everybody' : grantee)
const role = (grantee: string) => (grantee === 'public' ? 'public' : quoted(grantee))
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
