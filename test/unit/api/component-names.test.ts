import { expect, test } from 'vitest'
import { apiDocument } from '#test/support/api-document.ts'

interface Schema {
  $ref?: string
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
