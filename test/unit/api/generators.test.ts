import { expect, test } from 'vitest'
import { apiDocument } from '#test/support/api-document.ts'

interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  enum?: unknown[]
}

const words = (name: string) => name.split(/[^a-zA-Z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))

/** Generators name an inline schema after its component and its property. */
function inlineNames(schema: Schema, name: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([property, member]) => {
    const own = [name, ...words(property)].join('')
    return [
      ...[member, member.items].flatMap((each, nested) => {
        if (each === undefined || each.$ref !== undefined) return []
        const called = nested === 0 ? own : `${own}Item`
        return [...(each.properties || each.enum ? [called] : []), ...inlineNames(each, called)]
      }),
    ]
  })
}

test('no inline schema gets the name of a component', () => {
  const schemas = Object.entries(apiDocument().components?.schemas ?? {})
  const names = schemas.map(([name]) => name)
  expect(schemas.flatMap(([name, schema]) => inlineNames(schema, name)).filter((name) => names.includes(name))).toEqual(
    [],
  )
  expect(inlineNames({ properties: { dst: { properties: {} } } }, 'Schedule')).toEqual(['ScheduleDst'])
})

/** Every object of the description, with its place. */
function membersOf(value: unknown, place: string): [string, Schema][] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.entries(value).flatMap(([key, member]) => membersOf(member, `${place}/${key}`))
  return [[place, value as Schema], ...inside]
}

const mayBe = ({ type }: Schema, what: string) => type === what || (Array.isArray(type) && type.includes(what))

test('every array says of what, and an enumeration that may be null lists it', () => {
  const members = membersOf(apiDocument(), '')
  expect(members.filter(([, schema]) => mayBe(schema, 'array') && !('items' in schema))).toEqual([])
  const listed = members.filter(([, schema]) => Array.isArray(schema.enum) && mayBe(schema, 'null'))
  expect(listed.length).toBeGreaterThan(0)
  expect(listed.filter(([, schema]) => !schema.enum?.includes(null))).toEqual([])
})

test('no component may be null: where it may be absent is said where it is used', () => {
  const schemas = Object.entries(apiDocument().components?.schemas ?? {})
  expect(schemas.filter(([, schema]) => mayBe(schema, 'null')).map(([name]) => name)).toEqual([])
})
