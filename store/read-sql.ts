import { readdirSync, readFileSync } from 'node:fs'
import type { Db } from './db.ts'

/** The files of SQL in a folder, in the order of their names. */
export function readSql(folder: URL): { name: string; text: string }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.slice(0, -'.sql'.length), text: readFileSync(new URL(file, folder), 'utf8') }))
}

/** A record as a parameter of type `jsonb`: the driver's type of JSON values does not take interfaces, nor `unknown` members. */
export function asJson(value: object): Parameters<Db['json']>[0] {
  return value as Parameters<Db['json']>[0]
}
