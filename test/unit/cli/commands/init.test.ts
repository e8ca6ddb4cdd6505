import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, expect, test } from 'vitest'
import { createChecks } from '#cli/check-runtime.ts'
import { registerCheck } from '#cli/commands/check.ts'
import { registerInit } from '#cli/commands/init.ts'
import { registerPack } from '#cli/commands/pack.ts'
import { loadConfig } from '#platform/config.ts'
import { temporaryFolder } from '#test/unit/platform/packs/pack-folder.ts'

const folders: ReturnType<typeof temporaryFolder>[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove()
})

function newHome(): string {
  const folder = temporaryFolder()
  folders.push(folder)
  return join(folder.root, 'home')
}

async function svc(home: string, ...args: string[]): Promise<string[]> {
  const lines: string[] = []
  const config = () => loadConfig({ SVC_HOME: home })
  const deps = {
    config,
    checks: async () => createChecks(config, {}),
    api: () => ({ connections: async () => [], describe: () => Promise.reject(new Error('no service')) }),
    out: (line: string) => void lines.push(line),
    err: (line: string) => void lines.push(line),
    exit: (status: number): never => {
      throw new Error(`exit ${status}: ${lines.join('\n')}`)
    },
  }
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  registerInit(program, deps)
  registerCheck(program, deps)
  registerPack(program, deps)
  await program.parseAsync(args, { from: 'user' })
  return lines
}

test('svc init makes a data directory that passes the strict check, and says what comes next', async () => {
  const home = newHome()
  const lines = await svc(home, 'init')
  expect(lines).toEqual([
    ...['channels.yaml', 'environments/development.yaml', 'environments/production.yaml', '.gitignore'].map(
      (file) => `made  ${join(home, file)}`,
    ),
    'Start the service with: npm start',
    `Make a pack of your own, in ${join(home, 'packs')}, with: svc pack new my-pack`,
  ])
  expect(statSync(home).mode & 0o777).toBe(0o700)
  expect(await svc(home, 'check', '--strict')).toEqual(['Nothing is wrong.'])
  // what the service writes there, such as its keys, stays out of a repository
  expect(readFileSync(join(home, '.gitignore'), 'utf8').split('\n')).toContain('/*')
})

test('what svc init shows as an example is right when it is not a comment any more', async () => {
  const home = newHome()
  await svc(home, 'init')
  for (const file of ['channels.yaml', 'environments/development.yaml', 'environments/production.yaml']) {
    const text = readFileSync(join(home, file), 'utf8')
    const used = text.replace(/^# (?=[-\w]+:|- | {2})/gm, '').replace(/^\[\]$/m, '')
    expect(used).not.toBe(text)
    writeFileSync(join(home, file), used)
  }
  const lines = await svc(home, 'check')
  expect(lines.filter((line) => !/is not set/.test(line))).toEqual([expect.stringMatching(/^0 errors, /)])
})

test('svc init never overwrites', async () => {
  const home = newHome()
  await svc(home, 'init')
  writeFileSync(join(home, 'channels.yaml'), '# mine\n[]\n')
  const [said = ''] = await svc(home, 'init', home, '--json')
  expect(JSON.parse(said)).toMatchObject({
    home,
    made: [],
    kept: expect.arrayContaining([join(home, 'channels.yaml')]),
  })
  expect(readFileSync(join(home, 'channels.yaml'), 'utf8')).toBe('# mine\n[]\n')
  await expect(svc(home, 'init', join(home, 'channels.yaml'))).rejects.toThrow(
    /nothing can be written to .*channels.yaml/,
  )
})

test.each(['my-own', '123', 'true'])(
  'svc pack new %s makes a pack that passes its checks and its tests',
  async (name) => {
    const home = newHome()
    await svc(home, 'init')
    const lines = await svc(home, 'pack', 'new', name)
    const folder = join(home, 'packs', name)
    expect(lines).toContain(`made  ${join(folder, 'pack.yaml')}`)
    expect(lines.at(-1)).toBe(`Run it with: svc run ${name}/restart -i url=http://127.0.0.1:8080`)
    expect(await svc(home, 'check', '--strict')).toEqual(['Nothing is wrong.'])
    expect(await svc(home, 'pack', 'lint', folder, '--strict')).toEqual(['Nothing is wrong.'])
    expect((await svc(home, 'pack', 'test', folder)).at(-1)).toBe('2 passed, 0 failed')
    const texts = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    for (const { parentPath, name: file } of texts)
      expect(readFileSync(join(parentPath, file), 'utf8')).not.toContain('my-pack')
  },
)

test('svc pack new refuses a bad name, the name of a shipped pack, and a folder that exists', async () => {
  const home = newHome()
  for (const name of ['My-Pack', '../up', 'a/b', '-x y', '', 'a'.repeat(65)])
    await expect(svc(home, 'pack', 'new', '--', name)).rejects.toThrow(/a pack cannot be called .*lower-case letters/)
  await expect(svc(home, 'pack', 'new', 'sre')).rejects.toThrow('the pack sre ships with svc; choose another name')
  await svc(home, 'pack', 'new', 'mine', '--dir', home)
  const before = readFileSync(join(home, 'mine/pack.yaml'), 'utf8')
  await expect(svc(home, 'pack', 'new', 'mine', '--dir', home)).rejects.toThrow(
    /mine exists already; choose another name/,
  )
  expect(readFileSync(join(home, 'mine/pack.yaml'), 'utf8')).toBe(before)
})
