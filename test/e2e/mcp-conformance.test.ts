import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs, programOf } from '#test/support/programs/needs.ts'

const CLIENT = fileURLToPath(new URL('../support/mcp-conformance-client.ts', import.meta.url))

/**
 * The scenarios of the suite that apply. Those left out want what is not offered: sampling, elicitation, streams that are taken up
 * again, arguments as headers, and a sign-in that the server leads, in place of the one that a connection has.
 */
const SCENARIOS = [
  ['initialize', '2025-11-25'],
  ['tools_call', '2025-11-25'],
  ['json-schema-2020-12-preservation', '2025-11-25'],
  ['tools_call', '2026-07-28'],
  ['request-metadata', '2026-07-28'],
  ['http-standard-headers', '2026-07-28'],
  ['json-schema-ref-no-deref', '2026-07-28'],
  ['json-schema-2020-12-preservation', '2026-07-28'],
] as const

describe('the conformance suite of the Model Context Protocol', needs('mcppeers'), () => {
  let dir: string
  let client: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-mcp-'))
    client = join(dir, 'client.cjs')
    // one file starts in a third of the time
    await build({ entryPoints: [CLIENT], bundle: true, platform: 'node', outfile: client, logLevel: 'error' })
  })
  afterAll(() => rm(dir, { recursive: true }))

  test.concurrent.each(SCENARIOS)('passes the client in %s of %s', async (scenario, revision) => {
    const { command, env } = programOf('mcppeers')
    const args = [
      'conformance',
      'client',
      '--command',
      `${process.execPath} ${client}`,
      '--scenario',
      scenario,
      '--spec-version',
      revision,
    ]
    const { all, exitCode } = await execa(command, [...args, '-o', dir], { env, all: true, reject: false })
    expect({ exitCode, all }).toMatchObject({ exitCode: 0, all: expect.stringMatching(/OVERALL: PASSED/) })
  })
})
