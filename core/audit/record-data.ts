import type { Json, JsonObject } from '../json.ts'

// what a record holds is read as it is expected, and is empty where it is otherwise

export function objectOf(value: Json | undefined): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

export function nullable(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

export function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
