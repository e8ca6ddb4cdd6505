import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ASK_TOOLS } from '#services/ask/tools/index.ts'
import { reachOf, read } from './sources.ts'

const TOOLS = 'services/ask/tools'
/** Reviewed: everything that what runs tools reaches as values, beside core. Each of it computes, or reads through the connection that it is given. */
const REACHED = [
  'services/ask/define-ask-tool.ts',
  'services/ask/read-gates.ts',
  'services/ask/run-tool.ts',
  'services/ask/tool-inputs.ts',
  'store/ask-reads/audit.ts',
  'store/ask-reads/costs.ts',
  'store/ask-reads/gates.ts',
  'store/ask-reads/halts.ts',
  'store/ask-reads/pipelines.ts',
  'store/ask-reads/read.ts',
  'store/ask-reads/run.ts',
  'store/ask-reads/runs.ts',
  'store/ask-reads/schedules.ts',
]
const FILES = readdirSync(new URL(`../../../${TOOLS}`, import.meta.url)).map((name) => `${TOOLS}/${name}`)

describe('what runs the tools of the ask agent', () => {
  test('reaches nothing that starts, decides, cancels, calls or writes', () => {
    const reached = new Set([...FILES, 'services/ask/run-tool.ts'].flatMap((file) => [...reachOf(file, /./)]))
    const ours = [...reached].filter((file) => !file.startsWith('core/') && !file.startsWith(`${TOOLS}/`))
    expect(ours.sort()).toEqual(REACHED)
  })

  test('has one file for each tool, and offers every one', () => {
    const named = ASK_TOOLS.map(({ name }) => `${TOOLS}/${name.replaceAll('_', '-')}.ts`)
    expect([...named, `${TOOLS}/index.ts`].sort()).toEqual(FILES.sort())
  })

  test('reads with statements that only select', () => {
    for (const file of REACHED.filter((each) => each.startsWith('store/'))) {
      const text = read(file)
      expect(text, file).not.toMatch(
        /\b(insert into|update \w+ set|delete from|truncate|set_config|pg_notify|for update)\b|\.unsafe\(|\.begin\(/i,
      )
    }
  })

  test('takes arguments that its schema names, and limits what it hands over', () => {
    for (const { name, input, description } of ASK_TOOLS) {
      expect(input.safeParse({ workspace_id: 'ws_1' }).success, name).toBe(false)
      expect(input.safeParse({ limit: 1_000 }).success, name).toBe(false)
      expect(description.length, name).toBeGreaterThan(20)
    }
  })
})
