import { isObject, type Json, type JsonObject } from '../json.ts'
import { pointerParts } from '../json-pointer.ts'
import { secretPaths } from './secret-paths.ts'

/** Inputs without those that their schema declares secret, and without a mark in their place: for a form in which people give them. */
export function withoutSecrets(schema: JsonObject, inputs: JsonObject): JsonObject {
  return secretPaths(schema).reduce((left, pointer) => without(left, pointerParts(pointer)), inputs)
}

function without(value: JsonObject, [name = '', ...rest]: string[]): JsonObject {
  if (!Object.hasOwn(value, name)) return value
  const { [name]: inner, ...others } = value
  const kept: Json | undefined = rest.length > 0 && isObject(inner) ? without(inner, rest) : undefined
  return kept === undefined ? others : { ...others, [name]: kept }
}
