import { isObject, type Json, type JsonObject } from './json.ts'

// what a record holds is read as it is expected, and is empty where it is otherwise

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

export function textOrNull(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

export function nullable(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

export function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
