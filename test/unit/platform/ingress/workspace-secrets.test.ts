import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { workspaceSecrets } from '#platform/ingress/workspace-secrets.ts'

const A = 'ws_0000000000000000000000000a'
const B = 'ws_0000000000000000000000000b'
const env = { NEW: 'one', OLD: 'two', [`NEW__${A.toUpperCase()}`]: 'three' }
const both = ['env:NEW', 'env:OLD']

it('those of a pack are the default workspace’s: all of them must be there', () => {
  expect(workspaceSecrets(both, DEFAULT_WORKSPACE_ID, env)).toEqual(['one', 'two'])
  expect(() => workspaceSecrets([...both, 'env:GONE'], DEFAULT_WORKSPACE_ID, env)).toThrow(
    expect.objectContaining({ code: 'not_configured', message: expect.not.stringContaining('GONE') }),
  )
})

it('any other workspace has its own or none', () => {
  expect(workspaceSecrets(both, A, env)).toEqual(['three'])
  expect(() => workspaceSecrets(both, B, env)).toThrow(expect.objectContaining({ code: 'not_found' }))
  expect(() => workspaceSecrets([], A, env)).toThrow(expect.objectContaining({ code: 'not_found' }))
})

it('a file of a workspace stands beside that of the pack', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'svc-secret-')), 'github')
  writeFileSync(path, 'one\n')
  writeFileSync(`${path}.${A}`, 'two\n')
  expect(workspaceSecrets([`file:${path}`], DEFAULT_WORKSPACE_ID, {})).toEqual(['one'])
  expect(workspaceSecrets([`file:${path}`], A, {})).toEqual(['two'])
  writeFileSync(`${path}.${B}`, 'two')
  for (const workspace of [A, B]) {
    expect(() => workspaceSecrets([`file:${path}`], workspace, {})).toThrow(
      expect.objectContaining({ code: 'not_configured' }),
    )
  }
  expect(workspaceSecrets([`file:${path}`], DEFAULT_WORKSPACE_ID, {})).toEqual(['one'])
})

it('a secret that two workspaces share opens neither of them, also across a rotation', () => {
  for (const value of ['one', 'two', 'three']) {
    const shared = { ...env, [`NEW__${B.toUpperCase()}`]: value }
    const at = value === 'three' ? A : DEFAULT_WORKSPACE_ID
    for (const workspace of [at, B]) {
      expect(() => workspaceSecrets(both, workspace, shared)).toThrow(
        expect.objectContaining({ code: 'not_configured', message: expect.not.stringContaining(value) }),
      )
    }
  }
})
