import { expect, test } from 'vitest'
import { liftersFor } from '#services/halts/halts.ts'

const ADA = { name: 'ada@example.test', workspaces: ['*'] }
const ANN = { name: 'Ann\u202e', workspaces: ['ws_1'] }
const BEN = { name: 'ben@example.test', workspaces: ['ws_1'] }
const OF_ONE = { scope: { workspace: 'ws_1' } }
const OF_ALL = { scope: {} }
const approver = { roles: ['approver'], scopes: [], workspaces: ['ws_1'] }
const viewer = { ...approver, roles: ['viewer'] }

test('who stops a workspace is told whom to wake, also where nobody has a name', () => {
  expect(liftersFor(approver, OF_ONE, [ADA, ANN, BEN])).toEqual([
    'Ann\\u{202e}',
    'ben@example.test',
    'ada@example.test',
  ])
  expect(liftersFor(approver, OF_ONE, [ADA])).toEqual(['ada@example.test'])
})

test('addresses are for those who see them; the others read in words who it is', () => {
  expect(liftersFor(viewer, OF_ONE, [ADA, ANN, BEN])).toEqual(['Ann\\u{202e}'])
  expect(liftersFor(viewer, OF_ONE, [ADA, BEN])).toEqual(['an admin of the workspace'])
  expect(liftersFor(viewer, OF_ONE, [ADA])).toEqual(['an owner or admin of all workspaces'])
})

test('of a halt of all workspaces nobody is named to those who may not enter all', () => {
  expect(liftersFor(approver, OF_ALL, [ADA, ANN])).toEqual(['an owner or admin of all workspaces'])
  expect(liftersFor({ ...approver, workspaces: '*' }, OF_ALL, [ADA, ANN])).toEqual(['ada@example.test'])
  expect(liftersFor(approver, OF_ALL, [])).toEqual([])
})
