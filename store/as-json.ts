import type { Db } from './db.ts'

/** A record as a parameter of type `jsonb`: the driver's type of JSON values does not take interfaces, nor `unknown` members. */
export function asJson(value: object): Parameters<Db['json']>[0] {
  return value as Parameters<Db['json']>[0]
}
