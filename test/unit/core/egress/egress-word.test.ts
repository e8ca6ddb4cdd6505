import { expect, it } from 'vitest'
import { egressProblem } from '#core/egress/classify.ts'

it.each([
  'loopback',
  'LOOPBACK',
  '10.0.0.0/8',
  '10.1.2.3',
  'fd00::/8',
  '::1',
  'db',
  'db.internal',
  'localhost',
  'a_b.c.',
])('%s opens something', (entry) => expect(egressProblem(entry)).toBeUndefined())

it.each([
  ['lopback', /did you mean loopback\?/],
  ['public', /public addresses are open anyway/],
  ['private', /write the block/],
  ['*', /no host name/],
  ['*.shop.internal', /no host name/],
  ['10.0.0.0/80', /no block/],
  ['http://db.internal', /no host name/],
  ['', /no block/],
])('%s opens nothing, and the reader learns why', (entry, why) => expect(egressProblem(entry)).toMatch(why))
