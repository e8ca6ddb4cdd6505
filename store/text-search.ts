import type { Db } from './db.ts'

/** Whether a text has this part; upper and lower case are equal. */
export const hasPart = (db: Db, text: ReturnType<Db>, part: string) =>
  db`position(lower(${part}) in lower(${text})) > 0`

const named = (db: Db, id: ReturnType<Db>) =>
  db`(select coalesce(u.display_name, u.email) from users u where u.id = ${id})`

/** Who asked for a run (`r`): by the ids, and the names that lists show; by an address only a user without a name. */
export const requesterText = (db: Db) => db`
  concat_ws(' ', array_to_string(requesters_of(r.provenance), ' '),
    coalesce(${named(db, db`r.provenance #>> '{actor,id}'`)}, r.provenance #>> '{actor,display}'),
    ${named(db, db`r.provenance #>> '{human_root,user_id}'`)})`
