import type { Statements } from '../db.ts'

export type ObjectKind = 'schema' | 'table' | 'sequence' | 'function' | 'procedure'

export interface OwnedObject {
  kind: ObjectKind
  /** as a statement writes it: quoted, and with the types of its arguments */
  name: string
  /** without quotes and arguments */
  plain: string
  owner: string
  /** of tables with rows: whether row-level security applies, also to the owner; null for other objects */
  locked: boolean | null
  policies: string[]
}

/** A privilege of a role other than the owner. */
export interface Grant {
  kind: ObjectKind
  name: string
  /** null for the whole object */
  column: string | null
  /** `public` for all roles */
  grantee: string
  privilege: string
  grantable: boolean
}

/** A role's privilege on objects that the owner of the schema will create. */
export interface DefaultGrant {
  /** null: in every schema */
  schema: string | null
  /** as `alter default privileges` writes it */
  on: string
  grantee: string
  privilege: string
}

export interface RoleFacts {
  name: string
  /** superuser, bypassrls and the like, as `alter role` writes them */
  attributes: string[]
  /** roles whose privileges it has beyond its own */
  memberships: string[]
}

export interface Rights {
  /** the current role */
  me: string
  /** the owner of the schema: of the table that names its migrations */
  owner: string
  objects: OwnedObject[]
  grants: Grant[]
  defaults: DefaultGrant[]
  roles: RoleFacts[]
}

/** The rights in the schema `public` as the catalogue has them; undefined where no release has migrated yet. */
export async function readRights(db: Statements, serviceRoles: readonly string[]): Promise<Rights | undefined> {
  const [row] = await db<{ rights: Rights | null }[]>`
    with here as (select 'public'::regnamespace as schema),
    owner as (
      select c.relowner as oid from pg_class c, here where c.relnamespace = here.schema and c.relname = 'schema_migrations'),
    objects as (
      select 'schema' as kind, n.oid, 'public' as name, 'public' as plain, n.nspowner as owner, null::boolean as locked,
        '{}'::name[] as policies, coalesce(n.nspacl, acldefault('n', n.nspowner)) as acl
      from pg_namespace n, here where n.oid = here.schema
      union all
      select case c.relkind when 'S' then 'sequence' else 'table' end, c.oid, quote_ident(c.relname), c.relname, c.relowner,
        case when c.relkind in ('r', 'p') then c.relrowsecurity and c.relforcerowsecurity end,
        array(select p.polname from pg_policy p where p.polrelid = c.oid order by 1),
        coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))
      from pg_class c, here where c.relnamespace = here.schema and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      union all
      select case p.prokind when 'p' then 'procedure' else 'function' end, p.oid,
        format('%I(%s)', p.proname, pg_get_function_identity_arguments(p.oid)), p.proname, p.proowner, null, '{}',
        coalesce(p.proacl, acldefault('f', p.proowner))
      from pg_proc p, here where p.pronamespace = here.schema
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')),
    grants as (
      select o.kind, o.name, null::name as column, a.grantee, a.privilege_type, a.is_grantable
      from objects o cross join aclexplode(o.acl) a where a.grantee <> o.owner
      union all
      select o.kind, o.name, c.attname, a.grantee, a.privilege_type, a.is_grantable
      from objects o join pg_attribute c on o.kind = 'table' and c.attrelid = o.oid and c.attacl is not null and not c.attisdropped
        cross join aclexplode(c.attacl) a where a.grantee <> o.owner),
    defaults as (
      select d.defaclnamespace as schema, d.defaclobjtype as type, d.defaclacl as acl from pg_default_acl d, owner where d.defaclrole = owner.oid
      union all
      -- what counts where nothing is said
      select 0, 'f', acldefault('f', owner.oid) from owner
      where not exists (select from pg_default_acl d where d.defaclrole = owner.oid and d.defaclnamespace = 0 and d.defaclobjtype = 'f'))
    select jsonb_build_object(
      'me', current_user,
      'owner', (select pg_get_userbyid(oid) from owner),
      'objects', (select jsonb_agg(jsonb_build_object('kind', kind, 'name', name, 'plain', plain, 'owner', pg_get_userbyid(owner),
        'locked', locked, 'policies', policies) order by kind, name) from objects),
      'grants', coalesce((select jsonb_agg(jsonb_build_object('kind', kind, 'name', name, 'column', "column",
        'grantee', case grantee when 0 then 'public' else pg_get_userbyid(grantee) end, 'privilege', privilege_type,
        'grantable', is_grantable) order by kind, name, "column", grantee, privilege_type) from grants), '[]'),
      'defaults', coalesce((select jsonb_agg(jsonb_build_object('schema', (select nspname from pg_namespace where oid = d.schema),
          'on', case d.type when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types'
            when 'n' then 'schemas' else 'large objects' end,
          'grantee', case a.grantee when 0 then 'public' else pg_get_userbyid(a.grantee) end, 'privilege', a.privilege_type)
          order by d.schema, d.type, a.grantee, a.privilege_type)
        from defaults d cross join aclexplode(d.acl) a, owner
        -- that everybody may use the type of a column is how PostgreSQL begins
        where a.grantee <> owner.oid and not (d.type = 'T' and a.grantee = 0)), '[]'),
      'roles', coalesce((select jsonb_agg(jsonb_build_object('name', r.rolname,
          'attributes', array_remove(array[case when r.rolsuper then 'superuser' end, case when r.rolcreatedb then 'createdb' end,
            case when r.rolcreaterole then 'createrole' end, case when r.rolreplication then 'replication' end,
            case when r.rolbypassrls then 'bypassrls' end], null),
          'memberships', array(select g.rolname from pg_roles g, owner where g.oid <> r.oid and not r.rolsuper
            and pg_has_role(r.oid, g.oid, 'member') and (g.oid = owner.oid or g.rolsuper or g.rolbypassrls or g.rolcreaterole
              or starts_with(g.rolname, 'pg_') and g.rolname <> 'pg_database_owner') order by 1)) order by r.rolname)
        from pg_roles r where r.rolname::text = any (${[...serviceRoles]}::text[])), '[]')) as rights
    from owner`
  return row?.rights ?? undefined
}
