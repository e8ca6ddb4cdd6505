import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createChecks } from '#cli/check-runtime.ts'
import { registerPipelineLint } from '#cli/commands/pipeline/lint.ts'
import { loadConfig } from '#platform/config.ts'
import { docBlocks } from '#test/support/doc-blocks.ts'
import { temporaryFolder } from '../platform/packs/pack-folder.ts'

const [EXAMPLE = ''] = docBlocks('pipelines', 'yaml')
const PAGE = readFileSync(new URL('../../../docs/pipelines.md', import.meta.url), 'utf8')
const [, OUTPUT = ''] = /```\n(\$ svc pipeline lint.*?)```/s.exec(PAGE) ?? []

/** The slips that the page shows. */
const SLIPS: [right: string, wrong: string][] = [
  ['0 2 * * *', '0 25 * * *'],
  ['db/maintenance-check', 'db/maintenence-check'],
  ['action: vacuum_analyze', 'action: vacuums'],
  ['needs: [check]', 'needs: [night]'],
  ['timeout: 15m', 'timout: 15m'],
  ['steps.look.outputs.recovered', 'steps.look.outputs.recoverd'],
]

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

async function lint(yaml: string): Promise<string> {
  folder.write({ 'nightly/pipeline.yaml': yaml })
  const lines: string[] = []
  const env = { SVC_HOME: folder.root }
  const program = new Command()
  registerPipelineLint(program.command('pipeline'), {
    checks: async () => createChecks(() => loadConfig(env), env),
    out: (line) => void lines.push(line),
    err: (line) => void lines.push(line),
    exit: (status) => {
      throw new Error(`exit ${status}`)
    },
  })
  await program
    .parseAsync(['pipeline', 'lint', join(folder.root, 'nightly')], { from: 'user' })
    .catch((error: unknown) => void lines.push(String(error)))
  return lines.join('\n').replaceAll(`${folder.root}/`, '')
}

it('the example is sound', async () => {
  expect(await lint(EXAMPLE)).toBe('Nothing is wrong.')
})

it('what is shown of its slips is what is said', async () => {
  const wrong = SLIPS.reduce((text, [right, slip]) => {
    expect(text).toContain(right)
    return text.replace(right, slip)
  }, EXAMPLE)
  expect(`$ svc pipeline lint nightly\n${await lint(wrong)}`).toBe(`${OUTPUT.trim()}\nError: exit 1`)
})
