import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { serveApi } from '#api/server.ts'
import { createIds } from '#platform/ids.ts'
import { sharedWorld } from '#test/support/guarded-operation.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'

const PYTHON = fileURLToPath(new URL('../../support/generated-client.py', import.meta.url))
const Read = z.object({ said: z.string(), runs: z.array(z.looseObject({ id: z.string() })) })

// the generator of npm, `openapi-typescript`, makes the types of the client of this repository (`npm run pins`)
test('a Python client is generated without a warning, and reads runs', needs('clientgenerator'), async () => {
  const world = await sharedWorld()
  const run = await world.parkedRun()
  const { app } = world.api
  const server = await serveApi(app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} })
  const directory = await mkdtemp(join(tmpdir(), 'svc-client-'))
  try {
    const description = await (await world.api.get('/openapi.json')).text()
    const { command, env } = programOf('clientgenerator')
    const token = world.as('viewer')['authorization']?.replace('Bearer ', '') ?? ''
    const { stdout } = await execa(command, [PYTHON, directory, server.url, token], { env, input: description })
    const { said, runs } = Read.parse(JSON.parse(stdout))
    expect(said).toMatch(/^Generating \S+\s*$/)
    expect(runs.find(({ id }) => id === run)).toMatchObject({ id: run, status: 'awaiting_approval' })
  } finally {
    await server.close()
    await rm(directory, { recursive: true })
  }
})
