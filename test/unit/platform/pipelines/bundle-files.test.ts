import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DomainError } from '#core/errors.ts'
import { type BundleWorld, bundleWorld, pipelineYaml } from './bundle-world.ts'

let world: BundleWorld
beforeEach(() => {
  world = bundleWorld()
})
afterEach(() => world.remove())

const SOUND = pipelineYaml('      - { id: a, uses: data/free, timeout: 1m }\n')
const TITLED = (title: string) => SOUND.replace('Release a dataset', title)

function refusal(path: string, name?: string): DomainError {
  try {
    world.source.find(path, name)
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error(`${path} was found`)
}

it('a bundle is found by its path, with the digest of its files', () => {
  world.write({ 'pipelines/data/daily/pipeline.yaml': SOUND, 'pipelines/data/daily/notes/README.md': 'Hello' })
  const { definition, bundle } = world.source.find('data/daily')
  expect(definition).toMatchObject({ name: 'release', bundle_digest: bundle.digest })
  expect(bundle).toEqual({ path: 'data/daily', digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) })
  expect(world.source.list().bundles).toMatchObject([{ path: 'data/daily', digest: bundle.digest, faults: [] }])
})

it('a changed file counts from then on, and every file counts for the digest', () => {
  world.write({ 'pipelines/one/pipeline.yaml': SOUND, 'pipelines/one/README.md': 'a' })
  const first = world.source.find('one')
  expect(world.source.find('one')).toEqual(first)
  world.write({ 'pipelines/one/README.md': 'b' })
  const second = world.source.find('one')
  expect(second.bundle.digest).not.toBe(first.bundle.digest)
  world.write({ 'pipelines/one/pipeline.yaml': TITLED('Another title') })
  expect(world.source.find('one').definition.title).toBe('Another title')
  renameSync(`${world.directory}/one/README.md`, `${world.directory}/one/README.txt`)
  expect(world.source.find('one').bundle.digest).not.toBe(second.bundle.digest)
  world.write({ 'pipelines/one/pipeline.yaml': 'apiVersion: svc/v1\n' })
  expect(refusal('one').code).toBe('validation_failed')
})

it.each([
  '../one',
  'one/..',
  'one/../one',
  './one',
  '/etc',
  '/one',
  'one/',
  'one//two',
  '',
  '.',
  '.hidden',
  'one/.git',
  'one\\two',
  'one\0two',
  'one two',
  `${'a/'.repeat(20)}a`,
  'a'.repeat(300),
])('the path %j names no bundle', (path) => {
  world.write({ 'pipelines/one/pipeline.yaml': SOUND, 'pipelines/.hidden/pipeline.yaml': SOUND })
  expect(refusal(path)).toMatchObject({
    code: 'validation_failed',
    message: 'the path of a bundle is relative, such as releases or data/dataset-release',
    details: { errors: [{ pointer: '/bundle_path' }] },
  })
})

it('a bundle or a pipeline that there is not is answered with the one that was meant', () => {
  world.write({ 'pipelines/releases/pipeline.yaml': SOUND })
  expect(refusal('release').message).toBe('there is no bundle release; did you mean releases?')
  expect(refusal('releases/pipeline.yaml/x').message).toBe('there is no bundle releases/pipeline.yaml/x')
  expect(refusal('releases', 'relaese')).toMatchObject({
    message: 'bundle releases has no pipeline "relaese"; did you mean release?',
    details: { errors: [{ pointer: '/pipeline_name' }] },
  })
})

it('the name of a pipeline may be left out where there is one', () => {
  const two = `${SOUND}${SOUND.slice(SOUND.indexOf('  release:')).replace('release', 'withdraw')}`
  world.write({ 'pipelines/two/pipeline.yaml': two })
  expect(refusal('two').message).toBe('bundle two has more than one pipeline: name one of release, withdraw')
  expect(world.source.find('two', 'withdraw').definition.name).toBe('withdraw')
})

it('nothing is read through a link that leads out', () => {
  world.write({
    'outside/pipeline.yaml': SOUND,
    'pipelines/file/other.txt': '',
    'pipelines/whole/pipeline.yaml': SOUND,
  })
  symlinkSync(`${world.root}/outside/pipeline.yaml`, `${world.directory}/file/pipeline.yaml`)
  symlinkSync('../../outside', `${world.directory}/whole/more`)
  symlinkSync('../outside', `${world.directory}/folder`)
  symlinkSync(world.root, `${world.directory}/up`)
  expect(refusal('file').message).toBe(
    'bundle file cannot be used: pipelines/file/pipeline.yaml: this link leads out of the directory of the pipelines; copy the file into the bundle',
  )
  expect(refusal('whole').message).toContain('pipelines/whole/more: this link leads out')
  expect(refusal('folder').message).toContain('pipelines/folder: this link leads out')
  expect(refusal('up/outside').message).toContain('pipelines/up/outside: this link leads out')
  const reported = world.source.list().bundles.flatMap(({ faults }) => faults.map(({ file }) => file))
  expect(reported.sort()).toEqual([
    'pipelines/file/pipeline.yaml',
    'pipelines/folder',
    'pipelines/up',
    'pipelines/whole/more',
  ])
})

it('a directory beside the root with the same beginning is outside of it', () => {
  world.write({ 'pipelines-old/x/pipeline.yaml': SOUND, 'pipelines/keep.txt': '' })
  symlinkSync('../pipelines-old/x', `${world.directory}/x`)
  expect(refusal('x').message).toContain('this link leads out')
})

