import { createDb } from '#store/db.ts'

/** Everything that PostgreSQL's catalogue says about rights in a database, as text to compare; written without the code of the product. */
export async function rightsInCatalogue(url: string): Promise<string[]> {
  const db = createDb(url, { max: 1, name: 'test-rights' })
  try {
    const rows = await db<{ line: string }[]>`
      with acls as (
        select 'schema ' || nspname as what, nspowner as owner, coalesce(nspacl, acldefault('n', nspowner)) as acl
        from pg_namespace where nspname = 'public'
        union all
        select 'relation ' || relname, relowner, coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))
        from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        union all
        select 'column ' || attrelid::regclass || '.' || attname, c.relowner, attacl
        from pg_attribute a join pg_class c on c.oid = attrelid where c.relnamespace = 'public'::regnamespace and attacl is not null
        union all
        select 'routine ' || oid::regprocedure, proowner, coalesce(proacl, acldefault('f', proowner))
        from pg_proc where pronamespace = 'public'::regnamespace
        union all
        select format('default %s in %s', defaclobjtype, defaclnamespace::regnamespace), defaclrole, defaclacl from pg_default_acl
        where pg_get_userbyid(defaclrole) = (select pg_get_userbyid(relowner) from pg_class where oid = 'schema_migrations'::regclass))
      select format('%s: %s has %s%s', what, case grantee when 0 then 'public' when owner then 'its owner' else pg_get_userbyid(grantee) end,
        privilege_type, case when is_grantable and grantee <> owner then ' with grant option' else '' end) as line
      from acls cross join aclexplode(acl)
      -- newer servers know it, and only owners have it
      where privilege_type <> 'MAINTAIN'
      union all
      select format('%s belongs to %s', what, case when owner = (select relowner from pg_class where oid = 'schema_migrations'::regclass)
        then 'the owner' else pg_get_userbyid(owner) end) from acls where what like 'relation %' or what like 'routine %'
      union all
      select format('row security of %s: %s %s', relname, relrowsecurity, relforcerowsecurity) from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r'
      union all
      select format('policy %s on %s %s %s to %s: %s / %s', polname, polrelid::regclass, polcmd, polpermissive,
        array(select case r when 0 then 'public' else pg_get_userbyid(r)::text end from unnest(polroles) r order by 1),
        pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
      from pg_policy join pg_class c on c.oid = polrelid where c.relnamespace = 'public'::regnamespace
      union all
      select format('role %s: %s', rolname, array[rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls])
      from pg_roles where rolname in ('svc_app', 'svc_ask')
      union all
      select format('%s is a member of %s', member::regrole, roleid::regrole) from pg_auth_members
      where member::regrole::text in ('svc_app', 'svc_ask')
      union all
      select format('definer %s: %s %s', oid::regprocedure, prosecdef, proconfig) from pg_proc where pronamespace = 'public'::regnamespace
      order by 1`
    return rows.map(({ line }) => line)
  } finally {
    await db.end()
  }
}
