import { expect, it } from 'vitest'
import { differingParts } from '#core/text/differing-parts.ts'

it.each<[string, string, number, [string, string]]>([
  ['one', 'two', 10, ['one', 'two']],
  ['', 'all', 10, ['', 'all']],
  ['a'.repeat(50), 'b'.repeat(50), 3, ['aaa…', 'bbb…']],
  [`${'a'.repeat(50)}!`, `${'a'.repeat(50)}?`, 100, [`…${'a'.repeat(40)}!`, `…${'a'.repeat(40)}?`]],
  [`${'a'.repeat(50)}!`, 'a'.repeat(50), 100, [`…${'a'.repeat(40)}!`, `…${'a'.repeat(40)}`]],
])('shows %j beside %j from shortly before they differ', (one, other, most, parts) =>
  expect(differingParts(one, other, most)).toEqual(parts),
)
