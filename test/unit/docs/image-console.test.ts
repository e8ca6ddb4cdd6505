import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const BUILD_MS = 120_000
const run = promisify(execFile)

/** The lines of a stage of the image, from its FROM to the next. */
async function stageOf(name: string): Promise<string[]> {
  const [, stage = ''] = (await readFile(join(ROOT, 'Dockerfile'), 'utf8')).split(
    new RegExp(`^FROM .* AS ${name}$`, 'm'),
  )
  return (stage.split(/^FROM /m)[0] ?? '').split('\n')
}

test(
  'the image builds the console from no more than it copies for that',
  async () => {
    const lines = await stageOf('console')
    const copied = lines.flatMap((line) => /^COPY (.+) \S+$/.exec(line)?.[1]?.split(' ') ?? [])
    const [command = ''] = lines.flatMap((line) => /^RUN node (.+) \/console$/.exec(line)?.[1] ?? [])
    const place = await mkdtemp(join(tmpdir(), 'svc-image-'))
    try {
      for (const name of copied) await cp(join(ROOT, name), join(place, name), { recursive: true })
      await symlink(join(ROOT, 'node_modules'), join(place, 'node_modules'))
      await run(process.execPath, [command, join(place, 'built')], { cwd: place, timeout: BUILD_MS })
      expect(await readdir(join(place, 'built'))).toEqual(['assets', 'index.html'])
    } finally {
      await rm(place, { recursive: true, force: true })
    }
  },
  BUILD_MS,
)
