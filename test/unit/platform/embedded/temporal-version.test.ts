import { describe, expect, it } from 'vitest'
import { parseServerVersion } from '#platform/embedded/temporal-server.ts'

describe('parseServerVersion', () => {
  it('reads the server and not the command, which calls itself 0.0.0 when built from source', () => {
    expect(parseServerVersion('temporal version 0.0.0-DEV (Server 1.29.1, UI 2.42.1)')).toEqual({ major: 1, minor: 29 })
    expect(parseServerVersion('temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)')).toEqual({ major: 1, minor: 31 })
  })

  it('knows nothing about another program', () => {
    expect(parseServerVersion('go version go1.25.0 linux/amd64')).toBeUndefined()
  })
})