it('links that stay inside are followed, as a mounted volume has them', () => {
  world.write({ 'pipelines/..data/pipeline.yaml': SOUND, 'pipelines/v2/pipeline.yaml': SOUND })
  mkdirSync(`${world.directory}/mounted`)
  symlinkSync('../..data/pipeline.yaml', `${world.directory}/mounted/pipeline.yaml`)
  symlinkSync('v2', `${world.directory}/current`)
  expect(world.source.find('mounted').definition.name).toBe('release')
  expect(world.source.find('current').bundle.digest).toBe(world.source.find('v2').bundle.digest)
  expect(world.source.list().bundles.map(({ path }) => path)).toEqual(['current', 'mounted', 'v2'])
})

it('links that go round are said, and end nobody', () => {
  world.write({ 'pipelines/one/pipeline.yaml': SOUND })
  symlinkSync('loop', `${world.directory}/one/loop`)
  symlinkSync('..', `${world.directory}/one/parent`)
  expect(world.source.list().bundles.flatMap(({ faults }) => faults)).toEqual([
    { file: 'pipelines/one/loop', message: 'cannot be read: ELOOP' },
    { file: 'pipelines/one/parent', message: 'this is a link to a folder; copy the folder into the bundle' },
  ])
})

it('a pipe is not waited for', () => {
  world.write({ 'pipelines/one/pipeline.yaml': SOUND })
  execFileSync('mkfifo', [`${world.directory}/one/pipe`])
  expect(refusal('one').message).toContain('pipelines/one/pipe: this is no regular file')
  rmSync(`${world.directory}/one/pipe`)
  rmSync(`${world.directory}/one/pipeline.yaml`)
  execFileSync('mkfifo', [`${world.directory}/one/pipeline.yaml`])
  expect(refusal('one').message).toContain('pipelines/one/pipeline.yaml: this is no regular file')
})

it('a bundle is at most 1 MiB in at most 100 files, 8 folders deep', () => {
  world.write({ 'pipelines/large/pipeline.yaml': SOUND, 'pipelines/many/pipeline.yaml': SOUND })
  writeFileSync(`${world.directory}/large/data.bin`, Buffer.alloc(1024 * 1024 - Buffer.byteLength(SOUND)))
  expect(world.source.find('large').definition.name).toBe('release')
  writeFileSync(`${world.directory}/large/more.bin`, 'x')
  expect(refusal('large').message).toContain('pipelines/large: more than 1 MiB of files')
  for (let index = 0; index < 99; index++) writeFileSync(`${world.directory}/many/${index}.txt`, '')
  expect(world.source.find('many').definition.name).toBe('release')
  writeFileSync(`${world.directory}/many/100.txt`, '')
  expect(refusal('many').message).toContain('pipelines/many: more than 100 files')
  world.write({ 'pipelines/deep/pipeline.yaml': SOUND, [`pipelines/deep/${'d/'.repeat(9)}x`]: '' })
  expect(refusal('deep').message).toContain('more than 8 folders deep')
})

it('a pipeline.yaml of more than 256 kB is refused', () => {
  world.write({ 'pipelines/one/pipeline.yaml': `${SOUND}# ${'x'.repeat(256 * 1024)}\n` })
  expect(refusal('one').message).toContain('larger than 256 kB')
})

it('the bundles of the deployment go before those of packs', () => {
  world.write({
    'packs/data/pack.yaml': '',
    'packs/data/pipelines/daily/pipeline.yaml': TITLED('Of the pack'),
    'packs/data/pipelines/weekly/pipeline.yaml': TITLED('Of the pack'),
    'pipelines/data/daily/pipeline.yaml': TITLED('Of the deployment'),
  })
  expect(world.source.find('data/daily').definition.title).toBe('Of the deployment')
  expect(world.source.find('data/weekly').definition.title).toBe('Of the pack')
  expect(world.source.list().bundles.map(({ path, pipelines }) => [path, pipelines[0]?.title])).toEqual([
    ['data/daily', 'Of the deployment'],
    ['data/weekly', 'Of the pack'],
  ])
  world.write({ 'pipelines/data/daily/pipeline.yaml': 'torn: [' })
  expect(refusal('data/daily').message).toContain('pipelines/data/daily/pipeline.yaml:1:')
  expect(refusal('weekly').message).toContain('there is no bundle weekly')
})

it('a folder pipelines of a pack that is a link out of the pack is not read', () => {
  world.write({ 'packs/data/pack.yaml': '', 'outside/daily/pipeline.yaml': SOUND })
  symlinkSync('../../outside', `${world.root}/packs/data/pipelines`)
  expect(refusal('data/daily').message).toContain('data/pipelines/daily: this link leads out')
})

it('what was surely meant to be a bundle is told', () => {
  world.write({
    'pipelines/one/pipelines.yaml': SOUND,
    'pipelines/two/pipeline.yml': SOUND,
    'pipelines/my bundle/pipeline.yaml': SOUND,
    'pipelines/three/pipeline.yaml': SOUND,
    'pipelines/three/values.yaml': 'a: 1',
    'pipelines/three/more/values.yaml': 'a: 1',
  })
  const { bundles, faults } = world.source.list()
  expect(bundles.map(({ path }) => path)).toEqual(['three'])
  const reported = 'is not read: a bundle is a folder with a pipeline.yaml; did you mean pipeline.yaml?'
  expect(faults.sort((a, b) => (a.file < b.file ? -1 : 1))).toEqual([
    {
      file: 'pipelines/my bundle',
      message: 'a folder of bundles is named with letters, digits, dots, dashes and underscores: rename it',
    },
    { file: 'pipelines/one/pipelines.yaml', message: reported },
    { file: 'pipelines/two/pipeline.yml', message: reported },
  ])
})

it('a directory that is not there is told when bundles are listed', () => {
  expect(world.source.list()).toEqual({
    bundles: [],
    faults: [{ file: world.directory, message: 'there is no such directory' }],
  })
  expect(refusal('one').message).toBe('there is no bundle one')
})
