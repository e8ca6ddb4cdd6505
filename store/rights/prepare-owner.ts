import type { Db } from '../db.ts'
import { RoleProblem } from '../schema-problem.ts'
import { undisturbed } from '../sql/lock-conflicts.ts'
import { SERVICE_ROLES } from './release-rights.ts'

interface Owner {
  me: string
  schema_owner: string | null
  may_act: boolean
  open: boolean
}

/** Revokes public rights on objects that the owner creates from now on. Throws RoleProblem where the schema has another owner. */
export async function prepareOwner(db: Db): Promise<void> {
  await undisturbed(() =>
    db.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext('svc:app-role'))`
      const [owner] = await tx<Owner[]>`
        select current_user as me, pg_get_userbyid(c.relowner) as schema_owner,
          c.relowner is null or pg_has_role(c.relowner, 'member') as may_act,
          exists (select from aclexplode(coalesce((select d.defaclacl from pg_default_acl d
            where d.defaclrole = me.oid and d.defaclnamespace = 0 and d.defaclobjtype = 'f'), acldefault('f', me.oid))) where grantee = 0) as open
        from pg_roles me
          left join pg_class c on c.relnamespace = 'public'::regnamespace and c.relname = 'schema_migrations'
        where me.rolname = current_user`
      if (owner === undefined) throw new Error('the server does not know who is connected')
      if (!owner.may_act) throw new RoleProblem(notTheOwner(owner))
      if (owner.open) await tx`alter default privileges revoke execute on functions from public`
    }),
  )
}

function notTheOwner({ me, schema_owner }: Owner): string {
  const services = SERVICE_ROLES.includes(String(schema_owner))
  const cure = services
    ? `as a superuser, in this database: reassign owned by ${schema_owner} to ${me}`
    : `migrate as ${schema_owner}; or, as a superuser, in this database: reassign owned by ${schema_owner} to ${me}`
  return `The schema belongs to ${schema_owner}, and DATABASE_URL connects as ${me}. Next: ${cure}`
}
