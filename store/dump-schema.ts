import { createDb } from './db.ts'

/**
 * Returns the resulting schema as text, from the catalog itself: tables with columns, constraints, indexes, row-level security and
 * triggers, then views. It is committed, so that a reviewer sees the outcome of a migration and not only the step. Functions are in
 * `store/functions`.
 */
export async function dumpSchema(url: string): Promise<string> {
  const db = createDb(url, { max: 1, name: 'svc-dump' })
  try {
    const tables = await db<
      {
        name: string
        columns: string[]
        constraints: string[]
        indexes: string[]
        policies: string[]
        triggers: string[]
      }[]
    >`
      select c.relname as name,
        (select array_agg(format('  %I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
            case when a.attnotnull then ' not null' else '' end,
            case when a.attidentity <> '' then ' generated always as identity'
                 when a.attgenerated <> '' then format(' generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
                 else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end) order by a.attnum)
         from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
        (select array_agg(format('  constraint %I %s', k.conname, pg_get_constraintdef(k.oid)) order by k.conname)
         from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n') as constraints,
        (select array_agg(pg_get_indexdef(i.indexrelid) || ';' order by i.indexrelid::regclass::text)
         from pg_index i where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid)) as indexes,
        (select array_agg(format('alter table %I %s row level security;', c.relname, word) order by word)
           from unnest(array['enable', 'force']) as word where c.relrowsecurity and (word = 'enable' or c.relforcerowsecurity))
        || (select array_agg(format('create policy %I on %I%s%s%s;', p.polname, c.relname,
             case p.polcmd when 'r' then ' for select' when '*' then '' else ' for ' || p.polcmd::text end,
             ' using (' || pg_get_expr(p.polqual, c.oid) || ')', ' with check (' || pg_get_expr(p.polwithcheck, c.oid) || ')')
             order by p.polname) from pg_policy p where p.polrelid = c.oid and p.polroles = '{0}') as policies,
        (select array_agg(pg_get_triggerdef(t.oid) || ';' order by t.tgname)
         from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as triggers
      from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migrations'
      order by c.relname`
    const views = await db<{ text: string }[]>`
      select format('create view %I%s as%s', c.relname, ' with (' || array_to_string(c.reloptions, ', ') || ')',
        E'\\n' || pg_get_viewdef(c.oid)) as text
      from pg_class c where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace order by c.relname`
    const tableTexts = tables.map(({ name, columns, constraints, indexes, policies, triggers }) =>
      [
        `create table ${name} (`,
        [...columns, ...(constraints ?? [])].join(',\n'),
        ');',
        ...(indexes ?? []),
        ...(policies ?? []),
        ...(triggers ?? []),
      ].join('\n'),
    )
    return `${[...tableTexts, ...views.map(({ text }) => text)].join('\n\n')}\n`
  } finally {
    await db.end()
  }
}
